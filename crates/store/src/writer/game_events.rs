//! Inserts events into the log: all events of a batch, for any number of games.
//!
//! The database checks two things for each append: the log ends at the event that the append links to, and
//! the sequence number is free (a unique index). Together they exclude forks and gaps, whatever other nodes,
//! caches or retries did. A stale append is left out and reported; the others are written.

use std::collections::HashSet;

use diesel::connection::Connection as _;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{Array, BigInt, Binary, Nullable, Text};
use diesel::sqlite::{Sqlite, SqliteConnection};

use super::unit::{Append, GENESIS, Reply, SessionAuthority};
use crate::event_reads::StoredEvent;
use crate::{Binding, Connection, GameId, Hash, StoreError, columns, sessions};
use estimation_postgres::PgConnection;

/// The result of inserting the appends of a batch.
pub(super) struct InsertResult {
    /// Stale appends, ordered by index. Nothing of them was written.
    pub stale: Vec<(usize, StoreError)>,
    /// The transaction's id in PostgreSQL.
    pub transaction: Option<String>,
}

/// Writes the events of all appends that are not stale. The appends must be sorted by game, one per game.
///
/// # Errors
/// Besides database errors, [`StoreError::VersionConflict`] on PostgreSQL when another node committed one of the
/// same sequence numbers at the same moment. It may name any game of the batch. Running the batch again finds the
/// stale append.
pub(super) fn insert(conn: &mut Connection, appends: &[(Append, Reply)]) -> Result<InsertResult, StoreError> {
    match conn {
        Connection::Sqlite(conn) => insert_sqlite(conn, appends),
        Connection::Postgres(conn) => insert_postgres(conn, appends),
    }
}

/// Inserts one event.
struct Plain<'a> {
    game: GameId,
    seq: i64,
    event: &'a StoredEvent,
    binding: Option<&'a [u8]>,
}

/// Inserts one event if the event before it has this hash.
struct InsertAfterHash<'a>(Plain<'a>, &'a Hash);

/// Inserts one event if also the session has this authority.
struct InsertWithAuthority<'a>(InsertAfterHash<'a>, &'a SessionAuthority);

/// Inserts row by row with cached statements, because SQLite has no round trips to save. Only the first row
/// of an append can conflict, because nothing else writes to the database.
fn insert_sqlite(
    conn: &mut SqliteConnection,
    appends: &[(Append, Reply)],
) -> Result<InsertResult, StoreError> {
    let mut stale = Vec::new();
    for (index, (append, _)) in appends.iter().enumerate() {
        let first = append.first_seq();
        // The statement of a first event without a predecessor does not assert it.
        if append.previous_hash == GENESIS
            && let Some(refusal) =
                lost_authority(append, |id| sessions::active_authority(id).first(conn).optional())?
        {
            stale.push((index, refusal));
            continue;
        }
        for event in &append.events {
            let binding = event.binding.as_ref().map(Binding::as_bytes);
            let row = Plain { game: append.game, seq: columns::to_stored(event.seq)?, event, binding };
            let is_linked = event.seq == first && append.previous_hash != GENESIS;
            let written = match (is_linked, &append.by) {
                (true, Some(by)) => {
                    let linked = InsertAfterHash(row, &append.previous_hash);
                    conn.execute_returning_count(&InsertWithAuthority(linked, by))?
                }
                (true, None) => conn.execute_returning_count(&InsertAfterHash(row, &append.previous_hash))?,
                (false, _) => conn.execute_returning_count(&row)?,
            };
            match written {
                1 => {}
                _ if event.seq == first => {
                    let lost =
                        lost_authority(append, |id| sessions::active_authority(id).first(conn).optional())?;
                    stale.push((index, lost.unwrap_or_else(|| append.conflict())));
                    break;
                }
                _ => return Err(StoreError::Defect { detail: format!("game {} has a gap", append.game) }),
            }
        }
    }
    Ok(InsertResult { stale, transaction: None })
}

impl QueryId for Plain<'_> {
    type QueryId = Plain<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl QueryFragment<Sqlite> for Plain<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql("INSERT INTO game_events (game_id, seq, hash, body, binding) VALUES (");
        push_values(self, &mut out)?;
        out.push_sql(") ON CONFLICT (game_id, seq) DO NOTHING");
        Ok(())
    }
}

