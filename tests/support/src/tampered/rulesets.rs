//! Rules and settings in the first event that no service publishes.

use serde_json::{Value, json};

use super::change::{Base, Case};

pub fn cases(base: &Base) -> Vec<Case<'_>> {
    if !["cancelled", "nineteen", "kabooot", "plain", "double-risk"].contains(&base.name) {
        return Vec::new();
    }
    let rules = &base.event(1)["ruleset"];
    let mut cases = Vec::new();
    let mut changed = |field: &str, value: Value, rule: &'static str| {
        if rules[field] != value {
            cases.push(base.replaced(1, "ruleset", rule, &format!("/event/ruleset/{field}"), value));
        }
    };
    let other = |one: &str, other: &str, field: &str| json!(if rules[field] == one { other } else { one });
    changed("version", json!(0), "ruleset");
    changed("version", json!(2), "ruleset");
    changed("players", json!(6), "ruleset");
    changed("scoring", other("roles", "squares", "scoring"), "ruleset");
    changed("direction", other("clockwise", "counterclockwise", "direction"), "ruleset");
    changed("plan", other("turns", "rounds", "plan"), "ruleset");
    changed("first_dealer", json!(1), "ruleset");
    changed("void_check", json!(rules["void_check"] != true), "ruleset");
    changed("dash", other("blind", "none", "dash"), "ruleset");
    changed("zero_limit", json!(4), "ruleset");
    changed("unbid", other("fold", "redeal", "unbid"), "ruleset");
    changed("void_unmade", json!(rules["void_unmade"] != true), "ruleset");
    changed("minimum_bid", json!(8), "ruleset");
    changed("jokers", json!(3), "ruleset");
    changed("jokers", json!(300), "form");
    changed("jokers", json!("1"), "form");
    changed("scoring", json!("luck"), "form");
    changed("cut", json!(1), "form");
    changed("first_dealer", json!(5), "form");
    changed("length", Value::Null, "form");
    changed("id", json!("bridge"), "form");
    let forged = |what: &str, rule, edit: &dyn Fn(&mut Value)| {
        base.forged(1, "ruleset", what, rule, |body| edit(&mut body["event"]))
    };
    cases.push(forged("an unknown rule", "form", &|event| event["ruleset"]["luck"] = json!(1)));
    for field in ["id", "version", "players"] {
        cases.push(forged(&format!("{field} is missing"), "form", &|event| {
            event["ruleset"].as_object_mut().expect("rules").remove(field);
        }));
    }
    // The settings of the table.
    for (member, value) in [
        ("turn_seconds", json!(9)),
        ("turn_seconds", json!(604_801)),
        ("turn_seconds", json!(0)),
        ("turn_seconds", json!(-60)),
        ("turn_seconds", json!(1_u64 << 40)),
        ("turn_seconds", json!("60")),
        ("visibility", json!("hidden")),
        ("visibility", Value::Null),
        ("spectators", json!(1)),
        ("host", json!("host")),
        ("host", json!("")),
        ("host", Value::Null),
        ("host", json!("019B7A00-0002-7000-8000-000000000000")),
        ("host", json!("019b7a00000270008000000000000000")),
        ("client_seed", json!("00".repeat(15))),
        ("client_seed", json!("00".repeat(33))),
        ("client_seed", json!("0A".repeat(16))),
        ("client_seed", json!("٠".repeat(32))),
        ("commitment", json!("AB".repeat(32))),
        ("commitment", json!("ab".repeat(31))),
        ("algorithm", Value::Null),
    ] {
        if base.name == "cancelled" {
            cases.push(base.replaced(1, "settings", "form", &format!("/event/{member}"), value));
        }
    }
    // Another option: the moves were made under the real one.
    if base.name == "nineteen" {
        let revoked = base.all("revoked", true)[0];
        let mut change = base.change();
        change.edit(1, |body| body["event"]["ruleset"]["revokes"] = json!("refuse"));
        change.chain();
        cases.push(change.found("ruleset", "event 1: revokes are refused", revoked - 1, "command"));
        let deal = base.all("round_dealt", true)[0];
        let mut change = base.change();
        change.edit(1, |body| body["event"]["ruleset"]["order"] = json!("10-1-10"));
        change.chain();
        cases.push(change.found("ruleset", "event 1: the hand sizes run the other way", deal, "deal"));
    }
    cases
}
