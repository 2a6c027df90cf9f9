//! The entry that a proof opens: the start or the end of the history, or the first entry of a log.

use estimation_record::verify::Verdict;
use estimation_record::{LogEntry, Opening, RecordTime, canonical_json};
use estimation_tlog::{Hash, ProofFile};

use crate::log::outcome::{Findings, Problem};

/// What an entry of a game is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Start,
    End,
}

impl Kind {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Kind::Start => "start",
            Kind::End => "end",
        }
    }
}

/// An entry that fits the history.
pub(super) struct Entry {
    /// The hash of the bytes of the log, which are sealed if the game was private.
    pub(super) leaf: Hash,
    pub(super) at: RecordTime,
    pub(super) kind: Kind,
}

/// The entry of a game that a proof opens, which must be the start or the end of the history.
pub(super) fn of_game(
    file: &ProofFile,
    verdict: &Verdict,
    findings: &mut Findings,
) -> Result<Entry, Problem> {
    let (opening, entry) = opened(file)?;
    let logged = opening.logged().map_err(Problem::unchecked)?;
    let leaf = Hash::leaf(logged.as_bytes());
    match entry {
        LogEntry::Start { at, .. } => {
            if verdict.bounds().differences(Some(&entry), None).next().is_some() {
                return Err(Problem::tampered(format_args!(
                    "the proof is of another start than that of the history: it has {}",
                    opening.entry
                )));
            }
            findings.say_once(format_args!("the game began at {at}, as its entry in the log says"));
            Ok(Entry { leaf, at, kind: Kind::Start })
        }
        LogEntry::End { at, .. } => {
            let Verdict { game, events, head, at: ended, .. } = *verdict;
            let ended = ended.ok_or_else(|| Problem::unchecked("the history has no event"))?;
            let end = LogEntry::End { game, at, events, head }.text().map_err(Problem::unchecked)?;
            if opening.entry != end {
                return Err(Problem::tampered(format_args!(
                    "the proof is of another end: it has {}, the history {end}",
                    opening.entry
                )));
            }
            if at < ended {
                return Err(Problem::tampered(format_args!(
                    "the entry of the end is of {at}, and the game ends at {ended}"
                )));
            }
            findings.say_once(format_args!("the game ended at {ended}; its entry in the log is of {at}"));
            Ok(Entry { leaf, at, kind: Kind::End })
        }
        LogEntry::Adopted { .. } | LogEntry::Sealed { .. } | LogEntry::Origin { .. } => Err(malformed()),
    }
}

/// The leaf of the first entry of a log, and the checkpoint of the former log that it names, as a signed note.
pub(super) fn origin(file: &ProofFile) -> Result<(Hash, String), Problem> {
    match opened(file)? {
        (Opening { entry, salt: None }, LogEntry::Origin { checkpoint }) => {
            Ok((Hash::leaf(entry.as_bytes()), checkpoint))
        }
        _ => Err(malformed()),
    }
}

/// The extra data of a proof, and the entry in it.
fn opened(file: &ProofFile) -> Result<(Opening, LogEntry), Problem> {
    let extra = file.extra.as_deref().ok_or_else(malformed)?;
    let opening: Opening = serde_json::from_slice(extra).map_err(|_| malformed())?;
    if canonical_json(&opening).map_err(|_| malformed())?.as_bytes() != extra {
        return Err(malformed());
    }
    let entry: LogEntry = serde_json::from_str(&opening.entry).map_err(|_| malformed())?;
    if entry.text().map_err(|_| malformed())? != opening.entry {
        return Err(malformed());
    }
    Ok((opening, entry))
}

fn malformed() -> Problem {
    Problem::tampered("the extra data of the proof does not open an entry of the log")
}