impl QueryId for InsertAfterHash<'_> {
    type QueryId = InsertAfterHash<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl QueryFragment<Sqlite> for InsertAfterHash<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        self.push_selection(&mut out)?;
        out.push_sql(" ON CONFLICT (game_id, seq) DO NOTHING");
        Ok(())
    }
}

impl QueryId for InsertWithAuthority<'_> {
    type QueryId = InsertWithAuthority<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl QueryFragment<Sqlite> for InsertWithAuthority<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        self.0.push_selection(&mut out)?;
        out.push_sql(" AND EXISTS (SELECT 1 FROM sessions WHERE ended_at IS NULL AND id = ");
        out.push_bind_param::<Text, _>(&self.1.session)?;
        out.push_sql(" AND authority = ");
        out.push_bind_param::<BigInt, _>(&self.1.authority)?;
        out.push_sql(") ON CONFLICT (game_id, seq) DO NOTHING");
        Ok(())
    }
}

impl InsertAfterHash<'_> {
    fn push_selection<'b>(&'b self, out: &mut AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql("INSERT INTO game_events (game_id, seq, hash, body, binding) SELECT ");
        push_values(&self.0, out)?;
        out.push_sql(" WHERE (SELECT hash FROM game_events WHERE game_id = ");
        out.push_bind_param::<Text, _>(&self.0.game)?;
        out.push_sql(" AND seq = ");
        out.push_bind_param::<BigInt, _>(&self.0.seq)?;
        out.push_sql(" - 1) = ");
        out.push_bind_param::<Binary, _>(&self.1[..])
    }
}

/// Refuses an append whose session has lost the authority that it was admitted with, as `read` finds it.
fn lost_authority(
    append: &Append,
    read: impl FnOnce(&str) -> QueryResult<Option<i64>>,
) -> Result<Option<StoreError>, StoreError> {
    let Some(by) = &append.by else { return Ok(None) };
    let holds = by.holds(read(&by.session)?);
    Ok((!holds).then_some(StoreError::AuthorityChanged))
}

fn push_values<'b>(row: &'b Plain<'b>, out: &mut AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
    out.push_bind_param::<Text, _>(&row.game)?;
    out.push_sql(", ");
    out.push_bind_param::<BigInt, _>(&row.seq)?;
    out.push_sql(", ");
    out.push_bind_param::<Binary, _>(&row.event.hash[..])?;
    out.push_sql(", ");
    out.push_bind_param::<Text, _>(&row.event.body)?;
    out.push_sql(", ");
    out.push_bind_param::<Nullable<Binary>, _>(&row.binding)
}

/// Inserts the whole batch in one constant statement. It writes nothing if an append is stale, and names the
/// stale ones; then the others are written by the same statement.
fn insert_postgres(conn: &mut PgConnection, appends: &[(Append, Reply)]) -> Result<InsertResult, StoreError> {
    let mut stale = Vec::new();
    let mut transaction = None;
    while stale.len() < appends.len() {
        let (found, id) = insert_linked(conn, appends, &stale)?;
        transaction = Some(id);
        let Some(found) = found else { break };
        let found: HashSet<GameId> = found.into_iter().collect();
        stale.extend((0..appends.len()).filter(|&index| found.contains(&appends[index].0.game)));
        stale.sort_unstable();
    }
    let mut refused = Vec::new();
    for index in stale {
        let append = &appends[index].0;
        let lost = lost_authority(append, |id| sessions::active_authority(id).first(conn).optional())?;
        refused.push((index, lost.unwrap_or_else(|| append.conflict())));
    }
    Ok(InsertResult { stale: refused, transaction })
}

/// Inserts all appends except those at the indexes in `without`, which are ascending. Returns the games of stale
/// appends, if there are any, and the transaction's id.
fn insert_linked(
    conn: &mut PgConnection,
    appends: &[(Append, Reply)],
    without: &[usize],
) -> Result<(Option<Vec<GameId>>, String), StoreError> {
    let mut query = Unnest::default();
    for (index, (append, _)) in appends.iter().enumerate() {
        if without.binary_search(&index).is_ok() {
            continue;
        }
        query.heads.push(append.game);
        query.firsts.push(columns::to_stored(append.first_seq())?);
        query.links.push(Some(&append.previous_hash).filter(|hash| **hash != GENESIS).map(|hash| &hash[..]));
        query.sessions.push(append.by.as_ref().map(|by| by.session.as_str()));
        query.authorities.push(append.by.as_ref().map(|by| by.authority));
        for event in &append.events {
            query.games.push(append.game);
            query.seqs.push(columns::to_stored(event.seq)?);
            query.hashes.push(&event.hash[..]);
            query.bodies.push(&event.body);
            query.bindings.push(event.binding.as_ref().map(Binding::as_bytes));
        }
    }
    let game = query.heads.first().copied().unwrap_or_default();
    query.get_result(conn).map_err(|e| StoreError::or_duplicate(e, || StoreError::VersionConflict { game }))
}

