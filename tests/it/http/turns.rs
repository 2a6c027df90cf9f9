//! A client that follows the stream of a game keeps the view that `GET` returns, from events and turns alone.

use super::client_seeds::{self, commit, seed};
use super::table::NAMES;
use crate::nodes::frames::{Frame, Frames, id_of, streamed};
use crate::prelude::*;

/// An account with a stream, and the view that it keeps.
struct Follower<'a> {
    table: &'a Table,
    player: &'a Player,
    frames: Frames,
    view: Value,
}

impl<'a> Follower<'a> {
    /// Loads the view and follows the stream from its head.
    async fn new(table: &'a Table, player: &'a Player) -> Follower<'a> {
        let view = table.seen_by(player).view().await.accepted();
        let mut follower =
            Follower { table, player, frames: Follower::open(table, player, &view).await, view };
        let turn = follower.frames.next().await.expect("no break").expect("no end");
        let Frame::Turn(turn) = turn else { panic!("{turn:?}") };
        follower.take(&turn);
        follower.agrees().await;
        follower
    }

    async fn open(table: &Table, player: &Player, view: &Value) -> Frames {
        let head = &view["head"];
        let id = id_of(head["seq"].as_u64().expect("a number"), head["hash"].as_str().expect("a hash"));
        Frames::of(&player.client, &table.stream(), Some(&id)).await
    }

    /// Follows the stream until the view has a version.
    async fn reach(&mut self, version: u64) {
        while self.version() < version {
            match self.frames.soon(PATIENCE).await {
                Frame::Event { id, data } => {
                    see(&mut self.view, &data);
                    if self.frames.turn["version"] == id {
                        let turn = self.frames.turn.clone();
                        self.take(&turn);
                    }
                }
                frame => panic!("{frame:?}"),
            }
        }
        assert_eq!(self.frames.turn["version"], version, "the last event of a command has the turn");
    }

    fn take(&mut self, turn: &Value) {
        take(&mut self.view, turn, &self.player.account);
    }

    fn version(&self) -> u64 {
        self.view["version"].as_u64().expect("a number")
    }

    /// The view is what `GET` returns.
    async fn agrees(&self) {
        let mut seen = self.table.seen_by(self.player).view().await.accepted();
        let mut kept = self.view.clone();
        for view in [&mut seen, &mut kept] {
            view["head"] = streamed(view["head"].take());
            let left = view.as_object_mut().and_then(|view| view.remove("remaining_ms"));
            assert!(left.is_none_or(|left| left.as_u64().is_some_and(|left| left <= 60_000)));
            if view["status"] == "finished" {
                // The streams end with the game, so players go offline.
                let seats = view["seats"].as_array_mut().expect("seats");
                seats.iter_mut().for_each(|seat| drop(remove(seat, "connected")));
            }
        }
        for (member, value) in seen.as_object().expect("members") {
            assert_eq!(kept[member], *value, "{} keeps another {member}", self.player.name);
        }
        assert_eq!(kept, seen, "{} keeps another view", self.player.name);
    }
}

/// Applies an event to a view.
fn see(view: &mut Value, message: &Value) {
    view["head"] = json!({"seq": message["seq"], "hash": message["hash"]});
    view["updated_at"] = message["at"].clone();
    let event = &message["event"];
    let seat = event["seat"].as_u64().unwrap_or_default() as usize;
    let round = &mut view["round"];
    match event["type"].as_str().expect("a type") {
        "round_dealt" => {
            let deal = &event["deal"];
            for member in [
                "attempt",
                "kind",
                "hand_size",
                "dealer",
                "first_speaker",
                "carry",
                "trump",
                "indicator",
                "hands",
            ] {
                round[member] = deal[member].clone();
            }
            round["number"] = deal["round"].clone();
        }
        "estimate_made" => {
            let call = json!({"seat": seat, "kind": "estimate", "tricks": event["tricks"], "with": false, "risk": false});
            if let Some(calls) = round["calls"].as_array_mut() {
                calls.push(call);
                calls.sort_by_key(|call| call["seat"].as_u64());
            }
        }
        "card_played" => {
            let hand = &mut round["hands"][seat];
            hand["count"] = json!(hand["count"].as_u64().expect("a number") - 1);
            if let Some(cards) = hand["cards"].as_array_mut() {
                cards.retain(|card| *card != event["card"]);
            }
            let plays = round["trick"]["plays"].as_array_mut().expect("a trick");
            plays.push(json!({"seat": seat, "card": event["card"]}));
        }
        "trick_taken" => {
            round["last_trick"] = round["trick"].take();
            round["trick"] = json!({"leader": seat, "plays": []});
            if let Some(taken) = round["tricks_taken"].get_mut(seat) {
                *taken = json!(taken.as_u64().expect("a number") + 1);
            }
        }
        "round_scored" => {
            let score = &event["score"];
            view["scores"]["totals"] = score["totals"].clone();
            let points = json!({"round": score["round"], "points": score["points"]});
            view["scores"]["rounds"].as_array_mut().expect("rounds").push(points);
        }
        _ => {}
    }
}

