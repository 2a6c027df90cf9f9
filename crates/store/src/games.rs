//! Rows of games, for the lobby and for lists. The content of a game is only in its log.

use diesel::dsl::{auto_type, count_star, exists, not, sql};
use diesel::expression::SqlLiteral;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};

use super::relations::hides_nobody_from;
use super::schema::{game_formats, game_players, games, matchmaking, silent_tables};
use super::{AccountId, Connection, GameId, RecordTime, Result, StoreError, columns};

/// A game as lists show it. Times are milliseconds since 1970 in UTC.
#[derive(Debug, Clone, PartialEq, Eq, HasQuery)]
#[diesel(table_name = games)]
pub struct GameRow {
    /// UUIDv7: newer games have greater ids.
    pub id: GameId,
    /// `lobby`, `playing`, `finished` or `abandoned`.
    pub status: String,
    pub ruleset: String,
    /// `public` or `private`.
    pub visibility: String,
    /// The invitation code; `None` when it was withdrawn.
    pub join_code: Option<String>,
    pub host: AccountId,
    /// The number of players.
    pub players: i32,
    /// The number of occupied places.
    pub taken: i32,
    pub created_at: RecordTime,
    pub updated_at: RecordTime,
    /// When it was finished or abandoned.
    pub ended_at: Option<RecordTime>,
    /// When a timer must run for this game; may be too early, never too late.
    pub wake_at: Option<i64>,
    pub rematch_of: Option<GameId>,
}

/// A game's row, inserted with its first event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewGame {
    pub status: String,
    pub ruleset: String,
    /// `public` or `private`.
    pub visibility: String,
    /// The invitation code; must be unique.
    pub join_code: Option<String>,
    pub host: AccountId,
    /// The number of players.
    pub players: i32,
    /// The number of occupied places.
    pub taken: i32,
    /// Also the first `updated_at`.
    pub created_at: i64,
    /// When a timer must run for this game.
    pub wake_at: Option<i64>,
    /// The game of which it is the rematch. A game has at most one rematch.
    pub rematch_of: Option<GameId>,
    /// Whether players may react at the table.
    pub talk: bool,
    /// The format of what is stored of it.
    pub format: i32,
}

/// Changes to a game's row; `None` leaves a column unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, AsChangeset)]
#[diesel(table_name = games)]
pub struct GameChanges {
    pub status: Option<String>,
    pub host: Option<AccountId>,
    /// `Some(None)` withdraws the code.
    pub join_code: Option<Option<String>>,
    /// The number of occupied places.
    pub taken: Option<i32>,
    pub updated_at: i64,
    pub ended_at: Option<i64>,
    /// `Some(None)` for no timer.
    pub wake_at: Option<Option<i64>>,
    /// `Some(None)` detaches the game, so that its original can have another rematch.
    pub rematch_of: Option<Option<GameId>>,
}

/// A filter for lists; `None` matches all games.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GameFilter {
    pub status: Option<String>,
    pub ruleset: Option<String>,
    pub visibility: Option<String>,
    /// At most this many lobby tables per host, the newest of those that match. At least 1.
    pub newest_per_host: Option<i64>,
    /// Leaves out games that have a player with a block between them and this account.
    pub hidden_from: Option<AccountId>,
}

/// One page of a list, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// The id of the previous page's last game; `None` for the first page.
    pub after: Option<GameId>,
    /// The maximum number of games. Ask for one more than is shown to detect a further page.
    pub limit: i64,
}

/// The statuses of games that are not over.
pub(super) const OPEN: [&str; 2] = ["lobby", "playing"];

pub fn find(conn: &mut Connection, id: GameId) -> Result<Option<GameRow>> {
    Ok(games::table.find(id).select(GameRow::as_select()).first(conn).optional()?)
}

/// Whether reactions are off at a table.
pub fn is_silent(conn: &mut Connection, id: GameId) -> Result<bool> {
    Ok(diesel::select(exists(silent_tables::table.find(id))).get_result(conn)?)
}

pub fn rematch_of(conn: &mut Connection, game: GameId) -> Result<Option<GameRow>> {
    let query = GameRow::query().filter(games::rematch_of.eq(game));
    Ok(query.first(conn).optional()?)
}

/// The time of a game's timer, and its id: a position in the order of timers.
pub type TimerPosition = (i64, GameId);

/// The games whose timers are due by the time `by`, most urgent first, after a position in that order.
pub fn due(
    conn: &mut Connection,
    by: i64,
    behind: Option<&TimerPosition>,
    limit: i64,
) -> Result<Vec<TimerPosition>> {
    let wake_at = games::wake_at.assume_not_null();
    let mut query = games::table.filter(games::wake_at.le(by)).into_boxed();
    if let Some((at, id)) = behind {
        query = query.filter(wake_at.ge(at)).filter(wake_at.gt(at).or(games::id.gt(id)));
    }
    let query = query.order((games::wake_at, games::id)).limit(limit);
    Ok(query.select((wake_at, games::id)).load(conn)?)
}

