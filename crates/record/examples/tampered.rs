//! Adds new cases to the corpus of sound and changed histories: `cargo run -p estimation-record --example tampered`.
//!
//! With arguments it first adds a sound history: `NAME SCENE RULESET [players=NUMBER] [OPTION=VALUE]…`, where the
//! scene is `lobby`, `absent`, `played`, `hinted`, `openings` or `withdrawn`.

#![allow(clippy::print_stdout, reason = "the program tells what it added")]

use std::path::Path;

use estimation_engine::ruleset::RulesetId;
use estimation_engine::ruleset::options::OptionValue;
use estimation_test_support::tampered::{self, NewHistory, Scene};

fn main() -> Result<(), String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tampered");
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let history = if arguments.is_empty() { None } else { Some(history(&arguments)?) };
    println!("new cases: {}", tampered::record(&folder, history.as_ref())?);
    Ok(())
}

fn history(arguments: &[String]) -> Result<NewHistory, String> {
    let [name, scene, ruleset, options @ ..] = arguments else {
        return Err("NAME SCENE RULESET [players=NUMBER] [OPTION=VALUE]…".to_owned());
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
