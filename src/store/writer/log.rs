//! Inserting into the log: all events of a batch, whichever games they belong to.
//!
//! Two things decide whether an event may be written, both in the database: nobody has its sequence number
//! (a unique index), and the event it links to is there with the hash it links to. Together they exclude
//! forks and gaps, whichever node, cache or retry was in between.

use diesel::connection::Connection as _;
use diesel::pg::{Pg, PgConnection};
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{Array, BigInt, Binary, Nullable, Text};
use diesel::sqlite::{Sqlite, SqliteConnection};

use super::unit::{GENESIS, PendingAppend};
use crate::store::connection::Connection;
use crate::store::error::StoreError;
use crate::store::hash::{self, Hash};

/// Writes the events of all appends, which must be sorted by game, and returns PostgreSQL's id of the
/// transaction.
///
/// # Errors
/// [`StoreError::VersionConflict`] when any of them comes too late; which one is known only when there is
/// one.
pub(super) fn insert(conn: &mut Connection, appends: &[PendingAppend]) -> Result<Option<String>, StoreError> {
    let rows = rows(appends)?;
    let conflict = || StoreError::VersionConflict {
        game: appends.first().map(|pending| pending.append.game.clone()).unwrap_or_default(),
    };
    let (written, transaction) = match conn {
        Connection::Sqlite(conn) => (insert_sqlite(conn, &rows), None),
        Connection::Postgres(conn) => match insert_postgres(conn, &rows) {
            Ok((written, transaction)) => (Ok(written), Some(transaction)),
            Err(error) => (Err(error), None),
        },
    };
    match written.map_err(|e| StoreError::or_duplicate(e, conflict))? {
        written if written == rows.len() => Ok(transaction),
        _ => Err(conflict()),
    }
}

/// One row to be; `link` is the hash that the row before must have, where that row is not in this batch.
struct Row<'a> {
    game: &'a str,
    seq: i64,
    hash: &'a Hash,
    body: &'a str,
    link: Option<&'a Hash>,
}

fn rows(appends: &[PendingAppend]) -> Result<Vec<Row<'_>>, StoreError> {
    let mut rows = Vec::with_capacity(appends.iter().map(|pending| pending.append.events.len()).sum());
    for PendingAppend { append, .. } in appends {
        let mut seq = hash::to_stored(append.first_seq)?;
        let mut link = Some(&append.previous_hash).filter(|hash| **hash != GENESIS);
        for event in &append.events {
            rows.push(Row {
                game: &append.game,
                seq,
                hash: &event.hash,
                body: &event.body,
                link: link.take(),
            });
            seq += 1;
        }
    }
    Ok(rows)
}

/// SQLite has no round trips to save: one cached statement, row by row.
fn insert_sqlite(conn: &mut SqliteConnection, rows: &[Row<'_>]) -> QueryResult<usize> {
    let mut written = 0;
    for row in rows {
        written += match row.link {
            None => conn.execute_returning_count(&Plain(row))?,
            Some(link) => conn.execute_returning_count(&Linked(row, link))?,
        };
    }
    Ok(written)
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
        out.push_sql(")");
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
        out.push_bind_param::<Text, _>(self.0.game)?;
        out.push_sql(" AND seq = ");
        out.push_bind_param::<BigInt, _>(&self.0.seq)?;
        out.push_sql(" - 1) = ");
        out.push_bind_param::<Binary, _>(&self.1[..])?;
        Ok(())
    }
}

fn push_values<'b>(row: &'b Row<'b>, out: &mut AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
    out.push_bind_param::<Text, _>(row.game)?;
    out.push_sql(", ");
    out.push_bind_param::<BigInt, _>(&row.seq)?;
    out.push_sql(", ");
    out.push_bind_param::<Binary, _>(&row.hash[..])?;
    out.push_sql(", ");
    out.push_bind_param::<Text, _>(row.body)
}

/// PostgreSQL gets the whole batch in one statement whose text never changes.
fn insert_postgres(conn: &mut PgConnection, rows: &[Row<'_>]) -> QueryResult<(usize, String)> {
    let query = Unnest {
        games: rows.iter().map(|row| row.game).collect(),
        seqs: rows.iter().map(|row| row.seq).collect(),
        hashes: rows.iter().map(|row| &row.hash[..]).collect(),
        bodies: rows.iter().map(|row| row.body).collect(),
        links: rows.iter().map(|row| row.link.map(|link| &link[..])).collect(),
    };
    let (written, transaction): (i64, String) = query.get_result(conn)?;
    Ok((usize::try_from(written).unwrap_or(0), transaction))
}

struct Unnest<'a> {
    games: Vec<&'a str>,
    seqs: Vec<i64>,
    hashes: Vec<&'a [u8]>,
    bodies: Vec<&'a str>,
    links: Vec<Option<&'a [u8]>>,
}

impl QueryId for Unnest<'_> {
    type QueryId = Unnest<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for Unnest<'_> {
    type SqlType = (BigInt, Text);
}

impl RunQueryDsl<PgConnection> for Unnest<'_> {}

impl QueryFragment<Pg> for Unnest<'_> {
    /// The link is compared with a scalar subquery, which the planner answers row by row from the unique
    /// index; a join or an EXISTS it may turn into a scan of the whole log.
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            "WITH written AS (INSERT INTO game_events (game_id, seq, hash, body) \
             SELECT n.game_id, n.seq, n.hash, n.body FROM unnest(",
        );
        out.push_bind_param::<Array<Text>, _>(&self.games)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<BigInt>, _>(&self.seqs)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Binary>, _>(&self.hashes)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Text>, _>(&self.bodies)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Nullable<Binary>>, _>(&self.links)?;
        out.push_sql(
            ") AS n (game_id, seq, hash, body, link) WHERE n.link IS NULL OR n.link = \
             (SELECT e.hash FROM game_events e WHERE e.game_id = n.game_id AND e.seq = n.seq - 1) \
             RETURNING 1) SELECT count(*), pg_current_xact_id()::text FROM written",
        );
        Ok(())
    }
}
