//! Every ruleset, every pair of values of two options, every number of players: played to the end over HTTP. Each
//! listed command is accepted, a sample of the others refused, and the logs are verified.
//!
//! With `ESTIMATION_TEST_LONG=1` each option is paired with each length; otherwise most games have five rounds.

use estimation_engine::ruleset::RulesetId;

use super::pairs::pairs;
use super::refereed::refereed;
use super::{drive, report, service};
use crate::patience::is_long;
use crate::prelude::*;

fn plays_every_option(ruleset: RulesetId, length: Option<&str>, games: u64) -> Value {
    let data = TempDir::new().unwrap();
    let node = service(data.path());
    let mut flags: Vec<String> = ["--verify", "--sample-refusals", "--seed", "3"].map(str::to_owned).into();
    flags.extend(
        pairs(ruleset, length).into_iter().flat_map(|table| ["--table".to_owned(), table.to_string()]),
    );
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let report = report(&drive(&node.url, &flags).output().unwrap());
    assert_eq!(report["games"], games);
    assert!(report["refusals"].as_u64() > Some(100), "{report}");
    refereed(data.path(), games);
    report
}

/// The number of games depends on whether the lengths are paired too.
fn plays_every_option_and_length(ruleset: RulesetId, of_five_rounds: u64, of_each_length: u64) {
    if is_long() {
        plays_every_option(ruleset, None, of_each_length);
    } else {
        plays_every_option(ruleset, Some("micro"), of_five_rounds);
    }
}

#[ignore = "all: drives load for many seconds"]
#[test]
fn nineteen_is_played_with_every_option_and_number_of_players() {
    let report = plays_every_option(RulesetId::Nineteen, None, 12);
    assert!(report["revokes"].as_u64() > Some(0), "{report}");
}

#[ignore = "all: drives load for many seconds"]
#[test]
fn squares_is_played_with_every_option() {
    plays_every_option_and_length(RulesetId::Squares, 25, 25);
}

#[ignore = "all: drives load for many seconds"]
#[test]
fn kabooot_is_played_with_every_option() {
    plays_every_option_and_length(RulesetId::Kabooot, 23, 23);
}

#[ignore = "all: drives load for many seconds"]
#[test]
fn plain_is_played_with_every_option() {
    plays_every_option_and_length(RulesetId::Plain, 19, 21);
}

#[ignore = "all: drives load for many seconds"]
#[test]
fn double_risk_is_played_with_every_option() {
    plays_every_option_and_length(RulesetId::DoubleRisk, 25, 23);
}

/// The options of fast rounds have no effect in a game without fast rounds.
#[ignore = "all: drives load for many seconds"]
#[test]
fn fast_rounds_are_played_with_and_without_their_options() {
    let data = TempDir::new().unwrap();
    let node = service(data.path());
    for (ruleset, option, value) in [
        ("squares", "fast_redeal", true),
        ("squares", "fast_trump_change", false),
        ("kabooot", "fast_redeal", true),
        ("double-risk", "fast_redeal", true),
    ] {
        let table = json!({"ruleset": ruleset, "options": {"length": "mini", option: value}}).to_string();
        let flags = ["--table", &table, "--verify", "--sample-refusals"];
        report(&drive(&node.url, &flags).output().unwrap());
    }
    refereed(data.path(), 4);
}
