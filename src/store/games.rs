//! Rows of games: what the lobby and "my games" list. What happened in a game is in the log alone.

use diesel::dsl::{auto_type, count_star, exists, not, sql};
use diesel::expression::SqlLiteral;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};

use super::connection::Connection;
use super::error::StoreError;
use super::hash;
use super::schema::{game_players, games, matchmaking};

/// A game as lists show it. Times are milliseconds since 1970 in UTC.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = games)]
pub struct GameRow {
    /// UUIDv7: newer games have greater ids.
    pub id: String,
    /// `lobby`, `playing`, `finished` or `abandoned`.
    pub status: String,
    /// The ruleset's id.
    pub ruleset: String,
    /// Who may find it.
    pub visibility: String,
    /// The invitation code, if there is one.
    pub join_code: Option<String>,
    /// The host's account id.
    pub host: String,
    /// How many play.
    pub players: i32,
    /// How many places are taken.
    pub taken: i32,
    /// When it was made.
    pub created_at: i64,
    /// When this row last changed.
    pub updated_at: i64,
    /// When it was finished or abandoned.
    pub ended_at: Option<i64>,
    /// When the service has to look at it by itself: early, never late.
    pub wake_at: Option<i64>,
    /// Which game it is the rematch of.
    pub rematch_of: Option<String>,
}

/// A game to be listed, written with its first event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewGame {
    /// `lobby`, usually.
    pub status: String,
    /// The ruleset's id.
    pub ruleset: String,
    /// Who may find it.
    pub visibility: String,
    /// The invitation code; must be no other game's.
    pub join_code: Option<String>,
    /// The host's account id.
    pub host: String,
    /// How many play.
    pub players: i32,
    /// How many places are taken already.
    pub taken: i32,
    /// When it is made; also the first `updated_at`.
    pub created_at: i64,
    /// When the service has to look at it by itself.
    pub wake_at: Option<i64>,
    /// Which game it is the rematch of; must be no other's.
    pub rematch_of: Option<String>,
}

/// What changes in a game's row; `None` leaves a column as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, AsChangeset)]
#[diesel(table_name = games)]
pub struct GameChanges {
    /// The new status.
    pub status: Option<String>,
    /// The new host's account id.
    pub host: Option<String>,
    /// The new invitation code, or `Some(None)` to withdraw it.
    pub join_code: Option<Option<String>>,
    /// How many places are taken now.
    pub taken: Option<i32>,
    /// When it changed.
    pub updated_at: i64,
    /// When it ended.
    pub ended_at: Option<i64>,
    /// When the service has to look at it by itself, or `Some(None)` for never.
    pub wake_at: Option<Option<i64>>,
    /// `Some(None)` where it is no rematch any more, so that there may be another.
    pub rematch_of: Option<Option<String>>,
}

/// Which games a list shows; `None` means any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GameFilter {
    /// Only games in this status.
    pub status: Option<String>,
    /// Only games of this ruleset.
    pub ruleset: Option<String>,
    /// Only games that may be found like this.
    pub visibility: Option<String>,
    /// Of tables in the lobby only so many of each host, the newest of those that match. At least 1.
    pub newest_per_host: Option<i64>,
}

/// One page of a list, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// The id of the last game of the page before; `None` for the first page.
    pub after: Option<String>,
    /// How many at most. Ask for one more than is shown to know whether another page follows.
    pub limit: i64,
}

/// The statuses of games that are not over.
pub(super) const OPEN: [&str; 2] = ["lobby", "playing"];

/// The game with this id.
///
/// # Errors
/// What reading met.
pub fn find(conn: &mut Connection, id: &str) -> Result<Option<GameRow>, StoreError> {
    Ok(games::table.find(id).select(GameRow::as_select()).first(conn).optional()?)
}

/// The game that is the rematch of a game.
///
/// # Errors
/// What reading met.
pub fn rematch_of(conn: &mut Connection, game: &str) -> Result<Option<GameRow>, StoreError> {
    let query = games::table.filter(games::rematch_of.eq(game)).select(GameRow::as_select());
    Ok(query.first(conn).optional()?)
}

/// When a game is due, and its id: its place among all that are.
pub type DuePlace = (i64, String);

