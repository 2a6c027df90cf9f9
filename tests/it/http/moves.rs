//! Illegal moves: the problem names the rule and what the player needs to know, and nothing changes.

use super::playthrough::Playthrough;
use crate::prelude::*;

async fn to_act(table: &Table) -> usize {
    table.view().await["round"]["to_act"]["seat"].as_u64().expect("a seat") as usize
}

on_sqlite_first! {
    async fn of_an_estimate(service: Service) {
        let table = service.table("nineteen").players(4).with("options", json!({"order": "10-1-10"})).started().await;
        // Seat 0 deals, so seat 1 speaks first. The round has ten tricks.
        let turn = table.refuses(table.seat(3).estimate(0), 409, "not-your-turn").await;
        assert_eq!(turn["to_act"], json!({"seat": 1}));
        let range = table.refuses(table.seat(1).estimate(11), 409, "estimate-out-of-range").await;
        assert_eq!((&range["min"], &range["max"]), (&json!(0), &json!(10)));
        for command in [
            json!({"type": "play", "card": "AS"}), json!({"type": "pass"}), json!({"type": "redeal"}),
            json!({"type": "bid", "tricks": 4, "trump": "clubs"}), json!({"type": "dash_call"}),
            json!({"type": "cut", "position": 17}), json!({"type": "choose_seat", "seat": 1}),
            json!({"type": "avoid"}), json!({"type": "enter_auction"}), json!({"type": "blind_dash"}),
        ] {
            let phase = table.refuses(table.seat(1).command(&command), 409, "wrong-phase").await;
            assert_eq!(phase["phase"], "estimates", "{command}");
        }
        let trump = json!({"type": "estimate", "tricks": 9, "trump": "spades"});
        table.refuses(table.seat(1).command(&trump), 409, "trump-change-barred").await;
        for (seat, tricks) in [(1, 2), (2, 3), (3, 1)] {
            table.seat(seat).estimate(tricks).await.accepted();
        }
        let barred = table.refuses(table.seat(0).estimate(4), 409, "total-barred").await;
        assert_eq!((&barred["barred"], &barred["total"]), (&json!(4), &json!(10)));
        table.seat(0).estimate(5).await.accepted();

        let phase = table.refuses(table.seat(2).estimate(1), 409, "wrong-phase").await;
        assert_eq!(phase["phase"], "play");
        let hands = table.seat(2).view().await.accepted()["round"]["hands"][2]["cards"].clone();
        let held = hands.as_array().expect("a hand");
        let elsewhere = ["AS", "AH", "AD", "AC", "KS", "KH", "KD", "KC", "QS", "QH", "QD"]
            .into_iter().find(|card| !held.contains(&json!(card))).expect("not all of them");
        let missing = table.refuses(table.seat(2).play(elsewhere), 409, "card-not-held").await;
        assert_eq!(missing["card"], elsewhere);
        table.refuses(table.seat(2).play("RJ"), 409, "card-not-held").await;
        table.refuses(table.seat(3).play("AS"), 409, "not-your-turn").await;
        table.seat(2).play(held[0].as_str().expect("a card")).await.accepted();
        table.refuses(table.seat(2).play(held[0].as_str().expect("a card")), 409, "not-your-turn").await;
    }

    async fn of_a_bid(service: Service) {
        let table = service.table("squares").started().await;
        let onlooker = service.player("watcher").await;
        let mut playthrough = Playthrough::begin(&table, &onlooker, 8).await;
        playthrough.until(|view| view["round"]["phase"] == "auction").await;
        let first = table.seat(to_act(&table).await);
        for tricks in [1, 3] {
            let range = table.refuses(first.bid(tricks, "spades"), 409, "bid-out-of-range").await;
            assert_eq!((&range["min"], &range["max"]), (&json!(4), &json!(13)));
        }
        let phase = table.refuses(first.estimate(3), 409, "wrong-phase").await;
        assert_eq!(phase["phase"], "auction");
        first.bid(5, "hearts").await.accepted();
        let second = table.seat(to_act(&table).await);
        for (tricks, trump) in [(4, "no_trump"), (5, "clubs"), (5, "hearts")] {
            let low = table.refuses(second.bid(tricks, trump), 409, "bid-too-low").await;
            assert_eq!((&low["tricks"], &low["trump"]), (&json!(5), &json!("hearts")));
        }
        second.bid(5, "spades").await.accepted();
    }

    async fn of_a_seat_and_a_cut(service: Service) {
        let table = service.table("plain").started().await;
        let place = table.view().await["round"]["to_act"]["place"].as_u64().expect("a place") as usize;
        let chooser = table.seat(place);
        let choose = |seat: u8| json!({"type": "choose_seat", "seat": seat});
        table.refuses(table.seat((place + 1) % 4).command(&choose(0)), 409, "not-your-turn").await;
        table.refuses(chooser.command(&choose(4)), 422, "no-such-seat").await;
        table.refuses(chooser.command(&json!({"type": "pass"})), 409, "wrong-phase").await;
        chooser.command(&choose(2)).await.accepted();
        let next = table.view().await["round"]["to_act"]["place"].as_u64().expect("a place") as usize;
        let taken = table.refuses(table.seat(next).command(&choose(2)), 409, "seat-taken").await;
        assert_eq!(taken["seat"], 2);

        let onlooker = service.player("watcher").await;
        Playthrough::begin(&table, &onlooker, 8).await.until(|view| view["round"]["phase"] == "cutting").await;
        let view = table.view().await;
        let cutter = view["round"]["to_act"]["seat"].as_u64().expect("a seat") as usize;
        let account = &view["seats"][cutter]["player"]["id"];
        let cutter = table.players.iter().find(|player| *account == player.account).expect("a player");
        for position in [0, 52, 255] {
            let cut = json!({"type": "cut", "position": position});
            table.refuses(table.seen_by(cutter).command(&cut), 409, "cut-out-of-range").await;
        }
        table.refuses(table.seen_by(cutter).bid(4, "clubs"), 409, "wrong-phase").await;
    }
}