/// Applies a turn to a view.
fn take(view: &mut Value, turn: &Value, account: &str) {
    view["version"] = turn["version"].clone();
    for part in ["status", "host", "seats", "scores", "fairness", "log"] {
        if !turn[part].is_null() {
            view[part] = turn[part].clone();
        }
    }
    let place =
        view["seats"].as_array().expect("seats").iter().position(|seat| seat["player"]["id"] == account);
    // Own cards are in the deal alone.
    let own = place.and_then(|seat| view["round"].get("hands")?.get(seat)).cloned();
    let own = own.filter(|own| own["cards"].is_array());
    match turn.get("round") {
        Some(Value::Object(changes)) => {
            for (member, value) in changes {
                view["round"][member] = value.clone();
            }
        }
        Some(_) => view["round"] = Value::Null,
        None => {}
    }
    if view["round"].is_object() {
        view["round"]["to_act"] = turn["awaited"].get(0).cloned().unwrap_or_default();
        match turn.get("deadline") {
            Some(at) => view["round"]["deadline"] = at.clone(),
            None => drop(remove(&mut view["round"], "deadline")),
        }
        if let (Some(seat), Some(own)) = (place, own)
            && view["round"]["phase"] != "cutting"
        {
            view["round"]["hands"][seat] = own;
        }
    }
    for (number, seat) in view["seats"].as_array_mut().expect("seats").iter_mut().enumerate() {
        for (member, part) in [("stand_in", "stand_ins"), ("connected", "connected")] {
            if let Some(seats) = turn[part].as_array() {
                seat[member] = json!(seats.contains(&json!(number)));
            }
        }
    }
    let is_seated = view["status"] != "lobby" && view["round"]["phase"] != "choosing_seats";
    view["you"] = match place {
        Some(number) if is_seated => json!({"seat": number}),
        Some(number) => json!({"place": number}),
        None => Value::Null,
    };
    view["legal"] = turn.get("legal").cloned().unwrap_or_else(|| json!([]));
}

fn remove(value: &mut Value, member: &str) -> Option<Value> {
    value.as_object_mut()?.remove(member)
}

/// Every view is what `GET` returns after a change.
async fn everybody_agrees(followers: &mut [Follower<'_>], answer: &Value) {
    everybody_reaches(followers, answer).await;
    for follower in followers {
        follower.agrees().await;
    }
}

async fn everybody_reaches(followers: &mut [Follower<'_>], answer: &Value) {
    for follower in followers {
        follower.reach(answer["version"].as_u64().expect("a number")).await;
    }
}

/// Plays a game in which nobody needs to load a view: players and a watcher compare theirs with `GET`.
async fn follow(database: TestDatabase, ruleset: &str, options: Value, mut dice: Random) {
    let service = Service::start(database);
    let onlooker = service.player("watcher").await;
    let mut table = service.table(ruleset).options(options).open().await;
    for name in &NAMES[1..4] {
        table.players.push(service.player(name).await);
    }
    let mut followers = vec![Follower::new(&table, &onlooker).await];
    for player in &table.players {
        if player.name != table.players[0].name {
            let answer = player.client.send(&table.path("seats"), &json!({})).await.accepted();
            everybody_agrees(&mut followers, &answer).await;
        }
        followers.push(Follower::new(&table, player).await);
    }
    for (player, letter) in ["a", "b"].into_iter().enumerate() {
        let answer = commit(&table, player, &seed(letter)).await.accepted();
        everybody_agrees(&mut followers, &answer).await;
    }
    let answer = table.start().await.accepted();
    everybody_agrees(&mut followers, &answer).await;
    assert_eq!(followers[0].frames.turn["awaited"], json!([{"place": 0}, {"place": 1}]));
    let answer = client_seeds::open(&table, 0, &seed("a")).await.accepted();
    everybody_agrees(&mut followers, &answer).await;
    let mut answer = client_seeds::open(&table, 1, &seed("b")).await.accepted();
    let mut commands = 0;
    loop {
        everybody_reaches(&mut followers, &answer).await;
        // Cards are most of the game, and change least.
        let compared = match followers[0].frames.turn["round"].is_null() {
            false => &followers[..],
            true => std::slice::from_ref(dice.pick(&followers)),
        };
        for follower in compared {
            follower.agrees().await;
        }
        let watcher = followers.first().expect("a watcher");
        assert_eq!(watcher.view["legal"], json!([]));
        if watcher.view["status"] != "playing" {
            assert_eq!(watcher.view["status"], "finished");
            break;
        }
        let actor = followers.iter().find(|follower| follower.view["legal"] != json!([])).expect("an actor");
        let command = dice.command(actor.view["legal"].as_array().expect("commands"));
        let posted = table.seen_by(actor.player).command(&command).header("prefer", "return=minimal");
        answer = posted.await.accepted();
        commands += 1;
    }
    assert!(commands > 100, "{commands} commands");
    for mut follower in followers {
        let end = follower.frames.soon(PATIENCE).await;
        assert!(matches!(&end, Frame::Named { name, .. } if name == "end"), "{end:?}");
    }
}

on_sqlite_first! {
    #[ignore = "all: plays whole games; the default plays shorter ones"]
    async fn nineteen(database: TestDatabase) {
        follow(database, "nineteen", json!({}), Random(1)).await;
    }

    async fn nineteen_with_concealed_tricks(database: TestDatabase) {
        let options = json!({"jokers": 2, "revokes": "penalise", "concealed_tricks": true});
        follow(database, "nineteen", options, Random(2)).await;
    }

    #[ignore = "all: plays whole games; the default plays shorter ones"]
    async fn squares(database: TestDatabase) {
        follow(database, "squares", json!({"length": "mini"}), Random(3)).await;
    }

    #[ignore = "all: plays whole games; the default plays shorter ones"]
    async fn kabooot(database: TestDatabase) {
        follow(database, "kabooot", json!({"length": "mini"}), Random(4)).await;
    }

    #[ignore = "all: plays whole games; the default plays shorter ones"]
    async fn plain(database: TestDatabase) {
        follow(database, "plain", json!({"length": "mini"}), Random(5)).await;
    }

    #[ignore = "all: plays whole games; the default plays shorter ones"]
    async fn double_risk(database: TestDatabase) {
        follow(database, "double-risk", json!({"length": "mini"}), Random(6)).await;
    }
}
