//! Invitations of friends to tables in the lobby.

use diesel::dsl::{exists, not};
use diesel::prelude::*;

use super::connection::insert_if_absent;
use super::schema::{games, invitations};
use super::{AccountId, Connection, GameId, Id, RecordTime, Result};

/// An invitation to a table.
#[derive(Clone, Debug, PartialEq, Eq, HasQuery, Insertable)]
#[diesel(table_name = invitations)]
pub struct InvitationRow {
    /// UUIDv7.
    pub id: Id,
    pub game_id: GameId,
    pub sender_id: AccountId,
    pub recipient_id: AccountId,
    /// Milliseconds since 1970 in UTC.
    pub created_at: RecordTime,
}

/// Inserts an invitation. Does nothing if the player has one to this table.
pub fn insert(conn: &mut Connection, row: &InvitationRow) -> Result<()> {
    insert_if_absent!(conn, invitations::table, row);
    Ok(())
}

/// The invitation of a player to a table.
pub fn find_of(conn: &mut Connection, game: GameId, recipient: &AccountId) -> Result<Option<InvitationRow>> {
    let query = InvitationRow::query()
        .filter(invitations::game_id.eq(game))
        .filter(invitations::recipient_id.eq(recipient));
    Ok(query.first(conn).optional()?)
}

pub fn find(conn: &mut Connection, id: Id) -> Result<Option<InvitationRow>> {
    Ok(invitations::table.find(id).select(InvitationRow::as_select()).first(conn).optional()?)
}

/// The invitations to an account at tables in the lobby, newest first, with the tables' codes.
pub fn open_to(
    conn: &mut Connection,
    account: &AccountId,
    limit: i64,
) -> Result<Vec<(InvitationRow, Option<String>)>> {
    let query = invitations::table
        .inner_join(games::table.on(games::id.eq(invitations::game_id)))
        .filter(invitations::recipient_id.eq(account))
        .filter(games::status.eq("lobby"))
        .order(invitations::id.desc())
        .limit(limit)
        .select((InvitationRow::as_select(), games::join_code));
    Ok(query.load(conn)?)
}

/// The invitations that an account sent and got, oldest first.
pub fn of_account(conn: &mut Connection, account: &AccountId) -> Result<Vec<InvitationRow>> {
    let query = InvitationRow::query()
        .filter(invitations::recipient_id.eq(account).or(invitations::sender_id.eq(account)))
        .order(invitations::id);
    Ok(query.load(conn)?)
}

/// The number of invitations to a table.
pub fn count(conn: &mut Connection, game: GameId) -> Result<i64> {
    Ok(invitations::table.filter(invitations::game_id.eq(game)).count().get_result(conn)?)
}

/// Deletes an invitation to an account. Returns whether it was there.
pub fn decline(conn: &mut Connection, id: Id, account: &AccountId) -> Result<bool> {
    let row = invitations::table.find(id).filter(invitations::recipient_id.eq(account));
    Ok(diesel::delete(row).execute(conn)? > 0)
}

/// Deletes the invitations between two accounts.
pub fn end_between(conn: &mut Connection, account: &AccountId, other: &AccountId) -> Result<()> {
    for (one, another) in [(account, other), (other, account)] {
        let rows = invitations::table
            .filter(invitations::sender_id.eq(one))
            .filter(invitations::recipient_id.eq(another));
        diesel::delete(rows).execute(conn)?;
    }
    Ok(())
}

/// Deletes invitations from before a time to tables that are not in the lobby any more, and returns their number.
pub fn sweep(conn: &mut Connection, before: i64) -> Result<usize> {
    let waiting = games::table
        .filter(games::id.eq(invitations::game_id))
        .filter(games::status.eq("lobby"))
        .select(games::id);
    let old = invitations::table.filter(invitations::created_at.lt(before)).filter(not(exists(waiting)));
    Ok(diesel::delete(old).execute(conn)?)
}
