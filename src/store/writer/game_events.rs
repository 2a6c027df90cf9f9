//! Inserts events into the log: all events of a batch, for any number of games.
//!
//! The database checks two things for each append: the log ends at the event that the append links to, and
//! the sequence number is free (a unique index). Together they exclude forks and gaps, whatever other nodes,
//! caches or retries did. A stale append is left out and reported; the others are written.

use std::collections::HashMap;

use diesel::connection::Connection as _;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{Array, BigInt, Binary, Nullable, Text};
use diesel::sqlite::{Sqlite, SqliteConnection};

use super::unit::{Append, GENESIS, NewEvent, PendingAppend};
use crate::store::postgres::PgConnection;
use crate::store::{Connection, GameId, Hash, StoreError, hash};

/// The result of inserting the appends of a batch.
pub(super) struct Inserted {
    /// Stale appends, ordered by index. Nothing of them was written.
    pub stale: Vec<(usize, StoreError)>,
    /// The transaction's id in PostgreSQL.
    pub transaction: Option<String>,
}

/// Writes the events of all appends that are not stale. The appends must be sorted by game, one per game.
///
/// # Errors
/// Besides database errors, [`StoreError::VersionConflict`] on PostgreSQL when another node concurrently
/// wrote some but not all of the same sequence numbers. Running the batch again finds the append concerned.
pub(super) fn insert(conn: &mut Connection, appends: &[PendingAppend]) -> Result<Inserted, StoreError> {
    match conn {
        Connection::Sqlite(conn) => insert_sqlite(conn, appends),
        Connection::Postgres(conn) => insert_postgres(conn, appends),
    }
}

/// A row to insert.
struct Row<'a> {
    game: GameId,
    seq: i64,
    event: &'a NewEvent,
}

fn rows(append: &Append) -> Result<impl Iterator<Item = Row<'_>>, StoreError> {
    let first = hash::to_stored(append.first_seq)?;
    Ok((first..).zip(&append.events).map(|(seq, event)| Row { game: append.game, seq, event }))
}

/// Inserts row by row with cached statements, because SQLite has no round trips to save. Only the first row
/// of an append can conflict, because nothing else writes to the database.
fn insert_sqlite(conn: &mut SqliteConnection, appends: &[PendingAppend]) -> Result<Inserted, StoreError> {
    let mut stale = Vec::new();
    for (index, PendingAppend { append, .. }) in appends.iter().enumerate() {
        for (row, is_first) in rows(append)?.zip(std::iter::once(true).chain(std::iter::repeat(false))) {
            let written = match is_first && append.previous_hash != GENESIS {
                true => conn.execute_returning_count(&Linked(&row, &append.previous_hash))?,
                false => conn.execute_returning_count(&Plain(&row))?,
            };
            match written {
                1 => {}
                _ if is_first => {
                    stale.push((index, append.conflict()));
                    break;
                }
                _ => return Err(StoreError::Defect { detail: format!("game {} has a gap", row.game) }),
            }
        }
    }
    Ok(Inserted { stale, transaction: None })
}

struct Plain<'a>(&'a Row<'a>);

impl QueryId for Plain<'_> {
    type QueryId = Plain<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl QueryFragment<Sqlite> for Plain<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql("INSERT INTO game_events (game_id, seq, hash, body) VALUES (");
        push_values(self.0, &mut out)?;
        out.push_sql(") ON CONFLICT (game_id, seq) DO NOTHING");
        Ok(())
    }
}

struct Linked<'a>(&'a Row<'a>, &'a Hash);

impl QueryId for Linked<'_> {
    type QueryId = Linked<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl QueryFragment<Sqlite> for Linked<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql("INSERT INTO game_events (game_id, seq, hash, body) SELECT ");
        push_values(self.0, &mut out)?;
        out.push_sql(" WHERE (SELECT hash FROM game_events WHERE game_id = ");
        out.push_bind_param::<Text, _>(&self.0.game)?;
        out.push_sql(" AND seq = ");
        out.push_bind_param::<BigInt, _>(&self.0.seq)?;
        out.push_sql(" - 1) = ");
        out.push_bind_param::<Binary, _>(&self.1[..])?;
        out.push_sql(" ON CONFLICT (game_id, seq) DO NOTHING");
        Ok(())
    }
}

