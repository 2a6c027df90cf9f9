//! What players broke off: cancelled tables, missed openings, and games that they left. Rows are written with the events
//! from which they follow, and deleted with their account.

use diesel::dsl::count_star;
use diesel::prelude::*;

use super::schema::{accounts, break_offs};
use super::{AccountId, Connection, GameId, RecordTime, Result};

/// A break-off to count, with its event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewBreakOff {
    /// The number of the event.
    pub seq: i64,
    pub account: AccountId,
    /// `table_cancelled`, `opening_missed` or `game_left`.
    pub kind: &'static str,
    /// The time of the event.
    pub at: RecordTime,
}

/// A counted break-off.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, HasQuery, Insertable)]
#[diesel(table_name = break_offs)]
pub struct BreakOffRow {
    pub game_id: GameId,
    /// The number of the event.
    pub seq: i64,
    pub account_id: AccountId,
    /// `table_cancelled`, `opening_missed` or `game_left`.
    pub kind: String,
    /// The time of the event.
    pub at: RecordTime,
}

impl BreakOffRow {
    pub fn of(game: GameId, new: &NewBreakOff) -> BreakOffRow {
        let NewBreakOff { seq, account, kind, at } = new;
        BreakOffRow {
            game_id: game,
            seq: *seq,
            account_id: account.clone(),
            kind: (*kind).to_owned(),
            at: *at,
        }
    }
}

/// Counts a break-off, unless the account was deleted. The admission check has locked the account's row.
pub(super) fn insert(conn: &mut Connection, game: GameId, new: &NewBreakOff) -> Result<()> {
    let account = accounts::table.find(&new.account).select(accounts::id);
    if account.first::<AccountId>(conn).optional()?.is_some() {
        diesel::insert_into(break_offs::table).values(BreakOffRow::of(game, new)).execute(conn)?;
    }
    Ok(())
}

/// The number of break-offs of an account, by kind.
pub fn counts(conn: &mut Connection, account: &AccountId) -> Result<Vec<(String, i64)>> {
    let query = break_offs::table
        .filter(break_offs::account_id.eq(account))
        .group_by(break_offs::kind)
        .order(break_offs::kind)
        .select((break_offs::kind, count_star()));
    Ok(query.load(conn)?)
}

/// The times of an account's break-offs of a kind after a time, oldest first.
pub fn times_after(conn: &mut Connection, account: &AccountId, kind: &str, after: i64) -> Result<Vec<i64>> {
    let query = break_offs::table
        .filter(break_offs::account_id.eq(account))
        .filter(break_offs::kind.eq(kind))
        .filter(break_offs::at.gt(after))
        .order(break_offs::at)
        .select(break_offs::at);
    Ok(query.load(conn)?)
}

/// The break-offs of an account, oldest first.
pub fn of_account(conn: &mut Connection, account: &AccountId) -> Result<Vec<BreakOffRow>> {
    let query = BreakOffRow::query().filter(break_offs::account_id.eq(account)).order((
        break_offs::at,
        break_offs::game_id,
        break_offs::seq,
    ));
    Ok(query.load(conn)?)
}

/// The break-offs in a game, in the order of its events, by account.
pub fn of_game(conn: &mut Connection, game: GameId) -> Result<Vec<BreakOffRow>> {
    let query = BreakOffRow::query()
        .filter(break_offs::game_id.eq(game))
        .order((break_offs::seq, break_offs::account_id));
    Ok(query.load(conn)?)
}
