//! Who issuers of OpenID Connect say that players are, the nonces of their tokens, and the grants to revoke.

use diesel::prelude::*;

use super::connection::insert_if_absent;
use super::schema::{accounts, identities, revocations, used_nonces};
use super::shared_work::queue;
use super::{AccountId, Connection, Hash, Id, RecordTime, Result, StoreError};

/// A player as an issuer knows them. It has an encrypted token, so it has no `Debug`.
#[derive(Clone, PartialEq, Eq, HasQuery, Insertable)]
#[diesel(table_name = identities)]
pub struct IdentityRow {
    /// UUIDv7.
    pub id: Id,
    pub account_id: AccountId,
    /// The issuer's URL.
    pub issuer: String,
    /// The issuer's name for the player: unique with the issuer.
    pub subject: String,
    /// How the issuer knows the app.
    pub audience: String,
    /// The issuer's refresh token, encrypted.
    pub grant_token: Option<Vec<u8>>,
    /// Milliseconds since 1970 in UTC.
    pub linked_at: RecordTime,
}

/// A grant to revoke.
#[derive(Clone, PartialEq, Eq, HasQuery)]
#[diesel(table_name = revocations)]
pub struct RevocationRow {
    /// The id of the identity.
    pub id: Id,
    pub issuer: String,
    pub audience: String,
    /// The issuer's refresh token, encrypted.
    pub grant_token: Vec<u8>,
    pub next_at: RecordTime,
    pub created_at: RecordTime,
}

/// # Errors
/// [`StoreError::IdentityTaken`] if an account has the identity.
pub fn insert(conn: &mut Connection, identity: &IdentityRow) -> Result<()> {
    diesel::insert_into(identities::table)
        .values(identity)
        .execute(conn)
        .map_err(|error| StoreError::or_duplicate(error, || StoreError::IdentityTaken))?;
    Ok(())
}

pub fn find(conn: &mut Connection, issuer: &str, subject: &str) -> Result<Option<IdentityRow>> {
    let query =
        IdentityRow::query().filter(identities::issuer.eq(issuer)).filter(identities::subject.eq(subject));
    Ok(query.first(conn).optional()?)
}

/// The identities of an account, oldest first.
pub fn of_account(conn: &mut Connection, account: &AccountId) -> Result<Vec<IdentityRow>> {
    let query = IdentityRow::query().filter(identities::account_id.eq(account)).order(identities::id);
    Ok(query.load(conn)?)
}

/// Replaces the issuer's refresh token, which later sign-ins bring.
pub fn set_grant(conn: &mut Connection, id: Id, grant: &[u8]) -> Result<()> {
    let identity = identities::table.find(id);
    diesel::update(identity).set(identities::grant_token.eq(Some(grant))).execute(conn)?;
    Ok(())
}

/// What came of taking an identity away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemovalOutcome {
    Done,
    /// The account has no such identity.
    Unknown,
    /// Nobody could sign in to the account any more. Nothing was written.
    LastWayIn,
}

/// Takes an identity from an account that has another one, or a password.
pub fn remove(conn: &mut Connection, account: &AccountId, id: Id, at: i64) -> Result<RemovalOutcome> {
    // Holds the row, so that of two removals at a time the second one sees the first.
    let own = accounts::table.find(account);
    diesel::update(own).set(accounts::updated_at.eq(at)).execute(conn)?;
    let password: Option<Option<String>> =
        accounts::table.find(account).select(accounts::password_hash).first(conn).optional()?;
    let all = of_account(conn, account)?;
    if !all.iter().any(|one| one.id == id) {
        return Ok(RemovalOutcome::Unknown);
    }
    if all.len() == 1 && password.flatten().is_none() {
        return Ok(RemovalOutcome::LastWayIn);
    }
    diesel::delete(identities::table.find(id)).execute(conn)?;
    Ok(RemovalOutcome::Done)
}

/// Marks a nonce as used. Returns false if it was used before.
pub fn use_nonce(conn: &mut Connection, nonce: &Hash, expires_at: i64) -> Result<bool> {
    let row = (used_nonces::hash.eq(&nonce[..]), used_nonces::expires_at.eq(expires_at));
    Ok(insert_if_absent!(conn, used_nonces::table, row) == 1)
}

/// Deletes used nonces that have expired, and returns their number.
pub fn sweep_nonces(conn: &mut Connection, now: i64) -> Result<usize> {
    Ok(diesel::delete(used_nonces::table.filter(used_nonces::expires_at.le(now))).execute(conn)?)
}

/// Writes that the grants of an account are to be revoked, before the account is deleted.
pub fn revoke_grants(conn: &mut Connection, account: &AccountId, at: i64) -> Result<()> {
    for identity in of_account(conn, account)? {
        let Some(grant) = identity.grant_token else { continue };
        diesel::insert_into(revocations::table)
            .values((
                revocations::id.eq(identity.id),
                revocations::issuer.eq(identity.issuer),
                revocations::audience.eq(identity.audience),
                revocations::grant_token.eq(grant),
                revocations::next_at.eq(at),
                revocations::created_at.eq(at),
            ))
            .execute(conn)?;
    }
    Ok(())
}

queue!(revocations, RevocationRow: any_revocation_due, take_revocation, retry_revocation, end_revocation);