fn push_values<'b>(row: &'b Row<'b>, out: &mut AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
    out.push_bind_param::<Text, _>(&row.game)?;
    out.push_sql(", ");
    out.push_bind_param::<BigInt, _>(&row.seq)?;
    out.push_sql(", ");
    out.push_bind_param::<Binary, _>(&row.event.hash[..])?;
    out.push_sql(", ");
    out.push_bind_param::<Text, _>(&row.event.body)
}

/// Inserts the whole batch in one constant statement, which returns the number of rows written per game.
fn insert_postgres(conn: &mut PgConnection, appends: &[PendingAppend]) -> Result<Inserted, StoreError> {
    let mut query = Unnest::default();
    for PendingAppend { append, .. } in appends {
        query.heads.push(append.game);
        query.firsts.push(hash::to_stored(append.first_seq)?);
        query.links.push(Some(&append.previous_hash).filter(|hash| **hash != GENESIS).map(|hash| &hash[..]));
        for row in rows(append)? {
            query.games.push(row.game);
            query.seqs.push(row.seq);
            query.hashes.push(&row.event.hash[..]);
            query.bodies.push(&row.event.body);
        }
    }
    let wanted = query.games.len();
    let (games, transaction): (Vec<GameId>, String) = query.get_result(conn)?;
    let mut stale = Vec::new();
    if games.len() < wanted {
        let mut written: HashMap<GameId, usize> = HashMap::new();
        games.into_iter().for_each(|game| *written.entry(game).or_default() += 1);
        for (index, PendingAppend { append, .. }) in appends.iter().enumerate() {
            match written.get(&append.game) {
                None => stale.push((index, append.conflict())),
                Some(&rows) if rows == append.events.len() => {}
                Some(_) => return Err(append.conflict()),
            }
        }
    }
    Ok(Inserted { stale, transaction: Some(transaction) })
}

/// All rows, and the required head of each game's log.
#[derive(Default)]
struct Unnest<'a> {
    heads: Vec<GameId>,
    firsts: Vec<i64>,
    links: Vec<Option<&'a [u8]>>,
    games: Vec<GameId>,
    seqs: Vec<i64>,
    hashes: Vec<&'a [u8]>,
    bodies: Vec<&'a str>,
}

impl QueryId for Unnest<'_> {
    type QueryId = Unnest<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for Unnest<'_> {
    type SqlType = (Array<Text>, Text);
}

impl RunQueryDsl<PgConnection> for Unnest<'_> {}

impl QueryFragment<Pg> for Unnest<'_> {
    /// The head of each log is a scalar subquery, which the planner answers from the unique index. It may
    /// turn a join or an EXISTS into a scan of the whole log. ON CONFLICT covers rows that another node
    /// commits concurrently.
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("WITH fit AS MATERIALIZED (SELECT u.game_id FROM unnest(");
        out.push_bind_param::<Array<Text>, _>(&self.heads)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<BigInt>, _>(&self.firsts)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Nullable<Binary>>, _>(&self.links)?;
        out.push_sql(
            ") AS u (game_id, first, link) WHERE u.link IS NOT DISTINCT FROM \
             (SELECT e.hash FROM game_events e WHERE e.game_id = u.game_id AND e.seq >= u.first - 1 \
             ORDER BY e.seq DESC LIMIT 1)), \
             written AS (INSERT INTO game_events (game_id, seq, hash, body) \
             SELECT n.game_id, n.seq, n.hash, n.body FROM unnest(",
        );
        out.push_bind_param::<Array<Text>, _>(&self.games)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<BigInt>, _>(&self.seqs)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Binary>, _>(&self.hashes)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Text>, _>(&self.bodies)?;
        out.push_sql(
            ") AS n (game_id, seq, hash, body) WHERE n.game_id IN (SELECT fit.game_id FROM fit) \
             ON CONFLICT (game_id, seq) DO NOTHING RETURNING game_id) \
             SELECT coalesce(array_agg(game_id), '{}'), pg_current_xact_id()::text FROM written",
        );
        Ok(())
    }
}
