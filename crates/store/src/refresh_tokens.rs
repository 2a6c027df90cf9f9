//! Refresh tokens, by their hashes. Other modules decide what a repeated or reused token means.

use diesel::prelude::*;

use super::columns::{Bytes, OptionalBytes};
use super::schema::refresh_tokens;
use super::{AccountId, Connection, Hash, Id, RecordTime, Result};

/// A refresh token. Times are milliseconds since 1970 in UTC.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = refresh_tokens)]
pub struct RefreshToken {
    /// SHA-256 of the token.
    #[diesel(deserialize_as = Bytes<32>)]
    pub hash: Hash,
    pub session_id: Id,
    pub account_id: AccountId,
    pub issued_at: i64,
    pub expires_at: i64,
    /// When the token was exchanged; `None` while it is unused. Repeats within the grace period do not count.
    pub used_at: Option<i64>,
    /// SHA-256 of the token issued in exchange.
    #[diesel(deserialize_as = OptionalBytes<32>)]
    pub successor_hash: Option<Hash>,
    /// How many exchanges preceded it in its session.
    pub generation: i64,
}

/// Inserts a new, unused token.
pub fn insert(conn: &mut Connection, token: &RefreshToken) -> Result<()> {
    diesel::insert_into(refresh_tokens::table).values(token).execute(conn)?;
    Ok(())
}

/// The token with this hash, used or unused.
pub fn find(conn: &mut Connection, hash: &Hash) -> Result<Option<RefreshToken>> {
    Ok(refresh_tokens::table.find(hash).select(RefreshToken::as_select()).first(conn).optional()?)
}

/// Marks a token as exchanged for its successor, with which it expires from now on. Returns false when it was exchanged
/// before.
pub fn mark_used(conn: &mut Connection, hash: &Hash, successor: &RefreshToken, at: i64) -> Result<bool> {
    let unused = refresh_tokens::table.find(&hash[..]).filter(refresh_tokens::used_at.is_null());
    let changed = diesel::update(unused)
        .set((
            refresh_tokens::used_at.eq(at),
            refresh_tokens::successor_hash.eq(&successor.hash[..]),
            refresh_tokens::expires_at.eq(successor.expires_at),
        ))
        .execute(conn)?;
    Ok(changed == 1)
}

/// Records a later exchange for the same successor.
pub fn mark_repeated(conn: &mut Connection, hash: &Hash, at: i64) -> Result<()> {
    let used = refresh_tokens::table.find(&hash[..]).filter(refresh_tokens::used_at.is_not_null());
    diesel::update(used).set(refresh_tokens::used_at.eq(at)).execute(conn)?;
    Ok(())
}

#[derive(Debug, Clone, PartialEq, Eq, HasQuery)]
#[diesel(table_name = refresh_tokens)]
pub struct TokenTimes {
    pub session_id: Id,
    pub issued_at: RecordTime,
    pub expires_at: RecordTime,
    /// When the token was exchanged; `None` while it is unused.
    pub used_at: Option<RecordTime>,
}

/// The times of an account's tokens, oldest first.
pub fn times_of_account(conn: &mut Connection, account: &AccountId) -> Result<Vec<TokenTimes>> {
    let query =
        TokenTimes::query().filter(refresh_tokens::account_id.eq(account)).order(refresh_tokens::issued_at);
    Ok(query.load(conn)?)
}

/// Deletes tokens that expired before `expired_before` and returns their number.
pub fn sweep(conn: &mut Connection, expired_before: i64) -> Result<usize> {
    let old = refresh_tokens::table.filter(refresh_tokens::expires_at.lt(expired_before));
    Ok(diesel::delete(old).execute(conn)?)
}
