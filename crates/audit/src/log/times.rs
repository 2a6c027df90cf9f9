//! Holds the times in new entries against each other, and against the times of the two checkpoints around them; and tells when
//! the log before this one ended.

use estimation_record::{LogEntry, RecordTime};
use estimation_tlog::{Note, SignatureLine, TILE_WIDTH};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::client::Client;
use super::entries::bundle;
use super::outcome::{Findings, Problem};

/// The longest time in seconds from an event to the first checkpoint with its entry.
const LATE: i64 = 60;

/// The most seconds by which the clocks of two nodes differ.
pub(super) const SKEW: i64 = 10;

/// The size of a log, and when its own cosignature says that it had that size, in seconds since 1970.
#[derive(Clone, Copy, Debug)]
pub(super) struct DatedSize {
    pub(super) size: u64,
    /// None without a cosignature of the log's own.
    pub(super) time: Option<u64>,
}

/// Checks each entry that came after the kept checkpoint: its time is not before that of an earlier entry, nor before
/// that of the kept checkpoint, which lacks it, nor after that of the shown checkpoint, which has it. Entries of private
/// games do not show their time.
pub(super) fn check_times(client: &Client, kept: DatedSize, shown: DatedSize, findings: &mut Findings) {
    let width = u64::from(TILE_WIDTH);
    let mut last: Option<(u64, RecordTime)> = None;
    // With the last entry that was there before, if it is not in the same bundle.
    for index in kept.size.saturating_sub(1) / width..shown.size.div_ceil(width) {
        let Some(entries) = findings.keep(bundle(client, shown.size, index)) else { return };
        for ((_, entry), position) in entries.iter().zip(index * width..) {
            let Some(at) = entry.known().and_then(LogEntry::at) else { continue };
            if position >= kept.size {
                let backwards = last.filter(|(_, before)| *before > at).map(|(earlier, before)| {
                    format!("goes back in time: it says {at}, and entry {earlier} before it {before}")
                });
                if let Some(detail) = backwards.or_else(|| contradiction(at, kept, shown)) {
                    findings.problems.push(Problem::tampered(format_args!("entry {position} {detail}")));
                    return;
                }
            }
            last = Some((position, at));
        }
    }
}

fn contradiction(at: RecordTime, kept: DatedSize, shown: DatedSize) -> Option<String> {
    let second = at.timestamp().as_second();
    let (Some(before), Some(after)) = (kept.time, shown.time) else { return None };
    let [before, after] = [before, after].map(|time| i64::try_from(time).unwrap_or(i64::MAX));
    let show = |second: i64| {
        Timestamp::from_second(second).map_or_else(|_| second.to_string(), |time| time.to_string())
    };
    if second < before.saturating_sub(LATE + SKEW) {
        return Some(format!("is backdated: it says {at}, and the checkpoint of {} lacks it", show(before)));
    }
    (second > after.saturating_add(SKEW))
        .then(|| format!("is of the future: it says {at}, and the checkpoint of {} has it", show(after)))
}

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
