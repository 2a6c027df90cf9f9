//! Hints and checks of commands.

use super::break_offs::{leave, with_bots};
use crate::prelude::*;
use estimation::http::{RateSettings, ServerSettings};

async fn alone(service: &Service) -> Table {
    let table = with_bots(service, json!({"ruleset": "nineteen", "players": 2}), 2).await;
    table.start().await.accepted();
    table
}

async fn own_turn(table: &Table) -> Value {
    found("the turn", async || Some(table.view().await).filter(|view| view["legal"][0].is_object())).await
}

fn kinds(log: &[Value]) -> Vec<&str> {
    log.iter().map(|entry| entry["event"]["type"].as_str().expect("a type")).collect()
}

async fn statistics(of: &Player) -> Value {
    of.client.get(&format!("/v1/players/{}/statistics", of.account)).await.accepted()
}

on_sqlite_first! {
    #[ignore = "all: plays whole games; the default plays shorter ones"]
    async fn a_person_alone_with_bots_gets_hints_and_the_first_is_recorded(service: Service) {
        let table = alone(&service).await;
        let (noor, path) = (&table.players[0], table.path("hint"));
        let before = own_turn(&table).await;
        assert_eq!(before["scores"]["hinted"], false);
        let hint = noor.client.post(&path).await.accepted();
        assert!(before["legal"].as_array().expect("commands").contains(&hint["command"]), "{hint}");
        let after = table.view().await;
        assert_eq!(after["version"], hint["version"]);
        assert_eq!(after["scores"]["hinted"], true);
        for part in ["legal", "round", "seats"] {
            assert_eq!(after[part], before[part], "a hint changes {part}");
        }
        let log = table.seat(0).log().await;
        let last = log.last().expect("an event");
        assert_eq!(last["event"], json!({"type": "hint_taken", "seat": 0}));
        assert_eq!(last["actor"], json!({"kind": "player", "seat": 0}));
        // A second hint changes nothing. All requests at once give the same.
        let again = table.players[0].client.post(&path).await.accepted();
        assert_eq!(again["version"], hint["version"]);
        table.seat(0).command(&hint["command"]).await.accepted();
        table.play_out(&mut Random(3)).await;
        let log = table.seat(0).log().await;
        assert_eq!(kinds(&log).iter().filter(|kind| **kind == "hint_taken").count(), 1);
        assert_eq!(noor.client.post(&path).await.refused(409, "game-not-playing")["game_status"], "finished");
    }

    /// The game is counted, as one that counts for nobody; the audit agrees.
    #[ignore = "all: plays whole games; the default plays shorter ones"]
    async fn a_game_with_a_hint_counts_in_no_statistics(service: Service) {
        for is_hinted in [true, false] {
            let table = alone(&service).await;
            own_turn(&table).await;
            if is_hinted {
                table.players[0].client.post(&table.path("hint")).await.accepted();
            }
            table.play_out(&mut Random(4)).await;
        }
        let noor = service.player("noor").await;
        // Games are counted in the order of their ends: the second one comes after the first.
        eventually("a game is counted", async || statistics(&noor).await["rulesets"][0]["games"] == 1).await;
        let export = noor.client.get("/v1/me/export").await.accepted();
        assert_eq!(export["results"].as_array().map(Vec::len), Some(1));
        // Who leaves a game with a hint leaves a trace all the same.
        let table = alone(&service).await;
        own_turn(&table).await;
        noor.client.post(&table.path("hint")).await.accepted();
        leave(&table, 0).await;
        assert_eq!(statistics(&noor).await["broken_off"]["games_left"], 1);
    }

    async fn hints_are_refused_to_others_and_out_of_turn(service: Service) {
        let table = service.table("nineteen").players(2).started().await;
        table.refuses(table.seat(1).player.client.post(&table.path("hint")), 409, "several-people").await;
        let table = alone(&service).await;
        own_turn(&table).await;
        let omar = service.player("omar").await;
        table.refuses(omar.client.post(&table.path("hint")), 403, "not-seated").await;
        let open = with_bots(&service, json!({"ruleset": "nineteen", "players": 2}), 2).await;
        let lobby = open.players[0].client.post(&open.path("hint")).await;
        assert_eq!(lobby.refused(409, "game-not-playing")["game_status"], "lobby");
    }

    async fn hints_at_the_same_time_are_recorded_once(service: Service) {
        let table = alone(&service).await;
        own_turn(&table).await;
        let path = table.path("hint");
        let ask = || table.players[0].client.post(&path);
        let (one, two, three) = tokio::join!(ask(), ask(), ask());
        for answer in [one, two, three] {
            answer.accepted();
        }
        assert_eq!(kinds(&table.seat(0).log().await).iter().filter(|kind| **kind == "hint_taken").count(), 1);
    }

    /// A check says what the command would be refused for, and changes nothing.
    async fn a_check_answers_as_the_command_would(service: Service) {
        let table = service.table("nineteen").players(2).with("options", json!({"order": "10-1-10"})).started().await;
        let check = |seat: usize, command: &Value| {
            table.players[seat].client.send(&table.path("commands/check"), command)
        };
        let estimate = |tricks: u8| json!({"type": "estimate", "tricks": tricks});
        let turn = table.refuses(check(0, &estimate(0)), 409, "not-your-turn").await;
        assert_eq!(turn["to_act"], json!({"seat": 1}));
        let range = table.refuses(check(1, &estimate(11)), 409, "estimate-out-of-range").await;
        assert_eq!((&range["min"], &range["max"]), (&json!(0), &json!(10)));
        let version = table.version().await;
        let allowed = check(1, &estimate(3)).await;
        assert_eq!((allowed.status, allowed.body.as_str()), (204, ""));
        assert_eq!(table.version().await, version);
        check(1, &estimate(3)).header("idempotency-key", "once").await.refused(400, "not-supported");
        let seen = table.seat(1).view().await.etag();
        table.seat(1).estimate(3).await.accepted();
        let barred = table.refuses(check(0, &estimate(7)), 409, "total-barred").await;
        assert_eq!((&barred["barred"], &barred["total"]), (&json!(7), &json!(10)));
        let stale = table.refuses(check(1, &estimate(4)).header("if-match", seen), 412, "stale-version").await;
        assert_eq!(stale["events"].as_array().map(Vec::len), Some(1));
        let present = table.seat(0).view().await.etag();
        assert_eq!(check(0, &estimate(6)).header("if-match", present).await.status, 204);
        let omar = service.player("sami").await;
        let outside = omar.client.send(&table.path("commands/check"), &estimate(6));
        table.refuses(outside, 403, "not-seated").await;
        check(0, &json!({"type": "estimate"})).await.refused(422, "invalid-body");
    }

    /// A table that penalises a revoke accepts the card; the check refuses it.
    async fn a_check_refuses_what_a_table_penalises(service: Service) {
        let options = json!({"revokes": "penalise", "order": "10-1-10"});
        let table = service.table("nineteen").players(4).with("options", options).started().await;
        let unlawful = |view: &Value| {
            let seat = view["you"]["seat"].as_u64()? as usize;
            let hand = view["round"]["hands"][seat]["cards"].as_array()?.iter();
            let legal = view["legal"].as_array()?;
            let is_play = legal.first()?["type"] == "play";
            hand.map(|card| json!({"type": "play", "card": card})).find(|card| is_play && !legal.contains(card))
        };
        let mut dice = Random(6);
        let (actor, card) = loop {
            let (actor, view) = table.turn().await.expect("a game under way");
            if let Some(card) = unlawful(&view) {
                break (actor, card);
            }
            table.play(&mut dice, 1).await;
        };
        let led = table.view().await["round"]["trick"]["plays"][0]["card"].clone();
        let check = table.players[actor].client.send(&table.path("commands/check"), &card);
        let refused = table.refuses(check, 409, "must-follow-suit").await;
        let suit = match led.as_str().and_then(|card| card.chars().last()) {
            Some('C') => "clubs",
            Some('D') => "diamonds",
            Some('H') => "hearts",
            _ => "spades",
        };
        assert_eq!(refused["led"], suit);
        let done = table.seat(actor).command(&card).await.accepted();
        assert_eq!(done["events"][1]["event"]["type"], "revoked");
    }
}

#[tokio::test]
async fn hints_have_a_limit_of_their_own() {
    let rates = RateSettings { hints: Some("2/1h".parse().expect("a rate")), ..RateSettings::NONE };
    let settings = ServerSettings { rates, ..Setup::default().settings };
    let database = TestDatabase::new(Backend::Sqlite);
    let service = Service::told(database, Setup { settings, ..Setup::default() });
    let table = alone(&service).await;
    own_turn(&table).await;
    let ask = || table.players[0].client.post(&table.path("hint"));
    for _ in 0..2 {
        ask().await.accepted();
    }
    assert_eq!(ask().await.refused(429, "too-many-requests")["policy"], "hints");
    table.any_move().await.accepted();
}
