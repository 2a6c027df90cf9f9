//! The second verifier, in Python, agrees with the first: on what is sound, and on what was changed where.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use estimation::engine::chance::Hex;
use estimation::engine::ruleset::{Length, Ruleset, RulesetId};
use estimation_record::verify::{Report, Status};
use serde_json::{Value, json};

use super::audited_text;
use super::made::{self, Dice, Made, keys};
use crate::documents::root;

/// What both say: whether all is well, and what is wrong where.
type Said = BTreeSet<(Option<String>, Option<u64>, String)>;

fn said(report: &Value) -> Said {
    let findings = report["findings"].as_array().unwrap();
    let one = |finding: &Value| {
        let game = finding["game"].as_str().map(str::to_owned);
        (game, finding["seq"].as_u64(), finding["rule"].as_str().unwrap().to_owned())
    };
    findings.iter().map(one).collect()
}

/// The Python that has the package for Ed25519: `./test.sh` makes one.
fn python() -> String {
    std::env::var("ESTIMATION_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned())
}

fn second(name: &str, text: &str) -> Value {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("second");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join(name);
    fs::write(&file, text).unwrap();
    let mut command = Command::new(python());
    command.arg(root().join("tests/verifier/verify.py"));
    for key in keys().record_keys().iter() {
        command.args(["--key", &hex::encode(key.verifying_key().as_bytes())]);
    }
    let output = command.arg(&file).output().expect("python3");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let report: Value = serde_json::from_str(&printed).unwrap_or_else(|error| {
        panic!("{name}: {error}\n{printed}\n{}", String::from_utf8_lossy(&output.stderr))
    });
    assert_eq!(output.status.success(), report["wrong"] == 0, "{name}");
    report
}

fn agree(name: &str, text: &str) -> Report {
    let first = audited_text(text);
    let report = second(name, text);
    assert_eq!(said(&serde_json::to_value(&first).unwrap()), said(&report), "{name}\n{first:#?}\n{report:#}");
    first
}

#[test]
fn both_pass_what_is_sound() {
    let mut dice = Dice(88);
    let mut games: Vec<Made> =
        (1..).zip(RulesetId::ALL).map(|(number, id)| made::play(Ruleset::preset(id), number)).collect();
    for number in 0..20 {
        let id = RulesetId::ALL[number % RulesetId::ALL.len()];
        games.push(made::play(made::variant(id, &mut dice), 200 + number as u64));
    }
    games.push(made::cancelled(Ruleset::preset(RulesetId::Plain), 300));
    let mut text: String = games.iter().map(Made::lines).collect();
    text += &made::lines(&made::list(&games));
    let report = agree("sound.ndjson", &text);
    assert_eq!((report.wrong, report.games), (0, games.len() as u64));
    assert_eq!(agree("sound.json", &games[0].json()).wrong, 0);
}

#[test]
fn both_give_a_field_that_an_old_history_lacks_its_preset() {
    let mut text = String::new();
    for (number, id) in RulesetId::ALL.into_iter().enumerate() {
        let mut made = made::play(Ruleset::preset(id), 400 + number as u64);
        made.edit(0, |body| {
            let fields = body["event"]["ruleset"].as_object_mut().unwrap();
            let names: Vec<String> = fields.keys().cloned().collect();
            // Each game lacks a fifth of the fields, and all games together lack every field once.
            for name in names.iter().skip(number).step_by(RulesetId::ALL.len()) {
                if !["id", "version", "players"].contains(&name.as_str()) {
                    fields.remove(name);
                }
            }
        });
        made.rehash();
        made.sign();
        text += &made.lines();
    }
    let report = agree("lacking.ndjson", &text);
    assert_eq!((report.wrong, report.games), (0, RulesetId::ALL.len() as u64));

    // The value is the preset's, not the one by which the game was played.
    let micro = Ruleset { length: Length::Micro, ..Ruleset::preset(RulesetId::Squares) };
    let mut made = made::play(micro, 405);
    made.edit(0, |body| drop(body["event"]["ruleset"].as_object_mut().unwrap().remove("length")));
    made.rehash();
    made.sign();
    assert!(agree("lacking-length.ndjson", &made.lines()).wrong > 0);
}

#[test]
fn both_find_the_same_where_something_was_changed() {
    let mut dice = Dice(99);
    for (number, id) in (500..).zip(RulesetId::ALL) {
        let rules = made::variant(id, &mut dice);
        let sound = made::play(rules, number);
        for way in 0..14 {
            let mut made = sound.clone();
            let index = dice.below(made.events.len() - 2) + 1;
            tamper(&mut made, way, index);
            let report = agree(&format!("{id}-{way}.ndjson"), &made.lines());
            assert!(report.wrong > 0, "{id}, way {way} at {index}");
        }
    }
}

fn tamper(made: &mut Made, way: usize, index: usize) {
    let last = made.events.len() - 1;
    let scored = made.find("round_scored", index).or(made.find("round_scored", 0)).unwrap();
    let dealt = made.find("round_dealt", index).or(made.find("round_dealt", 0)).unwrap();
    match way {
        0 => {
            let body = made.events[index].body.replace("\"seq\":", "\"seq\": ");
            made.events[index].body = body;
        }
        1 => drop(made.events.remove(index)),
        2 => made.events.swap(index, index + 1),
        3 => {
            let line = made.events[index].clone();
            made.events.insert(index, line);
        }
        4 => made.events.truncate(index),
        5 => {
            made.edit(dealt, |body| {
                let hands = body["event"]["hands"].as_array_mut().unwrap();
                hands.swap(0, 1);
            });
            made.rehash();
        }
        6 => {
            made.edit(last, |body| body["event"]["server_seed"] = json!("ab".repeat(32)));
            made.rehash();
        }
        7 => {
            made.edit(scored, |body| {
                let total = body["event"]["totals"][1].as_i64().unwrap();
                body["event"]["totals"][1] = json!(total + 1);
            });
            made.rehash();
            made.sign();
        }
        8 => {
            let signature = made.end.signature.as_mut().unwrap();
            signature.value = Hex([7; 64]);
        }
        9 => made.header.game = uuid::Uuid::nil(),
        10 => made.end.signature = None,
        11 => {
            made.events.truncate(index);
            made.header.status = Status::Running;
            made.end.standings = None;
            made.rehash();
        }
        12 => {
            let played = made.find("card_played", index).or(made.find("card_played", 0)).unwrap();
            made.edit(played, |body| body["event"]["card"] = json!("RJ"));
            made.rehash();
            made.sign();
        }
        _ => {
            made.edit(dealt, |body| body["at"] = json!("2025-01-01T00:00:00.000Z"));
            made.rehash();
            made.sign();
        }
    }
}
