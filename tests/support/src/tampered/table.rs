//! Events before the start, the start, and ends of games that no rule of play brings.

use serde_json::{Value, json};

use super::change::{Base, Case};

pub fn cases<'a>(base: &'a Base, _: &'a [Base]) -> Vec<Case<'a>> {
    let mut cases = vec![
        base.replaced(1, "game_created", "actor", "/actor", json!({"place": 1})),
        base.replaced(1, "game_created", "actor", "/actor", json!("server")),
    ];
    if base.name == "cancelled" {
        lobby(base, &mut cases);
    }
    if let Some(&seq) = base.all("game_started", false).first().filter(|_| base.name != "plain") {
        start(base, seq, &mut cases);
    }
    let last = base.last();
    match base.event(last)["reason"].as_str() {
        Some("expired") => {
            cases.push(base.replaced(last, "expired", "derived", "/event/reason", json!("cancelled")));
            cases.push(base.replaced(last, "expired", "derived", "/event/reason", json!("forfeited")));
            cases.push(base.replaced(last, "expired", "form", "/event/reason", json!("boredom")));
            cases.push(base.doubled(last, "time"));
        }
        Some("cancelled") => {
            cases.push(base.replaced(last, "cancelled", "derived", "/actor", json!("server")));
            cases.push(base.replaced(last, "cancelled", "command", "/event/reason", json!("expired")));
            cases.push(base.replaced(last, "cancelled", "command", "/event/reason", json!("forfeited")));
            cases.push(base.replaced(last, "cancelled", "command", "/actor", json!({"place": 0})));
        }
        _ => {}
    }
    cases
}

/// Who sits down, leaves and hands over.
fn lobby<'a>(base: &'a Base, cases: &mut Vec<Case<'a>>) {
    let joined = base.all("player_joined", false);
    let (first, replaced) = (joined[0], joined[2]);
    let host = base.event(1)["host"].clone();
    let forged = |seq: u64, what: &str, rule: &'static str, edit: &dyn Fn(&mut Value)| {
        let kind = base.event(seq)["type"].as_str().expect("a type");
        let kind =
            ["player_joined", "player_left", "bot_seated", "host_changed"].into_iter().find(|it| *it == kind);
        base.forged(seq, kind.expect("a kind"), what, rule, edit)
    };
    cases.push(forged(first, "the place is taken", "command", &|body| {
        body["event"]["place"] = json!(0);
        body["actor"]["place"] = json!(0);
    }));
    cases.push(forged(first, "the actor has another place", "actor", &|body| {
        body["actor"]["place"] = json!(2)
    }));
    cases.push(forged(first, "the actor is a seat", "actor", &|body| body["actor"] = json!({"seat": 1})));
    cases.push(forged(first, "the actor is the server", "derived", &|body| body["actor"] = json!("server")));
    cases.push(forged(first, "the actor is a bot", "actor", &|body| body["actor"]["by"] = json!("bot")));
    cases.push(forged(first, "the account sits at another place", "command", &|body| {
        body["event"]["account"] = host.clone();
    }));
    cases.push(forged(first, "there is no such place", "form", &|body| {
        body["event"]["place"] = json!(4);
        body["actor"]["place"] = json!(4);
    }));
    cases.push(forged(first, "the account is no id", "form", &|body| {
        body["event"]["account"] = json!("noor")
    }));
    cases.push(forged(replaced, "the client seed is taken back", "command", &|body| {
        body["event"]["client_seed"] = Value::Null;
    }));
    let left = base.all("player_left", false);
    cases.push(forged(left[0], "a player removes another", "command", &|body| {
        body["actor"]["place"] = json!(1)
    }));
    cases.push(forged(left[0], "the account is another one", "actor", &|body| {
        body["event"]["account"] = host.clone();
    }));
    cases.push(forged(left[0], "the account is null", "actor", &|body| {
        body["event"]["account"] = Value::Null
    }));
    cases.push(forged(left[0], "the place is empty", "command", &|body| body["event"]["place"] = json!(3)));
    cases.push(forged(left[1], "a bot leaves by itself", "command", &|body| {
        body["actor"]["place"] = json!(2)
    }));
    cases.push(forged(first, "another place, which is taken", "command", &|body| {
        body["event"]["place"] = json!(0)
    }));
    cases.push(forged(left[1], "a bot has an account", "actor", &|body| {
        body["event"]["account"] = host.clone()
    }));
    let seated = base.all("bot_seated", false)[0];
    cases.push(forged(seated, "a guest seats a bot", "command", &|body| body["actor"]["place"] = json!(1)));
    cases
        .push(forged(seated, "a person has the place", "command", &|body| body["event"]["place"] = json!(1)));
    cases.push(forged(seated, "there is no such place", "form", &|body| body["event"]["place"] = json!(4)));
    cases.push(forged(seated, "there is no such level", "form", &|body| {
        body["event"]["level"] = json!("wise")
    }));
    let changed = base.all("host_changed", false)[0];
    cases.push(forged(changed, "a guest hands over", "command", &|body| body["actor"]["place"] = json!(2)));
    cases.push(forged(changed, "nobody has the place", "command", &|body| body["event"]["place"] = json!(3)));
    cases.push(forged(changed, "the account is another one", "actor", &|body| {
        body["event"]["account"] = host.clone()
    }));
    let mut change = base.change();
    let end = base.last();
    change.insert(first + 1, base.line(end as usize + 1));
    change.edit(first + 1, |body| {
        body["at"] = base.body(first)["at"].clone();
        body["actor"] = base.body(first)["actor"].clone();
    });
    change.number();
    change.chain();
    cases.push(change.found("cancelled", "a guest cancels the game", first + 1, "command"));
    // A bot can be seated twice, and a player can set the same seed again.
    cases.push(base.doubled(left[0], "command"));
    cases.push(base.doubled(changed, "command"));
}

fn start<'a>(base: &'a Base, seq: u64, cases: &mut Vec<Case<'a>>) {
    let kind = "game_started";
    cases.push(base.replaced(seq, kind, "command", "/actor", json!({"place": 1})));
    cases.push(base.replaced(seq, kind, "derived", "/actor", json!("server")));
    let other = json!("a1".repeat(16));
    cases.push(base.replaced(seq, kind, "actor", "/event/client_seeds/0", other));
    cases.push(base.replaced(seq, kind, "actor", "/event/client_seeds/0", Value::Null));
    cases.push(base.replaced(seq, kind, "form", "/event/client_seeds/0", json!("A1".repeat(16))));
    cases.push(base.forged(seq, kind, "two players are swapped", "actor", |body| {
        body["event"]["players"].as_array_mut().expect("players").swap(0, 1);
    }));
    cases.push(base.replaced(
        seq,
        kind,
        "actor",
        "/event/players/1",
        json!({"kind": "bot", "level": "easy"}),
    ));
    cases.push(base.forged(seq, kind, "a player is missing", "form", |body| {
        body["event"]["players"].as_array_mut().expect("players").pop();
    }));
    cases.push(base.missing(seq, "derived"));
    // A player who never joined: the start has a place that no player took.
    let joined = base.all("player_joined", false)[0];
    if base.event(joined + 1)["type"] == kind {
        cases.push(base.missing(joined, "command"));
    }
}
