//! The auditor access log: who read which game, up to which event, and when. Entries never change.

use diesel::connection::SimpleConnection;
use diesel::dsl::exists;
use diesel::prelude::*;

use super::schema::{access_log_head, looks};
use super::{AccountId, Connection, GameId, Hash, RecordTime, Result, StoreError, columns};

/// An entry of the access log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// Newer entries have greater positions.
    pub position: i64,
    /// The auditor's account id.
    pub account: AccountId,
    pub game: GameId,
    /// The last event that was shown.
    pub version: u64,
    pub looked_at: RecordTime,
}

pub fn record(
    conn: &mut Connection,
    account: &AccountId,
    game: GameId,
    version: u64,
    looked_at: RecordTime,
) -> Result<()> {
    diesel::insert_into(looks::table)
        .values((
            looks::account_id.eq(account),
            looks::game_id.eq(game),
            looks::version.eq(columns::to_stored(version)?),
            looks::looked_at.eq(looked_at),
        ))
        .execute(conn)?;
    Ok(())
}

/// Whether an account has accessed a game.
pub fn has_accessed(conn: &mut Connection, account: &AccountId, game: GameId) -> Result<bool> {
    let looked = looks::table.filter(looks::game_id.eq(game)).filter(looks::account_id.eq(account));
    Ok(diesel::select(exists(looked)).get_result(conn)?)
}

/// The entries for one game or all games before a position (`None`: from the newest), newest first, at most
/// `limit`.
pub fn before(
    conn: &mut Connection,
    game: Option<GameId>,
    position: Option<i64>,
    limit: i64,
) -> Result<Vec<Look>> {
    let mut query = looks::table.order(looks::position.desc()).limit(limit).into_boxed();
    if let Some(game) = game {
        query = query.filter(looks::game_id.eq(game));
    }
    if let Some(position) = position {
        query = query.filter(looks::position.lt(position));
    }
    let rows: Vec<(i64, AccountId, GameId, i64, RecordTime)> = query.load(conn)?;
    rows.into_iter().map(read).collect()
}

fn read(row: (i64, AccountId, GameId, i64, RecordTime)) -> Result<Look> {
    let (position, account, game, version, looked_at) = row;
    Ok(Look { position, account, game, version: columns::from_stored(version)?, looked_at })
}

/// Locks the log until the end of the transaction: no other transaction adds entries.
pub fn lock(conn: &mut Connection) -> Result<()> {
    match conn {
        // SQLite has only one writing transaction at a time.
        Connection::Sqlite(_) => Ok(()),
        Connection::Postgres(conn) => Ok(conn.batch_execute("LOCK TABLE looks IN SHARE ROW EXCLUSIVE MODE")?),
    }
}

/// The entries after a position, oldest first, at most `limit`.
pub fn after(conn: &mut Connection, position: i64, limit: i64) -> Result<Vec<Look>> {
    let query = looks::table.filter(looks::position.gt(position)).order(looks::position).limit(limit);
    let rows: Vec<(i64, AccountId, GameId, i64, RecordTime)> = query.load(conn)?;
    rows.into_iter().map(read).collect()
}

/// The signed end of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The position of the last entry that it covers.
    pub position: i64,
    /// The number of entries that it covers.
    pub accesses: u64,
    /// The hash over them.
    pub chain: Hash,
    /// When the first head was signed.
    pub began_at: RecordTime,
    /// The id of the key that signed it.
    pub kid: String,
    pub signature: [u8; 64],
}

pub fn head(conn: &mut Connection) -> Result<Option<Head>> {
    type Row = (i32, i64, i64, Vec<u8>, RecordTime, String, Vec<u8>);
    let row: Option<Row> = access_log_head::table.first(conn).optional()?;
    let Some((_, position, accesses, chain, began_at, kid, signature)) = row else { return Ok(None) };
    let signature = signature.try_into().map_err(|_| StoreError::Corrupt {
        detail: "the signature of the access log does not have 64 bytes".to_owned(),
    })?;
    let (accesses, chain) = (columns::from_stored(accesses)?, columns::read_hash(&chain)?);
    Ok(Some(Head { position, accesses, chain, began_at, kid, signature }))
}

/// Replaces the signed end of the log.
pub fn save_head(conn: &mut Connection, head: &Head) -> Result<()> {
    diesel::delete(access_log_head::table).execute(conn)?;
    diesel::insert_into(access_log_head::table)
        .values((
            access_log_head::id.eq(1),
            access_log_head::position.eq(head.position),
            access_log_head::accesses.eq(columns::to_stored(head.accesses)?),
            access_log_head::chain.eq(&head.chain[..]),
            access_log_head::began_at.eq(head.began_at),
            access_log_head::kid.eq(&head.kid),
            access_log_head::signature.eq(&head.signature[..]),
        ))
        .execute(conn)?;
    Ok(())
}
