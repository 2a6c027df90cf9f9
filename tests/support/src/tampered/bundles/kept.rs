//! What a player kept: promises, heads and proofs.

use std::path::Path;

use estimation_engine::hex::Hex;
use estimation_record::LogEntry;
use estimation_tlog::{Note, ProofFile, SignatureLine};
use serde_json::{Value, json};

use super::bundle::{badly_cosigned, forged, signed_by};
use super::logs::{EARLY, FORMER, Logs, OTHER, Plan, logged, stranger};
use super::{BY_FILE, Cases, SOUND, TAMPERED, UNCHECKED, UNWITNESSED, USAGE};
use crate::tampered::logged::{
    Logged, ORIGIN, SALT, append, checkpoint, corpus_log, key, later, leaf, opening, other_keys, promise,
    proof, seconds, signed_anew,
};

/// Kept promises.
pub(super) fn promises(cases: &mut Cases, draw: &Logged, cancelled: &Logged) {
    let by = later(draw.started(), 60);
    let [open, sealed] = [None, Some(SALT)].map(|salt| leaf(&opening(&draw.start(), salt)));
    let sound = promise(ORIGIN, open, by);
    let changed = |path: &str, value: Value| {
        let mut promise = sound.clone();
        *promise.pointer_mut(path).expect("a member") = value;
        promise
    };
    let LogEntry::End { game, .. } = draw.end else { unreachable!("an end") };
    let view = |id: String, promise: &Value| json!({"id": id, "version": 10, "log": promise});
    let bundle = cases.sound(draw, Plan::new());
    let mut add = |what: &str, status: u8, promise: Value| {
        cases.add(&format!("a promise: {what}"), status, bundle.clone().promised(promise));
    };
    add("sound", SOUND, sound.clone());
    add("sound, in a view", SOUND, view(game.to_string(), &sound));
    add("a view of another game", UNCHECKED, view(uuid::Uuid::nil().to_string(), &sound));
    add("of another start", TAMPERED, promise(ORIGIN, Hex([7; 32]), by));
    add("of the start as a private game has it", TAMPERED, promise(ORIGIN, sealed, by));
    add("of another log", SOUND, promise(OTHER, open, by));
    add("another time than was signed", UNCHECKED, changed("/by", json!(draw.started())));
    add("another leaf than was signed", UNCHECKED, changed("/leaf", json!("07".repeat(32))));
    add("another origin than was signed", UNCHECKED, changed("/origin", json!(OTHER)));
    add("another signature", UNCHECKED, changed("/signature/value", json!("ab".repeat(64))));
    add("an unknown key", UNCHECKED, changed("/signature/kid", json!("another")));
    add("an empty object", UNCHECKED, json!({}));
    add("a list", UNCHECKED, json!([sound]));
    let mut more = sound.clone();
    more["more"] = json!(1);
    add("a member too many", UNCHECKED, more);
    let what = "two promises, one of another start";
    let both = bundle.clone().promised(sound.clone()).promised(promise(ORIGIN, Hex([7; 32]), by));
    cases.add(what, TAMPERED, both);
    let unpinned = bundle.unpinned();
    cases.add("a promise, nothing is pinned", BY_FILE, unpinned.clone().promised(sound.clone()));
    let what = "a promise of another start, nothing is pinned";
    cases.add(what, TAMPERED, unpinned.promised(promise(ORIGIN, Hex([7; 32]), by)));
    let private = cases.sound(draw, Plan::sealed());
    cases.add("a promise of a private start", SOUND, private.promised(promise(ORIGIN, sealed, by)));
    let former = cases.sound(draw, Plan::former(1));
    cases.add("a promise of a start in the former log", SOUND, former.promised(promise(FORMER, open, by)));
    let never = cases.sound(cancelled, Plan::new());
    cases.add("a promise, and the table did not start", UNCHECKED, never.promised(sound));
}

