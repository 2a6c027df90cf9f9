//! Rows of games: what the lobby and "my games" list. What happened in a game is in the log alone.

use diesel::dsl::{count, max};
use diesel::prelude::*;

use super::connection::Connection;
use super::error::StoreError;
use super::schema::{game_players, games};

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
const OPEN: [&str; 2] = ["lobby", "playing"];

/// The game with this id.
///
/// # Errors
/// What reading met.
pub fn find(conn: &mut Connection, id: &str) -> Result<Option<GameRow>, StoreError> {
    Ok(games::table.find(id).select(GameRow::as_select()).first(conn).optional()?)
}

/// The game with this invitation code.
///
/// # Errors
/// What reading met.
pub fn find_by_join_code(conn: &mut Connection, code: &str) -> Result<Option<GameRow>, StoreError> {
    let query = games::table.filter(games::join_code.eq(code)).select(GameRow::as_select());
    Ok(query.first(conn).optional()?)
}

/// One page of all games that match.
///
/// # Errors
/// What reading met.
pub fn list(conn: &mut Connection, filter: &GameFilter, page: &Page) -> Result<Vec<GameRow>, StoreError> {
    let mut query = games::table.select(GameRow::as_select()).into_boxed();
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
        query = query.filter(games::id.lt(after));
    }
    Ok(query.order(games::id.desc()).limit(page.limit).load(conn)?)
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

/// At which open tables an account sits, in short: how many, and the newest of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenTables {
    /// How many.
    pub count: i64,
    /// The id of the newest.
    pub newest: Option<String>,
}

/// The open tables of several accounts; accounts without any are left out.
///
/// # Errors
/// What reading met.
pub fn open_tables(
    conn: &mut Connection,
    accounts: &[&str],
) -> Result<Vec<(String, OpenTables)>, StoreError> {
    let query = game_players::table
        .inner_join(games::table.on(games::id.eq(game_players::game_id)))
        .filter(game_players::account_id.eq_any(accounts.iter().copied()))
        .filter(games::status.eq_any(OPEN))
        .group_by(game_players::account_id)
        .select((game_players::account_id, count(games::id), max(games::id)));
    let rows: Vec<(Option<String>, i64, Option<String>)> = query.load(conn)?;
    Ok(rows
        .into_iter()
        .filter_map(|(account, count, newest)| Some((account?, OpenTables { count, newest })))
        .collect())
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
        ))
        .execute(conn)
        .map_err(|e| StoreError::or_duplicate(e, || StoreError::JoinCodeTaken))?;
    Ok(())
}

pub(super) fn update(conn: &mut Connection, id: &str, changes: &GameChanges) -> Result<(), StoreError> {
    let changed = diesel::update(games::table.find(id))
        .set(changes)
        .execute(conn)
        .map_err(|e| StoreError::or_duplicate(e, || StoreError::JoinCodeTaken))?;
    if changed == 0 { Err(StoreError::NotFound) } else { Ok(()) }
}
