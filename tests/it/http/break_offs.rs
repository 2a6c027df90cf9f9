//! What players break off shows in their public statistics and on their profiles.

use super::client_seeds::{commit, open, seed, until};
use crate::prelude::*;

/// What another player sees of a player, the same in the statistics and on the profile.
async fn broken_off(viewer: &Player, player: &Player) -> [u64; 3] {
    let path = format!("/v1/players/{}", player.account);
    let statistics = viewer.client.get(&format!("{path}/statistics")).await.accepted();
    assert_eq!(viewer.client.get(&path).await.accepted()["broken_off"], statistics["broken_off"]);
    ["tables_cancelled", "openings_missed", "games_left"]
        .map(|figure| statistics["broken_off"][figure].as_u64().expect("a number"))
}

/// A table at which the other seats have bots.
pub(super) async fn with_bots(service: &Service, wish: Value, seats: usize) -> Table {
    let noor = service.player("noor").await;
    let game = noor.client.send("/v1/games", &wish).await.accepted();
    let table = Table { id: game["id"].as_str().expect("an id").to_owned(), players: vec![noor] };
    for seat in 1..seats {
        let put = table.players[0].client.request(Method::PUT, &table.path(&format!("seats/{seat}/bot")));
        put.raw(json!({"level": "easy"}).to_string()).await.accepted();
    }
    table
}

pub(super) async fn leave(table: &Table, seat: usize) {
    table.seat(seat).player.client.delete(&table.path(&format!("seats/{seat}"))).await.accepted();
}

on_sqlite_first! {
    /// Nobody looks at ten deals against bots and throws them away without a trace.
    async fn games_left_after_a_look_at_the_cards_show(service: Service) {
        let omar = service.player("omar").await;
        for _ in 0..10 {
            let table = with_bots(&service, json!({"ruleset": "nineteen", "players": 2}), 2).await;
            table.start().await.accepted();
            assert!(table.view().await["round"]["hands"][0]["cards"].is_array());
            leave(&table, 0).await;
            assert_eq!(table.view().await["status"], "abandoned");
        }
        let noor = service.player("noor").await;
        assert_eq!(broken_off(&omar, &noor).await, [0, 0, 10]);
        // Leaving a table before the start, or a game before its first deal, breaks nothing off.
        let table = with_bots(&service, json!({"ruleset": "squares"}), 4).await;
        leave(&table, 0).await;
        let table = with_bots(&service, json!({"ruleset": "plain", "options": {"seating": "as_joined"}}), 4).await;
        table.start().await.accepted();
        assert_eq!(table.view().await["round"]["phase"], "cutting");
        leave(&table, 0).await;
        assert_eq!(broken_off(&omar, &noor).await, [0, 0, 10]);
    }

    /// A game without a clock that nobody plays on counts for the player whose turn it was.
    async fn a_game_that_expires_counts_for_the_player_to_move(service: Service) {
        let table = service.table("nineteen").players(2).started().await;
        let (absent, _) = table.turn().await.expect("a turn");
        service.wait(31 * 24 * 60 * 60);
        let players = service.sign_in_again(2).await;
        let table = Table { players, ..table };
        until(&table, "the game expires", |view| view["status"] == "abandoned").await;
        for (seat, player) in table.players.iter().enumerate() {
            let left = u64::from(seat == absent);
            assert_eq!(broken_off(&table.players[0], player).await, [0, 0, left], "seat {seat}");
        }
    }

    async fn cancelled_tables_show_if_another_person_sat_there(service: Service) {
        let (noor, omar) = (service.player("noor").await, service.player("omar").await);
        for number in 0..52 {
            let wish = json!({"ruleset": "nineteen", "players": 3});
            let game = noor.client.send("/v1/games", &wish).await.accepted();
            let table = format!("/v1/games/{}", game["id"].as_str().expect("an id"));
            // Two of the tables have no other person.
            if number < 50 {
                omar.client.send(&format!("{table}/seats"), &json!({})).await.accepted();
            }
            noor.client.post(&format!("{table}/cancel")).await.accepted();
        }
        assert_eq!(broken_off(&omar, &noor).await, [50, 0, 0]);
        assert_eq!(broken_off(&noor, &omar).await, [0, 0, 0]);
    }

    /// A missed opening counts for the player whose seed stayed closed, and so does leaving once a seed is open. The
    /// account's export has the rows, and its deletion removes them.
    async fn missed_openings_show_for_those_who_missed_them(service: Service) {
        let table = service.table("nineteen").players(2).full().await;
        let (noor, omar) = (table.players[0].clone(), table.players[1].clone());
        for (player, letter) in [(0, "a"), (1, "b")] {
            commit(&table, player, &seed(letter)).await.accepted();
        }
        table.start().await.accepted();
        open(&table, 0, &seed("a")).await.accepted();
        service.wait(16);
        until(&table, "the opening fails", |view| view["fairness"]["opening_until"].is_null()).await;
        assert_eq!((broken_off(&omar, &noor).await, broken_off(&noor, &omar).await), ([0; 3], [0, 1, 0]));
        for (player, letter) in [(0, "c"), (1, "d")] {
            commit(&table, player, &seed(letter)).await.accepted();
        }
        table.start().await.accepted();
        open(&table, 0, &seed("c")).await.accepted();
        leave(&table, 1).await;
        assert_eq!((broken_off(&omar, &noor).await, broken_off(&noor, &omar).await), ([0; 3], [0, 2, 0]));

        let export = omar.client.get("/v1/me/export").await.accepted();
        let rows: Vec<_> =
            export["broken_off"].as_array().expect("rows").iter().map(|row| (&row["game"], &row["kind"])).collect();
        let (game, kind) = (json!(table.id), json!("opening_missed"));
        assert_eq!(rows, [(&game, &kind), (&game, &kind)]);
        assert!(service.database().outsider().holds("break_offs", &["account_id"], &omar.account));
        omar.client.request(Method::DELETE, "/v1/me").raw(json!({"password": PASSWORD}).to_string()).await.accepted();
        assert!(!service.database().outsider().holds("break_offs", &["account_id"], &omar.account));
    }

    /// An account that is deleted while it plays leaves no break-off behind.
    async fn a_deleted_account_has_no_break_offs(service: Service) {
        let table = service.table("nineteen").players(2).started().await;
        let omar = &table.players[1];
        omar.client.request(Method::DELETE, "/v1/me").raw(json!({"password": PASSWORD}).to_string()).await.accepted();
        let left = async || table.seat(0).log().await.iter().any(|entry| entry["event"]["type"] == "player_forfeited");
        eventually("a bot plays on", left).await;
        assert!(!service.database().outsider().holds("break_offs", &["account_id"], &omar.account));
        let path = format!("/v1/players/{}", omar.account);
        assert_eq!(table.players[0].client.get(&path).await.accepted()["broken_off"], Value::Null);
        assert_eq!(broken_off_of_deleted(&table.players[0], omar).await, [0; 3]);
    }
}

async fn broken_off_of_deleted(viewer: &Player, player: &Player) -> [u64; 3] {
    let statistics =
        viewer.client.get(&format!("/v1/players/{}/statistics", player.account)).await.accepted();
    ["tables_cancelled", "openings_missed", "games_left"]
        .map(|figure| statistics["broken_off"][figure].as_u64().expect("a number"))
}
