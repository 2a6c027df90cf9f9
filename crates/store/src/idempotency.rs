//! Idempotency keys, with references to what the request did. Holds no bodies and no tokens.

use diesel::prelude::*;

use super::schema::idempotency_keys;
use super::{AccountId, Connection, GameId, Hash, RecordTime, Result, StoreError, columns};

/// The idempotency key with its scope: account, method and path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestKey {
    pub account: AccountId,
    pub method: String,
    pub path: String,
    /// The `Idempotency-Key`, chosen by the client.
    pub key: String,
}

/// The outcome of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RememberedRequest {
    pub request: RequestKey,
    /// SHA-256 of the request body.
    pub body_hash: Hash,
    /// The HTTP status of the response.
    pub status: i32,
    /// The changed game.
    pub game: Option<GameId>,
    /// The first event the request caused.
    pub first_seq: Option<u64>,
    /// The last event the request caused.
    pub last_seq: Option<u64>,
    /// The id of another resource the request created.
    pub resource: Option<String>,
    /// Milliseconds since 1970 in UTC.
    pub created_at: i64,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = idempotency_keys)]
struct Row {
    body_hash: Vec<u8>,
    status: i32,
    game_id: Option<GameId>,
    first_seq: Option<i64>,
    last_seq: Option<i64>,
    resource: Option<String>,
    created_at: i64,
}

/// The outcome of the request with this key, if it had an effect.
pub fn find(conn: &mut Connection, request: &RequestKey) -> Result<Option<RememberedRequest>> {
    let id = (&request.account, &request.method, &request.path, &request.key);
    let row: Option<Row> =
        idempotency_keys::table.find(id).select(Row::as_select()).first(conn).optional()?;
    row.map(|row| {
        Ok(RememberedRequest {
            request: request.clone(),
            body_hash: columns::read_hash(&row.body_hash)?,
            status: row.status,
            game: row.game_id,
            first_seq: row.first_seq.map(columns::from_stored).transpose()?,
            last_seq: row.last_seq.map(columns::from_stored).transpose()?,
            resource: row.resource,
            created_at: row.created_at,
        })
    })
    .transpose()
}

/// Stores the outcome of a request, in the unit of work of its effect.
///
/// # Errors
/// [`StoreError::KeyTaken`] when the key was used before.
pub fn remember(conn: &mut Connection, remembered: &RememberedRequest) -> Result<()> {
    let seq = |seq: Option<u64>| seq.map(columns::to_stored).transpose();
    diesel::insert_into(idempotency_keys::table)
        .values((
            idempotency_keys::account_id.eq(&remembered.request.account),
            idempotency_keys::method.eq(&remembered.request.method),
            idempotency_keys::path.eq(&remembered.request.path),
            idempotency_keys::key.eq(&remembered.request.key),
            idempotency_keys::body_hash.eq(&remembered.body_hash[..]),
            idempotency_keys::status.eq(remembered.status),
            idempotency_keys::game_id.eq(remembered.game),
            idempotency_keys::first_seq.eq(seq(remembered.first_seq)?),
            idempotency_keys::last_seq.eq(seq(remembered.last_seq)?),
            idempotency_keys::resource.eq(&remembered.resource),
            idempotency_keys::created_at.eq(remembered.created_at),
        ))
        .execute(conn)
        .map_err(|e| StoreError::or_duplicate(e, || StoreError::KeyTaken))?;
    Ok(())
}

/// The idempotency records of an account, as method, path and time.
pub fn of_account(conn: &mut Connection, account: &AccountId) -> Result<Vec<(String, String, RecordTime)>> {
    let query = idempotency_keys::table
        .filter(idempotency_keys::account_id.eq(account))
        .order(idempotency_keys::created_at)
        .select((idempotency_keys::method, idempotency_keys::path, idempotency_keys::created_at));
    Ok(query.load(conn)?)
}

/// Deletes the idempotency records of an account.
pub fn forget_account(conn: &mut Connection, account: &AccountId) -> Result<()> {
    let theirs = idempotency_keys::table.filter(idempotency_keys::account_id.eq(account));
    diesel::delete(theirs).execute(conn)?;
    Ok(())
}

/// Deletes the oldest records that are older than `made_before`, about `limit` of them: those of one millisecond leave
/// together. Returns their number.
pub fn sweep(conn: &mut Connection, made_before: i64, limit: i64) -> Result<usize> {
    let old = idempotency_keys::table.filter(idempotency_keys::created_at.lt(made_before));
    let last = old
        .order(idempotency_keys::created_at)
        .select(idempotency_keys::created_at)
        .offset(limit - 1)
        .first::<i64>(conn)
        .optional()?;
    let swept = old.filter(idempotency_keys::created_at.le(last.unwrap_or(made_before)));
    Ok(diesel::delete(swept).execute(conn)?)
}
