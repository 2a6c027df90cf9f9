//! The transparency log.

use estimation_record::canonical_json;
use estimation_record::{GENESIS, chain};
use serde_json::{Value, json};

use super::change::{Base, Case, Change};
use super::sound::Sound;
use crate::made::{self, Made};

/// The games in the log, in the order of their ends. Their histories are before the log in the file.
const GAMES: [&str; 4] = ["cancelled", "draw", "expired-lobby", "expired-table"];

fn games(sound: &[Sound]) -> Vec<Made> {
    let named = |name| sound.iter().find(|sound| sound.name == name).map(|sound| sound.made.clone());
    GAMES.into_iter().filter_map(named).collect()
}

/// Four games with the log of them.
pub fn sound(sound: &[Sound]) -> String {
    let games = games(sound);
    games.iter().map(Made::lines).collect::<String>() + &made::lines(&made::list(&games))
}

/// As [`sound`], and the list has ended: the public log has the end of the fifth game.
pub fn ended(sound: &[Sound]) -> String {
    let mut games = games(sound);
    let mut lines: Vec<Value> =
        made::list(&games).iter().map(|piece| serde_json::to_value(piece).expect("JSON")).collect();
    let mut checkpoint = lines.pop().expect("a checkpoint")["checkpoint"]["checkpoint"].take();
    checkpoint["log"] = json!({"origin": "cards.example/log", "size": 7, "root": "5a".repeat(32)});
    lines.push(signed(&checkpoint));
    games.extend(sound.iter().find(|sound| sound.name == "absences").map(|sound| sound.made.clone()));
    let lines = lines.iter().map(|line| text_of(line) + "\n").collect::<String>();
    games.iter().map(Made::lines).collect::<String>() + &lines
}

fn signed(checkpoint: &Value) -> Value {
    let statement =
        format!("estimation/checkpoint/v1\n{}", canonical_json(checkpoint).expect("canonical JSON"));
    let signature = made::signed(statement.as_bytes());
    json!({"checkpoint": {"checkpoint": checkpoint, "signature": signature}})
}

/// A line's text. Numbers that are not safe have no canonical form.
fn text_of(line: &Value) -> String {
    canonical_json(line).unwrap_or_else(|_| line.to_string())
}

/// The lines of the log: the entries and the checkpoint.
struct Log<'a> {
    base: &'a Base,
    /// The line of the first entry, from 1.
    from: usize,
    entries: Vec<Value>,
    checkpoint: Value,
}

/// Changes to where a list that has ended points.
pub fn pointers(base: &Base) -> Vec<Case<'_>> {
    let text = base.text();
    let number = text.lines().count();
    let line: Value = serde_json::from_str(text.lines().last().expect("a checkpoint")).expect("JSON");
    let mut cases = Vec::new();
    let mut changed =
        |what: &str, seq: Option<u64>, rule: &'static str, is_signed: bool, log: Option<Value>| {
            let mut line = line.clone();
            let checkpoint = &mut line["checkpoint"]["checkpoint"];
            match log {
                Some(log) => checkpoint["log"] = log,
                None => drop(checkpoint.as_object_mut().expect("a checkpoint").remove("log")),
            }
            if is_signed {
                line = signed(checkpoint);
            }
            let mut change = base.change();
            change.lines(number, 1, &[text_of(&line)]);
            cases.push(change.found_in(None, "checkpoint", what, seq, rule));
        };
    let log = &line["checkpoint"]["checkpoint"]["log"];
    let with = |member: &str, value: Value| {
        let mut log = log.clone();
        log[member] = value;
        Some(log)
    };
    let root = with("root", json!("ab".repeat(32)));
    changed("the end of a list points to another root", Some(4), "signature", false, root);
    let origin = with("origin", json!("cards.example/other"));
    changed("the end of a list points into another log", Some(4), "signature", false, origin);
    changed("the end of a list points to another size", Some(4), "signature", false, with("size", json!(8)));
    changed("the end of a list points nowhere", Some(4), "signature", false, None);
    changed("the end of a list points to null", None, "form", true, Some(Value::Null));
    let digits = with("root", json!("5A".repeat(32)));
    changed("upper-case digits of the root at the end of a list", None, "form", true, digits);
    changed("an unknown member at the end of a list", None, "form", true, with("note", json!(1)));
    let unsafe_size = with("size", json!(1_u64 << 53));
    changed("an unsafe number at the end of a list", None, "form", false, unsafe_size);
    // A list that goes on has all games.
    let mut open = line["checkpoint"]["checkpoint"].clone();
    open.as_object_mut().expect("a checkpoint").remove("log");
    let mut change = base.change();
    change.lines(number, 1, &[text_of(&signed(&open))]);
    let header = text.lines().rfind(|line| line.starts_with("{\"header\"")).expect("a history");
    let header: Value = serde_json::from_str(header).expect("JSON");
    let game = header["header"]["game"].as_str().map(str::to_owned);
    cases.push(change.found_in(game, "checkpoint", "a list that goes on lacks a later game", None, "list"));
    cases
}

