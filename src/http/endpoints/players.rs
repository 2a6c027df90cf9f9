//! Profiles, games, statistics and ratings of players.

use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, get};
use garde::Validate;
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

use crate::http::answer::{Answer, Reply};
use crate::http::bearer::Bearer;
use crate::http::caching::{IfNoneMatchHeader, tagged_page};
use crate::http::language::{PreferredLanguage, Translate};
use crate::http::parameters::{PageSize, Query};
use estimation_engine::player::AccountId;
use estimation_service::games::GamesPage;
use estimation_service::players::{LeaderboardPage, PlayerGames, PlayerProfile, PlayerStatistics};
use estimation_service::services::App;
use estimation_service::vocabulary::{GameStatus, RulesetId};

/// Show a player
///
/// Returns the public profile of a player. A deleted account is shown under the pseudonym that its games show, as
/// long as a game exists in which it had a seat.
#[utoipa::path]
#[get("/v1/players/{id}")]
pub(super) async fn get_player(
    app: Data<App>,
    Bearer(caller): Bearer,
    id: Path<Uuid>,
) -> Reply<PlayerProfile> {
    Ok(Answer::json(&app.players.profile(&caller, &AccountId::new(*id)).await?))
}

/// Which games of a player to list.
#[derive(Deserialize, IntoParams, Validate)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
#[garde(allow_unvalidated)]
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
    #[garde(dive)]
    limit: PageSize,
}

/// List a player's games
///
/// Returns the games in which a player has or had a seat, newest first. The list has public games, and private games
/// in which you have a seat.
#[utoipa::path(
    params(PlayerGamesQuery, IfNoneMatchHeader),
    responses((status = 304, description = "The page has not changed."))
)]
#[get("/v1/players/{id}/games")]
pub(super) async fn list_player_games(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    PreferredLanguage(language): PreferredLanguage,
    id: Path<Uuid>,
    Query(query): Query<PlayerGamesQuery>,
) -> Reply<GamesPage> {
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
/// ranked last in it. `broken_off` counts cancelled tables, missed openings and games left, of every kind of game.
#[utoipa::path]
#[get("/v1/players/{id}/statistics")]
pub(super) async fn get_player_statistics(
    app: Data<App>,
    Bearer(caller): Bearer,
    id: Path<Uuid>,
) -> Reply<PlayerStatistics> {
    Ok(Answer::json(&app.players.statistics(&caller, &AccountId::new(*id)).await?))
}

/// Which part of a leaderboard to show.
#[derive(Deserialize, IntoParams, Validate)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
#[garde(allow_unvalidated)]
pub(super) struct LeaderboardQuery {
    /// The `next_cursor` of the previous page.
    #[param(min_length = 1, max_length = 512)]
    cursor: Option<String>,
    /// The maximum number of players per page.
    #[serde(default)]
    #[param(value_type = Option<usize>, minimum = 1, maximum = 100, default = 20)]
    #[garde(dive)]
    limit: PageSize,
}

/// Show a leaderboard
///
/// Returns the players of a ruleset, strongest first. The order is by the rating's mean minus three deviations; a
/// player's skill is almost certainly above that value. Players with fewer than 10 rated games are not listed. Players
/// with equal values share a rank. After a block between you, a player has a rank and no name.
#[utoipa::path(params(LeaderboardQuery))]
#[get("/v1/leaderboards/{ruleset}")]
pub(super) async fn get_leaderboard(
    app: Data<App>,
    Bearer(caller): Bearer,
    ruleset: Path<String>,
    Query(LeaderboardQuery { cursor, limit }): Query<LeaderboardQuery>,
) -> Reply<LeaderboardPage> {
    Ok(Answer::json(&app.players.leaderboard(&caller, &ruleset, cursor.as_deref(), limit.0).await?))
}
