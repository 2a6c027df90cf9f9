//! Tables whose players are absent: bots, expired turns, stand-ins, forfeits, expiry and rematches. Each
//! record is verified.

use estimation_record::verify::{Audit, Report, Trust, read};
use estimation_test_support::second::{Findings, audited_again};
use tokio::time::sleep;

use crate::prelude::*;

async fn until(table: &Table, seat: usize, what: &str, said: impl Fn(&Value) -> bool) -> Value {
    found(what, async || Some(table.seat(seat).view().await.accepted()).filter(&said)).await
}

/// Verifies the history of a finished game, once its end is signed.
async fn verified(service: &Service, table: &Table) -> Report {
    let mut trust = Trust::default();
    let keys = service.anonymous().get("/.well-known/jwks.json").await.body;
    trust.add_jwks(&keys).expect("keys");
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(&file, keys).expect("keys");
    let path = file.path().to_str().expect("UTF-8");
    let began = Instant::now();
    loop {
        let history = table.seat(0).player.client.get(&table.path("history")).await;
        let mut audit = Audit::new(&trust);
        read(history.body.as_bytes(), &mut audit);
        let report = audit.finish();
        if report.is_well() || began.elapsed() > PATIENCE {
            assert_eq!(audited_again([history.body], &["--jwks", path]), [Findings::new()]);
            return report;
        }
        sleep(Duration::from_millis(100)).await;
    }
}

fn kinds(log: &[Value]) -> Vec<&str> {
    log.iter().filter_map(|event| event["event"]["type"].as_str()).collect()
}

fn of_kind<'l>(log: &'l [Value], kind: &str) -> Vec<&'l Value> {
    log.iter().filter(|event| event["event"]["type"] == kind).collect()
}