pub fn cases(base: &Base) -> Vec<Case<'_>> {
    let text = base.text();
    let read = |line: &str| serde_json::from_str::<Value>(line).expect("JSON");
    let from = text.lines().position(|line| line.starts_with("{\"listed\"")).expect("a log") + 1;
    let lines: Vec<Value> = text.lines().skip(from - 1).map(read).collect();
    let (checkpoint, entries) = lines.split_last().expect("a checkpoint");
    let log = Log { base, from, entries: entries.to_vec(), checkpoint: checkpoint.clone() };
    let game = |index: usize| log.entries[index]["listed"]["entry"]["game"].as_str().map(str::to_owned);
    let mut cases = Vec::new();
    // Forged with the key: chain and checkpoint fit, and the games show the change.
    let mut forged = |what: &str, index: usize, edit: &dyn Fn(&mut Vec<Value>)| {
        let mut entries = log.entries.clone();
        edit(&mut entries);
        cases.push(log.replaced(log.chained(entries), None).found_in(
            game(index),
            "list",
            what,
            None,
            "list",
        ));
    };
    let entry = |index: usize, member: &'static str, value: Value| {
        move |entries: &mut Vec<Value>| entries[index]["listed"]["entry"][member] = value.clone()
    };
    forged("an entry with one event less", 1, &entry(1, "events", json!(1)));
    forged("an entry with another head", 1, &entry(1, "head", json!("ab".repeat(32))));
    forged("an entry with another signature", 1, &entry(1, "signature", json!("ab".repeat(64))));
    forged("an entry with another kid", 1, &entry(1, "kid", json!("another")));
    forged("an entry with the kid of nobody", 1, &entry(1, "kid", json!("")));
    forged("a game that was over for long is missing", 2, &|entries| drop(entries.remove(2)));
    forged("the last game is missing", 3, &|entries| drop(entries.pop()));
    // Not forged: the chain and the checkpoint show the change.
    let mut plain = |what: &str, index: Option<usize>, seq: u64, edit: &dyn Fn(&mut Vec<Value>)| {
        let mut entries = log.entries.clone();
        edit(&mut entries);
        let change = log.replaced(entries, Some(log.checkpoint.clone()));
        cases.push(change.found_in(index.and_then(game), "list", what, seq, "list"));
    };
    plain("the first entry is missing", Some(1), 2, &|entries| drop(entries.remove(0)));
    plain("an entry in the middle is missing", Some(2), 3, &|entries| drop(entries.remove(1)));
    plain("the last entry is missing", None, 4, &|entries| drop(entries.pop()));
    plain("two entries are swapped", Some(2), 3, &|entries| entries.swap(1, 2));
    plain("an entry is there twice", Some(1), 2, &|entries| entries.insert(2, entries[1].clone()));
    plain("an entry has another hash", Some(1), 2, &|entries| {
        entries[1]["listed"]["hash"] = json!("ab".repeat(32));
    });
    plain("an entry was listed at another time", Some(2), 3, &|entries| {
        entries[2]["listed"]["entry"]["listed_at"] = json!("2026-05-05T00:00:00.000Z");
    });
    plain("an entry has another position", Some(0), 7, &|entries| {
        entries[0]["listed"]["entry"]["position"] = json!(7);
    });
    for (what, member, value) in [
        ("upper-case digits of a signature", "signature", json!("AB".repeat(64))),
        ("upper-case digits of a head", "head", json!("AB".repeat(32))),
        ("the id of a game in upper case", "game", json!(game(1).expect("a game").to_uppercase())),
        ("a time in the year 0000", "listed_at", json!("0000-01-01T00:00:00.000Z")),
        ("a time with digits that are not ASCII", "listed_at", json!("٢٠٢٦-01-01T00:00:00.000Z")),
        ("an unsafe number", "position", json!(1_u64 << 53)),
        ("a negative number", "events", json!(-1)),
        ("an unknown member", "note", json!(1)),
    ] {
        let mut entries = log.entries.clone();
        entries[1]["listed"]["entry"][member] = value;
        let change = log.replaced(entries, Some(log.checkpoint.clone()));
        cases.push(change.found_in(None, "list", format!("an entry with {what}"), None, "form"));
    }
    checkpoints(&log, &mut cases);
    cases
}

