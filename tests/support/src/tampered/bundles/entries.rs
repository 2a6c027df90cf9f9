//! The proofs of the end and of the start.

use estimation_engine::hex::Hex;
use estimation_record::{LogEntry, Opening};
use estimation_tlog::{Checkpoint, Hash, Note, ProofFile};
use serde_json::{Value, json};

use super::bundle::Bundle;
use super::logs::{Logs, Plan};
use super::{Cases, TAMPERED};
use crate::tampered::logged::{Logged, SALT, corpus_log, extra, later, witness};
use crate::tampered::proofs::changed_starts;

/// The proof of the end.
pub(super) fn ends(cases: &mut Cases, cancelled: &Logged, draw: &Logged) {
    let open = cases.sound(cancelled, Plan::new());
    let sealed = cases.sound(cancelled, Plan::sealed());
    let LogEntry::End { game, at, events, head } = cancelled.end else { unreachable!("an end") };
    for (what, end) in [
        ("the end of another game", draw.end.clone()),
        ("the end states another game", LogEntry::End { game: uuid::Uuid::nil(), at, events, head }),
        ("the end states another head", LogEntry::End { game, at, events, head: Hex([7; 32]) }),
        ("the end states another number of events", LogEntry::End { game, at, events: events + 1, head }),
        (
            "the end states a time before the last event",
            LogEntry::End { game, at: later(at, -1), events, head },
        ),
    ] {
        let logs = Logs::of(cancelled, None, &end, Plan::new());
        cases.add(what, TAMPERED, cases.bundle(cancelled, &logs));
    }
    changed_proofs(cases, "/end", &open, &sealed);
}

/// The proof of the start.
pub(super) fn starts(cases: &mut Cases, draw: &Logged, other: &Logged) {
    let (open, sealed) = (cases.sound(draw, Plan::new()), cases.sound(draw, Plan::sealed()));
    let with_start = |start: &LogEntry| Logs::of(draw, Some(start), &draw.end, Plan::new());
    cases.add("the start of another game", TAMPERED, cases.bundle(draw, &with_start(&other.start())));
    for (what, start) in changed_starts(&draw.start()) {
        cases.add(what, TAMPERED, cases.bundle(draw, &with_start(&start)));
    }
    changed_proofs(cases, "/start", &open, &sealed);
    let what = "the start states another commitment, nothing is pinned";
    let (_, start) = changed_starts(&draw.start()).swap_remove(3);
    cases.add(what, TAMPERED, cases.bundle(draw, &with_start(&start)).unpinned());
}

/// Changes of the proof of an end or of a start.
pub(super) fn changed_proofs(cases: &mut Cases, path: &str, open: &Bundle, sealed: &Bundle) {
    let name = &path[1..];
    let mut add = |what: &str, sound: &Bundle, edit: &dyn Fn(&mut ProofFile)| {
        let bundle = sound.clone().proof(path, edit);
        cases.add(&format!("the proof of the {name}: {what}"), TAMPERED, bundle);
    };
    add("another index", open, &|proof| proof.index += 1);
    add("an index that the log does not have", open, &|proof| proof.index = 6);
    add("another hash in the path", open, &|proof| proof.proof[1] = Hash([7; 32]));
    add("a path of one hash", open, &|proof| proof.proof.truncate(1));
    add("a hash too many", open, &|proof| proof.proof.push(Hash([7; 32])));
    add("no extra data", open, &|proof| proof.extra = None);
    add("extra data that is no JSON", open, &|proof| proof.extra = Some(b"{".to_vec()));
    add("extra data that is not canonical", open, &|proof| {
        proof.extra.as_mut().expect("extra data").push(b' ');
    });
    let entry = |proof: &ProofFile| {
        let opening: Opening =
            serde_json::from_slice(proof.extra.as_ref().expect("extra data")).expect("an opening");
        json!(opening.entry)
    };
    let salted = |salt: Value| move |proof: &mut ProofFile| proof.extra = Some(extra(&entry(proof), &salt));
    add("another salt", sealed, &salted(json!("ab".repeat(32))));
    add("no salt of a sealed entry", sealed, &salted(Value::Null));
    add("a salt of an entry that is not sealed", open, &salted(json!(hex::encode(SALT))));
    add("another root, which log and witnesses signed", open, &|proof| {
        let mut named: Checkpoint = proof.checkpoint.text().parse().expect("a checkpoint");
        named.root = Hash([7; 32]);
        let log = corpus_log();
        let mut note = Note::new(named.to_string()).expect("a note");
        let time = proof.checkpoint.signatures()[1].claimed_time().expect("a time");
        let lines = [
            log.log.sign(note.text()),
            log.own_witness.cosign(note.text(), time),
            witness().cosign(note.text(), time),
        ];
        lines.into_iter().for_each(|line| note.add(line));
        proof.checkpoint = note;
    });
    add("another root than the one that was signed", open, &|proof| {
        let mut named: Checkpoint = proof.checkpoint.text().parse().expect("a checkpoint");
        named.root = Hash([7; 32]);
        let mut note = Note::new(named.to_string()).expect("a note");
        proof.checkpoint.signatures().iter().for_each(|line| note.add(line.clone()));
        proof.checkpoint = note;
    });
}
