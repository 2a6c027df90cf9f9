//! Bundles: histories with their proofs, and what a verifier must say of them. New cases go to the end.

use std::path::Path;

use estimation_engine::hex::Hex;
use estimation_record::{LogEntry, Opening};
use estimation_tlog::{Checkpoint, Hash, Note, ProofFile, SignatureLine};
use serde_json::{Value, json};

use super::logged::{
    Logged, ORIGIN, Place, SALT, append, checkpoint, corpus_log, extra, key, later, leaf, opening,
    other_keys, promise, proof, seconds, signed_anew, witness,
};
use super::proofs::changed_starts;
use crate::log::{Signatory, TestLog};

/// The exit statuses of a verifier.
const SOUND: u8 = 0;
const TAMPERED: u8 = 1;
const USAGE: u8 = 2;
const UNCHECKED: u8 = 3;
const BY_FILE: u8 = 4;
const UNWITNESSED: u8 = 5;

const FORMER: &str = "former.example/log";
const OLDEST: &str = "oldest.example/log";
const OTHER: &str = "other.example/log";

/// A file with its proofs, and the arguments of a verifier.
#[derive(Clone)]
struct Bundle {
    history: String,
    /// The number of a changed history.
    changed: Option<u64>,
    proofs: Value,
    log_keys: Vec<String>,
    witnesses: Vec<String>,
    jwks: bool,
    promises: Vec<Value>,
    heads: Vec<String>,
    kept: Vec<String>,
}

/// The logs that have a game, the newest last.
struct Logs {
    logs: Vec<TestLog>,
    start: Option<Place>,
    end: Place,
    /// The origin entries, in the order of the list in a bundle.
    origins: Vec<Place>,
    /// The log with the start as it was soon after.
    early: Option<TestLog>,
    /// The time of the last checkpoint of each log, in seconds since 1970.
    times: Vec<u64>,
}

/// How a game is logged.
#[derive(Clone, Copy, Default)]
struct Plan {
    salt: Option<[u8; 32]>,
    /// The number of logs between that of the start and that of the end, with the latter.
    former: usize,
    /// The seconds from the end to the last checkpoint.
    after: i64,
}

/// The cases, with their sound beginnings.
struct Cases {
    jwks: Value,
    list: Vec<Value>,
}

fn former_log() -> TestLog {
    TestLog::new(FORMER, 60)
}

fn oldest_log() -> TestLog {
    TestLog::new(OLDEST, 61)
}

fn other_log() -> TestLog {
    TestLog::new(OTHER, 62)
}

fn stranger() -> Signatory {
    Signatory::witness("witness.example/w2", 42)
}

/// The verifier keys of a log, as `/log/key` has them.
fn keys(log: &TestLog) -> Vec<String> {
    vec![key(&log.log), key(&log.own_witness)]
}

/// The signature lines of a checkpoint, with another in place of the log's.
fn signed_by(note: &Note, line: SignatureLine) -> Vec<SignatureLine> {
    [&[line], &note.signatures()[1..]].concat()
}

/// The signature lines of a checkpoint, with a wrong one of its log.
fn forged(note: &Note, log: &TestLog) -> Vec<SignatureLine> {
    signed_by(note, other_keys().log.sign_as(&log.log.key, note.text()))
}

/// The signature lines of a checkpoint, with a wrong one of the witness.
fn badly_cosigned(note: &Note) -> Vec<SignatureLine> {
    [&note.signatures()[..2], &[stranger().cosign_as(&witness().key, note.text(), 1)]].concat()
}

/// The seconds from a start to an early checkpoint.
const EARLY: i64 = 5;

impl Plan {
    fn new() -> Plan {
        Plan { after: 1, ..Plan::default() }
    }

    fn sealed() -> Plan {
        Plan { salt: Some(SALT), ..Plan::new() }
    }

    fn former(former: usize) -> Plan {
        Plan { former, ..Plan::new() }
    }
}

