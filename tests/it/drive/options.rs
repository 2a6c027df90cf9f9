//! Every ruleset, every pair of values of two options, every number of players: played to the end over HTTP. Each
//! listed command is accepted, a sample of the others refused, and the logs are verified.
//!
//! With `ESTIMATION_TEST_LONG=1` each option is paired with each length; otherwise most games have five rounds.

use serde_json::Value;
use tempfile::TempDir;

use super::refereed::refereed;
use super::{drive, report, service};
use crate::patience::is_long;

fn plays_every_option(ruleset: &str, games: u64, flags: &[&str]) -> Value {
    let data = TempDir::new().unwrap();
    let node = service(data.path());
    let mut all = vec!["--ruleset", ruleset, "--options", "--verify", "--sample-refusals", "--seed", "3"];
    all.extend(flags);
    let report = report(&drive(&node.url, &all).output().unwrap());
    assert_eq!(report["games"], games);
    assert!(report["refusals"].as_u64() > Some(100), "{report}");
    refereed(data.path(), games);
    report
}

/// The number of games depends on whether the lengths are paired too.
fn plays_every_option_and_length(ruleset: &str, of_five_rounds: u64, of_each_length: u64) {
    if is_long() {
        plays_every_option(ruleset, of_each_length, &[]);
    } else {
        plays_every_option(ruleset, of_five_rounds, &["--option", "length=micro"]);
    }
}

#[ignore = "all: drives load for many seconds"]
#[test]
fn nineteen_is_played_with_every_option_and_number_of_players() {
    let report = plays_every_option("nineteen", 12, &["--revoke-rate", "0.1"]);
    assert!(report["revokes"].as_u64() > Some(0), "{report}");
}

#[ignore = "all: drives load for many seconds"]
#[test]
fn squares_is_played_with_every_option() {
    plays_every_option_and_length("squares", 25, 25);
}

#[ignore = "all: drives load for many seconds"]
#[test]
fn kabooot_is_played_with_every_option() {
    plays_every_option_and_length("kabooot", 23, 23);
}

#[ignore = "all: drives load for many seconds"]
#[test]
fn plain_is_played_with_every_option() {
    plays_every_option_and_length("plain", 19, 21);
}

#[ignore = "all: drives load for many seconds"]
#[test]
fn double_risk_is_played_with_every_option() {
    plays_every_option_and_length("double-risk", 25, 23);
}

/// The options of fast rounds have no effect in a game without fast rounds.
#[ignore = "all: drives load for many seconds"]
#[test]
fn fast_rounds_are_played_with_and_without_their_options() {
    let data = TempDir::new().unwrap();
    let node = service(data.path());
    for (ruleset, options) in [
        ("squares", "fast_redeal=true"),
        ("squares", "fast_trump_change=false"),
        ("kabooot", "fast_redeal=true"),
        ("double-risk", "fast_redeal=true"),
    ] {
        let options = format!("length=mini,{options}");
        let flags =
            ["--ruleset", ruleset, "--option", &options, "--games", "1", "--verify", "--sample-refusals"];
        report(&drive(&node.url, &flags).output().unwrap());
    }
    refereed(data.path(), 4);
}
