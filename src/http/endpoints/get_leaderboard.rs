//! `GET /v1/leaderboards/{ruleset}`.

use actix_web::{get, web};
use serde::Deserialize;
use utoipa::IntoParams;

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::parameters::{PageSize, Query};
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::players::LeaderboardPage;
use estimation_service::services::App;
use estimation_service::vocabulary::RulesetId;

pub(super) const ACCESS: Access = Access::Anyone;

/// Which part of a leaderboard to show.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct LeaderboardQuery {
    /// The `next_cursor` of the previous page.
    #[param(min_length = 1, max_length = 512)]
    cursor: Option<String>,
    /// The maximum number of players per page.
    #[serde(default)]
    #[param(value_type = Option<usize>, minimum = 1, maximum = 100, default = 20)]
    limit: PageSize,
}

/// Show a leaderboard
///
/// Returns the players of a ruleset, strongest first. The order is by the rating's mean minus three deviations; a
/// player's skill is almost certainly above that value. Players with fewer than 10 rated games are not listed. Players
/// with equal values share a rank. After a block between you, a player has a rank and no name.
#[utoipa::path(
    operation_id = "getLeaderboard",
    tag = "players",
    params(
        ("ruleset" = RulesetId, Path, description = "The ruleset's id."), LeaderboardQuery
    ),
    responses((status = 200, description = "A page of players."), CallerRefusals)
)]
#[get("/v1/leaderboards/{ruleset}")]
pub(super) async fn get_leaderboard(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    ruleset: web::Path<String>,
    Query(LeaderboardQuery { cursor, limit }): Query<LeaderboardQuery>,
) -> Result<Answer<LeaderboardPage>, Problem> {
    Ok(Answer::json(&app.players.leaderboard(&caller, &ruleset, cursor.as_deref(), limit.0).await?))
}
