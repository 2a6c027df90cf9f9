//! Commands at the limits of the rules, and commands after the end.

use serde_json::{Value, json};

use super::change::{Base, Case};

pub fn cases<'a>(base: &'a Base, _: &'a [Base]) -> Vec<Case<'a>> {
    let mut cases = Vec::new();
    calls(base, &mut cases);
    after_the_end(base, &mut cases);
    expired(base, &mut cases);
    cases
}

/// The calls of a round so far.
#[derive(Default)]
struct Calls {
    /// The number of zeros that were declared before or in the auction.
    dashed: u64,
    /// The number of all zeros.
    zeros: u64,
    /// The seats that spoke in the auction.
    spoken: Vec<Value>,
    /// The last change of trump.
    changed: Option<Value>,
}

/// Zeros beyond a limit, bids that the limits exclude, and changes of trump that do not beat the last one.
fn calls<'a>(base: &'a Base, cases: &mut Vec<Case<'a>>) {
    let rules = &base.event(1)["ruleset"];
    let at_limit = |name: &str, count: u64| rules[name].as_u64().is_some_and(|limit| count >= limit);
    let mut calls = Calls::default();
    for seq in 2..=base.last() {
        let event = base.event(seq);
        let kind = event["type"].as_str().expect("a type");
        let mut forged = |kind: &'static str, what: &str, edit: &dyn Fn(&mut Value)| {
            cases.push(base.forged(seq, kind, what, "command", |body| edit(&mut body["event"])));
        };
        match kind {
            "round_dealt" => calls = Calls::default(),
            "blind_dashed" | "dash_called" => {
                (calls.dashed, calls.zeros) = (calls.dashed + 1, calls.zeros + 1);
                calls.spoken.push(event["seat"].clone());
            }
            "auction_entered" if at_limit("dash_limit", calls.dashed) => {
                let blind = rules["dash"] == "blind";
                let dashed = if blind { "blind_dashed" } else { "dash_called" };
                forged("dash_called", "one zero too many before the auction", &|event| {
                    event["type"] = json!(dashed);
                });
            }
            "passed" | "bid_made" => {
                if rules["dash"] == "call"
                    && !calls.spoken.contains(&event["seat"])
                    && at_limit("dash_limit", calls.dashed)
                {
                    forged("dash_called", "one dash call too many in the auction", &|event| {
                        *event = json!({"type": "dash_called", "seat": event["seat"]});
                    });
                }
                if kind == "bid_made" && rules["forbid_thirteen"] == true && calls.dashed == 3 {
                    let what = "a bid of 13 after three dash calls";
                    forged("bid_made", what, &|event| event["tricks"] = json!(13));
                }
                if kind == "bid_made" && rules["no_trump_bids"] == false {
                    let what = "a bid of no trump";
                    forged("bid_made", what, &|event| event["trump"] = json!("no_trump"));
                }
                calls.spoken.push(event["seat"].clone());
            }
            "estimate_made" => {
                if at_limit("zero_limit", calls.zeros) {
                    forged("estimate_made", "one zero too many", &|event| event["tricks"] = json!(0));
                }
                if let Some(last) = &calls.changed {
                    forged("estimate_made", "the last change of trump again", &|event| {
                        event["tricks"] = last["tricks"].clone();
                        event["trump"] = last["trump"].clone();
                    });
                }
                calls.zeros += u64::from(event["tricks"] == 0);
                if !event["trump"].is_null() {
                    calls.changed = Some(event.clone());
                }
            }
            _ => {}
        }
    }
}

/// An event after the last one, by the server and by a player.
fn after_the_end<'a>(base: &'a Base, cases: &mut Vec<Case<'a>>) {
    if base.name != "nineteen" {
        return;
    }
    let last = base.last();
    let server = json!({"type": "turn_timed_out", "seat": 0});
    let player = json!({"type": "card_played", "seat": 0, "card": "AS"});
    for (actor, event, rule) in
        [(json!("server"), server, "derived"), (json!({"seat": 0}), player, "command")]
    {
        let mut change = base.change();
        change.insert(last + 1, base.line(last as usize + 1));
        let what = format!("{} after the end", event["type"].as_str().expect("a type"));
        change.edit(last + 1, |body| (body["actor"], body["event"]) = (actor, event));
        change.number();
        cases.push(change.found("end", what, last + 1, rule));
    }
}

/// A game with a clock does not expire, nor does one while a bot must act.
fn expired<'a>(base: &'a Base, cases: &mut Vec<Case<'a>>) {
    for (name, by) in [("clock", "clock"), ("expired-game", "bot")] {
        let Some(seq) = (1..=base.last()).find(|seq| base.body(*seq)["actor"]["by"] == by) else { continue };
        if base.name != name {
            continue;
        }
        let seed = base.event(base.last())["server_seed"].clone();
        cases.push(base.forged(
            seq,
            "time",
            format!("the game expires before the {by} acts"),
            "time",
            |body| {
                body["actor"] = json!("server");
                body["at"] = json!("2026-12-01T00:00:00.000Z");
                body["event"] = json!({"type": "game_abandoned", "reason": "expired", "server_seed": seed});
            },
        ));
    }
}