/// The games that the service has to look at by a time, the most urgent first, behind a place in that order.
///
/// # Errors
/// What reading met.
pub fn due(
    conn: &mut Connection,
    by: i64,
    behind: Option<&DuePlace>,
    limit: i64,
) -> Result<Vec<DuePlace>, StoreError> {
    let wake_at = games::wake_at.assume_not_null();
    let mut query = games::table.filter(games::wake_at.le(by)).into_boxed();
    if let Some((at, id)) = behind {
        query = query.filter(wake_at.ge(at)).filter(wake_at.gt(at).or(games::id.gt(id)));
    }
    let query = query.order((games::wake_at, games::id)).limit(limit);
    Ok(query.select((wake_at, games::id)).load(conn)?)
}

/// Puts off when the service looks at a game, unless somebody else has changed that meanwhile.
///
/// # Errors
/// What writing met.
pub fn put_off(conn: &mut Connection, id: &str, from: i64, to: i64) -> Result<bool, StoreError> {
    let game = games::table.filter(games::id.eq(id)).filter(games::wake_at.eq(from));
    Ok(diesel::update(game).set(games::wake_at.eq(to)).execute(conn)? > 0)
}

/// The game with this invitation code.
///
/// # Errors
/// What reading met.
pub fn find_by_join_code(conn: &mut Connection, code: &str) -> Result<Option<GameRow>, StoreError> {
    let query = games::table.filter(games::join_code.eq(code)).select(GameRow::as_select());
    Ok(query.first(conn).optional()?)
}

/// One page of all games that match, without the tables in the lobby at which strangers are seated together:
/// nobody can sit down there by themselves.
///
/// # Errors
/// What reading met.
pub fn list(conn: &mut Connection, filter: &GameFilter, page: &Page) -> Result<Vec<GameRow>, StoreError> {
    let mut query = games::table.filter(not(exists(strangers()))).select(GameRow::as_select()).into_boxed();
    if let Some(status) = &filter.status {
        query = query.filter(games::status.eq(status));
    }
    if let Some(ruleset) = &filter.ruleset {
        query = query.filter(games::ruleset.eq(ruleset));
    }
    if let Some(visibility) = &filter.visibility {
        query = query.filter(games::visibility.eq(visibility));
    }
    if let Some(share) = filter.newest_per_host {
        // Whether there are so many newer ones: the index `games_by_host` is read no further than that.
        let crowded_out = sql::<Bool>(
            "EXISTS (SELECT 1 FROM games newer WHERE newer.host = games.host AND newer.status = 'lobby' \
             AND newer.visibility = games.visibility AND newer.id > games.id AND (",
        )
        .bind::<Bool, _>(filter.ruleset.is_none())
        .sql(
            " OR newer.ruleset = games.ruleset) AND NOT EXISTS (SELECT 1 FROM matchmaking \
             WHERE matchmaking.game_id = newer.id AND matchmaking.terms IS NOT NULL) \
             ORDER BY newer.id LIMIT 1 OFFSET ",
        )
        .bind::<BigInt, _>(share - 1)
        .sql(")");
        query = query.filter(not(crowded_out));
    }
    if let Some(after) = &page.after {
        query = query.filter(games::id.lt(after));
    }
    Ok(query.order(games::id.desc()).limit(page.limit).load(conn)?)
}

/// The rows that say that a game is a table of strangers, and has not begun.
#[auto_type]
fn strangers() -> _ {
    matchmaking::table.filter(matchmaking::game_id.eq(games::id)).filter(matchmaking::terms.is_not_null())
}

/// Whether a game is in the lobby, in the words of the index `games_by_host`: SQLite uses it for no others.
fn in_lobby() -> SqlLiteral<Bool> {
    sql("games.status = 'lobby'")
}

/// One page of the games this account has a place in.
///
/// # Errors
/// What reading met.
pub fn list_mine(
    conn: &mut Connection,
    account: &str,
    filter: &GameFilter,
    page: &Page,
) -> Result<Vec<GameRow>, StoreError> {
    let mut query = game_players::table
        .inner_join(games::table.on(games::id.eq(game_players::game_id)))
        .filter(game_players::account_id.eq(account))
        .select(GameRow::as_select())
        .into_boxed();
    if let Some(status) = &filter.status {
        query = query.filter(games::status.eq(status));
    }
    if let Some(ruleset) = &filter.ruleset {
        query = query.filter(games::ruleset.eq(ruleset));
    }
    if let Some(visibility) = &filter.visibility {
        query = query.filter(games::visibility.eq(visibility));
    }
    if let Some(after) = &page.after {
        query = query.filter(game_players::game_id.lt(after));
    }
    Ok(query.order(game_players::game_id.desc()).limit(page.limit).load(conn)?)
}

