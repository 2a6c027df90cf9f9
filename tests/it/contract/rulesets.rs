//! Rulesets: complete, as published, and the limits of table options.

use std::collections::BTreeMap;

use estimation::engine::ruleset::options::{OptionValues, RulesetOption};
use estimation::engine::ruleset::{Ruleset, RulesetId};
use estimation::http::contract::{self, GamePage, RulesetPage};
use estimation_test_support::every_variant;
use serde_json::{Value, json};

use super::{GAME, HOST, Mirror, NOON};

#[test]
fn every_ruleset_is_of_the_contract_whole() {
    let mut mirror = Mirror::default();
    for rules in every_variant() {
        mirror.holds::<contract::Ruleset>(&serde_json::to_value(rules).unwrap());
    }
}

#[test]
fn the_published_rulesets_are_of_the_contract() {
    let items: Vec<Value> = RulesetId::ALL.into_iter().map(info).collect();
    Mirror::default().holds::<RulesetPage>(&json!({"items": items, "next_cursor": null}));
}

fn info(id: RulesetId) -> Value {
    let preset = Ruleset::preset(id);
    let (min, max) = Ruleset::players_range(id);
    let options: Vec<Value> = RulesetOption::of(id)
        .map(|option| {
            let kind = match option.values {
                OptionValues::Flag => "boolean",
                OptionValues::Number { .. } => "integer",
                OptionValues::Names(_) => "string",
            };
            json!({
                "name": option.name, "title": "Title", "type": kind, "values": option.values.all(),
                "default": option.value(&preset), "description": "Description.",
            })
        })
        .collect();
    json!({
        "id": id, "version": preset.version, "title": "Title",
        "description": "Description.", "players": {"min": min, "max": max},
        "direction": preset.direction, "rounds": preset.rounds(), "options": options,
    })
}

#[test]
fn a_page_of_games_is_of_the_contract() {
    let items: Vec<Value> = RulesetId::ALL
        .into_iter()
        .map(|id| {
            let rules = Ruleset::agreed(id, None, &BTreeMap::new()).unwrap();
            json!({
                "id": GAME, "status": "lobby",
                "ruleset": {"id": id, "version": 1, "title": "Title", "options": rules.options()},
                "host": {"id": HOST, "name": "Umm"}, "visibility": "private", "players": rules.players,
                "taken": 1, "created_at": NOON, "updated_at": NOON,
            })
        })
        .collect();
    Mirror::default().holds::<GamePage>(&json!({"items": items, "next_cursor": "eyJpZCI6MX0"}));
}
