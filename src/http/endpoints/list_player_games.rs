//! `GET /v1/players/{id}/games`.

use actix_web::{HttpRequest, get, web};
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::etag::{IfNoneMatchHeader, tagged_page};
use crate::http::language::{Preferred, Translate};
use crate::http::parameters::{PageSize, Query};
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_engine::player::AccountId;
use estimation_service::games::GamesPage;
use estimation_service::players::PlayerGames;
use estimation_service::services::App;
use estimation_service::vocabulary::{GameStatus, RulesetId};

pub(super) const ACCESS: Access = Access::Anyone;

/// Which games of a player to list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct PlayerGamesQuery {
    /// Only games in this status.
    status: Option<GameStatus>,
    /// Only games of this ruleset.
    ruleset: Option<RulesetId>,
    /// The `next_cursor` of the previous page.
    #[param(min_length = 1, max_length = 512)]
    cursor: Option<String>,
    /// The maximum number of games per page.
    #[serde(default)]
    #[param(value_type = Option<usize>, minimum = 1, maximum = 100, default = 20)]
    limit: PageSize,
}

/// List a player's games
///
/// Returns the games in which a player has or had a seat, newest first. The list has public games, and private games
/// in which you have a seat.
#[utoipa::path(
    operation_id = "listPlayerGames",
    tag = "players",
    params(
        ("id" = Uuid, Path, description = "The id of the player's account."),
        PlayerGamesQuery,
        IfNoneMatchHeader
    ),
    responses(
        (status = 200, description = "A page of games.",
            headers(("ETag" = String, description = "The entity tag of the page."))),
        (status = 304, description = "The page has not changed."),
        CallerRefusals
    )
)]
#[get("/v1/players/{id}/games")]
pub(super) async fn list_player_games(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    Preferred(language): Preferred,
    id: web::Path<Uuid>,
    Query(query): Query<PlayerGamesQuery>,
) -> Result<Answer<GamesPage>, Problem> {
    let PlayerGamesQuery { status, ruleset, cursor, limit } = query;
    let list = PlayerGames { status, ruleset, cursor, limit: limit.0 };
    let mut page = app.players.games_of(&caller, &AccountId::new(*id), list).await?;
    language.games(&mut page);
    tagged_page(&request, language, &page)
}
