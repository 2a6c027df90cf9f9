//! `/v1/leaderboards/{ruleset}`: the strongest players of a ruleset.

use actix_web::{HttpResponse, get, web};
use serde::Deserialize;
use utoipa::IntoParams;

use super::bearer::Bearer;
use super::contract;
use super::parameters::{PageSize, Query};
use super::problem::Problem;
use super::refusals::CallerRefusals;
use crate::app::services::App;

/// Which part of a leaderboard to show.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct LeaderboardQuery {
    /// The `next_cursor` of the page before.
    #[param(value_type = Option<contract::Cursor>)]
    cursor: Option<String>,
    /// How many players at most.
    #[serde(default)]
    #[param(value_type = Option<usize>, minimum = 1, maximum = 100, default = 20)]
    limit: PageSize,
}

/// Show a leaderboard
///
/// The players of a ruleset, strongest first: by the rating's mean less three deviations, which a player is
/// almost surely above. Whoever has fewer than 10 rated games is not on it. Those level share a rank.
#[utoipa::path(
    operation_id = "getLeaderboard",
    tag = "players",
    params(
        ("ruleset" = contract::RulesetId, Path, description = "The ruleset's id."), LeaderboardQuery
    ),
    responses((status = 200, description = "A page of players.", body = contract::LeaderboardPage), CallerRefusals)
)]
#[get("/v1/leaderboards/{ruleset}")]
pub(super) async fn leaderboard(
    app: web::Data<App>,
    Bearer(_caller): Bearer,
    ruleset: web::Path<String>,
    Query(LeaderboardQuery { cursor, limit }): Query<LeaderboardQuery>,
) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().json(app.players.leaderboard(&ruleset, cursor.as_deref(), limit.0).await?))
}
