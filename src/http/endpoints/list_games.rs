//! `GET /v1/games`.

use actix_web::{HttpRequest, get, web};
use serde::Deserialize;
use utoipa::IntoParams;

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::etag::{IfNoneMatchHeader, tagged_page};
use crate::http::language::{Preferred, Translate};
use crate::http::parameters::{PageSize, Query};
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::games::{GameList, GamesPage};
use estimation_service::services::App;
use estimation_service::vocabulary::{GameStatus, RulesetId};

pub(super) const ACCESS: Access = Access::Own;

/// Which games to list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct GamesQuery {
    /// Only games in this status. Default: `lobby` for public games, all for your own.
    status: Option<GameStatus>,
    /// Only games of this ruleset.
    ruleset: Option<RulesetId>,
    /// Your own games, public and private, instead of the public ones.
    #[serde(default)]
    mine: bool,
    /// The `next_cursor` of the page before.
    #[param(min_length = 1, max_length = 512)]
    cursor: Option<String>,
    /// The maximum number of games.
    #[serde(default)]
    #[param(value_type = Option<usize>, minimum = 1, maximum = 100, default = 20)]
    limit: PageSize,
}

/// List games
///
/// Public games, newest first, or your own. Items of your own games have what a home screen shows (`own`). The list shows at most 4 lobby tables of each host, the newest that
/// match.
#[utoipa::path(
    operation_id = "listGames",
    tag = "games",
    params(
        GamesQuery,
        IfNoneMatchHeader
    ),
    responses(
        (status = 200, description = "A page of games.",
            headers(("ETag" = String, description = "The entity tag of the page."))),
        (status = 304, description = "You have this page already."),
        CallerRefusals
    )
)]
#[get("/v1/games")]
pub(super) async fn list_games(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    Preferred(language): Preferred,
    Query(query): Query<GamesQuery>,
) -> Result<Answer<GamesPage>, Problem> {
    let GamesQuery { status, ruleset, mine, cursor, limit } = query;
    let list = GameList { status, ruleset, mine, cursor, limit: limit.0 };
    let mut page = app.games.list(&caller, list).await?;
    language.games(&mut page);
    let has_code = page.items.iter().any(|game| game.own.as_ref().is_some_and(|own| own.join_code.is_some()));
    let answer = tagged_page(&request, language, &page)?;
    // The page also has names that others have chosen.
    Ok(if has_code { answer.uncompressed() } else { answer })
}
