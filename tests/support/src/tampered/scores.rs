//! Other points for each line of each formula, with points and totals that fit.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::change::Cases;

pub fn cases(cases: &mut Cases<'_>) {
    let base = cases.base;
    let mut seen = BTreeSet::new();
    for seq in base.all("round_scored", true) {
        let event = base.event(seq);
        for (seat, lines) in event["lines"].as_array().expect("lines").iter().enumerate() {
            let call = &event["calls"][seat];
            let made = if call["tricks"] == event["tricks"][seat] { "made" } else { "lost" };
            let kind = call["kind"].as_str().unwrap_or("folded");
            for (index, line) in lines.as_array().expect("lines").iter().enumerate() {
                let reason = line["reason"].as_str().expect("a reason");
                let what = format!("{kind}, {made}: the line {reason}");
                if seen.insert(what.clone()) {
                    other_points(cases, seq, (seat, index), &what);
                }
            }
        }
    }
}

/// A line of a seat with other points, or with another factor.
fn other_points(cases: &mut Cases<'_>, seq: u64, (seat, index): (usize, usize), what: &str) {
    let line = &cases.base.event(seq)["lines"][seat][index];
    let member = if line["factor"].is_null() { "points" } else { "factor" };
    let was = line[member].as_i64().expect("a number");
    let now = if was == 1 { 3 } else { was + 1 };
    let what = format!("{what} was {was}, now {now}");
    cases.forged(seq, "round_scored", what, "score", |body| {
        let event = &mut body["event"];
        event["lines"][seat][index][member] = json!(now);
        let points = worth(&event["lines"][seat]);
        let more = points - event["points"][seat].as_i64().expect("points");
        let total = event["totals"][seat].as_i64().expect("a total");
        event["points"][seat] = json!(points);
        event["totals"][seat] = json!(total + more);
    });
}

/// The sum of the points times the product of the factors.
fn worth(lines: &Value) -> i64 {
    let lines = lines.as_array().expect("lines");
    let points: i64 = lines.iter().filter_map(|line| line["points"].as_i64()).sum();
    let factor: i64 = lines.iter().filter_map(|line| line["factor"].as_i64()).product();
    points * factor
}
