//! When the log before this one ended.

use estimation_record::{LogEntry, RecordTime};
use estimation_tlog::{Note, SignatureLine};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::times::SKEW;

/// What a log says about the end of the former log, which has the entries before.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FormerLog {
    /// The time of the last cosignature that the first entry names. Anyone can claim any time in it up to this log's own.
    claimed: Option<RecordTime>,
    /// The first time in this log, which has all later entries.
    first: Option<RecordTime>,
}

impl FormerLog {
    /// Takes an entry of this log, which its own witness cosigned at a time.
    pub(super) fn take(&mut self, index: u64, entry: &LogEntry, cosigned_at: Option<RecordTime>) {
        self.first = self.first.or(entry.at());
        if let (LogEntry::Origin { checkpoint }, 0) = (entry, index) {
            self.claimed = last_cosigned(checkpoint, cosigned_at);
        }
    }

    /// The latest time of its entries; none without a former log.
    pub(super) fn end(&self) -> Option<RecordTime> {
        self.claimed.map(|claimed| self.first.map_or(claimed, |first| first.min(claimed)))
    }
}

/// The latest time of a cosignature on a signed note that was made before another time.
fn last_cosigned(note: &str, before: Option<RecordTime>) -> Option<RecordTime> {
    let note: Note = note.parse().ok()?;
    let before = before.map(|time| time.plus(SignedDuration::from_secs(SKEW)));
    let times = note.signatures().iter().filter_map(SignatureLine::claimed_time);
    let times = times.filter_map(|time| Timestamp::from_second(time.cast_signed()).ok());
    let times = times.map(|time| RecordTime::of(time, None));
    times.filter(|time| before.is_none_or(|before| *time <= before)).max()
}
