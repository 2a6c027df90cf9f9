//! Which stored times the log accepts. Its times come from the clock; a row that was changed moves none.

use std::sync::atomic::Ordering;

use super::PublicLog;
use super::promise::WITHIN;
use crate::base::failure::milliseconds;
use estimation_record::RecordTime;
use estimation_store::StoreError;
use jiff::Timestamp;

/// The milliseconds by which a stored time may be ahead of the clock.
const AHEAD: i64 = 60_000;

/// Whether a stored time is too far ahead of the clock. Both are in milliseconds since 1970 in UTC.
pub(crate) fn is_ahead(stored: i64, now: i64) -> bool {
    stored.saturating_sub(now) > AHEAD
}

/// Whether the log must have a start of this time. Both are in milliseconds since 1970 in UTC.
pub(super) fn is_overdue(start: i64, now: i64) -> bool {
    i128::from(now.saturating_sub(start)) > WITHIN.as_millis()
}

impl PublicLog {
    /// The time for a start: not before the last entry of the log, as far as this node knows it.
    pub(crate) fn start_time(&self, now: Timestamp, previous: RecordTime) -> RecordTime {
        let latest = Timestamp::from_millisecond(self.latest.load(Ordering::Relaxed)).unwrap_or_default();
        RecordTime::of(now.max(latest), Some(previous))
    }

    /// Learns from a refusal that the log has an entry of a later time. A time that is too far ahead of the clock is not
    /// learned.
    pub(crate) fn learn(&self, error: &StoreError) {
        if let StoreError::LogTimePassed { latest } = error
            && !is_ahead(*latest, milliseconds(self.clock.now()))
        {
            self.latest.fetch_max(*latest, Ordering::Relaxed);
        }
    }
}
