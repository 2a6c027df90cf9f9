//! `estimation score`: the printed score sheet of a game played with real cards.

use std::io::Write;
use std::process::{Output, Stdio};

use tempfile::NamedTempFile;

use crate::documents::{fences, root};
use crate::harness::node;
use crate::prelude::*;

fn run(ruleset: &str, more: &[&str], rounds: &Value) -> Output {
    let mut file = NamedTempFile::new().expect("a temporary file");
    write!(file, "{rounds}").expect("writing");
    let path = file.path().to_str().expect("a path").to_owned();
    node::run(&[&["score", "--ruleset", ruleset], more, &[&path]].concat())
}

fn calls<const N: usize>(numbers: [u8; N], bidder: Option<usize>) -> Value {
    let kind = |seat| if bidder == Some(seat) { "bid" } else { "estimate" };
    numbers
        .iter()
        .enumerate()
        .map(|(seat, tricks)| json!({"seat": seat, "kind": kind(seat), "tricks": tricks}))
        .collect()
}

fn plain() -> Value {
    json!([
        {"round": 1, "calls": calls([3, 6, 2, 2], Some(1)), "tricks": [3, 6, 2, 2]},
        {"round": 2, "calls": calls([4, 5, 3, 2], Some(1)), "tricks": [4, 6, 2, 1]},
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
    assert_eq!(rows[2], ["2", "+4", "7", "-1", "5", "-1", "1", "-1", "1", "1", "x1"]);
    let widths: Vec<usize> = table.lines().map(|line| line.chars().count()).collect();
    assert!(widths.iter().all(|width| *width == widths[0]), "{table}");
}

#[test]
fn a_deal_that_does_not_move_is_a_warning() {
    let round = |number: u8, first: u8| json!({"round": number, "carry": 1, "first_speaker": first, "calls": calls([4, 3, 2, 1], None), "tricks": [4, 3, 2, 4]});
    let warned = |starters: [u8; 3]| {
        let rounds: Vec<Value> = (14..).zip(starters).map(|(number, first)| round(number, first)).collect();
        let output = run("kabooot", &[], &json!(rounds));
        assert!(printed(&output).lines().count() == 4);
        String::from_utf8(output.stderr).expect("text")
    };
    assert_eq!(warned([1, 2, 3]), "");
    assert_eq!(
        warned([1, 1, 2]),
        "warning: round 15: seat 0 dealt and seat 1 spoke first; by the rules seat 1 deals\n"
    );
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
        {"round": 2, "calls": calls([0, 2, 0, 1], None), "tricks": [0, 2, 0, 0]},
        {"round": 3, "dealer": 2, "calls": calls([1, 3, 0, 1], None), "tricks": [2, 0, 0, 1]},
    ]});
    let sheet: Value =
        serde_json::from_str(&printed(&run("nineteen", &["--format", "json"], &rounds))).expect("JSON");
    assert_eq!(sheet[0]["points"], json!([0, 0, 0, 3]));
    assert_eq!(sheet[1]["points"], json!([5, 6, 0, 0]));
    assert_eq!(sheet[1]["totals"], json!([5, 6, 0, 3]));
}

