//! `/v1/players/{id}`: a player's profile, games and statistics.

use actix_web::{HttpRequest, get, web};
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

use super::answer::Answer;
use super::bearer::Bearer;
use super::etag::{IfNoneMatchHeader, tagged_page};
use super::language::{Preferred, Translate};
use super::parameters::{PageSize, Query};
use super::problem::Problem;
use super::refusals::CallerRefusals;
use estimation_engine::player::AccountId;
use estimation_service::games::GamesPage;
use estimation_service::players::{PlayerGames, PlayerProfile, PlayerStatistics};
use estimation_service::services::App;
use estimation_service::vocabulary::{GameStatus, RulesetId};

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

/// Show a player
///
/// Returns the public profile of a player. A deleted account is shown under the pseudonym that its games show, as
/// long as a game exists in which it had a seat.
#[utoipa::path(
    operation_id = "getPlayer",
    tag = "players",
    params(("id" = Uuid, Path, description = "The id of the player's account.")),
    responses((status = 200, description = "The player."), CallerRefusals)
)]
#[get("/v1/players/{id}")]
pub(super) async fn show(
    app: web::Data<App>,
    Bearer(_caller): Bearer,
    id: web::Path<Uuid>,
) -> Result<Answer<PlayerProfile>, Problem> {
    Ok(Answer::json(&app.players.profile(&AccountId::new(*id)).await?))
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
pub(super) async fn games(
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

/// Show a player's statistics
///
/// Returns a player's results for each ruleset. Every finished game counts a few seconds after its end, including
/// private games and games with bots. Abandoned games do not count. The rating is the Weng–Lin rating for several
/// players. It counts finished games in which a person had every seat at the start. A player who gave up a game is
/// ranked last in it.
#[utoipa::path(
    operation_id = "getPlayerStatistics",
    tag = "players",
    params(("id" = Uuid, Path, description = "The id of the player's account.")),
    responses((status = 200, description = "The statistics."), CallerRefusals)
)]
#[get("/v1/players/{id}/statistics")]
pub(super) async fn statistics(
    app: web::Data<App>,
    Bearer(_caller): Bearer,
    id: web::Path<Uuid>,
) -> Result<Answer<PlayerStatistics>, Problem> {
    Ok(Answer::json(&app.players.statistics(&AccountId::new(*id)).await?))
}
