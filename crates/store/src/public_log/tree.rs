//! The Merkle tree of the public log, its checkpoints and their cosignatures.

use diesel::prelude::*;

use crate::columns::Bytes;
use crate::schema::{log_cosignatures, log_tiles, log_tree};
use crate::{Connection, Hash, Result, columns, shared_work};

/// PostgreSQL's lock number for growing the log: ASCII "tiles".
const LEADER: i64 = 0x74_696c_6573;

/// The state of a log.
#[derive(Debug, Clone, PartialEq, Eq, Queryable)]
pub struct Tree {
    /// The log's number, from 1.
    pub id: i32,
    pub origin: String,
    /// The record key from which the keys of the log are derived.
    pub kid: String,
    /// The number of entries.
    #[diesel(deserialize_as = i64)]
    pub size: u64,
    /// The root of the tree of `size` entries.
    #[diesel(deserialize_as = Bytes<32>)]
    pub root: Hash,
    /// The time of the last entry, in milliseconds since 1970 in UTC; 0 without entries.
    pub entered_at: i64,
    /// The size of the last signed checkpoint.
    #[diesel(deserialize_as = i64)]
    pub signed_size: u64,
    /// When it was signed, in milliseconds since 1970 in UTC.
    pub signed_at: i64,
    /// The last checkpoint as a signed note; empty before the first.
    pub note: String,
}

impl Tree {
    /// When the last checkpoint was signed, in milliseconds since 1970 in UTC; none before the first.
    pub fn checkpoint_at(&self) -> Option<i64> {
        (!self.note.is_empty()).then_some(self.signed_at)
    }
}

/// A cosignature of the newest checkpoint that a witness has seen.
#[derive(Debug, Clone, PartialEq, Eq, Queryable)]
pub struct StoredCosignature {
    /// The name of the witness's key.
    pub witness: String,
    #[diesel(deserialize_as = i64)]
    pub size: u64,
    /// The line of the signed note, with its end.
    pub line: String,
}

/// The state of the newest log; none before the first was begun.
pub fn find(conn: &mut Connection) -> Result<Option<Tree>> {
    Ok(log_tree::table.order(log_tree::id.desc()).first(conn).optional()?)
}

/// The state of a log.
pub fn find_log(conn: &mut Connection, log: i32) -> Result<Option<Tree>> {
    Ok(log_tree::table.find(log).first(conn).optional()?)
}

/// Begins a log. `root` is that of the empty tree.
///
/// # Errors
/// [`StoreError::Constraint`](crate::StoreError::Constraint) when there is a log with this number.
pub fn begin(conn: &mut Connection, id: i32, origin: &str, kid: &str, root: &Hash) -> Result<()> {
    let columns = (
        log_tree::id.eq(id),
        log_tree::origin.eq(origin),
        log_tree::kid.eq(kid),
        log_tree::size.eq(0),
        log_tree::root.eq(&root[..]),
        log_tree::entered_at.eq(0),
        log_tree::signed_size.eq(0),
        log_tree::signed_at.eq(0),
        log_tree::note.eq(""),
    );
    diesel::insert_into(log_tree::table).values(columns).execute(conn)?;
    Ok(())
}

/// The origins of all logs, the newest first.
pub fn origins(conn: &mut Connection) -> Result<Vec<String>> {
    Ok(log_tree::table.order(log_tree::id.desc()).select(log_tree::origin).load(conn)?)
}

/// Whether a log has this name.
pub fn is_taken(conn: &mut Connection, origin: &str) -> Result<bool> {
    let query = log_tree::table.filter(log_tree::origin.eq(origin));
    Ok(diesel::select(diesel::dsl::exists(query)).get_result(conn)?)
}

/// Whether this transaction may grow the log. At most one transaction may at a time, until it ends, and none while
/// another transaction adds to the queue.
pub fn lead(conn: &mut Connection) -> Result<bool> {
    shared_work::lead(conn, LEADER)
}