impl Logs {
    fn of(game: &Logged, start: Option<&LogEntry>, end: &LogEntry, plan: Plan) -> Logs {
        let Plan { salt, former, after } = plan;
        let mut logs = vec![oldest_log(), former_log(), corpus_log()].split_off(2 - former);
        let (mut early, mut origins, mut times) = (None, Vec::new(), Vec::new());
        logs[0].grow(1, "entry");
        let start = start.map(|entry| append(&mut logs[0], opening(entry, salt)));
        if start.is_some() {
            logs[0].grow(3, "entry");
            early = Some(logs[0].clone());
        }
        for next in 1..logs.len() {
            let time = seconds(game.started(), 2 * EARLY);
            logs[next - 1].grow(4, "entry");
            let checkpoint = checkpoint(&logs[next - 1], time).to_string();
            origins.insert(0, append(&mut logs[next], opening(&LogEntry::Origin { checkpoint }, None)));
            times.push(time);
        }
        let last = logs.last_mut().expect("a log");
        last.grow(4, "entry");
        let end = append(last, opening(end, salt));
        last.grow(6, "entry");
        times.push(seconds(game.ended, after));
        Logs { logs, start, end, origins, early, times }
    }

    fn note(&self, log: usize) -> Note {
        checkpoint(&self.logs[log], self.times[log])
    }

    /// The proof of the end.
    fn end(&self) -> ProofFile {
        let last = self.logs.len() - 1;
        proof(&self.logs[last], &self.end, self.note(last))
    }

    /// The proof of the start.
    fn start(&self) -> ProofFile {
        proof(&self.logs[0], self.start.as_ref().expect("a start"), self.note(0))
    }

    /// The proof of the start with a checkpoint of a time soon after the start.
    fn early(&self, time: u64) -> ProofFile {
        let log = self.early.as_ref().expect("a start");
        proof(log, self.start.as_ref().expect("a start"), checkpoint(log, time))
    }

    fn origins(&self) -> Vec<String> {
        let with_log = self.origins.iter().zip((0..self.logs.len()).rev());
        with_log.map(|(place, log)| proof(&self.logs[log], place, self.note(log)).to_string()).collect()
    }

    fn proofs(&self, jwks: &Value) -> Value {
        let keys: Vec<String> = self.logs.iter().rev().flat_map(keys).collect();
        json!({
            "start": self.start.as_ref().map(|_| self.start().to_string()), "end": self.end().to_string(),
            "origins": self.origins(), "log_keys": keys, "jwks": jwks,
        })
    }
}

impl Bundle {
    /// A member of the proofs.
    fn member(mut self, name: &str, value: Value) -> Bundle {
        self.proofs[name] = value;
        self
    }

    fn without(mut self, name: &str) -> Bundle {
        self.proofs.as_object_mut().expect("an object").remove(name);
        self
    }

    /// Changes a proof, found by its JSON pointer.
    fn proof(mut self, path: &str, edit: impl FnOnce(&mut ProofFile)) -> Bundle {
        let text = self.proofs.pointer_mut(path).expect("a proof");
        let mut proof: ProofFile = text.as_str().expect("a text").parse().expect("a proof");
        edit(&mut proof);
        *text = json!(proof.to_string());
        self
    }

    /// Changes the signatures of all proofs with the checkpoint of one of them. Lines of a checkpoint: log, own witness,
    /// witness.
    fn signatures(self, path: &str, edit: impl Fn(&Note) -> Vec<SignatureLine>) -> Bundle {
        let text = self.proofs.pointer(path).and_then(Value::as_str).expect("a text").to_owned();
        let (_, signed) = text.split_once("\n\n").expect("a checkpoint");
        let note: Note = signed.parse().expect("a note");
        let changed = signed_anew(&note, |_| edit(&note)).to_string();
        let proofs = self.proofs.to_string();
        let quoted = |text: &str| Value::from(text).to_string().trim_matches('"').to_owned();
        let proofs = proofs.replace(&quoted(signed), &quoted(&changed));
        Bundle { proofs: serde_json::from_str(&proofs).expect("JSON"), ..self }
    }

    fn pinned(mut self, log_keys: &[String], witnesses: &[String], jwks: bool) -> Bundle {
        (self.log_keys, self.witnesses, self.jwks) = (log_keys.to_vec(), witnesses.to_vec(), jwks);
        self
    }

    fn unpinned(self) -> Bundle {
        self.pinned(&[], &[], false)
    }

    fn promised(mut self, promise: Value) -> Bundle {
        self.promises.push(promise);
        self
    }

    fn head(mut self, head: impl ToString) -> Bundle {
        self.heads.push(head.to_string());
        self
    }

    fn kept(mut self, proof: impl ToString) -> Bundle {
        self.kept.push(proof.to_string());
        self
    }

    fn changed(mut self, case: u64) -> Bundle {
        self.changed = Some(case);
        self
    }
}

