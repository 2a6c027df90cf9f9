//! When this node last could not do what it was asked. Players are not blamed for what they miss meanwhile.

use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;

use super::failure::milliseconds;

/// The last outage of a node, in milliseconds since 1970 in UTC.
#[derive(Debug)]
pub struct Outages(AtomicI64);

impl Outages {
    /// Before its start the node answered no request at all.
    pub(crate) fn new(started: Timestamp) -> Outages {
        Outages(AtomicI64::new(milliseconds(started)))
    }

    /// Records that the node answered a request with a failure of its own.
    pub fn failed(&self, at: Timestamp) {
        self.0.fetch_max(milliseconds(at), Ordering::Relaxed);
    }

    /// The time of the last failure, or of the start.
    pub(crate) fn last(&self) -> Timestamp {
        Timestamp::from_millisecond(self.0.load(Ordering::Relaxed)).unwrap_or_default()
    }
}