#[test]
fn rounds_may_come_from_the_standard_input() {
    let mut program = node::estimation(&["score", "--ruleset", "plain", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    write!(program.stdin.take().expect("an input"), "{}", plain()).expect("writing");
    let table = printed(&program.wait_with_output().expect("an output"));
    assert_eq!(table.lines().count(), 3);
}

fn faults(ruleset: &str, rounds: &Value) -> Vec<String> {
    let said = complaint(&run(ruleset, &[], rounds));
    assert!(!said.contains("untagged") && !said.contains("panicked"), "{said}");
    said.lines().filter(|line| line.starts_with("  ")).map(|line| line.trim().to_owned()).collect()
}

#[track_caller]
fn tells(ruleset: &str, rounds: &Value, expected: &[&str]) {
    let faults = faults(ruleset, rounds);
    let agree = faults.iter().zip(expected).all(|(fault, expected)| fault.starts_with(expected));
    assert!(agree && faults.len() == expected.len(), "{faults:#?}\nare not\n{expected:#?}");
}

#[test]
fn an_impossible_round_is_reported_with_its_number() {
    let mut rounds = plain();
    rounds[1]["tricks"] = json!([4, 6, 2, 2]);
    tells("plain", &rounds, &["round 2, `/tricks`: The tricks add up to 14, not 13."]);
    tells("plain", &json!({"options": {"jokers": 1}, "rounds": plain()}), &["`/options/jokers` "]);
    let allowed = faults("plain", &json!({"options": {"dash_limit": 9, "first_lead": "me"}, "rounds": []}));
    assert!(allowed[0].contains("from 2 to 3"), "{allowed:?}");
    assert!(allowed[1].contains("`dealers_right`") && allowed[1].contains("`declarer`"), "{allowed:?}");
    tells("plain", &json!([{"round": 1, "colour": "red", "tricks": ["x"]}]), &["`/0/colour` "]);
    tells("plain", &json!([{"round": 1}, 3]), &["`/1` "]);
    tells("plain", &json!({"rounds": [{"round": "one"}]}), &["`/rounds/0/round` "]);
    tells("plain", &json!("rounds"), &["The file must hold a list of rounds"]);
    tells("plain", &json!({"rounds": 3, "colour": 1}), &["`/colour` "]);
    tells("plain", &json!({}), &["`/rounds` "]);
    for rounds in [plain(), json!([])] {
        let said = complaint(&run("whist", &[], &rounds));
        assert!(said.contains("whist") && said.contains("ruleset") && said.contains("double-risk"), "{said}");
    }
    let nowhere = node::run(&["score", "--ruleset", "plain", "/nowhere/rounds.json"]);
    assert!(complaint(&nowhere).contains("/nowhere/rounds.json"));
}

#[test]
fn the_sheet_of_the_rule_book_is_scored() {
    let page = fs::read_to_string(root().join("docs/rules/README.md")).expect("the page");
    let fence = fences(&page).into_iter().find(|fence| fence.info == "json").expect("a sheet");
    let rounds: Value = serde_json::from_str(&fence.lines.join("\n")).expect("JSON");
    let sheet: Value =
        serde_json::from_str(&printed(&run("nineteen", &["--format", "json"], &rounds))).expect("JSON");
    assert_eq!(sheet[1]["totals"], json!([0, 0, 5, 4]));
}

#[test]
fn a_file_that_is_not_json_is_reported_with_its_line() {
    let mut file = NamedTempFile::new().expect("a temporary file");
    write!(file, "[\n{{\"round\": 1,}}]").expect("writing");
    let path = file.path().to_str().expect("a path");
    let output = node::run(&["score", "--ruleset", "plain", path]);
    let said = complaint(&output);
    assert!(said.contains(path) && said.contains("line 2"), "{said}");
}

#[test]
fn the_rounds_of_a_sheet_follow_one_another() {
    let round = |number: u8| json!({"round": number, "folded": true});
    let with = |number: u8, field: &str, value: Value| {
        let mut round = round(number);
        round[field] = value;
        round
    };
    tells("squares", &json!([round(1), round(5)]), &["round 5: `/round` "]);
    tells("squares", &json!([round(2), round(2)]), &["round 2: `/round` "]);
    tells("squares", &json!([round(3), round(2)]), &["round 2: `/round` "]);
    tells("squares", &json!([round(1), with(2, "carry", json!(1))]), &["round 2: `/carry` "]);
    tells(
        "squares",
        &json!([round(1), with(2, "options", json!({"minimum_bid": 5})), round(3)]),
        &["round 2: `/options` "],
    );
    tells(
        "squares",
        &json!([round(1), with(3, "tricks", json!([1, 0, 0, 0])), with(4, "carry", json!(9))]),
        &["round 3: `/round` ", "round 3, `/tricks`: ", "round 4, `/carry`: "],
    );
    // A sheet may begin in the middle of a game, with the carry that is left.
    let rounds = json!([with(5, "carry", json!(3)), with(6, "carry", json!(4)), round(7)]);
    let sheet: Value =
        serde_json::from_str(&printed(&run("squares", &["--format", "json"], &rounds))).expect("JSON");
    assert_eq!(sheet[2]["multiplier"], 5);
}

#[test]
fn a_sheet_has_one_number_of_players() {
    let round = |number: u8, players: usize| {
        let mut numbers = vec![0; players];
        numbers[0] = 1;
        let calls: Vec<Value> =
            (0..players).map(|seat| json!({"seat": seat, "kind": "estimate", "tricks": 0})).collect();
        json!({"round": number, "calls": calls, "tricks": numbers})
    };
    let three = |mut round: Value| {
        round["players"] = json!(3);
        round
    };
    tells("nineteen", &json!([round(1, 3)]), &["round 1: `/players` "]);
    tells(
        "nineteen",
        &json!({"players": 3, "rounds": [round(1, 3), round(19, 4)]}),
        &["round 19: `/round` ", "round 19, `/calls/3/seat`: ", "round 19, `/tricks`: "],
    );
    let mut four = round(2, 4);
    (four["players"], four["tricks"]) = (json!(4), json!([2, 0, 0, 0]));
    tells("nineteen", &json!([three(round(1, 3)), four]), &["round 2: `/players` "]);
    let mut twice = round(2, 3);
    twice["tricks"] = json!([2, 0, 0]);
    printed(&run("nineteen", &[], &json!([three(round(1, 3)), twice])));
}

/// `nineteen` R10: the charge is twice the hand size, separate from the points of the replay.
#[test]
fn a_revoke_is_charged_beside_the_points_of_the_replay() {
    let turn =
        json!({"round": 4, "calls": calls([1, 1, 1, 0], None), "tricks": [1, 1, 1, 1], "revokes": [2]});
    let rounds = json!({"players": 4, "options": {"revokes": "penalise"}, "rounds": [turn]});
    let sheet: Value =
        serde_json::from_str(&printed(&run("nineteen", &["--format", "json"], &rounds))).expect("JSON");
    assert_eq!(sheet[0]["points"], json!([0, 0, 0, 5]));
    assert_eq!(sheet[0]["penalties"], json!([{"attempt": 1, "seat": 2, "points": 8}]));
    assert_eq!(sheet[0]["totals"], json!([0, 0, 8, 5]));
    let table = printed(&run("nineteen", &[], &rounds));
    let revoke = table.lines().find(|line| line.contains("revoke")).expect("a line of the revoke");
    assert!(revoke.contains("+8"), "{table}");
    tells("nineteen", &json!({"players": 4, "rounds": rounds["rounds"]}), &["round 4, `/revokes`: "]);
}
