//! What accounts want of each other: blocks, mutes, requests for friendship, and friendships.

use diesel::dsl::exists;
use diesel::prelude::*;

use super::columns::text_enums;
use super::schema::{accounts, game_players, games, relations};
use super::{AccountId, Connection, GameId, RecordTime, Result};

estimation_engine::choices! {
    /// What an account wants of another one.
    pub enum Relation {
        /// Neither account sees or meets the other.
        Block = "block",
        /// The account does not get the other account's reactions.
        Mute = "mute",
        /// The account asks the other account for friendship.
        Request = "request",
        /// Both are friends. It has a row for each.
        Friend = "friend",
    }
}

text_enums!(Relation);

/// A relation of an account.
#[derive(Clone, Debug, PartialEq, Eq, HasQuery)]
#[diesel(table_name = relations)]
pub struct RelationRow {
    pub account_id: AccountId,
    pub kind: Relation,
    pub other_id: AccountId,
    pub since: RecordTime,
}

/// What came of adding a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddOutcome {
    /// It is there, now or since before.
    Done,
    /// The other account does not exist.
    NoAccount,
    /// The account has the maximum of this kind.
    TooMany,
}

/// Adds a relation, unless the account has `limit` of its kind.
pub fn add(
    conn: &mut Connection,
    (account, other): (&AccountId, &AccountId),
    kind: Relation,
    limit: i64,
    at: i64,
) -> Result<AddOutcome> {
    if lock_pair(conn, account, other)? < 2 {
        return Ok(AddOutcome::NoAccount);
    }
    if has(conn, account, other, kind)? {
        return Ok(AddOutcome::Done);
    }
    if count(conn, account, kind)? >= limit {
        return Ok(AddOutcome::TooMany);
    }
    insert(conn, (account, other), kind, at)?;
    Ok(AddOutcome::Done)
}

/// Blocks an account. Friendship and requests between the two end.
pub fn block(
    conn: &mut Connection,
    (account, other): (&AccountId, &AccountId),
    limit: i64,
    at: i64,
) -> Result<AddOutcome> {
    let added = add(conn, (account, other), Relation::Block, limit, at)?;
    if added == AddOutcome::Done {
        end_friendship(conn, account, other)?;
    }
    Ok(added)
}

/// Ends the friendship of two accounts, and the requests between them. Returns whether there was one of them.
pub fn end_friendship(conn: &mut Connection, account: &AccountId, other: &AccountId) -> Result<bool> {
    let kinds = [Relation::Request, Relation::Friend];
    let mut ended = 0;
    for (one, another) in [(account, other), (other, account)] {
        let rows = relations::table
            .filter(relations::account_id.eq(one))
            .filter(relations::kind.eq_any(kinds))
            .filter(relations::other_id.eq(another));
        ended += diesel::delete(rows).execute(conn)?;
    }
    Ok(ended > 0)
}

/// Makes two accounts friends, in place of the requests between them.
pub fn befriend(conn: &mut Connection, account: &AccountId, other: &AccountId, at: i64) -> Result<()> {
    end_friendship(conn, account, other)?;
    insert(conn, (account, other), Relation::Friend, at)?;
    insert(conn, (other, account), Relation::Friend, at)
}

fn insert(
    conn: &mut Connection,
    (account, other): (&AccountId, &AccountId),
    kind: Relation,
    at: i64,
) -> Result<()> {
    diesel::insert_into(relations::table)
        .values((
            relations::account_id.eq(account),
            relations::kind.eq(kind),
            relations::other_id.eq(other),
            relations::since.eq(at),
        ))
        .execute(conn)?;
    Ok(())
}

/// Removes a relation. Returns whether it was there.
pub fn remove(conn: &mut Connection, account: &AccountId, other: &AccountId, kind: Relation) -> Result<bool> {
    let row = relations::table.find((account, kind, other));
    Ok(diesel::delete(row).execute(conn)? > 0)
}

/// Locks the rows of two accounts against seats and other changes of relations, and returns how many of them exist. A seat that
/// was checked before is committed by then, so its game shows the account.
pub fn lock_pair(conn: &mut Connection, account: &AccountId, other: &AccountId) -> Result<usize> {
    let query = accounts::table
        .filter(accounts::id.eq_any([account, other]))
        .order(accounts::id)
        .select(accounts::id);
    let found: Vec<AccountId> = match conn {
        Connection::Sqlite(conn) => query.load(conn)?,
        Connection::Postgres(conn) => query.for_update().load(conn)?,
    };
    Ok(found.len())
}

/// Whether an account has a relation to another one.
pub fn has(conn: &mut Connection, account: &AccountId, other: &AccountId, kind: Relation) -> Result<bool> {
    let row = relations::table.find((account, kind, other));
    Ok(diesel::select(exists(row)).get_result(conn)?)
}

/// How many relations of a kind an account has.
pub fn count(conn: &mut Connection, account: &AccountId, kind: Relation) -> Result<i64> {
    let rows = relations::table.filter(relations::account_id.eq(account)).filter(relations::kind.eq(kind));
    Ok(rows.count().get_result(conn)?)
}