/// Kept heads.
pub(super) fn heads(folder: &Path, cases: &mut Cases, draw: &Logged) {
    let lines = crate::tampered::lines(folder, &draw.file);
    let hash = |seq: usize| lines[seq]["event"]["hash"].as_str().expect("a hash").to_owned();
    let open = cases.sound(draw, Plan::new());
    let (fifth, last) = (format!("5-{}", &hash(5)[..16]), format!("25-{}", hash(25)));
    cases.add("a head of 16 digits", SOUND, open.clone().head(&fifth));
    cases.add("a head of 64 digits", SOUND, open.clone().head(&last));
    cases.add("two heads, nothing is pinned", BY_FILE, open.clone().unpinned().head(&fifth).head(&last));
    cases.add("a head with another hash", TAMPERED, open.clone().head(format!("5-{}", &hash(6)[..16])));
    let what = "a head of an event that the history lacks";
    cases.add(what, TAMPERED, open.clone().head(format!("26-{}", hash(25))));
    let what = "two heads, one of another history";
    cases.add(what, TAMPERED, open.clone().head(&fifth).head(format!("9-{}", "0".repeat(16))));
    cases.add("a head of 15 digits", USAGE, open.clone().head(format!("5-{}", &hash(5)[..15])));
    cases.add("a head without a hash", USAGE, open.head("5"));
}

/// Kept proofs.
pub(super) fn proofs(cases: &mut Cases, draw: &Logged, other: &Logged) {
    let plan = Plan { after: 600, ..Plan::new() };
    let logs = logged(draw, plan);
    let bundle = cases.bundle(draw, &logs);
    let start = |after: i64| logs.early(seconds(draw.started(), after));
    let early = start(EARLY);
    let mut add = |what: &str, status: u8, proof: String| {
        cases.add(&format!("a kept proof: {what}"), status, bundle.clone().kept(proof));
    };
    add("of the start, five seconds after it", SOUND, early.to_string());
    add("of the start, two minutes after it", SOUND, start(120).to_string());
    add("of the start, 121 seconds after it", SOUND, start(121).to_string());
    add("of the start, 60 seconds before it", SOUND, start(-60).to_string());
    add("of the start, 61 seconds before it", TAMPERED, start(-61).to_string());
    add("of the end", SOUND, bundle.proofs["end"].as_str().expect("a text").to_owned());
    let signed = |lines: &dyn Fn(&Note) -> Vec<SignatureLine>| {
        let checkpoint = signed_anew(&early.checkpoint, |_| lines(&early.checkpoint));
        ProofFile { checkpoint, ..early.clone() }.to_string()
    };
    add("without cosignatures", SOUND, signed(&|note| note.signatures()[..1].to_vec()));
    add("a wrong signature of the log", TAMPERED, signed(&|note| forged(note, &corpus_log())));
    add(
        "another key signed as the log",
        UNCHECKED,
        signed(&|note| signed_by(note, other_keys().log.sign(note.text()))),
    );
    add("a wrong cosignature", TAMPERED, signed(&badly_cosigned));
    let mut changed = early.clone();
    changed.index += 1;
    add("another index", TAMPERED, changed.to_string());
    add("no proof", UNCHECKED, "c2sp.org/tlog-proof@v1\n".to_owned());
    let of_other = Logs::of(other, Some(&other.start()), &other.end, Plan::new());
    add("of the start of another game", TAMPERED, of_other.start().to_string());
    let mut fork = corpus_log();
    fork.fill(1, "entry");
    let place = append(&mut fork, opening(&draw.start(), None));
    fork.fill(6, "forked");
    let forked = proof(&fork, &place, checkpoint(&fork, seconds(draw.started(), EARLY)));
    add("of another root than the log has of this size", TAMPERED, forked.to_string());
    let what = "a kept proof of the start, nothing is pinned";
    cases.add(what, BY_FILE, bundle.clone().unpinned().kept(&early));
    let what = "a kept proof of the start, a witness did not cosign the end";
    let missing = [key(&stranger())];
    cases.add(what, UNWITNESSED, bundle.clone().pinned(&bundle.log_keys, &missing, true).kept(&early));
    let logs = logged(draw, Plan { former: 1, ..plan });
    let what = "a kept proof of the start in the former log, five seconds after it";
    cases.add(what, SOUND, cases.bundle(draw, &logs).kept(logs.early(seconds(draw.started(), EARLY))));
}
