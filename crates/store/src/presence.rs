//! Live nodes and the accounts connected to them. Ages are computed with the database's clock, so the nodes'
//! clocks need not agree.

use diesel::prelude::*;

use super::connection::Connection;
use super::error::StoreError;
use super::schema::{nodes, presence};
use estimation_engine::player::AccountId;

/// A node counts as dead after this many milliseconds without a heartbeat.
const DEAD_AFTER: i64 = 2_500;

/// A dead node's rows are deleted after this many milliseconds.
const SWEPT_AFTER: i64 = 60_000;

/// The accounts among these that are connected to a live node.
pub fn connected(conn: &mut Connection, accounts: &[AccountId]) -> Result<Vec<AccountId>, StoreError> {
    let alive_since = conn.now()? - DEAD_AFTER;
    let query = presence::table
        .inner_join(nodes::table.on(nodes::id.eq(presence::node_id)))
        .filter(nodes::seen_at.gt(alive_since))
        .filter(presence::account_id.eq_any(accounts))
        .select(presence::account_id)
        .distinct();
    Ok(query.load(conn)?)
}

/// Writes a node's heartbeat, with the accounts that connected and disconnected. Returns false when the node's
/// rows had been deleted: the caller must then report all its accounts again.
pub fn heartbeat(
    conn: &mut Connection,
    node: &str,
    came: &[AccountId],
    went: &[AccountId],
) -> Result<bool, StoreError> {
    let now = conn.now()?;
    let dead: Vec<String> =
        nodes::table.filter(nodes::seen_at.lt(now - SWEPT_AFTER)).select(nodes::id).load(conn)?;
    let dead: Vec<&str> = dead.iter().map(String::as_str).filter(|dead| *dead != node).collect();
    if !dead.is_empty() {
        diesel::delete(presence::table.filter(presence::node_id.eq_any(dead.iter().copied())))
            .execute(conn)?;
        diesel::delete(nodes::table.filter(nodes::id.eq_any(dead.iter().copied()))).execute(conn)?;
    }
    let known = diesel::update(nodes::table.find(node)).set(nodes::seen_at.eq(now)).execute(conn)? > 0;
    if !known {
        diesel::insert_into(nodes::table)
            .values((nodes::id.eq(node), nodes::seen_at.eq(now)))
            .execute(conn)?;
    }
    for account in came {
        let row = (presence::account_id.eq(account), presence::node_id.eq(node));
        let insert = diesel::insert_into(presence::table).values(row).on_conflict_do_nothing();
        match conn {
            Connection::Sqlite(conn) => insert.execute(conn)?,
            Connection::Postgres(conn) => insert.execute(conn)?,
        };
    }
    for account in went {
        diesel::delete(presence::table.find((account, node))).execute(conn)?;
    }
    Ok(known || went.is_empty())
}
