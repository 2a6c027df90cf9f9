//! `estimation score`: the score sheet of a game played with real cards, as the program itself prints it.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::NamedTempFile;

/// Runs the program on a file.
fn run(ruleset: &str, more: &[&str], rounds: &Value) -> Output {
    let mut file = NamedTempFile::new().expect("a temporary file");
    write!(file, "{rounds}").expect("writing");
    let path = file.path().to_str().expect("a path").to_owned();
    let program = env!("CARGO_BIN_EXE_estimation");
    Command::new(program)
        .args(["score", "--ruleset", ruleset])
        .args(more)
        .arg(path)
        .output()
        .expect("it runs")
}

fn calls<const N: usize>(numbers: [u8; N], bidder: Option<usize>) -> Value {
    let kind = |seat| if bidder == Some(seat) { "bid" } else { "estimate" };
    numbers.iter().enumerate().map(|(seat, tricks)| json!({"kind": kind(seat), "tricks": tricks})).collect()
}

/// The first two worked examples of `plain`'s page.
fn plain() -> Value {
    json!([
        {"round": 1, "first_speaker": 0, "calls": calls([3, 6, 2, 2], Some(1)), "tricks": [3, 6, 2, 2]},
        {"round": 3, "first_speaker": 2, "calls": calls([4, 5, 3, 2], Some(1)), "tricks": [4, 6, 2, 1]},
    ])
}

fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn complaint(output: &Output) -> String {
    assert!(!output.status.success() && output.stdout.is_empty());
    String::from_utf8(output.stderr.clone()).expect("text")
}

#[test]
fn a_table_has_points_and_totals_of_every_seat() {
    let table = printed(&run("plain", &[], &plain()));
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows.len(), 3, "{table}");
    assert_eq!(rows[0][..3], ["round", "seat", "0"]);
    assert_eq!(rows[1], ["1", "+3", "3", "+6", "6", "+2", "2", "+2", "2", "1", "x1"]);
    assert_eq!(rows[2], ["3", "+4", "7", "-1", "5", "-1", "1", "-1", "1", "1", "x1"]);
    // Columns stand below each other.
    let widths: Vec<usize> = table.lines().map(|line| line.chars().count()).collect();
    assert!(widths.iter().all(|width| *width == widths[0]), "{table}");
}

#[test]
fn json_has_every_line_of_the_score() {
    let sheet: Value =
        serde_json::from_str(&printed(&run("plain", &["--format", "json"], &plain()))).expect("JSON");
    assert_eq!(sheet[1]["points"], json!([4, -1, -1, -1]));
    assert_eq!(sheet[1]["totals"], json!([7, 5, 1, 1]));
    assert_eq!(sheet[0]["bidder"], 1);
    assert_eq!(sheet[1]["lines"][1], json!([{"reason": "difference", "points": -1}]));
}

#[test]
fn the_carry_runs_on_from_a_void_round() {
    let rounds = json!({"options": {"carry_ladder": "double"}, "rounds": [
        {"round": 1, "first_speaker": 0, "folded": true},
        {"round": 2, "first_speaker": 1, "folded": true},
        {"round": 3, "first_speaker": 2, "calls": calls([4, 2, 5, 5], Some(2)), "tricks": [4, 1, 5, 3]},
    ]});
    let sheet: Value =
        serde_json::from_str(&printed(&run("squares", &["--format", "json"], &rounds))).expect("JSON");
    let multipliers: Vec<&Value> =
        sheet.as_array().expect("rounds").iter().map(|round| &round["multiplier"]).collect();
    assert_eq!(multipliers, [1, 2, 4]);
    assert_eq!(sheet[1]["next_carry"], 4);
    assert_eq!(sheet[2]["next_carry"], 1);
    let points = sheet[2]["points"].as_array().expect("points");
    assert!(points.iter().all(|points| points.as_i64().is_some_and(|points| points % 4 == 0)), "{points:?}");
}

#[test]
fn the_printed_example_is_scored() {
    let rounds = json!({"players": 4, "rounds": [
        {"round": 2, "dealer": 1, "calls": calls([0, 2, 0, 1], None), "tricks": [0, 2, 0, 0]},
        {"round": 5, "dealer": 0, "calls": calls([1, 3, 0, 2], None), "tricks": [2, 1, 0, 2]},
    ]});
    let sheet: Value =
        serde_json::from_str(&printed(&run("nineteen", &["--format", "json"], &rounds))).expect("JSON");
    assert_eq!(sheet[0]["points"], json!([0, 0, 0, 3]));
    assert_eq!(sheet[1]["points"], json!([7, 8, 0, 0]));
    assert_eq!(sheet[1]["totals"], json!([7, 8, 0, 3]));
}

#[test]
fn rounds_may_come_from_the_standard_input() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_estimation"))
        .args(["score", "--ruleset", "plain", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    write!(program.stdin.take().expect("an input"), "{}", plain()).expect("writing");
    let table = printed(&program.wait_with_output().expect("an output"));
    assert_eq!(table.lines().count(), 3);
}

#[test]
fn what_cannot_be_is_named_with_its_round() {
    let mut rounds = plain();
    rounds[1]["tricks"] = json!([4, 6, 2, 2]);
    let said = complaint(&run("plain", &[], &rounds));
    assert!(said.contains("round 3") && said.contains("14") && said.contains("13"), "{said}");
    let said = complaint(&run("whist", &[], &plain()));
    assert!(said.contains("ruleset"), "{said}");
    let said = complaint(&run("plain", &[], &json!({"options": {"jokers": 1}, "rounds": plain()})));
    assert!(said.contains("jokers"), "{said}");
    complaint(&run("plain", &[], &json!([{"round": 1, "colour": "red"}])));
    complaint(&run("plain", &[], &json!("rounds")));
    let nowhere = Command::new(env!("CARGO_BIN_EXE_estimation"))
        .args(["score", "--ruleset", "plain", "/nowhere/rounds.json"])
        .output()
        .expect("it runs");
    assert!(complaint(&nowhere).contains("/nowhere/rounds.json"));
}
