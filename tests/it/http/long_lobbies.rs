//! Lobbies that change often: their records have a bound, and no player can use it against the others.

use estimation_service::base::failure::Failure;
use estimation_service::vocabulary::{BotLevel, TableCommand};

use super::matchmaking::wish;
use crate::prelude::*;

const EVENTS: usize = 500;

/// How often an account may join a table, and how often it may commit to a seed there.
const JOINS: usize = 20;

fn commitment(number: usize) -> Value {
    json!({"commitment": format!("{number:064x}")})
}

on_sqlite_first! {
    async fn joins_and_commitments_are_limited(service: Service) {
        let table = service.table("nineteen").players(3).full().await;
        let (path, seats) = (table.path("seed-commitment"), table.path("seats"));
        let restless = &table.seat(1).player.client;
        for number in 1..=JOINS {
            restless.send(&path, &commitment(number)).await.accepted();
        }
        let problem = table.refuses(restless.send(&path, &commitment(0)), 409, "too-many-changes").await;
        assert_eq!(problem["limit"], JOINS);
        // Joining counted as the first time.
        for _ in 1..JOINS {
            restless.delete(&table.path("seats/1")).await.accepted();
            restless.send(&seats, &json!({})).await.accepted();
        }
        // Leaving does not reset the counts, and other players are unaffected.
        restless.send(&path, &commitment(0)).await.refused(409, "too-many-changes");
        restless.delete(&table.path("seats/1")).await.accepted();
        restless.send(&seats, &json!({})).await.refused(409, "too-many-changes");
        service.player("ziad").await.client.send(&seats, &json!({})).await.accepted();
        for number in 1..=JOINS {
            table.seat(2).player.client.send(&path, &commitment(100 + number)).await.accepted();
        }
        table.seat(0).player.client.send(&path, &json!({"commitment": null})).await.accepted();
        assert!(table.start().await.accepted()["fairness"]["opening_until"].is_string());
        let log = table.seat(0).log().await;
        assert!(log.len() < 4 * JOINS + 10, "{}", log.len());
    }

    async fn a_table_at_its_event_limit_can_start(service: Service) {
        let table = service.table("nineteen").players(3).full().await;
        let host = &table.seat(0).player.client;
        host.delete(&table.path("seats/2")).await.accepted();
        let node = service.another_node();
        let (caller, id) = (table.seat(0).player.caller(), table.id.parse().expect("an id"));
        let bot = |level| TableCommand::SeatBot { place: 2, level };
        // From the fourth event on, the host replaces one bot with another.
        for number in 4..EVENTS {
            let level = [BotLevel::Easy, BotLevel::Steady][number % 2];
            node.games.at_table(&caller, id, &bot(level), None, None).await.expect("a bot");
        }
        let refused = node.games.at_table(&caller, id, &bot(BotLevel::Sharp), None, None).await;
        assert!(matches!(refused, Err(Failure::TooManyChanges { by_table: true, .. })), "{refused:?}");
        let problem = table.refuses(table.seat(1).player.client.send(&table.path("seed-commitment"), &commitment(0)), 409, "too-many-changes").await;
        assert_eq!(problem["limit"], EVENTS);
        let hand_over = host.request(Method::PUT, &table.path("host")).raw(json!({"seat": 1}).to_string());
        table.refuses(hand_over, 409, "too-many-changes").await;
        let past = host.get(&table.path(&format!("state?version={}", EVENTS - 1))).await.accepted();
        assert_eq!((&past["version"], &past["status"]), (&json!(EVENTS - 1), &json!("lobby")));
        assert_eq!(table.start().await.accepted()["status"], "playing");
        // The other node has the lobby in its cache, and refuses what the present state refuses.
        let refused = node.games.at_table(&caller, id, &bot(BotLevel::Easy), None, None).await;
        assert!(matches!(refused, Err(Failure::Rejected(_))), "{refused:?}");
        node.shutdown().await;
    }

    async fn a_player_at_the_join_limit_gets_another_table(service: Service) {
        let wish = json!({"ruleset": "nineteen"});
        let (noor, omar) = (service.player("noor").await, service.player("omar").await);
        let seek = |client: &Client| client.send("/v1/matchmaking", &wish);
        let first = seek(&noor.client).await.accepted()["game"].clone();
        for _ in 0..JOINS {
            assert_eq!(seek(&omar.client).await.accepted()["game"], first);
            omar.client.delete("/v1/matchmaking").await.accepted();
        }
        let second = seek(&omar.client).await.accepted();
        assert!(second["game"] != first && second["status"] == "waiting", "{second}");
        // The next player in the queue joins the oldest table.
        assert_eq!(seek(&service.player("lina").await.client).await.accepted()["game"], first);
        assert_eq!(noor.client.get("/v1/matchmaking").await.accepted()["taken"], 2);
    }

    #[ignore = "all: plays whole games; the default plays shorter ones"]
    async fn a_matchmade_table_at_its_event_limit_is_abandoned(service: Service) {
        let node = service.another_node();
        let wish = || wish("nineteen");
        let noor = service.player("noor").await;
        let first = node.matchmaking.seek_table(&noor.caller(), wish(), None).await.expect("a table").value.game.expect("a game");
        let mut events = 1;
        'all: for number in 0.. {
            let restless = service.player(&format!("restless-{number}")).await.caller();
            for _ in 0..JOINS {
                let found = node.matchmaking.seek_table(&restless, wish(), None).await.expect("a table").value;
                if found.game != Some(first) {
                    break 'all;
                }
                node.matchmaking.stop_seeking(&restless).await.expect("a way out");
                events += 2;
            }
        }
        assert_eq!(events, EVENTS + 1);
        // The players who waited there see that the table is abandoned, and queue again.
        assert_eq!(noor.client.get(&format!("/v1/games/{first}")).await.accepted()["status"], "abandoned");
        assert_eq!(noor.client.get("/v1/matchmaking").await.accepted()["status"], "idle");
        let again = node.matchmaking.seek_table(&noor.caller(), wish(), None).await.expect("a table").value;
        assert_eq!(again.taken, Some(2));
        node.shutdown().await;
    }
}
