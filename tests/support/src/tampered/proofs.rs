//! Proofs that a log has the end or the start of a game, sound and changed ones. New cases go to the end.

use std::path::Path;

use estimation_engine::hex::Hex;
use estimation_record::LogEntry;
use estimation_tlog::{Hash, ProofFile};
use serde_json::{Value, json};

use super::logged::{
    Logged, SALT, append, checkpoint, corpus_log, extra, key, later, opening, other_keys, proof, seconds,
    signed_anew, witness,
};

/// The proof of an entry in a log of twelve. The cosignatures are of a time in seconds since 1970.
fn proven(entry: &LogEntry, salt: Option<[u8; 32]>, time: u64) -> ProofFile {
    let mut log = corpus_log();
    log.fill(5, "entry");
    let place = append(&mut log, opening(entry, salt));
    log.fill(12, "entry");
    proof(&log, &place, checkpoint(&log, time))
}

/// The lines of `proofs.ndjson`.
struct Lines(Vec<Value>);

impl Lines {
    /// Adds a case with all keys.
    fn add(&mut self, game: &Logged, what: &str, proof: impl ToString, status: u8) {
        let (log, witness) = (corpus_log(), witness());
        let witnesses = [key(&log.own_witness), key(&witness)];
        self.with_keys(game, what, proof, (Some(key(&log.log)), &witnesses), status);
    }

    fn with_keys(
        &mut self,
        game: &Logged,
        what: &str,
        proof: impl ToString,
        (log_key, witnesses): (Option<String>, &[String]),
        status: u8,
    ) {
        self.0.push(json!({
            "case": self.0.len() + 1, "history": game.file, "what": what, "proof": proof.to_string(),
            "log_key": log_key, "witnesses": witnesses, "status": status,
        }));
    }
}

pub(super) fn lines(folder: &Path) -> Vec<Value> {
    let mut lines = Lines(Vec::new());
    ends(folder, &mut lines);
    starts(folder, &mut lines);
    lines.0
}

fn ends(folder: &Path, lines: &mut Lines) {
    let [plain, kabooot] = ["plain", "kabooot"].map(|name| Logged::read(folder, name));
    let after = |seconds_after| seconds(plain.ended, seconds_after);
    let [open, sealed] = [None, Some(SALT)].map(|salt| proven(&plain.end, salt, after(1)));
    let (log, another) = (corpus_log(), other_keys());
    let (log_key, witnesses) = (key(&log.log), [key(&log.own_witness), key(&witness())]);
    lines.add(&plain, "sound, of a public game", &open, 0);
    lines.add(&plain, "sound, of a private game", &sealed, 0);
    lines.with_keys(&plain, "sound, without the log's key", &open, (None, &witnesses), 0);
    lines.with_keys(&plain, "sound, without witnesses", &open, (Some(log_key.clone()), &[]), 0);
    lines.add(&kabooot, "the proof of another game", &open, 1);
    for (before, status) in [(60, 0), (61, 1)] {
        let what = format!("the checkpoint is {before} seconds before the end of the game");
        lines.add(&plain, &what, proven(&plain.end, None, after(-before)), status);
    }
    lines.add(&plain, "another first line", open.to_string().replacen("@v1", "@v2", 1), 3);
    let mut changed = |what: &str, sound: &ProofFile, edit: &dyn Fn(&mut ProofFile)| {
        let mut proof = sound.clone();
        edit(&mut proof);
        lines.add(&plain, what, proof, 1);
    };
    changed("another index", &open, &|proof| proof.index += 1);
    changed("an index that the log does not have", &open, &|proof| proof.index = 12);
    changed("another hash in the path", &open, &|proof| proof.proof[1] = Hash([7; 32]));
    changed("a path of one hash", &open, &|proof| proof.proof.truncate(1));
    changed("a hash too many", &open, &|proof| proof.proof.push(Hash([7; 32])));
    changed("no extra data", &open, &|proof| proof.extra = None);
    let entry = json!(opening(&plain.end, None).entry);
    let salt = hex::encode(SALT);
    for (what, sound, salt) in [
        ("a sealed entry without its salt", &sealed, Value::Null),
        ("another salt", &sealed, json!("ab".repeat(32))),
        ("upper-case digits of the salt", &sealed, json!(salt.to_uppercase())),
        ("a salt of an entry that is not sealed", &open, json!(salt)),
    ] {
        changed(what, sound, &|proof| proof.extra = Some(extra(&entry, &salt)));
    }
    changed("the entry is an object", &open, &|proof| {
        proof.extra = Some(extra(&json!(plain.end), &Value::Null));
    });
    changed("extra data that is not canonical", &open, &|proof| {
        proof.extra.as_mut().expect("extra data").push(b' ');
    });
    changed("the log's signature is there twice", &open, &|proof| {
        let line = proof.checkpoint.signatures()[0].clone();
        proof.checkpoint.add(line);
    });
    let what = "the key of another log of this name";
    lines.with_keys(&plain, what, &open, (Some(key(&another.log)), &witnesses), 3);
    let what = "the key of a witness that did not cosign";
    lines.with_keys(&plain, what, &open, (Some(log_key), &[key(&another.own_witness)]), 3);
    let mut forged = open.clone();
    forged.checkpoint = signed_anew(&open.checkpoint, |own| {
        let wrong = another.log.sign_as(&log.log.key, open.checkpoint.text());
        [&[wrong], &own[1..]].concat()
    });
    lines.add(&plain, "a wrong signature of the log", forged, 1);
}

