//! Inserts idempotency keys, which are on the hot path: one statement per batch on PostgreSQL.

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{Array, BigInt, Binary, Integer, Nullable, Text};

use super::unit::{Append, Reply};
use crate::idempotency::{self, RememberedRequest};
use crate::{Connection, GameId, StoreError, columns};
use estimation_engine::player::AccountId;
use estimation_postgres::PgConnection;

/// Inserts the idempotency keys of all appends, sorted by key. Sorting avoids a deadlock between two nodes
/// that insert the same keys.
///
/// # Errors
/// [`StoreError::KeyTaken`] when any of the keys exists.
pub(super) fn insert(conn: &mut Connection, appends: &[(Append, Reply)]) -> Result<(), StoreError> {
    let mut requests: Vec<&RememberedRequest> =
        appends.iter().flat_map(|(append, _)| append.requests()).collect();
    requests.sort_by(|a, b| a.request.cmp(&b.request));
    match conn {
        _ if requests.is_empty() => Ok(()),
        Connection::Postgres(conn) => insert_postgres(conn, &requests),
        sqlite @ Connection::Sqlite(_) => {
            requests.iter().try_for_each(|request| idempotency::remember(sqlite, request))
        }
    }
}

fn insert_postgres(conn: &mut PgConnection, requests: &[&RememberedRequest]) -> Result<(), StoreError> {
    let seq = |seq: Option<u64>| seq.map(columns::to_stored).transpose();
    let query = Unnest {
        accounts: requests.iter().map(|r| &r.request.account).collect(),
        methods: requests.iter().map(|r| r.request.method.as_str()).collect(),
        paths: requests.iter().map(|r| r.request.path.as_str()).collect(),
        keys: requests.iter().map(|r| r.request.key.as_str()).collect(),
        body_hashes: requests.iter().map(|r| &r.body_hash[..]).collect(),
        statuses: requests.iter().map(|r| r.status).collect(),
        games: requests.iter().map(|r| r.game).collect(),
        first_seqs: requests.iter().map(|r| seq(r.first_seq)).collect::<Result<_, _>>()?,
        last_seqs: requests.iter().map(|r| seq(r.last_seq)).collect::<Result<_, _>>()?,
        resources: requests.iter().map(|r| r.resource.as_deref()).collect(),
        times: requests.iter().map(|r| r.created_at).collect(),
    };
    query.execute(conn).map_err(|e| StoreError::or_duplicate(e, || StoreError::KeyTaken))?;
    Ok(())
}

struct Unnest<'a> {
    accounts: Vec<&'a AccountId>,
    methods: Vec<&'a str>,
    paths: Vec<&'a str>,
    keys: Vec<&'a str>,
    body_hashes: Vec<&'a [u8]>,
    statuses: Vec<i32>,
    games: Vec<Option<GameId>>,
    first_seqs: Vec<Option<i64>>,
    last_seqs: Vec<Option<i64>>,
    resources: Vec<Option<&'a str>>,
    times: Vec<i64>,
}

impl QueryId for Unnest<'_> {
    type QueryId = Unnest<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl RunQueryDsl<PgConnection> for Unnest<'_> {}

impl QueryFragment<Pg> for Unnest<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            "INSERT INTO idempotency_keys (account_id, method, path, key, body_hash, status, game_id, \
             first_seq, last_seq, resource, created_at) SELECT * FROM unnest(",
        );
        out.push_bind_param::<Array<Text>, _>(&self.accounts)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Text>, _>(&self.methods)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Text>, _>(&self.paths)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Text>, _>(&self.keys)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Binary>, _>(&self.body_hashes)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Integer>, _>(&self.statuses)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Nullable<Text>>, _>(&self.games)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Nullable<BigInt>>, _>(&self.first_seqs)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Nullable<BigInt>>, _>(&self.last_seqs)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Nullable<Text>>, _>(&self.resources)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<BigInt>, _>(&self.times)?;
        out.push_sql(")");
        Ok(())
    }
}