impl Cases {
    fn add(&mut self, what: &str, status: u8, bundle: Bundle) {
        let Bundle { history, changed, proofs, log_keys, witnesses, jwks, promises, heads, kept } = bundle;
        self.list.push(json!({
            "case": self.list.len() + 1, "what": what, "history": history, "changed": changed, "proofs": proofs,
            "log_keys": log_keys, "witnesses": witnesses, "jwks": jwks, "promises": promises, "heads": heads,
            "kept": kept, "status": status,
        }));
    }

    /// The proofs of a game in logs, with all keys.
    fn bundle(&self, game: &Logged, logs: &Logs) -> Bundle {
        let log = corpus_log();
        Bundle {
            history: game.file.clone(),
            changed: None,
            proofs: logs.proofs(&self.jwks),
            log_keys: vec![key(&log.log)],
            witnesses: vec![key(&log.own_witness), key(&witness())],
            jwks: true,
            promises: Vec::new(),
            heads: Vec::new(),
            kept: Vec::new(),
        }
    }

    fn sound(&self, game: &Logged, plan: Plan) -> Bundle {
        self.bundle(game, &logged(game, plan))
    }
}

fn logged(game: &Logged, plan: Plan) -> Logs {
    let start = game.has_start().then(|| game.start());
    Logs::of(game, start.as_ref(), &game.end, plan)
}

pub(super) fn lines(folder: &Path) -> Vec<Value> {
    let jwks: Value = serde_json::from_str(&super::text(folder, "jwks.json")).expect("JSON");
    let mut cases = Cases { jwks, list: Vec::new() };
    let [draw, cancelled, other] = ["draw", "cancelled", "unseeded"].map(|name| Logged::read(folder, name));
    sound(&mut cases, &draw, &cancelled);
    former_logs(&mut cases, &draw, &cancelled);
    forms(&mut cases, &draw, &cancelled);
    keys_of_the_file(&mut cases, &draw);
    signatures(&mut cases, &draw, &cancelled);
    cosignatures(&mut cases, &draw);
    ends(&mut cases, &cancelled, &draw);
    starts(&mut cases, &draw, &other);
    changed_histories(folder, &mut cases, &draw, &cancelled);
    promises(&mut cases, &draw, &cancelled);
    heads(folder, &mut cases, &draw);
    kept(&mut cases, &draw, &other);
    cases.list
}

/// Sound files, and what is pinned.
fn sound(cases: &mut Cases, draw: &Logged, cancelled: &Logged) {
    let log = corpus_log();
    let (log_key, own, other) = ([key(&log.log)], [key(&log.own_witness)], [key(&other_log().log)]);
    let open = cases.sound(draw, Plan::new());
    cases.add("sound, of a public game", SOUND, open.clone());
    cases.add("sound, of a private game", SOUND, cases.sound(draw, Plan::sealed()));
    cases.add("sound, of a table that did not start", SOUND, cases.sound(cancelled, Plan::new()));
    let sealed = cases.sound(cancelled, Plan::sealed());
    cases.add("sound, of a private table that did not start", SOUND, sealed);
    for (what, status, log_keys, witnesses, jwks) in [
        ("the log's key and the record key are pinned", SOUND, &log_key[..], &[][..], true),
        ("a witness and the record key are pinned", SOUND, &[], &own, true),
        ("nothing is pinned", BY_FILE, &[], &[], false),
        ("only the record key is pinned", BY_FILE, &[], &[], true),
        ("only the log's key is pinned", BY_FILE, &log_key, &[], false),
        ("only a witness is pinned", BY_FILE, &[], &own, false),
        ("the log's key and a witness are pinned", BY_FILE, &log_key, &own, false),
        ("the key of another log and the record key are pinned", BY_FILE, &other, &[], true),
        ("the keys of two logs are pinned", SOUND, &[other.clone(), log_key.clone()].concat(), &[], true),
    ] {
        cases.add(what, status, open.clone().pinned(log_keys, witnesses, jwks));
    }
    let late = Plan { after: 600, ..Plan::new() };
    cases.add("the checkpoint is ten minutes after the end", SOUND, cases.sound(draw, late));
    for (after, status) in [(-60, SOUND), (-61, TAMPERED)] {
        let what = format!("the checkpoint is {} seconds before the end", -after);
        cases.add(&what, status, cases.sound(cancelled, Plan { after, ..Plan::new() }));
    }
    let mut end = cancelled.end.clone();
    if let LogEntry::End { at, .. } = &mut end {
        *at = later(*at, 50);
    }
    let logs = Logs::of(cancelled, None, &end, Plan::new());
    cases.add(
        "the entry of the end is 50 seconds after the last event",
        SOUND,
        cases.bundle(cancelled, &logs),
    );
    let logs = logged(draw, Plan::new());
    for (what, before, status) in [
        ("the start has an earlier checkpoint than the end", -EARLY, SOUND),
        ("the checkpoint of the start is 60 seconds before the start", 60, SOUND),
        ("the checkpoint of the start is 61 seconds before the start", 61, TAMPERED),
    ] {
        let start = logs.early(seconds(draw.started(), -before)).to_string();
        cases.add(what, status, open.clone().member("start", json!(start)));
    }
}

