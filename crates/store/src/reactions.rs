//! What players said at tables, for reports.

use std::collections::{BTreeSet, HashSet};

use diesel::prelude::*;

use super::schema::{accounts, reactions};
use super::{AccountId, Connection, GameId, RecordTime, Result};

/// A reaction of a player.
#[derive(Clone, Debug, PartialEq, Eq, HasQuery, Insertable)]
#[diesel(table_name = reactions)]
pub struct ReactionRow {
    pub game_id: GameId,
    pub account_id: AccountId,
    /// Milliseconds since 1970 in UTC.
    pub at: RecordTime,
    pub reaction: String,
}

/// The maximum number of accounts and rows per statement.
const TOGETHER: usize = 500;

/// Inserts reactions. Those of deleted accounts are left out, and those of an account in the same millisecond.
pub fn insert(conn: &mut Connection, rows: &[ReactionRow]) -> Result<()> {
    for rows in rows.chunks(TOGETHER) {
        let there = existing(conn, rows)?;
        let rows: Vec<&ReactionRow> = rows.iter().filter(|row| there.contains(&row.account_id)).collect();
        match conn {
            // SQLite has no batch in one statement with diesel; a statement costs it little.
            Connection::Sqlite(conn) => {
                for row in rows {
                    diesel::insert_into(reactions::table)
                        .values(row)
                        .on_conflict_do_nothing()
                        .execute(conn)?;
                }
            }
            Connection::Postgres(conn) => {
                diesel::insert_into(reactions::table).values(rows).on_conflict_do_nothing().execute(conn)?;
            }
        }
    }
    Ok(())
}

/// The accounts of these rows that exist. They stay until the transaction ends.
fn existing(conn: &mut Connection, rows: &[ReactionRow]) -> Result<HashSet<AccountId>> {
    let people: BTreeSet<&AccountId> = rows.iter().map(|row| &row.account_id).collect();
    let query = accounts::table.filter(accounts::id.eq_any(people)).order(accounts::id).select(accounts::id);
    let found: Vec<AccountId> = match conn {
        Connection::Sqlite(conn) => query.load(conn)?,
        Connection::Postgres(conn) => query.for_key_share().load(conn)?,
    };
    Ok(found.into_iter().collect())
}

/// The reactions at a table, oldest first, at most the newest `limit`.
pub fn of_game(conn: &mut Connection, game: GameId, limit: i64) -> Result<Vec<ReactionRow>> {
    let query = ReactionRow::query()
        .filter(reactions::game_id.eq(game))
        .order((reactions::at.desc(), reactions::account_id))
        .limit(limit);
    let mut newest: Vec<ReactionRow> = query.load(conn)?;
    newest.reverse();
    Ok(newest)
}

/// Whether an account reacted at a table.
pub fn has_reacted(conn: &mut Connection, game: GameId, account: &AccountId) -> Result<bool> {
    let rows = reactions::table.filter(reactions::game_id.eq(game)).filter(reactions::account_id.eq(account));
    Ok(diesel::select(diesel::dsl::exists(rows)).get_result(conn)?)
}

/// The reactions of an account, oldest first.
pub fn of_account(conn: &mut Connection, account: &AccountId) -> Result<Vec<ReactionRow>> {
    let query = ReactionRow::query()
        .filter(reactions::account_id.eq(account))
        .order((reactions::at, reactions::game_id));
    Ok(query.load(conn)?)
}

/// Deletes the reactions from before a time, and returns their number.
pub fn sweep(conn: &mut Connection, before: i64) -> Result<usize> {
    Ok(diesel::delete(reactions::table.filter(reactions::at.lt(before))).execute(conn)?)
}