fn starts(folder: &Path, lines: &mut Lines) {
    let [draw, cancelled, other] = ["draw", "cancelled", "unseeded"].map(|name| Logged::read(folder, name));
    let log = corpus_log();
    let witnesses = [key(&log.own_witness), key(&witness())];
    let (start, time) = (draw.start(), seconds(draw.started(), 1));
    let [open, sealed] = [None, Some(SALT)].map(|salt| proven(&start, salt, time));
    lines.add(&draw, "the start, sound, of a public game", &open, 0);
    lines.add(&draw, "the start, sound, of a private game", &sealed, 0);
    lines.with_keys(&draw, "the start, sound, without the log's key", &open, (None, &witnesses), 0);
    lines.add(&other, "the start of another game", &open, 1);
    lines.add(&cancelled, "the start of another game, for a table that did not start", &open, 1);
    for (before, status) in [(60, 0), (61, 1)] {
        let what = format!("the checkpoint is {before} seconds before the start of the game");
        lines.add(&draw, &what, proven(&start, None, seconds(draw.started(), -before)), status);
    }
    for (what, entry) in changed_starts(&start) {
        lines.add(&draw, what, proven(&entry, None, time), 1);
    }
    let mut proof = open.clone();
    proof.index -= 1;
    lines.add(&draw, "the start with another index", proof, 1);
    let mut proof = sealed;
    proof.extra = Some(extra(&json!(opening(&start, None).entry), &json!("ab".repeat(32))));
    lines.add(&draw, "the start with another salt", proof, 1);
    let entry = serde_json::to_string(&start).expect("JSON").replacen("\"start\"", "\"end\"", 1);
    let mut proof = open;
    proof.extra = Some(extra(&json!(entry), &Value::Null));
    lines.add(&draw, "an entry with the members of a start and the type of an end", proof, 1);
}

/// Entries that state another start.
pub(super) fn changed_starts(start: &LogEntry) -> Vec<(&'static str, LogEntry)> {
    let changed = |edit: &dyn Fn(&mut LogEntry)| {
        let mut entry = start.clone();
        edit(&mut entry);
        entry
    };
    let hash = Hex([7; 32]);
    let seats = |edit: &dyn Fn(&mut Vec<Option<Hex<32>>>)| {
        changed(&|entry| {
            if let LogEntry::Start { seats, .. } = entry {
                edit(seats);
            }
        })
    };
    let other = |entry: &mut LogEntry, member: &str| {
        let LogEntry::Start { game, at, started, commitment, ruleset, .. } = entry else { return };
        match member {
            "game" => *game = uuid::Uuid::nil(),
            "at" => *at = later(*at, 1),
            "started" => *started = hash,
            "commitment" => *commitment = hash,
            _ => *ruleset = hash,
        }
    };
    vec![
        ("the start states another game", changed(&|entry| other(entry, "game"))),
        ("the start states another time", changed(&|entry| other(entry, "at"))),
        ("the start states another hash of game_started", changed(&|entry| other(entry, "started"))),
        ("the start states another commitment", changed(&|entry| other(entry, "commitment"))),
        ("the start states other rules", changed(&|entry| other(entry, "ruleset"))),
        ("the start has no pseudonym for a person", seats(&|seats| seats[0] = None)),
        ("the start has a pseudonym for a bot", seats(&|seats| seats[3] = Some(hash))),
        ("the start lacks a seat", seats(&|seats| seats.truncate(3))),
        ("the start has a seat too many", seats(&|seats| seats.push(None))),
    ]
}