/// Starts in former logs.
fn former_logs(cases: &mut Cases, draw: &Logged, cancelled: &Logged) {
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
    other.grow(3, "entry");
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
        log.grow(4, "entry");
        logs.end = append(&mut log, logs.end.opening.clone());
        log.grow(6, "entry");
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
    grown.logs[0].grow(5, "entry");
    cases.add(
        "the start has a checkpoint after the one that the origin names",
        TAMPERED,
        one.clone().member("start", json!(grown.start().to_string())),
    );
    let mut grown = logged(draw, Plan::former(2));
    grown.logs[1].grow(5, "entry");
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
    small.grow(2, "entry");
    let note = checkpoint(&small, logs.times[1]);
    let wrong = signed_anew(&note, |_| forged(&note, &small));
    let of = |note: &Note| json!([proof(&small, &place, note.clone()).to_string()]);
    let what = "the proof of the origin has an earlier checkpoint than the end";
    cases.add(what, SOUND, one.clone().member("origins", of(&note)));
    let what = "the proof of the origin has a checkpoint with a wrong signature";
    cases.add(what, TAMPERED, one.member("origins", of(&wrong)));
}

/// Proofs of another form.
fn forms(cases: &mut Cases, draw: &Logged, cancelled: &Logged) {
    let open = cases.sound(draw, Plan::new());
    let start = open.proofs["start"].clone();
    let what = "there is no proof of the start, and the game started";
    cases.add(what, UNCHECKED, open.clone().member("start", Value::Null));
    let what = "there is a proof of a start, and the table did not start";
    cases.add(what, UNCHECKED, cases.sound(cancelled, Plan::new()).member("start", start));
    for name in ["start", "end", "origins", "log_keys", "jwks"] {
        cases.add(&format!("the proofs lack {name}"), UNCHECKED, open.clone().without(name));
    }
    cases.add("the proofs have a member too many", UNCHECKED, open.clone().member("more", json!(1)));
    for (name, value, what) in [
        ("start", json!({}), "the proof of the start is an object"),
        ("end", Value::Null, "the proof of the end is null"),
        ("end", json!(7), "the proof of the end is a number"),
        ("end", json!(""), "the proof of the end is empty"),
        ("end", json!("c2sp.org/tlog-proof@v1\nindex 1\n"), "the proof of the end has no checkpoint"),
        ("origins", json!({}), "the proofs of origins are an object"),
        ("origins", Value::Null, "the proofs of origins are null"),
        ("origins", json!([null]), "a proof of an origin is null"),
        ("log_keys", json!("corpus.example/log"), "the keys of logs are a text"),
        ("log_keys", json!([1]), "a key of a log is a number"),
        ("log_keys", json!(vec![""; 401]), "401 keys of logs"),
        ("jwks", json!([]), "the record keys are a list"),
        ("jwks", json!({}), "the record keys have no list"),
        ("jwks", json!({"keys": {}}), "the list of record keys is an object"),
    ] {
        cases.add(what, UNCHECKED, open.clone().member(name, value));
    }
    for (what, proofs) in [
        ("the proofs are a list", json!([])),
        ("the proofs are an empty object", json!({})),
        ("the proofs are a text", open.proofs["end"].clone()),
        ("the proofs are a number", json!(7)),
        ("the proofs are true", json!(true)),
    ] {
        cases.add(what, UNCHECKED, Bundle { proofs, ..open.clone() });
    }
    let swapped = open.proofs["end"].as_str().expect("a text").replacen("@v1", "@v2", 1);
    let what = "the proof of the end has another first line";
    cases.add(what, UNCHECKED, open.member("end", json!(swapped)));
}