/// One page of the games this account has a place in, as another account may know of them: those that anybody
/// may find, and those in which the other has a place as well.
///
/// # Errors
/// What reading met.
pub fn list_of_player(
    conn: &mut Connection,
    account: &str,
    viewer: &str,
    filter: &GameFilter,
    page: &Page,
) -> Result<Vec<GameRow>, StoreError> {
    let shared = diesel::alias!(game_players as shared);
    let both = shared
        .filter(shared.field(game_players::game_id).eq(games::id))
        .filter(shared.field(game_players::account_id).eq(viewer))
        .select(shared.field(game_players::place));
    let mut query = game_players::table
        .inner_join(games::table.on(games::id.eq(game_players::game_id)))
        .filter(game_players::account_id.eq(account))
        .filter(games::visibility.eq("public").or(diesel::dsl::exists(both)))
        .select(GameRow::as_select())
        .into_boxed();
    if let Some(status) = &filter.status {
        query = query.filter(games::status.eq(status));
    }
    if let Some(ruleset) = &filter.ruleset {
        query = query.filter(games::ruleset.eq(ruleset));
    }
    if let Some(after) = &page.after {
        query = query.filter(game_players::game_id.lt(after));
    }
    Ok(query.order(game_players::game_id.desc()).limit(page.limit).load(conn)?)
}

/// Games in order of their ids, which is that of their making, after an id.
///
/// # Errors
/// What reading met.
pub fn in_order(conn: &mut Connection, after: &str, limit: i64) -> Result<Vec<GameRow>, StoreError> {
    let query = games::table.filter(games::id.gt(after)).order(games::id).limit(limit);
    Ok(query.select(GameRow::as_select()).load(conn)?)
}

/// How many games there are.
///
/// # Errors
/// What reading met.
pub fn number(conn: &mut Connection) -> Result<i64, StoreError> {
    Ok(games::table.count().get_result(conn)?)
}

/// How many games there are of each status that any has.
///
/// # Errors
/// What reading met.
pub fn count_by_status(conn: &mut Connection) -> Result<Vec<(String, u64)>, StoreError> {
    let query = games::table.group_by(games::status).select((games::status, count_star()));
    let rows: Vec<(String, i64)> = query.load(conn)?;
    rows.into_iter().map(|(status, count)| Ok((status, hash::from_stored(count)?))).collect()
}

/// The games an account has a place in that are not over.
///
/// # Errors
/// What reading met.
pub fn open_of(conn: &mut Connection, account: &str) -> Result<Vec<String>, StoreError> {
    let query = game_players::table
        .inner_join(games::table.on(games::id.eq(game_players::game_id)))
        .filter(game_players::account_id.eq(account))
        .filter(games::status.eq_any(OPEN))
        .select(games::id);
    Ok(query.load(conn)?)
}

/// How many tables a host has in the lobby, without those at which strangers are seated together.
///
/// # Errors
/// What reading met.
pub fn in_lobby_of(conn: &mut Connection, host: &str) -> Result<i64, StoreError> {
    let query = games::table.filter(games::host.eq(host)).filter(in_lobby()).filter(not(exists(strangers())));
    Ok(query.count().get_result(conn)?)
}

pub(super) fn insert(conn: &mut Connection, id: &str, game: &NewGame) -> Result<(), StoreError> {
    diesel::insert_into(games::table)
        .values((
            games::id.eq(id),
            games::status.eq(&game.status),
            games::ruleset.eq(&game.ruleset),
            games::visibility.eq(&game.visibility),
            games::join_code.eq(&game.join_code),
            games::host.eq(&game.host),
            games::players.eq(game.players),
            games::taken.eq(game.taken),
            games::created_at.eq(game.created_at),
            games::updated_at.eq(game.created_at),
            games::wake_at.eq(game.wake_at),
            games::rematch_of.eq(&game.rematch_of),
        ))
        .execute(conn)
        .map_err(StoreError::of_listing)?;
    Ok(())
}

pub(super) fn update(conn: &mut Connection, id: &str, changes: &GameChanges) -> Result<(), StoreError> {
    let changed =
        diesel::update(games::table.find(id)).set(changes).execute(conn).map_err(StoreError::of_listing)?;
    if changed == 0 { Err(StoreError::NotFound) } else { Ok(()) }
}
