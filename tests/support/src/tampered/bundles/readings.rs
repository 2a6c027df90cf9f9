//! Files that two verifiers could read differently: spellings of keys, proofs and arguments.

use estimation_engine::hex::Hex;
use estimation_tlog::{Checkpoint, Hash, Note, ProofFile, SignatureLine};
use serde_json::{Map, Value, json};

use super::bundle::{Bundle, badly_cosigned};
use super::logs::{EARLY, Plan, keys, logged, other_log, stranger};
use super::{BY_FILE, Cases, SOUND, TAMPERED, UNCHECKED, UNWITNESSED, USAGE};
use crate::log::{Signatory, TestLog};
use crate::tampered::logged::{
    Logged, ORIGIN, SALT, append, checkpoint, corpus_log, key, later, leaf, opening, other_keys, promise,
    proof, seconds, signed_anew, witness,
};

/// The checkpoints of the proofs in `origins`, which have cosignatures of their own.
pub(super) fn origins(cases: &mut Cases, draw: &Logged) {
    let logs = logged(draw, Plan::former(1));
    let one = cases.bundle(draw, &logs);
    let mut small = corpus_log();
    let place = append(&mut small, logs.origins[0].opening.clone());
    small.fill(2, "entry");
    let note = checkpoint(&small, logs.times[1]);
    let of = |lines: Vec<SignatureLine>| {
        let note = signed_anew(&note, |_| lines);
        one.clone().member("origins", json!([proof(&small, &place, note).to_string()]))
    };
    let wrong = of(badly_cosigned(&note));
    let what = "a cosignature of the checkpoint of the proof of the origin is wrong";
    cases.add(what, TAMPERED, wrong.clone());
    let own = [key(&small.own_witness)];
    let what = "a cosignature of the checkpoint of the proof of the origin is wrong, of a witness that is not pinned";
    cases.add(what, SOUND, wrong.pinned(&one.log_keys, &own, true));
    let twice = of([note.signatures(), &note.signatures()[2..]].concat());
    cases.add("a witness cosigned twice the checkpoint of the proof of the origin", TAMPERED, twice);
    let what = "the checkpoint of the proof of the origin has no cosignature";
    cases.add(what, SOUND, of(note.signatures()[..1].to_vec()));

    let mut sealed = logged(draw, Plan::former(1));
    let mut log = corpus_log();
    let opening = |place: &str| opening(&serde_json::from_str(place).expect("an entry"), Some(SALT));
    sealed.origins = vec![append(&mut log, opening(&logs.origins[0].opening.entry))];
    log.fill(4, "entry");
    sealed.end = append(&mut log, logs.end.opening.clone());
    log.fill(6, "entry");
    sealed.logs[1] = log;
    cases.add("the origin entry is sealed", TAMPERED, cases.bundle(draw, &sealed));
}

/// Proofs as lists, and record keys with other members or spellings.
pub(super) fn record_keys(cases: &mut Cases, draw: &Logged) {
    let open = cases.sound(draw, Plan::new());
    let members = ["start", "end", "origins", "log_keys", "jwks"].map(|name| open.proofs[name].clone());
    let what = "the proofs are a list of the values of their members";
    cases.add(what, UNCHECKED, Bundle { proofs: json!(members), ..open.clone() });
    let key = cases.jwks["keys"][0].clone();
    for (what, jwks) in [
        ("the record keys are a list in a list", json!([[key]])),
        ("the record keys have a member too many", json!({"keys": [key], "more": 1})),
        ("a record key is a text", json!({"keys": [key, "key"]})),
        ("a record key is null", json!({"keys": [key, null]})),
    ] {
        cases.add(what, UNCHECKED, open.clone().member("jwks", jwks));
    }
    let with = |more: Value| {
        let mut key: Map<String, Value> = key.as_object().expect("a key").clone();
        key.extend(more.as_object().expect("an object").clone());
        json!(key)
    };
    let x = key["x"].as_str().expect("a text");
    for (what, unpinned, keys) in [
        ("the record key has further members", BY_FILE, json!([with(json!({"kid": "x", "more": [1, {}]}))])),
        ("the purpose of another key is a number", BY_FILE, json!([{"estimation:purpose": 7}, key])),
        ("another key has no purpose, and null as x", BY_FILE, json!([{"x": null}, key])),
        ("a key has no member", BY_FILE, json!([{}, key])),
        ("the record key is there twice", BY_FILE, json!([key, key])),
        ("the purpose is in capitals", UNCHECKED, json!([with(json!({"estimation:purpose": "Record"}))])),
        ("the purpose is a list", UNCHECKED, json!([with(json!({"estimation:purpose": ["record"]}))])),
        ("x is padded", UNCHECKED, json!([with(json!({"x": format!("{x}=")}))])),
        ("x has bits beyond the key", UNCHECKED, json!([with(json!({"x": beyond(x)}))])),
        ("x is null", UNCHECKED, json!([with(json!({"x": null}))])),
        ("x has a byte too many", UNCHECKED, json!([with(json!({"x": format!("{}AA", &x[..42])}))])),
    ] {
        let bundle = open.clone().member("jwks", json!({"keys": keys}));
        cases.add(&format!("record keys of the file: {what}, all is pinned"), SOUND, bundle.clone());
        let what = format!("record keys of the file: {what}, nothing is pinned");
        cases.add(&what, unpinned, bundle.unpinned());
    }
}

