//! Values in the forms that the page on auditing allows, and in forms that it does not: both verifiers accept and
//! refuse the same. The corpus has the texts that are not canonical JSON.

use estimation_engine::ruleset::{Ruleset, RulesetId};
use estimation_test_support::made::{self, Made, audited_text, key_hex};
use estimation_test_support::second::{audited_again, findings};
use serde_json::{Value, json};

/// What was changed, the history, and where the change is found; none if the value is allowed.
type Case = (String, String, Option<(Option<u64>, &'static str)>);

fn table() -> Made {
    made::cancelled(Ruleset::preset(RulesetId::Squares), 7)
}

/// The history with a changed value in its first event, signed after the change.
fn opened(what: &str, pointer: &str, value: Value, found: Option<&'static str>) -> Case {
    edited(format!("{what}: {value}"), |body| *body.pointer_mut(pointer).unwrap() = value.clone(), found)
}

fn edited(what: String, change: impl FnOnce(&mut Value), found: Option<&'static str>) -> Case {
    let mut made = table();
    made.edit(0, change);
    made.rehash();
    made.sign();
    (what, made.lines(), found.map(|rule| (Some(1), rule)))
}

/// The history whose file has a changed text.
fn refiled(from: &str, to: &str, seq: Option<u64>) -> Case {
    let text = table().lines();
    let changed = text.replacen(from, to, 1);
    assert_ne!(text, changed, "{from}");
    (format!("{from} became {to}"), changed, Some((seq, "form")))
}

/// A history with a client seed that was opened.
fn with_seed(seed: &str) -> Made {
    made::opened(Ruleset::preset(RulesetId::Squares), 8, seed)
}

fn upper(text: &str) -> String {
    text.to_uppercase()
}

fn cases() -> Vec<Case> {
    let made = table();
    let signature = made.end.signature.as_ref().unwrap().value.to_string();
    let (head, hash) = (made.end.head.to_string(), made.events[0].hash.clone());
    let game = made.header.game.to_string();
    let body: Value = serde_json::from_str(&made.events[0].body).unwrap();
    let text = |pointer: &str| body.pointer(pointer).unwrap().as_str().unwrap().to_owned();
    let (host, at, commitment) = (text("/event/host"), text("/at"), text("/event/commitment"));
    let mut cases = Vec::new();

    let turn = "/event/turn_seconds";
    for seconds in [Value::Null, json!(10), json!(604_800)] {
        cases.push(opened("turn_seconds", turn, seconds, None));
    }
    for seconds in
        [json!(0), json!(9), json!(604_801), json!(u32::MAX), json!(1_u64 << 40), json!(-10), json!("60")]
    {
        cases.push(opened("turn_seconds", turn, seconds, Some("form")));
    }
    let host_place = "/event/host";
    for id in
        ["", "player-1", &upper(&host), &host.replace('-', ""), &format!("{{{host}}}"), &format!("{host} ")]
    {
        cases.push(opened("an account", host_place, json!(id), Some("form")));
    }
    cases.push(opened("an account", host_place, json!(7), Some("form")));
    cases.push(opened("an account", host_place, Value::Null, Some("form")));

    let day = |year: &str| format!("{year}-01-01T00:00:00.000Z");
    for year in ["0000", "9999", "10000", "-001", "+2026", "99", "２０２６", "٢٠٢٦"] {
        cases.push(opened("a time", "/at", json!(day(year)), Some("form")));
    }
    for time in [
        "9998-12-31T23:59:59.999Z".replace("9998", "9999"),
        at.replace(".000Z", ".٠٠٠Z"),
        at.replace(".000Z", "Z"),
        at.replace(".000Z", ".000z"),
        at.replace(".000Z", ".000+00:00"),
        at.replace('T', "t"),
        at.replace('T', " "),
        at.replacen("-01", "-13", 1),
        "2026-02-29T00:00:00.000Z".to_owned(),
        "2026-01-01T24:00:00.000Z".to_owned(),
        "2026-01-01T00:00:60.000Z".to_owned(),
        format!("{at}\n"),
    ] {
        cases.push(opened("a time", "/at", json!(time), Some("form")));
    }
    cases.push(opened("a time", "/at", json!("0001-01-01T00:00:00.000Z"), None));

    for commitment in
        [upper(&commitment), commitment.replace(&commitment[..1], "٠"), format!("{commitment}\n")]
    {
        cases.push(opened("a hash", "/event/commitment", json!(commitment), Some("form")));
    }
    for length in [32, 33, 64] {
        let seed = "a".repeat(length);
        cases.push((format!("a client seed: {seed}"), with_seed(&seed).lines(), None));
    }
    for seed in
        ["A".repeat(32), "a".repeat(31), "a".repeat(65), "٠".repeat(32), format!("{}\n", "a".repeat(32))]
    {
        let mut made = with_seed(&"a".repeat(32));
        let index = made.find("seed_opened", 0).unwrap();
        made.edit(index, |body| body["event"]["client_seed"] = json!(seed));
        made.rehash();
        made.sign();
        let found = Some((Some(index as u64 + 1), "form"));
        cases.push((format!("a client seed: {seed}"), made.lines(), found));
    }
    for visibility in [json!("public"), json!("private")] {
        cases.push(opened("visibility", "/event/visibility", visibility, None));
    }
    for visibility in [json!("Public"), json!("secret"), Value::Null, json!(1)] {
        cases.push(opened("visibility", "/event/visibility", visibility, Some("form")));
    }
    for (field, value, rule) in [
        ("scoring", json!("roles"), "ruleset"),
        ("scoring", json!("luck"), "form"),
        ("scoring", Value::Null, "form"),
        ("jokers", json!(1), "ruleset"),
        ("jokers", json!(1000), "form"),
        ("jokers", json!("1"), "form"),
        ("cut", json!(0), "form"),
        ("first_dealer", json!(9), "form"),
        ("first_dealer", json!(2), "ruleset"),
        ("zero_limit", json!(2), "ruleset"),
        ("zero_limit", json!("2"), "form"),
        ("minimum_bid", json!(8), "ruleset"),
        ("version", json!(0), "ruleset"),
        ("version", json!(2), "ruleset"),
        ("version", json!("1"), "form"),
        ("players", json!(5), "ruleset"),
        ("players", Value::Null, "form"),
        ("id", json!("bridge"), "form"),
    ] {
        let pointer = format!("/event/ruleset/{field}");
        cases.push(opened(field, &pointer, value, Some(rule)));
    }
    cases.push(edited(
        "no algorithm".to_owned(),
        |body| drop(body["event"].as_object_mut().unwrap().remove("algorithm")),
        Some("form"),
    ));
    cases.push(edited(
        "an unknown member".to_owned(),
        |body| body["event"]["colour"] = json!(1),
        Some("form"),
    ));
    cases.push(edited("an unknown actor".to_owned(), |body| body["actor"] = json!("client"), Some("form")));
    cases.push(edited(
        "an actor without a number".to_owned(),
        |body| body["actor"] = json!({}),
        Some("form"),
    ));

    cases.push(refiled(&signature, &upper(&signature), Some(3)));
    cases.push(refiled(
        &signature,
        &signature.replacen(&signature[..2], &format!("{} ", &signature[..2]), 1),
        Some(3),
    ));
    cases.push(refiled(&format!("\"head\":\"{head}"), &format!("\"head\":\"{}", upper(&head)), Some(3)));
    cases.push(refiled(&format!("\"hash\":\"{hash}"), &format!("\"hash\":\"{}", upper(&hash)), Some(1)));
    cases.push(refiled(&format!("\"game\":\"{game}"), &format!("\"game\":\"{}", upper(&game)), None));
    cases.push(refiled(
        &format!("\"game\":\"{game}"),
        &format!("\"game\":\"{}", game.replace('-', "")),
        None,
    ));
    for number in ["-1", "1.0", "-0", "9007199254740992", "18446744073709551616", "1e0", "\"1\"", "١"] {
        cases.push(refiled("\"seq\":1", &format!("\"seq\":{number}"), Some(1)));
        cases.push(refiled("\"events\":2", &format!("\"events\":{number}"), Some(3)));
    }
    cases.push(refiled("\"status\":\"abandoned\"", "\"status\":\"over\"", None));
    cases.push(refiled("estimation/history/v1", "estimation/history/v2", None));
    cases.push(refiled("{\"header\"", "\u{feff}{\"header\"", None));
    cases.push(refiled("\"kid\":\"", "\"kid\":\"\\ud800", Some(3)));
    cases
}

#[test]
fn both_verifiers_agree_on_the_form_of_every_value() {
    let cases = cases();
    let again = audited_again(cases.iter().map(|(_, text, _)| text.clone()), &["--key", &key_hex()]);
    let mut wrong = Vec::new();
    for ((what, text, expected), second) in cases.iter().zip(&again) {
        let first = findings(&serde_json::to_value(audited_text(text)).unwrap());
        let found = |one: &estimation_test_support::second::Findings| match expected {
            None => one.is_empty(),
            Some((seq, rule)) => one.iter().any(|(_, at, of)| (at, of.as_str()) == (seq, rule)),
        };
        if first != *second || !found(&first) {
            wrong.push(format!("{what}, expected {expected:?}\n  first  {first:?}\n  second {second:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}
