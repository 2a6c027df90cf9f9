//! Signatures and cosignatures of checkpoints.

use estimation_tlog::ProofFile;
use serde_json::{Value, json};

use super::bundle::{badly_cosigned, forged, signed_by};
use super::logs::{EARLY, Plan, keys, logged, other_log, stranger};
use super::{BY_FILE, Cases, SOUND, TAMPERED, UNCHECKED, UNWITNESSED};
use crate::log::Signatory;
use crate::tampered::logged::{
    Logged, append, checkpoint, corpus_log, key, opening, other_keys, proof, seconds, signed_anew, witness,
};

/// The log's signature on checkpoints.
pub(super) fn cases(cases: &mut Cases, draw: &Logged, cancelled: &Logged) {
    let own_witness = [key(&corpus_log().own_witness)];
    let open = cases.sound(draw, Plan::new());
    let wrong = open.clone().signatures("/end", |note| forged(note, &corpus_log()));
    cases.add("the log's signature is wrong", TAMPERED, wrong.clone());
    cases.add("the log's signature is wrong, nothing is pinned", TAMPERED, wrong.clone().unpinned());
    let what = "the log's signature is wrong, and a witness replaces it";
    cases.add(what, SOUND, wrong.pinned(&[], &own_witness, true));
    let other = open.clone().signatures("/end", |note| signed_by(note, other_keys().log.sign(note.text())));
    cases.add("another key signed as the log", UNCHECKED, other.clone());
    cases.add("another key signed as the log, nothing is pinned", UNCHECKED, other.unpinned());
    let unsigned = open.clone().signatures("/end", |note| note.signatures()[1..].to_vec());
    cases.add("the log's signature is missing", UNCHECKED, unsigned);
    let twice = open.clone().signatures("/end", |note| {
        let own = note.signatures();
        [&own[..1], own].concat()
    });
    cases.add("the log's signature is there twice", TAMPERED, twice);
    let more = open
        .clone()
        .signatures("/end", |note| [note.signatures(), &[stranger().cosign(note.text(), 1)]].concat());
    cases.add("a witness that is not pinned cosigned as well", SOUND, more);

    let mut logs = logged(cancelled, Plan::new());
    let mut log = other_log();
    log.fill(1, "entry");
    logs.end = append(&mut log, logs.end.opening.clone());
    log.fill(3, "entry");
    logs.logs = vec![log];
    let elsewhere = cases.bundle(cancelled, &logs);
    let log_key = elsewhere.log_keys.clone();
    let pinned = elsewhere.clone().pinned(&log_key, &[], true);
    cases.add("the end is in another log than the one whose key is pinned", BY_FILE, pinned.clone());
    let what = "the end is in another log, and its key is not known";
    cases.add(what, UNCHECKED, pinned.member("log_keys", json!(keys(&corpus_log()))));
    let what = "the end is in another log whose key is pinned too";
    let both = [log_key, vec![key(&other_log().log)]].concat();
    cases.add(what, SOUND, elsewhere.pinned(&both, &[key(&witness())], true));

    // Two roots of one size.
    let logs = logged(draw, Plan::new());
    let mut fork = corpus_log();
    fork.fill(1, "entry");
    let start = append(&mut fork, opening(&draw.start(), None));
    fork.fill(6, "forked");
    let start = proof(&fork, &start, checkpoint(&fork, logs.times[0])).to_string();
    let forked = open.member("start", json!(start));
    cases.add("the log signed two roots of one size", TAMPERED, forked.clone());
    cases.add("the log signed two roots of one size, nothing is pinned", TAMPERED, forked.unpinned());
}

/// The cosignatures of pinned witnesses.
pub(super) fn cosignatures(cases: &mut Cases, draw: &Logged) {
    let open = cases.sound(draw, Plan::new());
    let log_key = open.log_keys.clone();
    let (own, stranger_key) = (key(&corpus_log().own_witness), key(&stranger()));
    let both = [own.clone(), stranger_key.clone()];
    let missing = [stranger_key];
    for (what, log_keys, witnesses, jwks) in [
        ("one of two witnesses did not cosign", &log_key[..], &both[..], true),
        ("the witness did not cosign", &log_key, &missing, true),
        ("the witness did not cosign, the record key is not pinned", &log_key, &missing, false),
        ("the witness did not cosign, only the record key is pinned besides", &[], &missing, true),
        ("the witness did not cosign, and nothing else is pinned", &[], &missing, false),
        (
            "another key cosigned as the witness",
            &log_key,
            &[key(&Signatory::witness("witness.example/w1", 43))],
            true,
        ),
    ] {
        cases.add(what, UNWITNESSED, open.clone().pinned(log_keys, witnesses, jwks));
    }
    let pinned = open.clone().pinned(&log_key, &missing, true);
    let what = "the witness did not cosign, and the index is another";
    cases.add(what, TAMPERED, pinned.clone().proof("/end", |proof| proof.index += 1));
    let what = "the witness did not cosign, and there is no proof of the start";
    cases.add(what, UNCHECKED, pinned.member("start", Value::Null));
    let wrong = open.clone().signatures("/end", badly_cosigned);
    cases.add("a cosignature is wrong", TAMPERED, wrong.clone());
    let what = "a cosignature of a witness that is not pinned is wrong";
    cases.add(what, SOUND, wrong.pinned(&log_key, &[own], true));
    let twice = open.clone().signatures("/end", |note| {
        let own = note.signatures();
        [own, &own[2..]].concat()
    });
    cases.add("a witness cosigned twice", TAMPERED, twice);
    let moved = open.clone().signatures("/end", |note| {
        let own = note.signatures();
        let other = witness().cosign("another text\n", logged(draw, Plan::new()).times[0]);
        [&own[..2], &[other]].concat()
    });
    cases.add("the cosignature is of another checkpoint", TAMPERED, moved);
    let logs = logged(draw, Plan::new());
    let early = logs.early(seconds(draw.started(), EARLY));
    let note = signed_anew(&early.checkpoint, |_| badly_cosigned(&early.checkpoint));
    let start = ProofFile { checkpoint: note, ..early }.to_string();
    let what = "a cosignature of the checkpoint with the start is wrong";
    cases.add(what, TAMPERED, open.member("start", json!(start)));
}
