//! Proofs that a log has the end of a game, and promises that it will have the start: sound and changed ones.

use estimation_engine::hex::Hex;
use estimation_record::{LogEntry, LogPromise, Opening, RecordTime, canonical_json};
use estimation_tlog::{Hash, ProofFile};
use serde_json::{Value, json};

use super::sound::Sound;
use crate::log::{Signatory, TestLog};
use crate::made;

const ORIGIN: &str = "corpus.example/log";
const SALT: [u8; 32] = [0x5a; 32];

/// The history whose end is proved.
struct Game<'a> {
    sound: &'a Sound,
    at: RecordTime,
    entry: String,
}

impl Game<'_> {
    fn named<'a>(sound: &'a [Sound], name: &str) -> Game<'a> {
        let sound = sound.iter().find(|sound| sound.name == name).expect("a history");
        let last = sound.made.events.last().expect("an event");
        let last: Value = serde_json::from_str(&last.body).expect("JSON");
        let at = last["at"].as_str().and_then(|at| at.parse().ok()).expect("a time");
        let (game, end) = (sound.made.header.game, &sound.made.end);
        let entry = LogEntry::End { game, at, events: end.events, head: end.head };
        Game { sound, at, entry: entry.text().expect("canonical JSON") }
    }

    /// A log with the end of the game, and its proof. The cosignatures are so many seconds after the end.
    fn proof(&self, salt: Option<[u8; 32]>, after: i64) -> (TestLog, Signatory, ProofFile) {
        let opening = Opening { entry: self.entry.clone(), salt: salt.map(Hex) };
        let mut log = TestLog::new(ORIGIN, 40);
        log.grow(5, "entry");
        let index = log.append(opening.logged().expect("canonical JSON").as_bytes());
        log.grow(12, "entry");
        let witness = Signatory::witness("witness.example/w1", 41);
        let time = (self.at.timestamp().as_second() + after).unsigned_abs();
        let mut note = log.checkpoint(time);
        note.add(witness.cosign(note.text(), time));
        let proof = log.proof(index, &canonical_json(&opening).expect("canonical JSON"), note);
        (log, witness, proof)
    }
}

