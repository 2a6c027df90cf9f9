//! Stored histories: recorded games replay to the same end, under the rules in their first event.
//!
//! `tests/fixtures/histories/v<version>/<ruleset>.ndjson` holds whole games, one event a line. From 0.1.0 on,
//! stored files never change: `RECORD_HISTORIES=1 cargo test -p estimation-engine --test rules -- histories` adds the
//! files of a new version only.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use estimation_engine::decide::decide;
use estimation_engine::game::Ending;
use estimation_engine::ruleset::options::{OptionValue, RulesetOption};
use estimation_engine::table::{decide_table, open};
use estimation_test_support::random_variant;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::recorded::{RecordedChance, table_command};
use crate::prelude::*;

#[derive(Serialize, Deserialize)]
struct Line<'a> {
    actor: Actor,
    #[serde(borrow)]
    event: &'a RawValue,
}

struct Stored {
    actor: Actor,
    text: String,
    event: Event,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/histories")
}

fn games(path: &Path) -> Vec<Vec<Stored>> {
    let file = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut games: Vec<Vec<Stored>> = Vec::new();
    for line in file.lines() {
        let Line { actor, event: text } = serde_json::from_str(line).unwrap();
        let event: Event = serde_json::from_str(text.get()).unwrap();
        if matches!(event, Event::GameCreated(_)) {
            games.push(Vec::new());
        }
        games.last_mut().unwrap().push(Stored { actor, text: text.get().to_owned(), event });
    }
    games
}

fn stored() -> Vec<PathBuf> {
    let within = |folder: &Path| {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    };
    within(&folder()).iter().flat_map(|version| within(version)).collect()
}

#[test]
fn stored_events_read_back_and_replay_to_the_same_end() {
    for path in stored() {
        for game in games(&path) {
            for Stored { text, event, .. } in &game {
                assert_eq!(serde_json::to_string(event).unwrap(), *text, "{}", path.display());
            }
            let replayed = Game::replay(game.iter().map(|stored| &stored.event)).unwrap();
            let Some(Event::GameFinished(finished)) = game.last().map(|stored| &stored.event) else {
                panic!("{} holds an unfinished game", path.display());
            };
            let Stage::Over(Ending::Finished { standings, .. }) = &replayed.stage else {
                panic!("{} does not end", path.display());
            };
            assert_eq!(*standings, finished.standings);
            let mut totals = standings.map(|_, _| 0);
            replayed.sheet.fouls.iter().for_each(|foul| totals[foul.seat] += foul.points);
            for (_, score) in replayed.scores() {
                score.points.iter().for_each(|(seat, points)| totals[seat] += points);
            }
            assert_eq!(totals, standings.map(|_, standing| standing.total), "{}", path.display());
        }
    }
}

#[test]
fn the_commands_of_stored_games_decide_to_the_same_events() {
    for path in stored() {
        for game in games(&path) {
            assert_eq!(redecided(&game), None, "{}", path.display());
        }
    }
}

#[test]
fn there_are_histories_of_every_ruleset_in_its_present_version() {
    for id in RulesetId::ALL {
        let path = folder().join(format!("v{}/{id}.ndjson", Ruleset::preset(id).version));
        if std::env::var_os("RECORD_HISTORIES").is_some() && !path.exists() {
            record(&path, mixtures(id));
        }
        for game in games(&path) {
            let Event::GameCreated(created) = &game[0].event else { panic!("a game begins otherwise") };
            assert_eq!((created.ruleset.id, created.ruleset.version), (id, Ruleset::preset(id).version));
        }
    }
}

/// Decides every command of a game again, with the recorded cards. Returns the first event that differs.
fn redecided(game: &[Stored]) -> Option<String> {
    let Event::GameCreated(created) = &game[0].event else { panic!("a game begins otherwise") };
    let mut chance = RecordedChance::of(&created.ruleset, game.iter().map(|stored| &stored.event));
    let mut state = Game::open(created);
    let mut decided = open((**created).clone()).events;
    let mut due = 0;
    while due < game.len() {
        for event in decided {
            let text = serde_json::to_string(&event).unwrap();
            if game.get(due).is_none_or(|stored| stored.text != text && due > 0) {
                return Some(text);
            }
            if due > 0 {
                evolve(&mut state, &event);
            }
            due += 1;
        }
        let Some(Stored { actor, event, text }) = game.get(due) else { break };
        let outcome = match (table_command(event), event.command()) {
            (Some((account, command)), _) => {
                decide_table(&state, &account, &command, &mut chance).map(|decided| decided.events)
            }
            (None, Some(command)) => decide(&state, *actor, &command, &mut chance),
            (None, None) => return Some(text.clone()),
        };
        match outcome {
            Ok(events) => decided = events,
            Err(_) => return Some(text.clone()),
        }
    }
    None
}

/// The default table of a ruleset, and two short ones with mixed options.
fn mixtures(id: RulesetId) -> Vec<Ruleset> {
    let mut random = Random(id as u64);
    let mut tables = vec![Ruleset::preset(id)];
    for length in ["mini", "micro"] {
        let mixed =
            std::iter::repeat_with(|| random_variant(&mut random)).find(|rules| rules.id == id).unwrap();
        let mut options: BTreeMap<String, OptionValue> =
            mixed.options().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        if RulesetOption::of(id).any(|option| option.name == "length") {
            options.insert("length".to_owned(), OptionValue::Name(length.to_owned()));
        }
        tables.push(Ruleset::agreed(id, Some(mixed.players), &options).unwrap());
    }
    tables
}

/// Stores a random game of each table.
fn record(path: &Path, tables: Vec<Ruleset>) {
    let mut file = String::new();
    for rules in tables {
        for (actor, event) in Table::played(rules, 0).record {
            let text = serde_json::to_string(&event).unwrap();
            let event = serde_json::from_str(&text).unwrap();
            file += &serde_json::to_string(&Line { actor, event }).unwrap();
            file.push('\n');
        }
    }
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, file).unwrap();
}
