//! Adds to the corpus of sound and changed histories: `cargo run -p estimation-record --example tampered -- …`.
//!
//! - `NAME SCENE RULESET [players=NUMBER] [OPTION=VALUE]…` adds a sound history and its cases; the scene is `lobby`,
//!   `absent`, `played`, `hinted`, `openings` or `withdrawn`.
//! - `replace FILE EVENT POINTER VALUE`, `remove FILE EVENT` and `repeat FILE EVENT` add a case of a stored history.
//! - `line FILE JSON` adds a line to a file about the public log.

#![allow(clippy::print_stdout, reason = "the program tells what it added")]

use std::path::Path;

use estimation_engine::ruleset::RulesetId;
use estimation_engine::ruleset::options::OptionValue;
use estimation_test_support::tampered::{self, Addition, Edit, NewHistory, Scene};

fn main() -> Result<(), String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tampered");
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    println!("new cases: {}", tampered::record(&folder, &addition(&arguments)?)?);
    Ok(())
}

fn addition(arguments: &[String]) -> Result<Addition, String> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (history, seq, edit) = match words[..] {
        ["replace", history, seq, path, value] => {
            let value = serde_json::from_str(value).map_err(|error| format!("{value}: {error}"))?;
            (history, seq, Edit::Replace { path: path.to_owned(), value })
        }
        ["remove", history, seq] => (history, seq, Edit::Remove),
        ["repeat", history, seq] => (history, seq, Edit::Repeat),
        ["line", file, line] => {
            let line = serde_json::from_str(line).map_err(|error| format!("{line}: {error}"))?;
            return Ok(Addition::Line { file: file.to_owned(), line });
        }
        _ => return history(arguments).map(Addition::History),
    };
    let seq = seq.parse().map_err(|_| format!("{seq} is no number"))?;
    Ok(Addition::Case { history: history.to_owned(), seq, edit })
}

fn history(arguments: &[String]) -> Result<NewHistory, String> {
    let [name, scene, ruleset, options @ ..] = arguments else {
        return Err("NAME SCENE RULESET [players=NUMBER] [OPTION=VALUE]…, or replace, remove, repeat, line"
            .to_owned());
    };
    let scene = match scene.as_str() {
        "lobby" => Scene::Lobby,
        "absent" => Scene::Absent,
        "played" => Scene::Played,
        "hinted" => Scene::Hinted,
        "openings" => Scene::Openings,
        "withdrawn" => Scene::Withdrawn,
        other => return Err(format!("{other} is no scene")),
    };
    let ruleset = ruleset.parse::<RulesetId>().map_err(|_| format!("{ruleset} is no ruleset"))?;
    let mut history =
        NewHistory { name: name.clone(), scene, ruleset, players: None, options: Default::default() };
    for option in options {
        let (name, value) = option.split_once('=').ok_or_else(|| format!("{option} has no value"))?;
        if name == "players" {
            history.players = Some(value.parse().map_err(|_| format!("{value} is no number"))?);
            continue;
        }
        let value = match (value.parse(), value.parse()) {
            (Ok(flag), _) => OptionValue::Flag(flag),
            (_, Ok(number)) => OptionValue::Number(number),
            _ => OptionValue::Name(value.to_owned()),
        };
        history.options.insert(name.to_owned(), value);
    }
    Ok(history)
}