/// One line for each proof, with its history, its keys, and the exit status of a verifier.
pub fn proofs(sound: &[Sound]) -> Vec<Value> {
    let (plain, kabooot) = (Game::named(sound, "plain"), Game::named(sound, "kabooot"));
    let (log, witness, open) = plain.proof(None, 1);
    let (_, _, sealed) = plain.proof(Some(SALT), 1);
    let keys = |log: &TestLog| log.log.key.to_string();
    let witnesses = [log.own_witness.key.to_string(), witness.key.to_string()];
    let line = |game: &Game<'_>,
                what: &str,
                proof: &str,
                key: Option<String>,
                witnesses: &[String],
                status| {
        let history = format!("{}.ndjson", game.sound.name);
        json!({
            "history": history, "what": what, "proof": proof, "log_key": key, "witnesses": witnesses, "status": status,
        })
    };
    let (text, own) = (open.to_string(), Some(keys(&log)));
    let of_plain =
        |what: &str, proof: &str, status: i32| line(&plain, what, proof, own.clone(), &witnesses, status);
    let mut lines = vec![
        of_plain("sound, of a public game", &text, 0),
        of_plain("sound, of a private game", &sealed.to_string(), 0),
        line(&plain, "sound, without the log's key", &text, None, &witnesses, 0),
        line(&plain, "sound, without witnesses", &text, own.clone(), &[], 0),
        line(&kabooot, "the proof of another game", &text, own.clone(), &witnesses, 1),
        of_plain(
            "the checkpoint is 60 seconds before the end of the game",
            &plain.proof(None, -60).2.to_string(),
            0,
        ),
        of_plain(
            "the checkpoint is 61 seconds before the end of the game",
            &plain.proof(None, -61).2.to_string(),
            1,
        ),
        of_plain("another first line", &text.replacen("@v1", "@v2", 1), 3),
    ];
    let mut changed = |what: &str, sound: &ProofFile, status: i32, edit: &dyn Fn(&mut ProofFile)| {
        let mut proof = sound.clone();
        edit(&mut proof);
        lines.push(of_plain(what, &proof.to_string(), status));
    };
    changed("another index", &open, 1, &|proof| proof.index += 1);
    changed("an index that the log does not have", &open, 1, &|proof| proof.index = 12);
    changed("another hash in the path", &open, 1, &|proof| proof.proof[1] = Hash([7; 32]));
    changed("a path of one hash", &open, 1, &|proof| proof.proof.truncate(1));
    changed("a hash too many", &open, 1, &|proof| proof.proof.push(Hash([7; 32])));
    changed("no extra data", &open, 1, &|proof| proof.extra = None);
    let opened = |entry: &str, salt: Value| {
        Some(canonical_json(&json!({"entry": entry, "salt": salt})).expect("canonical JSON").into_bytes())
    };
    let salt = hex::encode(SALT);
    changed("a sealed entry without its salt", &sealed, 1, &|proof| {
        proof.extra = opened(&plain.entry, Value::Null)
    });
    changed("another salt", &sealed, 1, &|proof| proof.extra = opened(&plain.entry, json!("ab".repeat(32))));
    changed("upper-case digits of the salt", &sealed, 1, &|proof| {
        proof.extra = opened(&plain.entry, json!(salt.to_uppercase()));
    });
    changed("a salt of an entry that is not sealed", &open, 1, &|proof| {
        proof.extra = opened(&plain.entry, json!(salt));
    });
    changed("the entry is an object", &open, 1, &|proof| {
        let entry: Value = serde_json::from_str(&plain.entry).expect("JSON");
        let extra = canonical_json(&json!({"entry": entry, "salt": null})).expect("canonical JSON");
        proof.extra = Some(extra.into_bytes());
    });
    changed("extra data that is not canonical", &open, 1, &|proof| {
        proof.extra.as_mut().expect("extra data").push(b' ');
    });
    changed("the log's signature is there twice", &open, 1, &|proof| {
        let line = proof.checkpoint.signatures()[0].clone();
        proof.checkpoint.add(line);
    });
    let another = TestLog::new(ORIGIN, 50);
    let (other_log, other_witness) = (Some(keys(&another)), [another.own_witness.key.to_string()]);
    lines.push(line(&plain, "the key of another log of this name", &text, other_log, &witnesses, 3));
    lines.push(line(
        &plain,
        "the key of a witness that did not cosign",
        &text,
        own.clone(),
        &other_witness,
        3,
    ));
    let (_, _, forged) = plain.proof(None, 1);
    let signed = forged.checkpoint.signatures()[0].to_string();
    let kept = another.log.sign(forged.checkpoint.text()).to_string();
    // The key id of the log with the signature of another key.
    let (name, id) = signed.split_at(signed.rfind(' ').expect("a space") + 9);
    let wrong = format!("{name}{}", &kept[kept.len() - id.len()..]);
    lines.push(of_plain("a wrong signature of the log", &text.replace(&signed, &wrong), 1));
    (1..)
        .zip(lines)
        .map(|(case, mut line)| {
            line["case"] = json!(case);
            line
        })
        .collect()
}

/// One line for each promise, with the entry and the origin of the log.
pub fn promises(sound: &[Sound]) -> Vec<Value> {
    let game = Game::named(sound, "plain");
    let by: RecordTime = made::time(100);
    let leaf = Hex(Hash::leaf(game.entry.as_bytes()).0);
    let statement = LogPromise { origin: ORIGIN, leaf, by }.statement().expect("canonical JSON");
    let signature = made::signed(&statement);
    let sound = json!({
        "what": "sound", "origin": ORIGIN, "entry": game.entry, "sound": true,
        "log": {"leaf": leaf, "by": by, "signature": signature},
    });
    let changed = |what: &str, path: &str, value: Value| {
        let mut line = sound.clone();
        (line["what"], line["sound"]) = (json!(what), json!(false));
        *line.pointer_mut(path).expect("a member") = value;
        line
    };
    vec![
        sound.clone(),
        changed("another origin", "/origin", json!("other.example/log")),
        changed("another leaf", "/log/leaf", json!("ab".repeat(32))),
        changed("a later time", "/log/by", json!(made::time(101))),
        changed("another signature", "/log/signature/value", json!("ab".repeat(64))),
        changed("an unknown key", "/log/signature/kid", json!("another")),
        changed("another entry", "/entry", json!(game.entry.replacen("\"end\"", "\"start\"", 1))),
    ]
}