/// All rows, and the required head of each game's log.
#[derive(Default)]
struct Unnest<'a> {
    heads: Vec<GameId>,
    firsts: Vec<i64>,
    links: Vec<Option<&'a [u8]>>,
    sessions: Vec<Option<&'a str>>,
    authorities: Vec<Option<i64>>,
    games: Vec<GameId>,
    seqs: Vec<i64>,
    hashes: Vec<&'a [u8]>,
    bodies: Vec<&'a str>,
    bindings: Vec<Option<&'a [u8]>>,
}

impl QueryId for Unnest<'_> {
    type QueryId = Unnest<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for Unnest<'_> {
    type SqlType = (Nullable<Array<Text>>, Text);
}

impl RunQueryDsl<PgConnection> for Unnest<'_> {}

impl QueryFragment<Pg> for Unnest<'_> {
    /// The sessions that asked are locked in the order of their ids: one that is ended at the same moment ends before, and
    /// refuses the append, or after the commit.
    ///
    /// The head of each log is a scalar subquery, which the planner answers from the unique index. It may
    /// turn a join or an EXISTS into a scan of the whole log. The lists are unnested by the SELECT itself,
    /// because PostgreSQL copies the rows of functions in FROM. ON CONFLICT would cost a fifth of the
    /// statement; the unique index refuses rows that another node commits at the same moment.
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            "WITH held AS MATERIALIZED (SELECT s.id, s.authority FROM sessions s \
             WHERE s.ended_at IS NULL AND s.id = ANY(",
        );
        out.push_bind_param::<Array<Nullable<Text>>, _>(&self.sessions)?;
        out.push_sql(
            ") ORDER BY s.id FOR SHARE), \
             stale AS MATERIALIZED (SELECT array_agg(u.game_id) AS games FROM (SELECT unnest(",
        );
        out.push_bind_param::<Array<Text>, _>(&self.heads)?;
        out.push_sql("), unnest(");
        out.push_bind_param::<Array<BigInt>, _>(&self.firsts)?;
        out.push_sql("), unnest(");
        out.push_bind_param::<Array<Nullable<Binary>>, _>(&self.links)?;
        out.push_sql("), unnest(");
        out.push_bind_param::<Array<Nullable<Text>>, _>(&self.sessions)?;
        out.push_sql("), unnest(");
        out.push_bind_param::<Array<Nullable<BigInt>>, _>(&self.authorities)?;
        out.push_sql(
            ")) AS u (game_id, first, link, session, authority) WHERE u.link IS DISTINCT FROM \
             (SELECT e.hash FROM game_events e WHERE e.game_id = u.game_id AND e.seq >= u.first - 1 \
             ORDER BY e.seq DESC LIMIT 1) \
             OR u.authority IS DISTINCT FROM (SELECT h.authority FROM held h WHERE h.id = u.session)), \
             written AS (INSERT INTO game_events (game_id, seq, hash, body, binding) SELECT unnest(",
        );
        out.push_bind_param::<Array<Text>, _>(&self.games)?;
        out.push_sql("), unnest(");
        out.push_bind_param::<Array<BigInt>, _>(&self.seqs)?;
        out.push_sql("), unnest(");
        out.push_bind_param::<Array<Binary>, _>(&self.hashes)?;
        out.push_sql("), unnest(");
        out.push_bind_param::<Array<Text>, _>(&self.bodies)?;
        out.push_sql("), unnest(");
        out.push_bind_param::<Array<Nullable<Binary>>, _>(&self.bindings)?;
        out.push_sql(
            ") WHERE (SELECT stale.games FROM stale) IS NULL) \
             SELECT stale.games, pg_current_xact_id()::text FROM stale",
        );
        Ok(())
    }
}