fn checkpoints<'a>(log: &Log<'a>, cases: &mut Vec<Case<'a>>) {
    let mut changed =
        |what: &str, rule: &'static str, is_signed: bool, seq: u64, edit: &dyn Fn(&mut Value)| {
            let mut checkpoint = log.checkpoint.clone();
            edit(&mut checkpoint["checkpoint"]);
            if is_signed {
                checkpoint = signed(&checkpoint["checkpoint"]["checkpoint"]);
            }
            let change = log.replaced(log.entries.clone(), Some(checkpoint));
            cases.push(change.found_in(None, "checkpoint", what, seq, rule));
        };
    changed("a checkpoint of more games", "list", true, 5, &|line| line["checkpoint"]["games"] = json!(5));
    changed("a checkpoint with another head", "list", true, 4, &|line| {
        line["checkpoint"]["head"] = json!("ab".repeat(32));
    });
    changed("a checkpoint of another time, with the old signature", "signature", false, 4, &|line| {
        line["checkpoint"]["at"] = json!("2026-12-24T00:00:00.000Z");
    });
    changed("a checkpoint with a made-up signature", "signature", false, 4, &|line| {
        line["signature"]["value"] = json!("ab".repeat(64));
    });
    changed("a checkpoint of an unknown key", "signature", false, 4, &|line| {
        line["signature"]["kid"] = json!("another")
    });
    let mut change = log.base.change();
    change.lines(log.from + log.entries.len(), 1, &[]);
    cases.push(change.found_in(None, "checkpoint", "the checkpoint is missing", None, "list"));
}

impl<'a> Log<'a> {
    /// The entries with their chain made again.
    fn chained(&self, mut entries: Vec<Value>) -> Vec<Value> {
        let mut hash = GENESIS;
        for (position, line) in (1..).zip(&mut entries) {
            line["listed"]["entry"]["position"] = json!(position);
            let entry = canonical_json(&line["listed"]["entry"]).expect("canonical JSON");
            hash = chain(hash, entry.as_bytes());
            line["listed"]["hash"] = json!(hex::encode(hash));
        }
        entries
    }

    /// The file with other entries, and with a checkpoint; by default the one that fits.
    fn replaced(&self, entries: Vec<Value>, checkpoint: Option<Value>) -> Change<'a> {
        let fits = || {
            let head = entries.last().expect("an entry")["listed"]["hash"].clone();
            let at = self.checkpoint["checkpoint"]["checkpoint"]["at"].clone();
            signed(&json!({"games": entries.len(), "head": head, "at": at}))
        };
        let checkpoint = checkpoint.unwrap_or_else(fits);
        let lines: Vec<String> = entries.iter().chain([&checkpoint]).map(text_of).collect();
        let mut change = self.base.change();
        change.lines(self.from, self.entries.len() + 1, &lines);
        change
    }
}
