//! The calculator over HTTP: it scores every vector of `tests/vectors` and refuses every impossible round
//! with its reason.

use estimation_test_support::vectors::{RULESETS, agrees, by_seat, needs_first_speaker, requests, vectors};

use crate::prelude::*;

on_sqlite_first! {
    async fn every_vector_is_scored(service: Service) {
        let nobody = service.anonymous();
        let mut scored = 0;
        for ruleset in RULESETS {
            let path = format!("/v1/rulesets/{ruleset}/score");
            for (vector, mut request) in requests(ruleset) {
                let answer = nobody.send(&path, &request).await.accepted();
                agrees(&vector, &answer);
                // The request may give the bidder if it is right, and may give null.
                request["bidder"] = answer["bidder"].clone();
                assert_eq!(nobody.send(&path, &request).await.accepted(), answer);
                scored += 1;
            }
        }
        assert!(scored > 100, "{scored} vectors");
    }

    async fn impossible_rounds_are_refused_with_their_reasons(service: Service) {
        let nobody = service.anonymous();
        for vector in vectors("impossible") {
            let mut request = vector.clone();
            for field in ["id", "ruleset", "why", "reason"] {
                request.as_object_mut().expect("an object").remove(field);
            }
            if let Some(calls) = vector["calls"].as_array() {
                request["calls"] = json!(by_seat(calls));
            }
            let path = format!("/v1/rulesets/{}/score", vector["ruleset"].as_str().expect("a ruleset"));
            let answer = nobody.send(&path, &request).await;
            if vector["reason"] == "players_out_of_range" {
                answer.refused(422, "players-out-of-range");
            } else {
                let problem = answer.refused(422, "impossible-round");
                assert_eq!(problem["reason"], vector["reason"], "{}: {}", vector["id"], vector["why"]);
            }
        }
    }

    async fn the_documented_round_has_the_documented_score(service: Service) {
        let request = json!({
            "options": {}, "players": 4, "round": 12, "carry": 1, "first_speaker": 3, "bidder": 3,
            "calls": [
                {"seat": 0, "kind": "estimate", "tricks": 4}, {"seat": 1, "kind": "estimate", "tricks": 4},
                {"seat": 2, "kind": "estimate", "tricks": 2}, {"seat": 3, "kind": "bid", "tricks": 4},
            ],
            "tricks": [3, 4, 2, 4],
        });
        let answer = service.anonymous().send("/v1/rulesets/squares/score", &request).await.accepted();
        assert_eq!(answer["points"], json!([-22, 48, 44, 48]));
        assert_eq!((&answer["bidder"], &answer["withs"], &answer["risk"]), (&json!(3), &json!([0, 1]), &json!(2)));
        assert_eq!((&answer["multiplier"], &answer["next_carry"]), (&json!(2), &json!(1)));
        assert_eq!(answer["lines"][0], json!([
            {"reason": "difference", "points": -1}, {"reason": "only_loser", "points": -10},
            {"reason": "multiplier", "factor": 2},
        ]));
    }

    async fn an_incomplete_round_is_refused(service: Service) {
        let nobody = service.anonymous();
        let three = json!({"kind": "estimate", "tricks": 3});
        let plain = json!({
            "round": 14, "first_speaker": 1, "tricks": [4, 4, 4, 1],
            "calls": by_seat(&[three.clone(), three.clone(), three.clone(), three]),
        });
        let with = |field: &str, value: Value| {
            let mut round = plain.clone();
            round[field] = value;
            nobody.send("/v1/rulesets/plain/score", &round)
        };
        with("carry", json!(1)).await.accepted();
        with("dealer", json!(0)).await.accepted();
        assert_eq!(with("dealer", json!(1)).await.refused(422, "invalid-field")["field"], "/dealer");
        with("bidder", Value::Null).await.accepted();
        assert_eq!(with("bidder", json!(0)).await.refused(422, "impossible-round")["reason"], "bidder_disagrees");
        assert_eq!(with("bidder", json!(4)).await.refused(422, "impossible-round")["reason"], "seat_out_of_range");
        assert_eq!(with("options", json!({"order": "1-10-1"})).await.refused(422, "unknown-option")["option"], "order");
        assert_eq!(with("options", json!({"dash_limit": 1})).await.refused(422, "invalid-option")["option"], "dash_limit");
        for (field, value) in [
            ("round", json!("14")), ("round", json!(-1)), ("round", json!(300)), ("tricks", json!([4, 4, 4, "1"])),
            ("tricks", json!([4, 4, 4, -1])), ("calls", json!([3, 3, 3, 3])), ("calls", json!({})),
            ("calls", json!([{"seat": 0, "kind": "guess", "tricks": 1}])), ("calls", json!([{"seat": 0, "kind": "bid"}])),
            ("calls", json!([{"kind": "estimate", "tricks": 3}])), ("calls", json!([null])),
            ("calls", json!([{"seat": 0, "kind": "bid", "tricks": 5, "trump": "clubs"}])),
            ("card", json!("AS")), ("folded", json!("no")), ("carry", json!(-1)), ("first_speaker", json!("1")),
        ] {
            with(field, value).await.refused(422, "invalid-body");
        }
        // A folded round needs no calls and no tricks. Every other round does.
        let folded = json!({"round": 2, "first_speaker": 1, "folded": true});
        let answer = nobody.send("/v1/rulesets/squares/score", &folded).await.accepted();
        assert_eq!((&answer["points"], &answer["next_carry"]), (&json!([0, 0, 0, 0]), &json!(2)));
        let bare = json!({"round": 2, "first_speaker": 1});
        let problem = nobody.send("/v1/rulesets/squares/score", &bare).await.refused(422, "impossible-round");
        assert_eq!(problem["reason"], "calls_missing");
    }

    async fn a_call_names_a_seat_of_its_own(service: Service) {
        let called = |seats: &[u8], folded: bool| {
            let kind = if folded { "dash_call" } else { "estimate" };
            let call = |seat: &u8| json!({"seat": seat, "kind": kind, "tricks": 0});
            let round = json!({
                "round": if folded { 2 } else { 14 }, "first_speaker": 1, "folded": folded,
                "calls": seats.iter().map(call).collect::<Vec<_>>(), "tricks": if folded { json!([]) } else { json!([4, 4, 4, 1]) },
            });
            let ruleset = if folded { "squares" } else { "plain" };
            service.anonymous().send(&format!("/v1/rulesets/{ruleset}/score"), &round)
        };
        // The order of the calls does not matter.
        called(&[3, 1, 0, 2], false).await.accepted();
        for folded in [false, true] {
            let twice = called(&[0, 1, 0, 1], folded).await.refused(422, "invalid-field");
            let fields: Vec<&Value> = twice["errors"].as_array().expect("errors").iter().map(|error| &error["field"]).collect();
            assert_eq!(fields[..2], ["/calls/2/seat", "/calls/3/seat"], "{twice}");
            assert_eq!(twice["errors"][0]["code"], "contradiction");
            let beyond = called(&[0, 1, 2, 4], folded).await.refused(422, "impossible-round");
            assert_eq!((&beyond["reason"], &beyond["last"]), (&json!("seat_out_of_range"), &json!(3)));
            assert_eq!(beyond["errors"][0]["field"], "/calls/3/seat");
            let nowhere = called(&[0, 200, 2, 3], folded).await.refused(422, "impossible-round");
            assert_eq!(nowhere["errors"][0]["field"], "/calls/1/seat");
        }
        let missing = called(&[0, 1, 3], false).await.refused(422, "impossible-round");
        assert_eq!((&missing["reason"], &missing["errors"][0]["field"]), (&json!("calls_missing"), &json!("/calls")));
    }

    /// A fault of a call names its place in the list, not its seat.
    async fn a_wrong_call_is_named_by_its_place_in_the_list(service: Service) {
        let call = |seat: u8, kind: &str, tricks: u8| json!({"seat": seat, "kind": kind, "tricks": tricks});
        let round = json!({
            "round": 2, "first_speaker": 1, "tricks": [5, 3, 3, 2],
            "calls": [call(3, "estimate", 6), call(2, "estimate", 3), call(1, "estimate", 3), call(0, "bid", 5)],
        });
        let problem = service.anonymous().send("/v1/rulesets/squares/score", &round).await.refused(422, "impossible-round");
        assert_eq!((&problem["reason"], &problem["errors"][0]["field"]), (&json!("estimate_above_bid"), &json!("/calls/0/tricks")));
    }

    async fn the_first_speaker_is_required_where_it_affects_the_score(service: Service) {
        let nobody = service.anonymous();
        for ruleset in RULESETS {
            for (vector, mut request) in requests(ruleset) {
                let path = format!("/v1/rulesets/{ruleset}/score");
                let whole = nobody.send(&path, &request).await.accepted();
                request.as_object_mut().expect("an object").retain(|name, _| name != "first_speaker" && name != "dealer");
                let answer = nobody.send(&path, &request).await;
                if needs_first_speaker(ruleset, &request) {
                    let problem = answer.refused(422, "invalid-field");
                    assert_eq!((&problem["field"], &problem["errors"][0]["code"]), (&json!("/first_speaker"), &json!("missing")));
                    continue;
                }
                let mut answer = answer.accepted();
                // In `plain` the Risk of a fast round depends on the first speaker. It changes no points.
                if answer["risk"].is_null() {
                    answer["risk"] = whole["risk"].clone();
                }
                assert_eq!(answer, whole, "{}", vector["id"]);
            }
        }
    }

    async fn a_missing_number_of_players_is_named(service: Service) {
        let zero = json!({"kind": "estimate", "tricks": 0});
        let mut round = json!({"round": 1, "calls": by_seat(&[zero.clone(), zero.clone(), zero]), "tricks": [1, 0, 0]});
        let score = |round: &Value| service.anonymous().send("/v1/rulesets/nineteen/score", round);
        let problem = score(&round).await.refused(422, "invalid-field");
        let error = &problem["errors"][0];
        assert_eq!((&error["field"], &error["code"]), (&json!("/players"), &json!("missing")), "{problem}");
        round["players"] = json!(3);
        assert_eq!(score(&round).await.accepted()["points"], json!([2, 0, 0]));
    }

    /// `nineteen` R10: the charge is separate from the points of the replay.
    async fn revokes_are_charged(service: Service) {
        let one = |tricks: u8| json!({"kind": "estimate", "tricks": tricks});
        let mut round = json!({
            "round": 4, "players": 4, "options": {"revokes": "penalise"}, "revokes": [2, 0, 2],
            "calls": by_seat(&[one(1), one(1), one(1), one(0)]), "tricks": [1, 1, 1, 1],
        });
        let score = |round: &Value| service.anonymous().send("/v1/rulesets/nineteen/score", round);
        let answer = score(&round).await.accepted();
        assert_eq!(answer["points"], json!([0, 0, 0, 5]));
        let charge = |attempt: u32, seat: u8| json!({"attempt": attempt, "seat": seat, "points": 8});
        assert_eq!(answer["penalties"], json!([charge(1, 2), charge(2, 0), charge(3, 2)]));
        round["revokes"] = json!([4]);
        let problem = score(&round).await.refused(422, "impossible-round");
        assert_eq!((&problem["reason"], &problem["errors"][0]["field"]), (&json!("seat_out_of_range"), &json!("/revokes/0")));
        round["revokes"] = json!([1]);
        round["options"] = json!({});
        let problem = score(&round).await.refused(422, "impossible-round");
        assert_eq!(problem["reason"], "revokes_not_penalised");
    }

    async fn a_folded_round_has_no_bidder_and_three_dash_calls_at_most(service: Service) {
        let call = |seat: u8, kind: &str, tricks: u8| json!({"seat": seat, "kind": kind, "tricks": tricks});
        let dash = |seat: u8| call(seat, "dash_call", 0);
        let folded = |more: Value| {
            let mut round = json!({"round": 2, "first_speaker": 1, "folded": true});
            round.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
            service.anonymous().send("/v1/rulesets/squares/score", &round)
        };
        for calls in [json!([dash(0), dash(1), dash(2)]), json!([dash(3)]), json!([])] {
            folded(json!({"calls": calls})).await.accepted();
        }
        for (more, reason) in [
            (json!({"calls": [dash(0), dash(1), dash(2), dash(3)]}), "too_many_dash_calls"),
            (json!({"bidder": 1}), "bidder_disagrees"),
            (json!({"calls": [dash(3)], "tricks": [0]}), "calls_missing"),
            (json!({"calls": [call(3, "estimate", 0)]}), "calls_in_fold"),
            (json!({"calls": [call(3, "dash_call", 1)]}), "calls_in_fold"),
        ] {
            assert_eq!(folded(more).await.refused(422, "impossible-round")["reason"], reason);
        }
    }
}
