//! Reads the log. Only the writer writes it, through [`Database::append`].
//!
//! [`Database::append`]: super::Database::append

use std::collections::HashSet;

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{Array, BigInt, Binary, Text};

use super::columns::Bytes;
use super::schema::{game_events, packed_games};
use super::{Binding, Connection, GameId, Hash, Result, columns, packed};
use estimation_engine::hex::Hex;
use estimation_postgres::PgConnection;
use estimation_record::verify::EventLine;

/// An event of a game's log.
#[derive(Debug, Clone, PartialEq, Eq, Queryable)]
pub struct StoredEvent {
    /// The game's version after it, from 1.
    #[diesel(deserialize_as = i64)]
    pub seq: u64,
    /// The chain's hash at this event.
    #[diesel(deserialize_as = Bytes<32>)]
    pub hash: Hash,
    /// The exact canonical JSON that was hashed.
    pub body: String,
    /// The keyed hash of this head; on the last event of each append only.
    pub binding: Option<Binding>,
}

impl StoredEvent {
    /// Its line in a history.
    pub fn into_line(self) -> EventLine {
        EventLine { seq: self.seq, hash: Hex(self.hash).to_string(), body: self.body }
    }
}

/// The head of a game's log: its last event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Queryable)]
pub struct Head {
    /// The game's version.
    #[diesel(deserialize_as = i64)]
    pub seq: u64,
    /// The hash of its last event.
    #[diesel(deserialize_as = Bytes<32>)]
    pub hash: Hash,
}

/// The events of a game after version `after`, oldest first, at most `limit`.
pub fn after(conn: &mut Connection, game: GameId, after: u64, limit: i64) -> Result<Vec<StoredEvent>> {
    let events: Vec<StoredEvent> = game_events::table
        .filter(game_events::game_id.eq(game))
        .filter(game_events::seq.gt(columns::to_stored(after)?))
        .order(game_events::seq)
        .limit(limit)
        .select((game_events::seq, game_events::hash, game_events::body, game_events::binding))
        .load(conn)?;
    if events.first().is_some_and(|first| first.seq == after.saturating_add(1)) {
        return Ok(events);
    }
    // The rows may be missing because the log is packed, so the packed log is tried as well.
    Ok(packed::after(conn, game, after, limit)?.unwrap_or(events))
}

/// The head of a game's log; `None` when there is no such game.
pub fn head(conn: &mut Connection, game: GameId) -> Result<Option<Head>> {
    let query = game_events::table
        .filter(game_events::game_id.eq(game))
        .order(game_events::seq.desc())
        .select((game_events::seq, game_events::hash));
    // On its own connection diesel knows the query, and does not write its SQL each time.
    let head: Option<Head> = match conn {
        Connection::Sqlite(conn) => query.first(conn).optional()?,
        Connection::Postgres(conn) => query.first(conn).optional()?,
    };
    head.map_or_else(|| packed::head(conn, game), |head| Ok(Some(head)))
}

/// The newest event whose stored text contains `piece`, in a game that is not over.
pub fn last_with(conn: &mut Connection, game: GameId, piece: &str) -> Result<Option<Head>> {
    let query = game_events::table
        .filter(game_events::game_id.eq(game))
        .filter(game_events::body.like(format!("%{piece}%")).escape('!'))
        .order(game_events::seq.desc())
        .select((game_events::seq, game_events::hash));
    Ok(query.first(conn).optional()?)
}

/// The heads of several games' logs; unknown games are left out. Costs one index lookup per game, whatever
/// the length of its log, and one round trip.
pub fn heads(conn: &mut Connection, games: &[GameId]) -> Result<Vec<(GameId, Head)>> {
    match conn {
        Connection::Postgres(conn) => heads_postgres(conn, games),
        sqlite @ Connection::Sqlite(_) => {
            let mut heads = Vec::with_capacity(games.len());
            for &game in games {
                heads.extend(head(sqlite, game)?.map(|head| (game, head)));
            }
            Ok(heads)
        }
    }
}

fn heads_postgres(conn: &mut PgConnection, games: &[GameId]) -> Result<Vec<(GameId, Head)>> {
    let mut heads: Vec<(GameId, Head)> = Heads(games).load(conn)?;
    if heads.len() < games.len() {
        let found: HashSet<GameId> = heads.iter().map(|(game, _)| *game).collect();
        let missing = games.iter().filter(|game| !found.contains(game));
        let packed = packed_games::table
            .filter(packed_games::game_id.eq_any(missing))
            .select((packed_games::game_id, (packed_games::events, packed_games::head)));
        heads.extend(packed.load::<(GameId, Head)>(conn)?);
    }
    Ok(heads)
}

/// The query of [`heads`] for logs that are not packed, as a prepared statement: it runs many times a second.
struct Heads<'a>(&'a [GameId]);

impl QueryId for Heads<'_> {
    type QueryId = Heads<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for Heads<'_> {
    type SqlType = (Text, (BigInt, Binary));
}

impl RunQueryDsl<PgConnection> for Heads<'_> {}

impl QueryFragment<Pg> for Heads<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("SELECT e.game_id, e.seq, e.hash FROM (SELECT unnest(");
        out.push_bind_param::<Array<Text>, _>(self.0)?;
        out.push_sql(
            ") AS id) wanted CROSS JOIN LATERAL \
             (SELECT game_id, seq, hash FROM game_events WHERE game_id = wanted.id ORDER BY seq DESC LIMIT 1) e",
        );
        Ok(())
    }
}

/// Whether exactly this event is in the log.
pub(super) fn contains(conn: &mut Connection, game: GameId, seq: i64, hash: &Hash) -> Result<bool> {
    let stored: Option<Vec<u8>> = game_events::table
        .filter(game_events::game_id.eq(game))
        .filter(game_events::seq.eq(seq))
        .select(game_events::hash)
        .first(conn)
        .optional()?;
    match stored {
        Some(stored) => Ok(stored == hash),
        None => packed::contains(conn, game, seq, hash),
    }
}