/// The keys that the file has.
fn keys_of_the_file(cases: &mut Cases, draw: &Logged) {
    let open = cases.sound(draw, Plan::new());
    let record_key = cases.jwks["keys"][0].clone();
    let changed_key = |name: &str, value: &str| {
        let mut key = record_key.clone();
        key[name] = json!(value);
        key
    };
    let another = changed_key("x", "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo");
    let other_purpose = changed_key("estimation:purpose", "other");
    for (what, pinned, unpinned, keys) in [
        ("the file has no record key", SOUND, UNCHECKED, json!([])),
        ("the file has another record key", SOUND, UNCHECKED, json!([another])),
        ("the file has the record key for another purpose", SOUND, UNCHECKED, json!([other_purpose])),
        ("the file has two record keys", SOUND, BY_FILE, json!([another, record_key])),
    ] {
        let bundle = open.clone().member("jwks", json!({"keys": keys}));
        cases.add(&format!("{what}, all is pinned"), pinned, bundle.clone());
        cases.add(&format!("{what}, nothing is pinned"), unpinned, bundle.unpinned());
    }
    for (what, pinned, unpinned, keys) in [
        ("the file has no key of a log", SOUND, UNCHECKED, vec![]),
        ("the file has another key of a log of this name", SOUND, UNCHECKED, keys(&other_keys())),
        ("the file has only the key of another log", SOUND, UNCHECKED, keys(&other_log())),
        (
            "the file has only the key of the log's own witness",
            SOUND,
            UNCHECKED,
            keys(&corpus_log()).split_off(1),
        ),
        (
            "the file also has the key of another log",
            SOUND,
            BY_FILE,
            [keys(&other_log()), keys(&corpus_log())].concat(),
        ),
    ] {
        let bundle = open.clone().member("log_keys", json!(keys));
        cases.add(&format!("{what}, all is pinned"), pinned, bundle.clone());
        cases.add(&format!("{what}, nothing is pinned"), unpinned, bundle.unpinned());
    }
}

/// The log's signature on checkpoints.
fn signatures(cases: &mut Cases, draw: &Logged, cancelled: &Logged) {
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
    log.grow(1, "entry");
    logs.end = append(&mut log, logs.end.opening.clone());
    log.grow(3, "entry");
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
    fork.grow(1, "entry");
    let start = append(&mut fork, opening(&draw.start(), None));
    fork.grow(6, "forked");
    let start = proof(&fork, &start, checkpoint(&fork, logs.times[0])).to_string();
    let forked = open.member("start", json!(start));
    cases.add("the log signed two roots of one size", TAMPERED, forked.clone());
    cases.add("the log signed two roots of one size, nothing is pinned", TAMPERED, forked.unpinned());
}

/// The cosignatures of pinned witnesses.
fn cosignatures(cases: &mut Cases, draw: &Logged) {
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

/// The proof of the end.
fn ends(cases: &mut Cases, cancelled: &Logged, draw: &Logged) {
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

/// Changes of the proof of an end or of a start.
fn changed_proofs(cases: &mut Cases, path: &str, open: &Bundle, sealed: &Bundle) {
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

/// The proof of the start.
fn starts(cases: &mut Cases, draw: &Logged, other: &Logged) {
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

/// Changed histories with sound proofs.
fn changed_histories(folder: &Path, cases: &mut Cases, draw: &Logged, cancelled: &Logged) {
    let stored = super::lines(folder, "cases.ndjson");
    for (game, rules) in [(draw, &["chain", "deal", "command", "signature"][..]), (cancelled, &["actor"])] {
        let bundle = cases.sound(game, Plan::new());
        for rule in rules {
            let fits = |case: &&Value| case["history"] == game.file && case["found"]["rule"] == *rule;
            let Some(case) = stored.iter().find(fits) else { continue };
            let what = format!("a changed history: {}", case["what"].as_str().expect("a text"));
            let number = case["case"].as_u64().expect("a number");
            cases.add(&what, TAMPERED, bundle.clone().changed(number));
        }
    }
}

/// Kept promises.
fn promises(cases: &mut Cases, draw: &Logged, cancelled: &Logged) {
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
fn heads(folder: &Path, cases: &mut Cases, draw: &Logged) {
    let lines = super::lines(folder, &draw.file);
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
fn kept(cases: &mut Cases, draw: &Logged, other: &Logged) {
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
    fork.grow(1, "entry");
    let place = append(&mut fork, opening(&draw.start(), None));
    fork.grow(6, "forked");
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