/// Keeps other transactions from growing the log until this transaction ends. Returns the time of the last entry, in
/// milliseconds since 1970 in UTC.
pub fn hold_off(conn: &mut Connection) -> Result<i64> {
    shared_work::hold_off(conn, LEADER)?;
    let latest: Option<i64> =
        log_tree::table.order(log_tree::id.desc()).select(log_tree::entered_at).first(conn).optional()?;
    Ok(latest.unwrap_or_default())
}

/// Grows the tree from a size, if it still has that size. The last new entry is of `entered_at`, in milliseconds since
/// 1970 in UTC.
pub fn grow(
    conn: &mut Connection,
    log: i32,
    from: u64,
    (size, root): (u64, &Hash),
    entered_at: i64,
) -> Result<bool> {
    let row = log_tree::table.find(log).filter(log_tree::size.eq(columns::to_stored(from)?));
    let set = (
        log_tree::size.eq(columns::to_stored(size)?),
        log_tree::root.eq(&root[..]),
        log_tree::entered_at.eq(entered_at),
    );
    Ok(diesel::update(row).set(set).execute(conn)? == 1)
}

/// Stores a signed checkpoint, if the last one is still that of `from` entries at `signed_at`.
pub fn sign(
    conn: &mut Connection,
    log: i32,
    (from, signed_at): (u64, i64),
    (size, at): (u64, i64),
    note: &str,
) -> Result<bool> {
    let row = log_tree::table
        .find(log)
        .filter(log_tree::signed_size.eq(columns::to_stored(from)?))
        .filter(log_tree::signed_at.eq(signed_at));
    let set = (
        log_tree::signed_size.eq(columns::to_stored(size)?),
        log_tree::signed_at.eq(at),
        log_tree::note.eq(note),
    );
    Ok(diesel::update(row).set(set).execute(conn)? == 1)
}

/// The hashes of a tile.
pub fn tile(conn: &mut Connection, log: i32, level: u8, number: u64) -> Result<Option<Vec<u8>>> {
    let row = log_tiles::table.find((log, i32::from(level), columns::to_stored(number)?));
    Ok(row.select(log_tiles::hashes).first(conn).optional()?)
}

/// Stores a tile in place of its earlier form.
pub fn save_tile(conn: &mut Connection, log: i32, level: u8, number: u64, hashes: &[u8]) -> Result<()> {
    let (level, number) = (i32::from(level), columns::to_stored(number)?);
    let row = log_tiles::table.find((log, level, number));
    if diesel::update(row).set(log_tiles::hashes.eq(hashes)).execute(conn)? == 0 {
        let columns = (
            log_tiles::log.eq(log),
            log_tiles::level.eq(level),
            log_tiles::number.eq(number),
            log_tiles::hashes.eq(hashes),
        );
        diesel::insert_into(log_tiles::table).values(columns).execute(conn)?;
    }
    Ok(())
}

/// The newest cosignature of a log by each witness, by name.
pub fn cosignatures(conn: &mut Connection, log: i32) -> Result<Vec<StoredCosignature>> {
    let query = log_cosignatures::table
        .filter(log_cosignatures::log.eq(log))
        .order(log_cosignatures::witness)
        .select((log_cosignatures::witness, log_cosignatures::size, log_cosignatures::line));
    Ok(query.load(conn)?)
}

/// Stores a witness's cosignature in place of its earlier one.
pub fn save_cosignature(conn: &mut Connection, log: i32, witness: &str, size: u64, line: &str) -> Result<()> {
    let size = columns::to_stored(size)?;
    let set = (log_cosignatures::size.eq(size), log_cosignatures::line.eq(line));
    if diesel::update(log_cosignatures::table.find((log, witness))).set(set).execute(conn)? == 0 {
        let columns = (log_cosignatures::log.eq(log), log_cosignatures::witness.eq(witness), set.0, set.1);
        diesel::insert_into(log_cosignatures::table).values(columns).execute(conn)?;
    }
    Ok(())
}
