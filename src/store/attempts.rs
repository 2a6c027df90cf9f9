//! Attempts at what is limited: leaky buckets that all nodes share.
//!
//! A bucket holds as many attempts as its rate allows at once, and leaks one after the other. All that is
//! kept of it is when it will have run empty (the generic cell rate algorithm). What is limited, and how
//! much, is decided elsewhere.

use diesel::prelude::*;

use super::connection::Connection;
use super::error::StoreError;
use super::hash::Hash;
use super::schema::attempts;

/// An attempt that is to be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempt {
    /// What is limited and for whom, hashed.
    pub bucket: Hash,
    /// How long one attempt takes to leak out, in milliseconds.
    pub interval: i64,
    /// How many fit in at once, at least 1.
    pub burst: i64,
}

/// Counts attempts in all their buckets, or in none where one of them is full: then it returns after how
/// many milliseconds there will be room in each.
///
/// # Errors
/// What writing met.
pub fn count(conn: &mut Connection, all: &[Attempt], now: i64) -> Result<Option<i64>, StoreError> {
    if let Connection::Postgres(conn) = conn {
        // Looking and counting must be one: nodes take turns until the end of the transaction.
        diesel::sql_query("SELECT pg_advisory_xact_lock(4702394921)").execute(conn)?;
    }
    let mut wait = 0;
    for attempt in all {
        let then = empty_at(conn, &attempt.bucket)?.unwrap_or(now).max(now) + attempt.interval;
        wait = wait.max(then - now - attempt.interval * attempt.burst);
    }
    if wait > 0 {
        return Ok(Some(wait));
    }
    for attempt in all {
        set(conn, &attempt.bucket, now, |before| before.max(now) + attempt.interval)?;
    }
    Ok(None)
}

/// Takes attempts back that turned out to be harmless.
///
/// # Errors
/// What writing met.
pub fn take_back(conn: &mut Connection, all: &[Attempt]) -> Result<(), StoreError> {
    for attempt in all {
        set(conn, &attempt.bucket, 0, |before| before - attempt.interval)?;
    }
    Ok(())
}

/// Forgets buckets that were empty before a moment and returns how many there were.
///
/// # Errors
/// What writing met.
pub fn sweep(conn: &mut Connection, empty_before: i64) -> Result<usize, StoreError> {
    Ok(diesel::delete(attempts::table.filter(attempts::empty_at.lt(empty_before))).execute(conn)?)
}

fn empty_at(conn: &mut Connection, bucket: &[u8]) -> Result<Option<i64>, StoreError> {
    Ok(attempts::table.find(bucket).select(attempts::empty_at).first(conn).optional()?)
}

/// Changes a bucket; where it is new, it was empty at `fresh`. Other nodes may change it at the same time:
/// the change is made to what is there.
fn set(
    conn: &mut Connection,
    bucket: &[u8],
    fresh: i64,
    change: impl Fn(i64) -> i64,
) -> Result<(), StoreError> {
    loop {
        let before = match empty_at(conn, bucket)? {
            Some(before) => before,
            None => {
                insert(conn, bucket, fresh)?;
                fresh
            }
        };
        let unchanged = attempts::table.find(bucket).filter(attempts::empty_at.eq(before));
        let set = attempts::empty_at.eq(change(before));
        if diesel::update(unchanged).set(set).execute(conn)? == 1 {
            return Ok(());
        }
    }
}

fn insert(conn: &mut Connection, bucket: &[u8], empty_at: i64) -> Result<(), StoreError> {
    let row = (attempts::bucket.eq(bucket), attempts::empty_at.eq(empty_at));
    let insert = diesel::insert_into(attempts::table).values(row).on_conflict_do_nothing();
    match conn {
        Connection::Sqlite(conn) => insert.execute(conn)?,
        Connection::Postgres(conn) => insert.execute(conn)?,
    };
    Ok(())
}
