//! Live nodes and the accounts that use them. Ages are computed with the database's clock, so the nodes'
//! clocks need not agree.

use diesel::prelude::*;
use diesel::upsert::excluded;

use super::schema::{nodes, presence};
use super::{AccountId, Connection, Id, RecordTime, Result, games};

/// A node counts as dead after this many milliseconds without a heartbeat.
const DEAD_AFTER: i64 = 2_500;

/// A node that was silent for longer is given up. One that was stopped for a moment may still write.
const SILENT_AFTER: i64 = 30_000;

/// A dead node's rows are deleted after this many milliseconds.
const SWEPT_AFTER: i64 = 60_000;

/// How an account uses a node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Queryable)]
pub struct Use {
    /// It has a stream or poll open, or called in the last seconds.
    pub is_online: bool,
    /// It has a stream or poll open.
    pub is_streaming: bool,
    /// It called in the last minute.
    pub has_called: bool,
}

impl Use {
    /// The use of two nodes.
    #[must_use]
    pub fn and(self, other: Use) -> Use {
        Use {
            is_online: self.is_online || other.is_online,
            is_streaming: self.is_streaming || other.is_streaming,
            has_called: self.has_called || other.has_called,
        }
    }
}

/// How the accounts among these use the live nodes: for each node that one uses, a pair.
pub fn uses(conn: &mut Connection, accounts: &[AccountId]) -> Result<Vec<(AccountId, Use)>> {
    let alive_since = conn.now()? - DEAD_AFTER;
    let query = presence::table
        .inner_join(nodes::table.on(nodes::id.eq(presence::node_id)))
        .filter(nodes::seen_at.gt(alive_since))
        .filter(presence::account_id.eq_any(accounts))
        .select((presence::account_id, (presence::online, presence::streaming, presence::called)));
    Ok(query.load(conn)?)
}

/// A running node. Times are milliseconds since 1970 in UTC.
#[derive(Debug, Clone, PartialEq, Eq, HasQuery, Insertable, AsChangeset)]
#[diesel(table_name = nodes)]
pub struct NodeRow {
    /// A UUID that each node draws at its start.
    pub id: Id,
    /// By the database's clock.
    pub seen_at: i64,
    /// The version of the program.
    pub version: String,
    /// The newest format of games that it knows.
    pub format: i32,
    pub started_at: RecordTime,
    /// `ready`, or why the node is not.
    pub state: String,
    /// How long the oldest change waits to be written, in milliseconds.
    pub waits: i64,
}

/// The live nodes, the longest running first.
pub fn live(conn: &mut Connection) -> Result<Vec<NodeRow>> {
    let alive_since = conn.now()? - DEAD_AFTER;
    let query = NodeRow::query().filter(nodes::seen_at.gt(alive_since)).order((nodes::started_at, nodes::id));
    Ok(query.load(conn)?)
}

/// Deletes what a node wrote of itself and of its accounts, when it stops.
pub fn leave(conn: &mut Connection, node: Id) -> Result<()> {
    diesel::delete(presence::table.filter(presence::node_id.eq(node))).execute(conn)?;
    diesel::delete(nodes::table.find(node)).execute(conn)?;
    Ok(())
}

/// What a node learns from its heartbeat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeartbeatReply {
    /// The newest format of games that every live node knows.
    pub common_format: i32,
    /// The newest format of all games.
    pub newest_format: i32,
    /// False when the node's rows had been deleted: the caller must then report all its accounts again.
    pub is_known: bool,
    /// Nodes that count as dead, and whose rows are still there.
    pub dead_nodes: Vec<Id>,
}

/// Writes a node's heartbeat, with the accounts whose use changed and those that went.
pub fn heartbeat(
    conn: &mut Connection,
    node: &NodeRow,
    changed: &[(AccountId, Use)],
    went: &[AccountId],
) -> Result<HeartbeatReply> {
    let now = conn.now()?;
    let dead: Vec<(Id, i64)> = nodes::table
        .filter(nodes::seen_at.lt(now - DEAD_AFTER))
        .select((nodes::id, nodes::seen_at))
        .load(conn)?;
    let dead: Vec<_> = dead.into_iter().filter(|(dead, _)| *dead != node.id).collect();
    let old = dead.iter().filter(|(_, seen_at)| *seen_at < now - SWEPT_AFTER);
    let old: Vec<Id> = old.map(|(id, _)| *id).collect();
    if !old.is_empty() {
        diesel::delete(presence::table.filter(presence::node_id.eq_any(&old))).execute(conn)?;
        diesel::delete(nodes::table.filter(nodes::id.eq_any(&old))).execute(conn)?;
    }
    let node = NodeRow { seen_at: now, ..node.clone() };
    let known = diesel::update(nodes::table.find(node.id)).set(&node).execute(conn)? > 0;
    if !known {
        diesel::insert_into(nodes::table).values(&node).execute(conn)?;
    }
    let common_format: Option<i32> = nodes::table
        .filter(nodes::seen_at.ge(now - SILENT_AFTER))
        .select(diesel::dsl::min(nodes::format))
        .first(conn)?;
    for (account, used) in changed {
        let row = (
            presence::account_id.eq(account),
            presence::node_id.eq(node.id),
            presence::online.eq(used.is_online),
            presence::streaming.eq(used.is_streaming),
            presence::called.eq(used.has_called),
        );
        let insert = diesel::insert_into(presence::table)
            .values(row)
            .on_conflict((presence::account_id, presence::node_id))
            .do_update();
        let set = (
            presence::online.eq(excluded(presence::online)),
            presence::streaming.eq(excluded(presence::streaming)),
            presence::called.eq(excluded(presence::called)),
        );
        match conn {
            Connection::Sqlite(conn) => insert.set(set).execute(conn)?,
            Connection::Postgres(conn) => insert.set(set).execute(conn)?,
        };
    }
    for account in went {
        diesel::delete(presence::table.find((account, node.id))).execute(conn)?;
    }
    let dead_nodes = dead.into_iter().map(|(id, _)| id).collect();
    let common_format = common_format.unwrap_or(node.format);
    let newest_format = games::newest_format(conn)?;
    Ok(HeartbeatReply { is_known: known || went.is_empty(), dead_nodes, common_format, newest_format })
}
