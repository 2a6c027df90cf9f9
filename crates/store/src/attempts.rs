//! Rate limits that all nodes share: leaky buckets.
//!
//! A bucket holds as many attempts as the rate allows at once, and leaks one by one. The database stores only
//! the time when the bucket will be empty (the generic cell rate algorithm). Callers decide what is limited
//! and how much.

use diesel::prelude::*;

use super::connection::insert_if_absent;
use super::schema::attempts;
use super::{Connection, Hash, Result};

/// An attempt to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempt {
    /// The name of the limit.
    pub limit: &'static str,
    /// The hash of the limited action and its subject.
    pub bucket: Hash,
    /// How long one attempt takes to leak out, in milliseconds.
    pub interval: i64,
    /// The bucket's capacity, at least 1.
    pub burst: i64,
}

impl Attempt {
    /// When a full bucket will be empty. A later time was written by a node whose clock was ahead.
    fn full(&self, now: i64) -> i64 {
        now + self.interval * self.burst
    }
}

/// A limit without room for another attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExceededLimit {
    /// The name of the limit.
    pub limit: &'static str,
    /// The milliseconds until it has room.
    pub wait: i64,
}

/// Counts attempts in all their buckets, or in none when one of them is full. Then it returns the limit that has room
/// last.
pub fn count(conn: &mut Connection, all: &[Attempt], now: i64) -> Result<Option<ExceededLimit>> {
    if let Connection::Postgres(conn) = conn {
        // Checking and counting must be atomic: nodes take turns until the end of the transaction.
        diesel::sql_query("SELECT pg_advisory_xact_lock(4702394921)").execute(conn)?;
    }
    let mut exceeded: Option<ExceededLimit> = None;
    for attempt in all {
        let mut empty_at = empty_at(conn, &attempt.bucket)?.unwrap_or(now).max(now);
        if empty_at > attempt.full(now) {
            empty_at = attempt.full(now);
            set(conn, &attempt.bucket, now, |_| empty_at)?;
        }
        let wait = empty_at + attempt.interval - attempt.full(now);
        if wait > exceeded.map_or(0, |exceeded| exceeded.wait) {
            exceeded = Some(ExceededLimit { limit: attempt.limit, wait });
        }
    }
    if exceeded.is_some() {
        return Ok(exceeded);
    }
    for attempt in all {
        set(conn, &attempt.bucket, now, |before| before.max(now) + attempt.interval)?;
    }
    Ok(None)
}

/// Removes attempts that turned out to be harmless.
pub fn undo(conn: &mut Connection, all: &[Attempt]) -> Result<()> {
    for attempt in all {
        set(conn, &attempt.bucket, 0, |before| before - attempt.interval)?;
    }
    Ok(())
}

/// Deletes buckets that were empty before `empty_before`, about `limit` of them, and returns their number.
pub fn sweep(conn: &mut Connection, empty_before: i64, limit: i64) -> Result<usize> {
    let empty = attempts::table.filter(attempts::empty_at.lt(empty_before));
    let last = empty
        .order(attempts::empty_at)
        .select(attempts::empty_at)
        .offset(limit - 1)
        .first::<i64>(conn)
        .optional()?;
    let swept = empty.filter(attempts::empty_at.le(last.unwrap_or(empty_before)));
    Ok(diesel::delete(swept).execute(conn)?)
}

fn empty_at(conn: &mut Connection, bucket: &[u8]) -> Result<Option<i64>> {
    Ok(attempts::table.find(bucket).select(attempts::empty_at).first(conn).optional()?)
}

/// Changes a bucket. A new bucket counts as empty at `fresh`. The update is relative, because other nodes may
/// change the bucket at the same time.
fn set(conn: &mut Connection, bucket: &[u8], fresh: i64, change: impl Fn(i64) -> i64) -> Result<()> {
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

fn insert(conn: &mut Connection, bucket: &[u8], empty_at: i64) -> Result<()> {
    let row = (attempts::bucket.eq(bucket), attempts::empty_at.eq(empty_at));
    insert_if_absent!(conn, attempts::table, row);
    Ok(())
}