/// The same base64 with a bit beyond the bytes.
fn beyond(x: &str) -> String {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let (rest, last) = x.split_at(x.len() - 1);
    let digit = DIGITS.find(last).expect("a digit");
    format!("{rest}{}", &DIGITS[digit + 1..digit + 2])
}

/// Keys of logs and witnesses with equal names, and of other types.
pub(super) fn log_keys(cases: &mut Cases, draw: &Logged) {
    let open = cases.sound(draw, Plan::new());
    let log = corpus_log();
    let (right, other) = (key(&log.log), key(&other_keys().log));
    let as_witness = key(&Signatory::witness(ORIGIN, 40));
    let other_id = right.replacen(&right[ORIGIN.len()..=ORIGIN.len() + 8], "+00000000", 1);
    for (what, status, keys) in [
        ("two of this name, the right one last", BY_FILE, vec![&other, &right]),
        ("two of this name, the right one first", BY_FILE, vec![&right, &other]),
        ("the right one twice", BY_FILE, vec![&right, &right]),
        ("one of a witness with this name", UNCHECKED, vec![&as_witness]),
        ("one of a witness with this name, and the right one", BY_FILE, vec![&as_witness, &right]),
        ("the right one with another key id", UNCHECKED, vec![&other_id]),
        ("the right one, and a text that is no key", BY_FILE, vec![&other_id, &right]),
    ] {
        let bundle = open.clone().member("log_keys", json!(keys)).unpinned();
        cases.add(&format!("keys of logs in the file: {what}, nothing is pinned"), status, bundle);
    }
    let own = key(&log.own_witness);
    for (what, status, log_keys, witnesses) in [
        ("two of this name, the right one last", SOUND, vec![other.clone(), right.clone()], vec![]),
        ("another one of this name", UNCHECKED, vec![other.clone()], vec![]),
        ("another one of this name, and a witness", UNCHECKED, vec![other], vec![own.clone()]),
        ("a witness as a log", USAGE, vec![own.clone()], vec![]),
        ("a log as a witness", USAGE, vec![], vec![right.clone()]),
        ("a log with another key id", USAGE, vec![other_id], vec![]),
        ("the same witness twice", SOUND, vec![right.clone()], vec![own.clone(), own]),
        (
            "two witnesses of this name, of which one did not cosign",
            UNWITNESSED,
            vec![right],
            vec![key(&witness()), key(&Signatory::witness("witness.example/w1", 43))],
        ),
    ] {
        cases.add(&format!("pinned keys: {what}"), status, open.clone().pinned(&log_keys, &witnesses, true));
    }
    let name = "kártya.example/napló";
    let mut logs = logged(draw, Plan::new());
    let mut log = TestLog::new(name, 64);
    log.fill(1, "entry");
    logs.start = logs.start.map(|start| append(&mut log, start.opening));
    log.fill(3, "entry");
    logs.end = append(&mut log, logs.end.opening.clone());
    logs.logs = vec![log.clone()];
    let bundle = cases.bundle(draw, &logs);
    let pinned = bundle.clone().pinned(&[key(&log.log)], &[key(&log.own_witness)], true);
    cases.add("the log has a name that is not ASCII", SOUND, pinned);
    cases.add("the log has a name that is not ASCII, nothing is pinned", BY_FILE, bundle.unpinned());
}

