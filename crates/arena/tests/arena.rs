#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test that cannot go on should fail"
)]

use std::process::{Command, Output};

use serde_json::Value;

const RULESETS: [&str; 5] = ["nineteen", "squares", "kabooot", "plain", "double-risk"];

fn arena(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_arena")).args(arguments).output().unwrap()
}

fn report(arguments: &[&str]) -> Value {
    let output = arena(&[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn every_ruleset_is_played_and_every_win_has_a_player() {
    for ruleset in RULESETS {
        let report = report(&[
            "--ruleset",
            ruleset,
            "--players",
            "sharp,steady,steady,easy",
            "--games",
            "4",
            "--playouts",
            "12",
        ]);
        assert_eq!(report["ruleset"], ruleset);
        assert_eq!(report["games"], 4);
        let levels = report["levels"].as_array().unwrap();
        let names: Vec<&str> = levels.iter().map(|level| level["level"].as_str().unwrap()).collect();
        assert_eq!(names, ["sharp", "steady", "easy"]);
        let wins: f64 = levels
            .iter()
            .map(|level| level["games"].as_f64().unwrap() * level["wins"]["mean"].as_f64().unwrap())
            .sum();
        assert!((wins - 4.0).abs() < 1e-9, "{report}");
        for level in levels {
            let made = level["made"]["mean"].as_f64().unwrap();
            assert!((0.0..=1.0).contains(&made), "{report}");
        }
        assert_eq!(report["pairs"].as_array().unwrap().len(), 3);
    }
}

#[test]
fn nineteen_is_played_by_two_to_five() {
    for players in ["steady,easy", "steady,easy,easy", "steady,easy,steady,easy,easy"] {
        let seats = players.split(',').count() as u64;
        let report = report(&["--ruleset", "nineteen", "--players", players, "--games", "1"]);
        assert_eq!(report["games"], seats, "one deal with everybody in each place");
    }
}

#[test]
fn a_seed_is_repeated_on_any_number_of_threads() {
    let arguments = ["--ruleset", "plain", "--players", "steady,easy,steady,easy", "--games", "12"];
    let once = report(&[&arguments[..], &["--seed", "7"]].concat());
    let again = report(&[&arguments[..], &["--seed", "7", "--threads", "2"]].concat());
    let other = report(&[&arguments[..], &["--seed", "8"]].concat());
    assert_eq!(once["games"], again["games"]);
    let mean = |report: &Value| report["levels"][0]["points"]["mean"].as_f64().unwrap();
    assert!((mean(&once) - mean(&again)).abs() < 1e-9);
    assert!((mean(&once) - mean(&other)).abs() > 1e-9);
}

#[test]
fn options_change_the_game() {
    let report = report(&[
        "--ruleset",
        "squares",
        "--players",
        "easy,easy,easy,steady",
        "--games",
        "4",
        "--option",
        "length=micro",
        "--option",
        "minimum_bid=5",
    ]);
    assert_eq!(report["games"], 4);
}

#[test]
#[ignore = "all: needs many games to be certain"]
fn steady_beats_easy_beyond_doubt() {
    for ruleset in RULESETS {
        let report = report(&["--ruleset", ruleset, "--players", "steady,easy,steady,easy", "--games", "48"]);
        let ahead = &report["pairs"][0]["ahead"];
        let (mean, within) = (ahead["mean"].as_f64().unwrap(), ahead["within"].as_f64().unwrap());
        assert!(mean - within > 0.5, "{ruleset}: {ahead}");
    }
}

#[test]
#[ignore = "all: needs many games to be certain"]
fn steady_makes_more_calls_than_easy_beside_a_player_who_overbids() {
    for ruleset in RULESETS {
        let arguments = ["--ruleset", ruleset, "--players", "wild,steady,easy,easy", "--games", "160"];
        let report = report(&[&arguments[..], &["--seed", "10"]].concat());
        let made = |name: &str| {
            let mut levels = report["levels"].as_array().unwrap().iter();
            let made = &levels.find(|level| level["level"] == name).unwrap()["made"];
            (made["mean"].as_f64().unwrap(), made["within"].as_f64().unwrap())
        };
        let ((steady, off), (easy, easy_off)) = (made("steady"), made("easy"));
        assert!(made("wild").0 < 0.15, "{ruleset}: the wild player overbids: {report}");
        assert!(steady - off > easy + easy_off + 0.08, "{ruleset}: {steady} ± {off}, {easy} ± {easy_off}");
    }
}

#[test]
fn an_impossible_contest_is_refused() {
    for (arguments, why) in [
        (
            &["--ruleset", "plain", "--players", "steady,easy"][..],
            "plain seats 4 to 4 players, and 2 are given",
        ),
        (&["--players", "steady,easy,easy,clever"], "clever is neither easy, steady, sharp nor wild"),
        (&["--ruleset", "bridge"], "there is no ruleset \"bridge\""),
        (&["--option", "jokers=1"], "jokers"),
        (&["--playouts", "5", "--budget-ms", "5"], "cannot be used with"),
    ] {
        let output = arena(arguments);
        assert!(!output.status.success(), "{arguments:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(why), "{arguments:?}: {said}");
    }
}

#[test]
fn the_table_is_for_people() {
    let output = arena(&["--players", "sharp,easy,easy,easy", "--games", "8", "--budget-ms", "1"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.starts_with("double-risk, 8 games"), "{said}");
    assert!(said.contains("sharp ends ahead of easy in "), "{said}");
}