on_sqlite_first! {
    #[ignore = "all: plays whole games; the default plays shorter ones"]
    async fn a_person_plays_with_three_bots(service: Service) {
        let table = service.table("double-risk").options(json!({"length": "micro"})).open().await;
        for (seat, level) in [(1, "easy"), (2, "steady"), (3, "steady")] {
            let path = table.path(&format!("seats/{seat}/bot"));
            let put = table.players[0].client.request(reqwest::Method::PUT, &path);
            let view = put.raw(json!({"level": level}).to_string()).await.accepted();
            assert_eq!(view["seats"][seat]["player"]["level"], level);
        }
        table.start().await.accepted();
        table.play_out(&mut Random(1)).await;
        let log = table.seat(0).log().await;
        let cards = of_kind(&log, "card_played");
        assert!(cards.iter().all(|card| {
            card["actor"] == if card["event"]["seat"] == 0 {
                json!({"kind": "player", "seat": 0})
            } else {
                json!({"kind": "player", "seat": card["event"]["seat"], "by": "bot"})
            }
        }));
        assert_eq!(*kinds(&log).last().expect("an end"), "game_finished");
        let report = verified(&service, &table).await;
        assert!(report.is_well(), "{:#?}", report.findings);
    }

    /// After two expired turns in a row, a bot stands in until the player is back.
    #[ignore = "all: plays whole games; the default plays shorter ones"]
    async fn an_expired_turn_is_played_by_default(service: Service) {
        let table = service.table("nineteen").players(2).with("turn_seconds", 10).started().await;
        let version = |view: &Value| view["version"].as_u64().expect("a version");
        let view = table.view().await;
        let slow = view["round"]["to_act"]["seat"].as_u64().expect("a seat") as usize;
        let quick = 1 - slow;
        assert_eq!(view["round"]["deadline"], "2026-01-01T12:00:10.000Z");
        service.wait(9);
        sleep(Duration::from_millis(1_500)).await;
        assert_eq!(version(&table.view().await), version(&view), "the turn had not run out");
        service.wait(2);
        let mut dice = Random(4);
        for turn in 0..2 {
            let view = until(&table, quick, "the other's turn", |view| !view["legal"].as_array().expect("commands").is_empty()).await;
            assert_eq!(view["seats"][slow]["stand_in"], turn == 1, "after two in a row, and not before");
            let command = dice.command(view["legal"].as_array().expect("commands"));
            table.seat(quick).command(&command).await.accepted();
            // The quick player may have to move again before the slow one.
            let mut view = table.seat(quick).view().await.accepted();
            while turn == 0 && view["round"]["to_act"]["seat"] == quick {
                let command = dice.command(view["legal"].as_array().expect("commands"));
                view = table.seat(quick).command(&command).await.accepted()["game"].clone();
            }
            if turn == 0 {
                service.wait(11);
            }
        }
        let log = table.seat(0).log().await;
        let late = of_kind(&log, "turn_timed_out");
        assert_eq!(late.len(), 2);
        assert!(late.iter().all(|event| event["event"]["seat"] == slow && event["actor"]["kind"] == "server"));
        assert_eq!(of_kind(&log, "stand_in_began").len(), 1);
        let clocked: Vec<_> = log.iter().filter(|event| event["actor"]["by"] == "clock").collect();
        assert_eq!(clocked.len(), 2, "each turn was taken once");

        // The stand-in plays at once. The view of the returned player shows it.
        let view = table.seat(slow).view().await.accepted();
        assert!(view["legal"].as_array().expect("commands").contains(&json!({"type": "resume"})));
        let back = table.seat(slow).command(&json!({"type": "resume"})).await.accepted();
        assert_eq!(back["events"][0]["event"], json!({"type": "stand_in_ended", "seat": slow}));
        assert_eq!(back["game"]["seats"][slow]["stand_in"], false);
        let again = table.seat(slow).command(&json!({"type": "resume"}));
        table.refuses(again, 409, "not-stood-in").await;
        table.play_out(&mut dice).await;
        let report = verified(&service, &table).await;
        assert!(report.is_well(), "{:#?}", report.findings);
    }

    async fn stand_ins_play_for_absent_players(service: Service) {
        let table = service.table("nineteen").players(2).with("turn_seconds", 10).started().await;
        // Both players are absent: bots stand in for both and play to the end.
        for late in 1..=4 {
            service.wait(11);
            eventually(format!("turn {late} runs out"), async || {
                of_kind(&table.seat(0).log().await, "turn_timed_out").len() == late
            })
            .await;
        }
        until(&table, 0, "the end", |view| view["status"] == "finished").await;
        let log = table.seat(0).log().await;
        assert_eq!(of_kind(&log, "stand_in_began").len(), 2);
        assert_eq!(of_kind(&log, "turn_timed_out").len(), 4);
        let report = verified(&service, &table).await;
        assert!(report.is_well(), "{:#?}", report.findings);
    }

    /// A player who leaves during play forfeits: a bot plays on, and the other results do not change.
    async fn leaving_during_play_forfeits(service: Service) {
        let table = service.table("squares").options(json!({"length": "micro"})).started().await;
        let leave = |seat: usize| table.players[seat].client.delete(&table.path(&format!("seats/{seat}")));
        table.refuses(table.players[0].client.delete(&table.path("seats/2")), 409, "game-not-in-lobby").await;
        let view = leave(2).await.accepted();
        assert_eq!(view["you"], Value::Null, "who has left is a stranger");
        let view = table.view().await;
        assert_eq!((&view["seats"][2]["stand_in"], &view["seats"][2]["player"]["kind"]), (&json!(true), &json!("human")));
        let gone = table.seat(2).command(&json!({"type": "resume"}));
        table.refuses(gone, 403, "not-seated").await;
        table.play_out(&mut Random(2)).await;
        let view = table.view().await;
        assert_eq!(view["status"], "finished");
        let over = table.refuses(leave(1), 409, "game-not-playing").await;
        assert_eq!(over["game_status"], "finished");
        let report = verified(&service, &table).await;
        assert!(report.is_well(), "{:#?}", report.findings);
    }

    async fn a_game_without_people_is_abandoned(service: Service) {
        let table = service.table("plain").full().await;
        let remove = table.players[0].client.delete(&table.path("seats/3"));
        remove.await.accepted();
        let put = table.players[0].client.request(reqwest::Method::PUT, &table.path("seats/3/bot"));
        put.raw(json!({"level": "steady"}).to_string()).await.accepted();
        table.start().await.accepted();
        for player in 0..3 {
            let left = loop {
                let view = table.seat(player).view().await.accepted();
                let chair = view["you"]["seat"].as_u64().or(view["you"]["place"].as_u64()).expect("a chair");
                let path = table.path(&format!("seats/{chair}"));
                let answer = table.players[player].client.delete(&path).await;
                // A bot plays for a player who has left. The seats may be settled by then.
                if answer.status != 409 {
                    break answer.accepted();
                }
            };
            assert_eq!(left["status"], if player == 2 { "abandoned" } else { "playing" });
        }
        let log = table.seat(0).log().await;
        let end = &log.last().expect("an end")["event"];
        assert_eq!((&end["type"], &end["reason"]), (&json!("game_abandoned"), &json!("forfeited")));
        assert!(end["server_seed"].is_string());
        let report = verified(&service, &table).await;
        assert!(report.is_well(), "{:#?}", report.findings);
    }

    /// Idle tables are abandoned: after a day with one player, after a week with several, after thirty days
    /// in a game without a clock.
    async fn an_idle_game_expires(database: TestDatabase) {
        const HOUR: i64 = 3_600;
        let service = Service::start(database);
        let lonely = service.table("nineteen").players(2).open().await;
        let company = service.table("nineteen").players(2).full().await;
        let playing = service.table("nineteen").players(2).started().await;
        let status = |status: &'static str| move |view: &Value| view["status"] == status;
        service.wait(24 * HOUR + 1);
        let fresh = |table: &Table| Table { id: table.id.clone(), players: Vec::new() };
        let lonely = Table { players: service.sign_in_again(2).await, ..fresh(&lonely) };
        until(&lonely, 0, "giving up a lonely table", status("abandoned")).await;
        service.wait(6 * 24 * HOUR);
        let company = Table { players: service.sign_in_again(2).await, ..fresh(&company) };
        let view = until(&company, 0, "giving up an unstarted table", status("abandoned")).await;
        assert!(view["fairness"]["server_seed"].is_string());
        service.wait(22 * 24 * HOUR);
        let playing = Table { players: service.sign_in_again(2).await, ..fresh(&playing) };
        sleep(Duration::from_millis(1_500)).await;
        assert_eq!(playing.view().await["status"], "playing", "thirty days are not over");
        service.wait(2 * 24 * HOUR);
        let playing = Table { players: service.sign_in_again(2).await, ..playing };
        until(&playing, 0, "giving up a game", status("abandoned")).await;
        let report = verified(&service, &playing).await;
        assert!(report.is_well(), "{:#?}", report.findings);
    }

    async fn a_rematch_opens_one_shared_table(service: Service) {
        let table = service.table("nineteen").players(3).with("visibility", "private").with("turn_seconds", 60).full().await;
        let again = |player: usize| table.players[player].client.send(&table.path("rematch"), &json!({}));
        table.refuses(again(1), 409, "game-not-over").await;
        table.players[0].client.post(&table.path("cancel")).await.accepted();
        let stranger = service.player("stranger").await;
        stranger.client.send(&table.path("rematch"), &json!({})).await.refused(404, "not-found");
        let (first, second) = tokio::join!(again(2), again(1));
        let (first, second) = (first.accepted(), second.accepted());
        assert_eq!(first["id"], second["id"]);
        assert_ne!(first["id"], json!(table.id));
        let third = again(0).await.accepted();
        assert_eq!(third["id"], first["id"]);
        let same = again(0).await.accepted();
        assert_eq!((&same["id"], &same["version"]), (&third["id"], &third["version"]), "who sits there stays");
        for (field, value) in [("visibility", json!("private")), ("turn_seconds", json!(60))] {
            assert_eq!(third[field], value);
        }
        assert!(third["seats"].as_array().expect("seats").iter().all(|seat| !seat["player"].is_null()));
        // Cancelling a rematch allows another one.
        let rematch = Table { id: first["id"].as_str().expect("an id").to_owned(), players: table.players.clone() };
        let host = rematch.players.iter().position(|player| third["host"]["name"] == player.name).expect("a host");
        rematch.players[host].client.post(&rematch.path("cancel")).await.accepted();
        let anew = again(1).await.accepted();
        assert_ne!(anew["id"], first["id"]);
        let key = ("idempotency-key", "again-1");
        let once = again(2).header(key.0, key.1).await.accepted();
        let twice = again(2).header(key.0, key.1).await;
        assert_eq!(twice.header("idempotency-replayed"), Some("true"));
        assert_eq!(twice.accepted()["id"], once["id"]);
    }

    async fn the_host_seats_bots_and_hands_over(service: Service) {
        let table = service.table("nineteen").players(3).open().await;
        let mut table = table;
        let omar = service.player("omar").await;
        table.seen_by(&omar).sit_down(&json!({"seat": 1})).await.accepted();
        table.players.push(omar);
        let put = |player: usize, path: &str, body: Value| {
            table.players[player].client.request(reqwest::Method::PUT, &table.path(path)).raw(body.to_string())
        };
        let bot = |level: &str| json!({"level": level});
        table.refuses(put(1, "seats/2/bot", bot("easy")), 403, "not-host").await;
        table.refuses(put(0, "seats/1/bot", bot("easy")), 409, "seat-taken").await;
        table.refuses(put(0, "seats/3/bot", bot("easy")), 422, "no-such-seat").await;
        table.refuses(put(0, "seats/2/bot", bot("superb")), 422, "invalid-body").await;
        table.refuses(put(0, "host", json!({"seat": 2})), 409, "no-person-there").await;
        put(0, "seats/2/bot", bot("easy")).await.accepted();
        let view = put(0, "seats/2/bot", bot("sharp")).await.accepted();
        assert_eq!(view["seats"][2]["player"]["level"], "sharp");
        table.refuses(put(0, "host", json!({"seat": 2})), 409, "no-person-there").await;
        let view = put(0, "host", json!({"seat": 1})).await.accepted();
        assert_eq!(view["host"]["name"], "omar");
        table.refuses(put(0, "host", json!({"seat": 0})), 403, "not-host").await;
        let view = table.players[1].client.delete(&table.path("seats/2")).await.accepted();
        assert_eq!(view["seats"][2]["player"], Value::Null, "a bot is removed as a person is");
        // When the last person leaves, the bots leave too.
        put(1, "seats/2/bot", bot("easy")).await.accepted();
        table.players[0].client.delete(&table.path("seats/0")).await.accepted();
        let view = table.players[1].client.delete(&table.path("seats/1")).await.accepted();
        assert_eq!(view["status"], "abandoned");
        let report = verified(&service, &table).await;
        assert!(report.is_well(), "{:#?}", report.findings);
    }
}