/// The games that are played or about to start, after an id, in the order of ids.
pub fn waiting(conn: &mut Connection, behind: GameId, limit: i64) -> Result<Vec<GameId>> {
    let is_full = games::status.eq("lobby").and(games::taken.ge(games::players));
    let query = games::table
        .filter(games::status.eq("playing").or(is_full))
        .filter(games::id.gt(behind))
        .order(games::id)
        .limit(limit)
        .select(games::id);
    Ok(query.load(conn)?)
}

/// The games that finished since a time.
pub fn ended_since(conn: &mut Connection, since: i64) -> Result<Vec<GameId>> {
    let query =
        games::table.filter(games::status.eq("finished")).filter(games::ended_at.ge(since)).select(games::id);
    Ok(query.load(conn)?)
}

/// Postpones a game's timer, unless it was changed meanwhile.
pub fn postpone_timer(conn: &mut Connection, id: GameId, from: i64, to: i64) -> Result<bool> {
    let game = games::table.filter(games::id.eq(id)).filter(games::wake_at.eq(from));
    Ok(diesel::update(game).set(games::wake_at.eq(to)).execute(conn)? > 0)
}

pub fn find_by_join_code(conn: &mut Connection, code: &str) -> Result<Option<GameRow>> {
    let query = GameRow::query().filter(games::join_code.eq(code));
    Ok(query.first(conn).optional()?)
}

/// The games of a query that fit a filter, after the last game of the page before, by the column of their ids.
macro_rules! filtered {
    ($query:expr, $filter:expr, $page:expr, $id:expr) => {{
        let mut query = $query;
        if let Some(status) = &$filter.status {
            query = query.filter(games::status.eq(status));
        }
        if let Some(ruleset) = &$filter.ruleset {
            query = query.filter(games::ruleset.eq(ruleset));
        }
        if let Some(visibility) = &$filter.visibility {
            query = query.filter(games::visibility.eq(visibility));
        }
        if let Some(after) = &$page.after {
            query = query.filter($id.lt(after));
        }
        query
    }};
}