/// Other spellings of a proof, and numbers that are large.
pub(super) fn proofs(cases: &mut Cases, draw: &Logged) {
    let open = cases.sound(draw, Plan::new());
    let end = open.proofs["end"].as_str().expect("a text");
    let sound: ProofFile = end.parse().expect("a proof");
    let index = format!("index {}", sound.index);
    let with_index = |written: &str| end.replacen(&index, &format!("index {written}"), 1);
    for (what, status, text) in [
        ("carriage returns", UNCHECKED, end.replace('\n', "\r\n")),
        ("a carriage return after the index", UNCHECKED, end.replacen(&index, &format!("{index}\r"), 1)),
        ("an empty line at the end", UNCHECKED, format!("{end}\n")),
        ("no line feed at the end", UNCHECKED, end.trim_end().to_owned()),
        ("a byte order mark", UNCHECKED, format!("\u{feff}{end}")),
        ("a space at the start", UNCHECKED, format!(" {end}")),
        ("an index with a leading zero", UNCHECKED, with_index(&format!("0{}", sound.index))),
        ("an index with a sign", UNCHECKED, with_index(&format!("+{}", sound.index))),
        ("an index that is not ASCII", UNCHECKED, with_index("٥")),
        ("the index 2^53 + 1", TAMPERED, with_index("9007199254740993")),
        ("the index 2^64 - 1", TAMPERED, with_index("18446744073709551615")),
        ("the index 2^64", UNCHECKED, with_index("18446744073709551616")),
    ] {
        cases.add(&format!("the proof of the end: {what}"), status, open.clone().member("end", json!(text)));
    }
    // A log whose size has no exact form in 64-bit floating point.
    let path: Vec<Hash> = (0..54).map(|level| Hash([level; 32])).collect();
    let logs = logged(draw, Plan::new());
    let of_index = |index: u64| {
        let mut node = index;
        let mut root = Hash(leaf(&logs.end.opening).0);
        for sibling in &path {
            root = if node & 1 == 1 { Hash::node(*sibling, root) } else { Hash::node(root, *sibling) };
            node >>= 1;
        }
        root
    };
    let (log, time) = (corpus_log(), logs.times[0]);
    let large = |size: u64, index: u64, root: Hash| {
        let named = Checkpoint { origin: ORIGIN.parse().expect("a name"), size, root };
        let mut checkpoint = Note::new(named.to_string()).expect("a note");
        for line in [
            log.log.sign(checkpoint.text()),
            log.own_witness.cosign(checkpoint.text(), time),
            witness().cosign(checkpoint.text(), time),
        ] {
            checkpoint.add(line);
        }
        let proof = ProofFile { index, proof: path.clone(), checkpoint, ..sound.clone() };
        open.clone().member("end", json!(proof.to_string()))
    };
    let (size, index) = (1 << 54, (1 << 53) + 1);
    cases.add("the end is entry 2^53 + 1", SOUND, large(size, index, of_index(index)));
    let what = "the end is entry 2^53 + 1, the proof is of entry 2^53";
    cases.add(what, TAMPERED, large(size, index - 1, of_index(index)));
}

/// The times of two cosignatures, and the order of the checks of signatures.
pub(super) fn cosignatures(cases: &mut Cases, cancelled: &Logged) {
    let open = cases.sound(cancelled, Plan::new());
    let at = |own: u64, other: u64| {
        open.clone().signatures("/end", |note| {
            let own = corpus_log().own_witness.cosign(note.text(), own);
            vec![note.signatures()[0].clone(), own, witness().cosign(note.text(), other)]
        })
    };
    let (now, early) = (seconds(cancelled.ended, 1), seconds(cancelled.ended, -61));
    cases.add("a cosignature of the time 2^63", TAMPERED, at(now, 1 << 63));
    cases.add("one of two cosignatures is 61 seconds before the end", SOUND, at(early, now));
    let unknown = open.clone().signatures("/end", |note| {
        [&[other_keys().log.sign(note.text())], &badly_cosigned(note)[1..]].concat()
    });
    let what = "a cosignature is wrong, and another key signed as the log";
    cases.add(what, UNCHECKED, unknown);
}