/// How many accounts ask an account for friendship.
pub fn count_requests_to(conn: &mut Connection, account: &AccountId) -> Result<i64> {
    let rows = relations::table
        .filter(relations::other_id.eq(account))
        .filter(relations::kind.eq(Relation::Request));
    Ok(rows.count().get_result(conn)?)
}

/// The relations of an account, newest first.
pub fn of_account(conn: &mut Connection, account: &AccountId) -> Result<Vec<RelationRow>> {
    let query = RelationRow::query()
        .filter(relations::account_id.eq(account))
        .order((relations::since.desc(), relations::other_id));
    Ok(query.load(conn)?)
}

/// The requests for friendship to an account, newest first.
pub fn requests_to(conn: &mut Connection, account: &AccountId) -> Result<Vec<RelationRow>> {
    let query = RelationRow::query()
        .filter(relations::other_id.eq(account))
        .filter(relations::kind.eq(Relation::Request))
        .order((relations::since.desc(), relations::account_id));
    Ok(query.load(conn)?)
}

/// The accounts that an account blocks, and those that block it.
pub fn blocked_with(conn: &mut Connection, account: &AccountId) -> Result<Vec<AccountId>> {
    let kind = Relation::Block;
    let own = relations::table
        .filter(relations::account_id.eq(account))
        .filter(relations::kind.eq(kind))
        .select(relations::other_id);
    let mut all: Vec<AccountId> = own.load(conn)?;
    let others = relations::table
        .filter(relations::other_id.eq(account))
        .filter(relations::kind.eq(kind))
        .select(relations::account_id);
    all.extend(others.load::<AccountId>(conn)?);
    Ok(all)
}

/// The accounts that the words of an account do not reach: those that mute it, and those of [`blocked_with`].
pub fn muters_of(conn: &mut Connection, account: &AccountId) -> Result<Vec<AccountId>> {
    let muting = relations::table
        .filter(relations::other_id.eq(account))
        .filter(relations::kind.eq(Relation::Mute))
        .select(relations::account_id);
    let mut all: Vec<AccountId> = muting.load(conn)?;
    all.extend(blocked_with(conn, account)?);
    Ok(all)
}

/// Whether there is a block, in either direction, between an account and one of the others.
pub fn is_blocked_with(conn: &mut Connection, account: &AccountId, others: &[AccountId]) -> Result<bool> {
    let blocks = relations::table
        .filter(relations::kind.eq(Relation::Block))
        .filter(relations::account_id.eq(account))
        .filter(relations::other_id.eq_any(others));
    let blocked = relations::table
        .filter(relations::kind.eq(Relation::Block))
        .filter(relations::other_id.eq(account))
        .filter(relations::account_id.eq_any(others));
    // One statement, so that its time does not tell whether there is a block.
    let (blocks, is_blocked): (bool, bool) =
        diesel::select((exists(blocks), exists(blocked))).get_result(conn)?;
    Ok(blocks || is_blocked)
}

/// Whether there is a block, in either direction, between an account and a player of a game.
pub fn is_blocked_at(conn: &mut Connection, account: &AccountId, game: GameId) -> Result<bool> {
    let players = game_players::table
        .filter(game_players::game_id.eq(game))
        .filter(game_players::account_id.is_not_null())
        .select(game_players::account_id.assume_not_null());
    let players: Vec<AccountId> = players.load(conn)?;
    is_blocked_with(conn, account, &players)
}

/// The tables in the lobby at which two accounts have a place.
pub fn shared_lobbies(conn: &mut Connection, account: &AccountId, other: &AccountId) -> Result<Vec<GameId>> {
    let shared = diesel::alias!(game_players as shared);
    let both = shared
        .filter(shared.field(game_players::game_id).eq(games::id))
        .filter(shared.field(game_players::account_id).eq(other))
        .select(shared.field(game_players::place));
    let query = game_players::table
        .inner_join(games::table.on(games::id.eq(game_players::game_id)))
        .filter(game_players::account_id.eq(account))
        .filter(games::status.eq("lobby"))
        .filter(exists(both))
        .select(games::id);
    Ok(query.load(conn)?)
}

/// A condition on `games`: no block between the viewer and a player. It reads the viewer's blocks, which are few.
macro_rules! hides_nobody_from {
    ($viewer:expr) => {
        diesel::dsl::sql::<diesel::sql_types::Bool>(
            "(NOT EXISTS (SELECT 1 FROM relations r JOIN game_players p ON p.account_id = r.other_id \
             WHERE r.kind = 'block' AND p.game_id = games.id AND r.account_id = ",
        )
        .bind::<diesel::sql_types::Text, _>($viewer)
        .sql(
            ") AND NOT EXISTS (SELECT 1 FROM relations r JOIN game_players p ON p.account_id = r.account_id \
             WHERE r.kind = 'block' AND p.game_id = games.id AND r.other_id = ",
        )
        .bind::<diesel::sql_types::Text, _>($viewer)
        .sql("))")
    };
}
pub(super) use hides_nobody_from;