/// One page of all games that match. Open matchmaking tables are left out, because nobody can join them
/// directly.
pub fn list(conn: &mut Connection, filter: &GameFilter, page: &Page) -> Result<Vec<GameRow>> {
    let query = GameRow::query().filter(not(exists(strangers()))).into_boxed();
    let mut query = filtered!(query, filter, page, games::id);
    if let Some(share) = filter.newest_per_host {
        // Whether the host has this many newer tables: reads at most that many entries of the index
        // `games_by_host`.
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
    if let Some(viewer) = &filter.hidden_from {
        query = query.filter(hides_nobody_from!(viewer));
    }
    Ok(query.order(games::id.desc()).limit(page.limit).load(conn)?)
}

/// The rows of open matchmaking tables.
#[auto_type]
fn strangers() -> _ {
    matchmaking::table.filter(matchmaking::game_id.eq(games::id)).filter(matchmaking::terms.is_not_null())
}

/// Whether a game is in the lobby, written exactly as in the index `games_by_host`, or SQLite would not use
/// it.
fn in_lobby() -> SqlLiteral<Bool> {
    sql("games.status = 'lobby'")
}

/// One page of the games in which this account has a place.
pub fn list_mine(
    conn: &mut Connection,
    account: &AccountId,
    filter: &GameFilter,
    page: &Page,
) -> Result<Vec<GameRow>> {
    let query = game_players::table
        .inner_join(games::table.on(games::id.eq(game_players::game_id)))
        .filter(game_players::account_id.eq(account))
        .select(GameRow::as_select())
        .into_boxed();
    let query = filtered!(query, filter, page, game_players::game_id);
    Ok(query.order(game_players::game_id.desc()).limit(page.limit).load(conn)?)
}

/// One page of the games in which this account has a place and which another account may see: public games,
/// and those in which both have a place.
pub fn list_of_player(
    conn: &mut Connection,
    account: &AccountId,
    viewer: &AccountId,
    filter: &GameFilter,
    page: &Page,
) -> Result<Vec<GameRow>> {
    let shared = diesel::alias!(game_players as shared);
    let both = shared
        .filter(shared.field(game_players::game_id).eq(games::id))
        .filter(shared.field(game_players::account_id).eq(viewer))
        .select(shared.field(game_players::place));
    let query = game_players::table
        .inner_join(games::table.on(games::id.eq(game_players::game_id)))
        .filter(game_players::account_id.eq(account))
        .filter(games::visibility.eq("public").or(diesel::dsl::exists(both)))
        .select(GameRow::as_select())
        .into_boxed();
    let mut query = filtered!(query, filter, page, game_players::game_id);
    if let Some(viewer) = &filter.hidden_from {
        query = query.filter(diesel::dsl::exists(both).or(hides_nobody_from!(viewer)));
    }
    Ok(query.order(game_players::game_id.desc()).limit(page.limit).load(conn)?)
}

/// The ids of games in order of creation, after an id, as stored.
pub fn ids_after(conn: &mut Connection, after: &str, limit: i64) -> Result<Vec<String>> {
    let query = games::table.filter(games::id.gt(after)).order(games::id).limit(limit);
    Ok(query.select(games::id).load(conn)?)
}

/// When the end of a game was signed, the time of its entry in the public log, and when its log was packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Queryable)]
pub struct JobDates {
    pub signed_at: Option<i64>,
    pub logged_at: Option<i64>,
    pub packed_at: Option<i64>,
}

pub fn job_dates(conn: &mut Connection, id: GameId) -> Result<Option<JobDates>> {
    let query = games::table.find(id).select((games::signed_at, games::logged_at, games::packed_at));
    Ok(query.first(conn).optional()?)
}

/// The tables in the lobby that their hosts opened, oldest first, at most `limit`.
pub fn waiting_tables(conn: &mut Connection, limit: i64) -> Result<Vec<GameRow>> {
    let query = games::table.filter(in_lobby()).filter(not(exists(strangers())));
    Ok(query.order(games::id).limit(limit).select(GameRow::as_select()).load(conn)?)
}

/// The number of games with a status, `lobby` or `playing`. For others it would read all games.
pub fn count_open(conn: &mut Connection, status: &str) -> Result<i64> {
    Ok(games::table.filter(games::status.eq(status)).count().get_result(conn)?)
}

/// The number of games that are over and not signed, and of those that are signed and not packed.
pub fn count_unfinished(conn: &mut Connection) -> Result<(i64, i64)> {
    let over = || games::table.filter(games::ended_at.is_not_null());
    let unsigned = over().filter(games::signed_at.is_null()).count().get_result(conn)?;
    let unpacked = over().filter(games::signed_at.is_not_null()).filter(games::packed_at.is_null());
    Ok((unsigned, unpacked.count().get_result(conn)?))
}

/// The number of all games.
pub fn number(conn: &mut Connection) -> Result<i64> {
    Ok(games::table.count().get_result(conn)?)
}

/// The number of games per status; statuses without games are left out.
pub fn count_by_status(conn: &mut Connection) -> Result<Vec<(String, u64)>> {
    let query = games::table.group_by(games::status).select((games::status, count_star()));
    let rows: Vec<(String, i64)> = query.load(conn)?;
    rows.into_iter().map(|(status, count)| Ok((status, columns::from_stored(count)?))).collect()
}

/// The games that are not over and in which an account has a place.
pub fn open_of(conn: &mut Connection, account: &AccountId) -> Result<Vec<GameId>> {
    let query = game_players::table
        .inner_join(games::table.on(games::id.eq(game_players::game_id)))
        .filter(game_players::account_id.eq(account))
        .filter(games::status.eq_any(OPEN))
        .select(games::id);
    Ok(query.load(conn)?)
}

/// The number of tables a host has in the lobby, without matchmaking tables.
pub fn in_lobby_of(conn: &mut Connection, host: &AccountId) -> Result<i64> {
    let query = games::table.filter(games::host.eq(host)).filter(in_lobby()).filter(not(exists(strangers())));
    Ok(query.count().get_result(conn)?)
}

pub(super) fn insert(conn: &mut Connection, id: GameId, game: &NewGame) -> Result<()> {
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
            games::rematch_of.eq(game.rematch_of),
        ))
        .execute(conn)
        .map_err(StoreError::of_listing)?;
    insert_format(conn, id, game.format)?;
    if !game.talk {
        diesel::insert_into(silent_tables::table).values(silent_tables::game_id.eq(id)).execute(conn)?;
    }
    Ok(())
}

pub(super) fn update(conn: &mut Connection, id: GameId, changes: &GameChanges) -> Result<()> {
    let changed =
        diesel::update(games::table.find(id)).set(changes).execute(conn).map_err(StoreError::of_listing)?;
    if changed == 0 { Err(StoreError::NotFound) } else { Ok(()) }
}

/// The first format of games; those in it have no row. A node writes a new format only while every live node knows it, and
/// refuses games in formats that it does not know.
pub const FIRST_FORMAT: i32 = 1;

pub fn format_of(conn: &mut Connection, game: GameId) -> Result<i32> {
    let found: Option<i32> =
        game_formats::table.find(game).select(game_formats::format).first(conn).optional()?;
    Ok(found.unwrap_or(FIRST_FORMAT))
}

/// The newest format of all games.
pub fn newest_format(conn: &mut Connection) -> Result<i32> {
    let newest: Option<i32> =
        game_formats::table.select(diesel::dsl::max(game_formats::format)).first(conn)?;
    Ok(newest.unwrap_or(FIRST_FORMAT))
}

/// Refuses a database with a game in a format that a program does not know.
///
/// # Errors
/// [`StoreError::NewerGames`].
pub fn refuse_newer_formats(conn: &mut Connection, known: i32) -> Result<()> {
    match newest_format(conn)? {
        format if format > known => Err(StoreError::NewerGames { format, known }),
        _ => Ok(()),
    }
}

/// Records the format of a new game.
fn insert_format(conn: &mut Connection, game: GameId, format: i32) -> Result<()> {
    if format != FIRST_FORMAT {
        let row = (game_formats::game_id.eq(game), game_formats::format.eq(format));
        diesel::insert_into(game_formats::table).values(row).execute(conn)?;
    }
    Ok(())
}
