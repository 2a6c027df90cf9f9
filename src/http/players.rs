//! `/v1/players/{id}`: a player's profile, games and statistics.

use actix_web::{HttpResponse, get, web};
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

use super::bearer::Bearer;
use super::contract;
use super::language::Language;
use super::parameters::{PageSize, Query};
use super::problem::Problem;
use super::refusals::CallerRefusals;
use crate::app::players::PlayerGames;
use crate::app::services::App;
use crate::app::vocabulary::{RulesetId, Status};

/// Which games of a player to list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct PlayerGamesQuery {
    /// Only games in this status.
    #[param(value_type = Option<contract::GameStatus>)]
    status: Option<Status>,
    /// Only games of this ruleset.
    #[param(value_type = Option<contract::RulesetId>)]
    ruleset: Option<RulesetId>,
    /// The `next_cursor` of the page before.
    #[param(value_type = Option<contract::Cursor>)]
    cursor: Option<String>,
    /// How many games at most.
    #[serde(default)]
    #[param(value_type = Option<usize>, minimum = 1, maximum = 100, default = 20)]
    limit: PageSize,
}

/// Show a player
///
/// What anybody may know of a player. An account that was erased is shown under the pseudonym that its games
/// show, as long as there is a game it sat in.
#[utoipa::path(
    operation_id = "getPlayer",
    tag = "players",
    params(("id" = Uuid, Path, description = "The player's account.")),
    responses((status = 200, description = "The player.", body = contract::PlayerProfile), CallerRefusals)
)]
#[get("/v1/players/{id}")]
pub(super) async fn show(
    app: web::Data<App>,
    Bearer(_caller): Bearer,
    id: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().json(app.players.profile(*id).await?))
}

/// List a player's games
///
/// The games a player sits or sat in, newest first: those that are public, and private ones in which you have
/// a seat yourself.
#[utoipa::path(
    operation_id = "listPlayerGames",
    tag = "players",
    params(("id" = Uuid, Path, description = "The player's account."), PlayerGamesQuery),
    responses((status = 200, description = "A page of games.", body = contract::GamePage), CallerRefusals)
)]
#[get("/v1/players/{id}/games")]
pub(super) async fn games(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    language: Language,
    id: web::Path<Uuid>,
    Query(query): Query<PlayerGamesQuery>,
) -> Result<HttpResponse, Problem> {
    let PlayerGamesQuery { status, ruleset, cursor, limit } = query;
    let list = PlayerGames { status, ruleset, cursor, limit: limit.0 };
    let mut page = app.players.games_of(&caller, *id, list).await?;
    language.games(&mut page);
    Ok(language.mark(HttpResponse::Ok().json(page)))
}

/// Show a player's statistics
///
/// What a player has reached, ruleset by ruleset. Every finished game counts, private ones and those with bots
/// included, a few seconds after its end; abandoned games do not. The rating is that of Weng and Lin for
/// several players, of finished games in which every seat was a person's at the start. Whoever gave a game up
/// is ranked last in it.
#[utoipa::path(
    operation_id = "getPlayerStatistics",
    tag = "players",
    params(("id" = Uuid, Path, description = "The player's account.")),
    responses((status = 200, description = "The figures.", body = contract::PlayerStatistics), CallerRefusals)
)]
#[get("/v1/players/{id}/statistics")]
pub(super) async fn statistics(
    app: web::Data<App>,
    Bearer(_caller): Bearer,
    id: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().json(app.players.statistics(*id).await?))
}
