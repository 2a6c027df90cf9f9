//! When the log before this one ended.

use estimation_record::{LogEntry, RecordTime};
use estimation_tlog::{Note, SignatureLine};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What a log says about the end of the former log, which has the entries before.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FormerLog {
    /// The time of the last cosignature that the first entry names. Anyone can claim any time in it.
    claimed: Option<RecordTime>,
    /// The first time in this log, which has all later entries.
    first: Option<RecordTime>,
}

impl FormerLog {
    /// Takes an entry of this log.
    pub(super) fn take(&mut self, index: u64, entry: &LogEntry) {
        self.first = self.first.or(entry.at());
        if let (LogEntry::Origin { checkpoint }, 0) = (entry, index) {
            self.claimed = last_cosigned(checkpoint);
        }
    }

    /// The latest time of its entries; none without a former log.
    pub(super) fn end(&self) -> Option<RecordTime> {
        self.claimed.map(|claimed| self.first.map_or(claimed, |first| first.min(claimed)))
    }
}

/// The latest time of a cosignature on a signed note.
fn last_cosigned(note: &str) -> Option<RecordTime> {
    let note: Note = note.parse().ok()?;
    let times = note.signatures().iter().filter_map(SignatureLine::claimed_time);
    let times = times.filter_map(|time| Timestamp::from_second(time.cast_signed()).ok());
    Some(RecordTime::of(times.max()?, None))
}
