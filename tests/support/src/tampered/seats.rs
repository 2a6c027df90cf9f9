//! Before the start: the time for opening seeds, known commitments, openings that end, and starts by the host.

use serde_json::{Value, json};

use super::change::Cases;

const KIND: &str = "game_started";

pub fn cases(cases: &mut Cases<'_>) {
    openings(cases);
    let Some(seq) = cases.base.first(KIND, false) else { return };
    cases.replaced(seq, KIND, "command", "/actor", json!({"place": 1}));
    cases.replaced(seq, KIND, "derived", "/actor", json!("server"));
    for (seed, rule) in [("a1", "actor"), ("A1", "form")] {
        cases.replaced(seq, KIND, rule, "/event/client_seeds/1", json!(seed.repeat(16)));
    }
    let players = |body: &mut Value, edit: &dyn Fn(&mut Vec<Value>)| {
        edit(body["event"]["players"].as_array_mut().expect("players"));
    };
    cases.forged(seq, KIND, "two players are swapped", "actor", |body| {
        players(body, &|list| list.swap(0, 1));
    });
    let bot = json!({"kind": "bot", "level": "easy"});
    cases.replaced(seq, KIND, "actor", "/event/players/0", bot);
    cases.forged(seq, KIND, "a player is missing", "form", |body| players(body, &|list| drop(list.pop())));
}

fn openings(cases: &mut Cases<'_>) {
    let base = cases.base;
    let turn = base.event(1)["turn_seconds"].as_u64();
    for seconds in [14, turn.unwrap_or(86_400).max(15) + 1] {
        cases.replaced(1, "game_created", "form", "/event/opening_seconds", json!(seconds));
    }
    let Some(began) = base.first("opening_began", false) else { return };
    let commits = base.all("seed_committed", false);
    let commitment = |seq: &u64| base.event(*seq)["commitment"].clone();
    let (kind, path) = ("seed_committed", "/event/commitment");
    if let [first, second, ..] = commits[..]
        && second < began
        && base.event(first)["place"] != base.event(second)["place"]
    {
        cases.forged(second, kind, "the commitment of another place", "command", |body| {
            *body.pointer_mut(path).expect("a path") = commitment(&first);
        });
    }
    let failed = (1..=base.last()).find(|&seq| base.kind(seq) == "opening_failed");
    if let Some(failed) = failed
        && let Some(&again) = commits.iter().find(|&&seq| seq > failed)
    {
        // Of the place itself, and of another; opened or not.
        for (at, before) in commits.iter().filter(|&&seq| seq < failed).enumerate() {
            let what = format!("commitment {at} from before the failed opening");
            cases.forged(again, kind, what, "command", |body| {
                *body.pointer_mut(path).expect("a path") = commitment(before);
            });
        }
    }
    for seq in base.all("opening_failed", true).into_iter().filter(|&seq| base.kind(seq - 1) != "seed_opened")
    {
        let missing = &base.event(seq)["missing"];
        let other = if *missing == json!([]) { json!([0]) } else { json!([]) };
        let what = format!("missing was {missing}, now {other}");
        cases.forged(seq, "opening_failed", what, "derived", |body| body["event"]["missing"] = other);
    }
    let last = base.last();
    match base.event(last)["reason"].as_str() {
        Some("openings_failed") => {
            for reason in ["cancelled", "expired", "ended"] {
                cases.replaced(last, "openings_failed", "derived", "/event/reason", json!(reason));
            }
            cases.replaced(last, "openings_failed", "actor", "/actor", json!({"place": 0}));
        }
        Some("cancelled") if base.kind(last - 1) == "seed_opened" => {
            cases.replaced(last, "withdrawn", "command", "/actor", json!({"place": 1}));
            cases.replaced(last, "withdrawn", "derived", "/actor", json!("server"));
            cases.replaced(last, "withdrawn", "command", "/event/reason", json!("openings_failed"));
        }
        _ => {}
    }
}
