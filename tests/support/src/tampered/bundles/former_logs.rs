//! Starts in former logs.

use estimation_record::LogEntry;
use estimation_tlog::{Checkpoint, Hash, Note};
use serde_json::{Value, json};

use super::bundle::{Bundle, forged, signed_by};
use super::logs::{EARLY, FORMER, OTHER, Plan, former_log, keys, logged, other_log};
use super::{BY_FILE, Cases, SOUND, TAMPERED, UNCHECKED};
use crate::log::TestLog;
use crate::tampered::logged::{
    Logged, SALT, append, checkpoint, corpus_log, extra, key, opening, proof, seconds, signed_anew,
};

/// Starts in former logs.
pub(super) fn cases(cases: &mut Cases, draw: &Logged, cancelled: &Logged) {
    let log = corpus_log();
    let (log_key, own, former_key) = ([key(&log.log)], [key(&log.own_witness)], [key(&former_log().log)]);
    let one = cases.sound(draw, Plan::former(1));
    let two = cases.sound(draw, Plan::former(2));
    cases.add("the start in the former log", SOUND, one.clone());
    cases.add("the start in the former log, nothing is pinned", BY_FILE, one.clone().unpinned());
    let sealed = cases.sound(draw, Plan { salt: Some(SALT), ..Plan::former(1) });
    cases.add("the start of a private game in the former log", SOUND, sealed);
    cases.add("the start in the log before the former one", SOUND, two.clone());
    cases.add(
        "the start in the log before the former one, nothing is pinned",
        BY_FILE,
        two.clone().unpinned(),
    );
    let both = [log_key.clone(), former_key.clone()].concat();
    cases.add("the keys of both logs are pinned", SOUND, one.clone().pinned(&both, &[], true));
    let what = "only the key of the former log and the record key are pinned";
    cases.add(what, BY_FILE, one.clone().pinned(&former_key, &[], true));
    let what = "only the own witness of the log of the end and the record key are pinned";
    cases.add(what, SOUND, one.clone().pinned(&[], &own, true));
    let of_end = one.clone().member("log_keys", json!(keys(&log)));
    cases.add("the key of the former log is not known", SOUND, of_end.clone());
    cases.add(
        "the key of the former log is not known, nothing is pinned",
        BY_FILE,
        of_end.clone().unpinned(),
    );
    let wrong = |bundle: Bundle| bundle.signatures("/start", |note| forged(note, &former_log()));
    cases.add("the former log's signature is wrong", TAMPERED, wrong(one.clone()));
    let what = "the former log's signature is wrong, and its key is not known";
    cases.add(what, SOUND, wrong(of_end));
    let other_former = TestLog::new(FORMER, 63);
    let signed_by_other =
        one.clone().signatures("/start", |note| signed_by(note, other_former.log.sign(note.text())));
    cases.add("another key signed as the former log", UNCHECKED, signed_by_other);

    // Chains of another length, order or content.
    let origins = |bundle: &Bundle| bundle.proofs["origins"].as_array().expect("a list").clone();
    let (first, chain) = (origins(&one), origins(&two));
    let same = cases.sound(draw, Plan::new());
    for (what, bundle, list) in [
        ("the proof of the origin is missing", &one, vec![]),
        ("the second proof of an origin is missing", &two, vec![chain[0].clone()]),
        ("the first proof of an origin is missing", &two, vec![chain[1].clone()]),
        ("the proofs of origins are in another order", &two, vec![chain[1].clone(), chain[0].clone()]),
        ("a proof of an origin too many", &one, [first.clone(), chain[1..].to_vec()].concat()),
        ("the proof of the origin is there twice", &one, [first.clone(), first.clone()].concat()),
        ("the proof of an origin, and start and end are in the same log", &same, first.clone()),
        ("the proof of an origin is no proof", &one, vec![json!("c2sp.org/tlog-proof@v1\n")]),
        ("101 proofs of origins", &one, vec![json!(""); 101]),
    ] {
        cases.add(what, UNCHECKED, bundle.clone().member("origins", json!(list)));
    }
    let what = "the proof of an origin, and the table did not start";
    cases.add(what, UNCHECKED, cases.sound(cancelled, Plan::new()).member("origins", json!(first)));
    let logs = logged(draw, Plan::former(1));
    let mut other = other_log();
    let place = append(&mut other, logs.origins[0].opening.clone());
    other.fill(3, "entry");
    let in_other = proof(&other, &place, checkpoint(&other, logs.times[1])).to_string();
    cases.add(
        "the proof of the origin is of another log",
        UNCHECKED,
        one.clone().member("origins", json!([in_other])),
    );

    // Checkpoints other than the origin names.
    let renamed = |edit: &dyn Fn(&mut Checkpoint)| {
        let mut logs = logged(draw, Plan::former(1));
        let mut named: Checkpoint = logs.note(0).text().parse().expect("a checkpoint");
        edit(&mut named);
        let mut note = Note::new(named.to_string()).expect("a note");
        note.add(former_log().log.sign(note.text()));
        let entry = LogEntry::Origin { checkpoint: note.to_string() };
        let mut log = corpus_log();
        logs.origins = vec![append(&mut log, opening(&entry, None))];
        log.fill(4, "entry");
        logs.end = append(&mut log, logs.end.opening.clone());
        log.fill(6, "entry");
        logs.logs[1] = log;
        cases.bundle(draw, &logs)
    };
    let changed = [
        ("the origin names another root", TAMPERED, renamed(&|named| named.root = Hash([7; 32]))),
        ("the origin names another size", TAMPERED, renamed(&|named| named.size += 1)),
        (
            "the origin names another log",
            UNCHECKED,
            renamed(&|named| named.origin = OTHER.parse().expect("a name")),
        ),
    ];
    for (what, status, bundle) in changed {
        cases.add(what, status, bundle);
    }
    let early = logs.early(seconds(draw.started(), EARLY)).to_string();
    cases.add(
        "the start has a checkpoint before the one that the origin names",
        TAMPERED,
        one.clone().member("start", json!(early)),
    );
    let mut grown = logged(draw, Plan::former(1));
    grown.logs[0].fill(5, "entry");
    cases.add(
        "the start has a checkpoint after the one that the origin names",
        TAMPERED,
        one.clone().member("start", json!(grown.start().to_string())),
    );
    let mut grown = logged(draw, Plan::former(2));
    grown.logs[1].fill(5, "entry");
    let second = proof(&grown.logs[1], &grown.origins[1], grown.note(1)).to_string();
    cases.add(
        "the second proof of an origin has a checkpoint after the one that the first names",
        TAMPERED,
        two.member("origins", json!([chain[0], second])),
    );
    let entry = LogEntry::Origin { checkpoint: checkpoint(&logs.logs[0], logs.times[0] + 1).to_string() };
    cases.add(
        "the proof of the origin opens another entry",
        TAMPERED,
        one.clone().proof("/origins/0", |proof| {
            proof.extra = Some(extra(&json!(entry.text().expect("canonical JSON")), &Value::Null));
        }),
    );
    cases.add(
        "the proof of the origin has another hash in its path",
        TAMPERED,
        one.clone().proof("/origins/0", |proof| proof.proof[0] = Hash([7; 32])),
    );
    let mut small = corpus_log();
    let place = append(&mut small, logs.origins[0].opening.clone());
    small.fill(2, "entry");
    let note = checkpoint(&small, logs.times[1]);
    let wrong = signed_anew(&note, |_| forged(&note, &small));
    let of = |note: &Note| json!([proof(&small, &place, note.clone()).to_string()]);
    let what = "the proof of the origin has an earlier checkpoint than the end";
    cases.add(what, SOUND, one.clone().member("origins", of(&note)));
    let what = "the proof of the origin has a checkpoint with a wrong signature";
    cases.add(what, TAMPERED, one.member("origins", of(&wrong)));
}
