//! The printed example of the rule page of `nineteen`, played by four players over HTTP. The test stacks the
//! pack through the service's entropy.

use estimation_engine::card::Card;
use estimation_engine::round::DealNumber;
use estimation_service::base::entropy::SeededEntropy;

use crate::prelude::*;

/// Seat 1 deals turn 2 one card at a time from seat 2 on; the indicator follows.
const PACK_OF_TURN_2: [&str; 9] = ["10C", "AD", "JD", "QH", "9S", "AC", "9C", "10S", "KH"];

fn entropy() -> SeededEntropy {
    let cards = PACK_OF_TURN_2.map(|card| card.parse::<Card>().expect("a card"));
    SeededEntropy::new(19).stack(DealNumber { round: 2, attempt: 1 }, cards)
}

async fn play_turn_1(table: &Table) {
    loop {
        let round = table.view().await["round"].clone();
        if round["number"] == 2 {
            return;
        }
        let seat = table.seat(round["to_act"]["seat"].as_u64().expect("a seat") as usize);
        let legal = seat.view().await.accepted()["legal"].clone();
        seat.command(&legal[0]).await.accepted();
    }
}

fn kinds(answer: &Value) -> Vec<&str> {
    let events = answer["events"].as_array().expect("events");
    events.iter().map(|event| event["event"]["type"].as_str().expect("a type")).collect()
}

on_sqlite_first! {
    async fn scores_0_0_0_3(database: TestDatabase) {
        let service = Service::with(database, entropy());
        let table = service.table("nineteen").players(4).started().await;
        play_turn_1(&table).await;
        let before = table.view().await["scores"]["totals"].clone();

        let round = table.view().await["round"].clone();
        assert_eq!(round["dealer"], 1);
        assert_eq!(round["hand_size"], 2);
        assert_eq!((&round["indicator"], &round["trump"]), (&json!("KH"), &json!("hearts")));
        for (seat, hand) in [["9C", "JD"], ["10S", "QH"], ["10C", "9S"], ["AC", "AD"]].iter().enumerate() {
            let view = table.seat(seat).view().await.accepted();
            let mut held: Vec<&str> = view["round"]["hands"][seat]["cards"].as_array().expect("a hand")
                .iter().map(|card| card.as_str().expect("a card")).collect();
            held.sort_unstable();
            assert_eq!(held, hand, "seat {seat}");
            assert_eq!(view["round"]["hands"][(seat + 1) % 4], json!({"count": 2, "cards": null}));
        }

        table.seat(3).estimate(1).await.refused(409, "not-your-turn");
        table.seat(2).estimate(0).await.accepted();
        table.seat(3).estimate(1).await.accepted();
        table.seat(0).estimate(0).await.accepted();
        // The sum so far is 1, so the dealer may not say 1.
        let refused = table.seat(1).estimate(1).await.refused(409, "total-barred");
        assert_eq!((&refused["barred"], &refused["total"]), (&json!(1), &json!(2)));
        let begun = table.seat(1).estimate(2).await.accepted();
        assert_eq!(kinds(&begun), ["estimate_made", "play_began"]);
        assert_eq!(begun["events"][1]["event"]["seat"], 3);

        table.seat(2).play("10C").await.refused(409, "not-your-turn");
        table.seat(3).play("AD").await.accepted();
        let refused = table.seat(0).play("9C").await.refused(409, "must-follow-suit");
        assert_eq!(refused["led"], "diamonds");
        table.seat(0).play("JD").await.accepted();
        table.seat(1).play("QH").await.accepted();
        let trick = table.seat(2).play("10C").await.accepted();
        assert_eq!(kinds(&trick), ["card_played", "trick_taken"]);
        assert_eq!(trick["events"][1]["event"]["seat"], 1);
        assert_eq!(trick["game"]["round"]["tricks_taken"], json!([0, 1, 0, 0]));

        table.seat(1).play("10S").await.accepted();
        table.seat(2).play("9S").await.accepted();
        table.seat(3).play("AC").await.accepted();
        let last = table.seat(0).play("9C").await.accepted();
        assert_eq!(kinds(&last), ["card_played", "trick_taken", "round_scored", "round_dealt"]);
        assert_eq!(last["events"][1]["event"]["seat"], 1);
        let scored = &last["events"][2]["event"]["score"];
        assert_eq!(scored["points"], json!([0, 0, 0, 3]));
        assert_eq!(scored["tricks"], json!([0, 2, 0, 0]));

        let sheet = table.seat(0).scores().await.accepted();
        let points: Vec<&Value> =
            sheet["rounds"][1]["seats"].as_array().expect("seats").iter().map(|seat| &seat["points"]).collect();
        assert_eq!(points, [0, 0, 0, 3]);
        for seat in 0..4 {
            let total = |totals: &Value| totals[seat].as_i64().expect("a total");
            assert_eq!(total(&sheet["totals"]), total(&before) + [0, 0, 0, 3][seat], "seat {seat}");
        }
    }
}