/// What was kept, in other forms.
pub(super) fn kept(cases: &mut Cases, draw: &Logged, cancelled: &Logged, stored: &[Value]) {
    let open = cases.sound(draw, Plan::new());
    let by = later(draw.started(), 60);
    let sound = promise(ORIGIN, leaf(&opening(&draw.start(), None)), by);
    let other = promise(ORIGIN, Hex([7; 32]), by);
    let id = |promise: &Value| json!({"id": uuid::Uuid::nil(), "log": promise});
    for (what, promise) in [
        (
            "a list of the values of its members",
            json!([sound["origin"], sound["leaf"], sound["by"], sound["signature"]]),
        ),
        ("null in a view", json!({"id": "x", "log": null})),
        ("of another start, in a view of another game", id(&other)),
        ("without a signature", json!({"origin": ORIGIN, "leaf": sound["leaf"], "by": by})),
    ] {
        cases.add(&format!("a promise: {what}"), UNCHECKED, open.clone().promised(promise));
    }
    let mut listed = sound.clone();
    listed["signature"] = json!([sound["signature"]["kid"], sound["signature"]["value"]]);
    let what = "a promise: its signature is a list";
    cases.add(what, UNCHECKED, open.clone().promised(listed));

    let hash = |seq: u64| format!("{:064x}", seq);
    for (what, status, head) in [
        ("with a sign", USAGE, format!("+5-{}", hash(5))),
        ("of the number 2^53 - 1", TAMPERED, format!("9007199254740991-{}", hash(5))),
        ("of event 0", TAMPERED, format!("0-{}", hash(0))),
        ("in capitals", USAGE, format!("5-{}", "AB".repeat(32))),
        ("of 65 digits", USAGE, format!("5-{}0", hash(5))),
    ] {
        cases.add(&format!("a head {what}"), status, open.clone().head(head));
    }

    let logs = logged(draw, Plan::new());
    let early = logs.early(seconds(draw.started(), EARLY));
    let what = "a kept proof: with carriage returns";
    cases.add(what, UNCHECKED, open.clone().kept(early.to_string().replace('\n', "\r\n")));
    let what = "a kept proof: with an empty line at the end";
    cases.add(what, UNCHECKED, open.clone().kept(format!("{early}\n")));
    // Who signed the kept proof is not known, so it shows nothing about a promise.
    let mut log = other_log();
    let place = append(&mut log, opening(&draw.start(), None));
    let elsewhere = proof(&log, &place, checkpoint(&log, seconds(draw.started(), EARLY)));
    let what = "a kept proof of a log that is not known, the proof of the start is empty, and a promise of another start";
    let no_start = open.clone().member("start", json!(""));
    cases.add(what, UNCHECKED, no_start.pinned(&open.log_keys, &[], true).kept(elsewhere).promised(other));

    let fits = |case: &&Value| case["history"] == cancelled.file && case["found"]["rule"] == "signature";
    let number =
        stored.iter().find(fits).and_then(|case| case["case"].as_u64()).expect("a changed signature");
    let what =
        "the signature of the history is changed, the table did not start, and there is a proof of a start";
    let with_start = cases.sound(cancelled, Plan::new()).member("start", open.proofs["start"].clone());
    cases.add(what, TAMPERED, with_start.changed(number).unpinned());
    let what = "the history of a game that still runs";
    cases.add(what, UNCHECKED, Bundle { history: "running.ndjson".to_owned(), ..open.clone() });
    let what = "a witness that did not cosign, and the file has only the keys of another log";
    let stranger = [key(&stranger())];
    cases.add(
        what,
        UNCHECKED,
        open.member("log_keys", json!(keys(&other_log()))).pinned(&[], &stranger, true),
    );
}
