//! Histories of the corpus in public logs: entries, checkpoints and proofs. The logs are small, so that proofs are short.

use std::path::Path;

use estimation_engine::hex::Hex;
use estimation_record::verify::{Audit, read};
use estimation_record::{GameStart, LogEntry, LogPromise, Opening, RecordTime, canonical_json};
use estimation_tlog::{Hash, Note, ProofFile, SignatureLine};
use jiff::SignedDuration;
use serde_json::{Value, json};

use super::text;
use crate::log::{Signatory, TestLog};
use crate::made;

pub(super) const ORIGIN: &str = "corpus.example/log";
pub(super) const SALT: [u8; 32] = [0x5a; 32];

/// A sound history.
pub(super) struct Logged {
    pub(super) file: String,
    start: Option<GameStart>,
    pub(super) end: LogEntry,
    pub(super) ended: RecordTime,
}

/// An entry in a log.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) index: u64,
    pub(super) opening: Opening,
}

impl Logged {
    pub(super) fn read(folder: &Path, name: &str) -> Logged {
        let file = format!("{name}.ndjson");
        let trust = made::trust();
        let mut audit = Audit::new(&trust);
        read(text(folder, &file).as_bytes(), &mut audit);
        let verdict = audit.last().expect("a history").clone();
        let ended = verdict.at.expect("a time");
        let end = LogEntry::End { game: verdict.game, at: ended, events: verdict.events, head: verdict.head };
        Logged { file, start: verdict.started, end, ended }
    }

    pub(super) fn has_start(&self) -> bool {
        self.start.is_some()
    }

    /// The entry of the start.
    pub(super) fn start(&self) -> LogEntry {
        let start = self.start.as_ref().expect("a start");
        let seat = |(place, is_person): (u8, &bool)| is_person.then_some(Hex([place; 32]));
        start.entry((1..).zip(start.people()).map(seat).collect())
    }

    /// The time of the start.
    pub(super) fn started(&self) -> RecordTime {
        self.start.as_ref().expect("a start").at()
    }
}

/// The log of the corpus.
pub(super) fn corpus_log() -> TestLog {
    TestLog::new(ORIGIN, 40)
}

/// A log of the same name with other keys.
pub(super) fn other_keys() -> TestLog {
    TestLog::new(ORIGIN, 50)
}

pub(super) fn witness() -> Signatory {
    Signatory::witness("witness.example/w1", 41)
}

pub(super) fn key(signatory: &Signatory) -> String {
    signatory.key.to_string()
}

/// What opens an entry in a log, sealed with a salt or not.
pub(super) fn opening(entry: &LogEntry, salt: Option<[u8; 32]>) -> Opening {
    Opening { entry: entry.text().expect("canonical JSON"), salt: salt.map(Hex) }
}

/// The leaf hash of an entry.
pub(super) fn leaf(opening: &Opening) -> Hex<32> {
    Hex(Hash::leaf(opening.logged().expect("canonical JSON").as_bytes()).0)
}

/// A time in seconds since 1970.
pub(super) fn seconds(at: RecordTime, after: i64) -> u64 {
    (at.timestamp().as_second() + after).unsigned_abs()
}

/// A time so many seconds later.
pub(super) fn later(at: RecordTime, after: i64) -> RecordTime {
    at.plus(SignedDuration::from_secs(after))
}

pub(super) fn append(log: &mut TestLog, opening: Opening) -> Place {
    let index = log.append(opening.logged().expect("canonical JSON").as_bytes());
    Place { index, opening }
}

/// The checkpoint of a log, cosigned at a time by its own witness and by another.
pub(super) fn checkpoint(log: &TestLog, time: u64) -> Note {
    let mut note = log.checkpoint(time);
    note.add(witness().cosign(note.text(), time));
    note
}

/// The proof of an entry, with a checkpoint of the log as it is.
pub(super) fn proof(log: &TestLog, place: &Place, note: Note) -> ProofFile {
    let extra = canonical_json(&place.opening).expect("canonical JSON");
    log.clone().proof(place.index, &extra, note)
}

/// The extra data of a proof.
pub(super) fn extra(entry: &Value, salt: &Value) -> Vec<u8> {
    canonical_json(&json!({"entry": entry, "salt": salt})).expect("canonical JSON").into_bytes()
}

/// A note with the signature lines that a function makes of its own.
pub(super) fn signed_anew(note: &Note, lines: impl FnOnce(&[SignatureLine]) -> Vec<SignatureLine>) -> Note {
    let mut changed = Note::new(note.text()).expect("a note");
    lines(note.signatures()).into_iter().for_each(|line| changed.add(line));
    changed
}

/// A promise, as views have it.
pub(super) fn promise(origin: &str, leaf: Hex<32>, by: RecordTime) -> Value {
    let statement = LogPromise { origin, leaf, by }.statement().expect("canonical JSON");
    json!({"origin": origin, "leaf": leaf, "by": by, "signature": made::signed(&statement)})
}
