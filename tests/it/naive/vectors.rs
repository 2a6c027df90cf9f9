//! The worked scores of `tests/vectors`, put to the naive scorer.

use super::{Call, Kind, Round, Rules, possible, score};
use serde_json::{Value, json};

/// One vector file of the repository.
pub fn vectors(name: &str) -> Vec<Value> {
    let path = format!("{}/tests/vectors/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn kind(name: &str) -> Kind {
    match name {
        "bid" => Kind::Bid,
        "estimate" => Kind::Estimate,
        "dash_call" => Kind::DashCall,
        "blind_dash" => Kind::BlindDash,
        other => panic!("no kind {other}"),
    }
}

fn numbers(list: &Value) -> Vec<i64> {
    list.as_array().expect("a list").iter().map(|number| number.as_i64().expect("a number")).collect()
}

pub fn options(vector: &Value) -> Value {
    vector.get("options").cloned().unwrap_or_else(|| json!({}))
}

/// The highest bid of a vector's auction: by number, then suit, then the earlier.
fn highest_bid(auction: &[Value]) -> Option<usize> {
    let strength = |call: &Value| {
        let suit = super::rules::TRUMPS.iter().position(|trump| call["trump"] == *trump);
        (call["tricks"].as_i64(), suit)
    };
    let mut best: Option<&Value> = None;
    for call in auction.iter().filter(|call| call["type"] == "bid") {
        if best.is_none_or(|best| strength(call) > strength(best)) {
            best = Some(call);
        }
    }
    best.and_then(|call| call["seat"].as_u64()).map(|seat| seat as usize)
}

/// The kinds of the four calls: as given, or read off the auction.
pub fn kinds(vector: &Value) -> Vec<Option<Kind>> {
    if let Some(given) = vector.get("kinds").and_then(Value::as_array) {
        return given.iter().map(|name| name.as_str().map(kind)).collect();
    }
    let auction = vector["auction"].as_array().expect("an auction");
    let has = |list: &Value, seat: usize| list.as_array().expect("a list").contains(&json!(seat));
    (0..4)
        .map(|seat| {
            let dashed = auction.iter().any(|call| call["type"] == "dash_call" && call["seat"] == seat);
            Some(match () {
                () if has(&vector["blind_dashes"], seat) => Kind::BlindDash,
                () if dashed => Kind::DashCall,
                () if highest_bid(auction) == Some(seat) => Kind::Bid,
                () => Kind::Estimate,
            })
        })
        .collect()
}

/// Scores one vector of the four-player rulesets and compares whatever it expects.
fn check(ruleset: &str, vector: &Value) {
    let id = &vector["id"];
    let rules = Rules::new(ruleset, 4, &options(vector)).unwrap_or_else(|error| panic!("{id}: {error}"));
    let calls = vector["calls"].as_array().expect("calls");
    let round = Round {
        rules: &rules,
        number: vector["round"].as_i64().expect("a round"),
        carry: vector["carry"].as_i64().expect("a carry"),
        first_speaker: vector["first_speaker"].as_u64().expect("a seat") as usize,
        calls: kinds(vector)
            .into_iter()
            .zip(calls)
            .map(|(kind, tricks)| kind.map(|kind| Call { kind, tricks: tricks.as_i64().expect("a call") }))
            .collect(),
        tricks: numbers(&vector["tricks"]),
        folded: vector["folded"] == true,
    };
    assert_eq!(possible(&round, None), Ok(()), "{id} could not have happened");
    let scored = score(&round);
    let ours = json!({
        "points": scored.points, "bidder": scored.bidder, "withs": scored.withs, "risk": scored.risk,
        "total": scored.total, "multiplier": scored.multiplier, "next_carry": scored.next_carry,
    });
    for (field, expected) in vector["expected"].as_object().expect("an expectation") {
        assert_eq!(&ours[field], expected, "{id}: {field}");
    }
}

fn check_all(ruleset: &str) {
    for vector in vectors(ruleset).iter().chain(&vectors(&format!("{ruleset}-more"))) {
        check(ruleset, vector);
    }
}

#[test]
fn squares_vectors() {
    check_all("squares");
}

#[test]
fn kabooot_vectors() {
    check_all("kabooot");
}

#[test]
fn plain_vectors() {
    check_all("plain");
}

#[test]
fn double_risk_vectors() {
    check_all("double-risk");
}

#[test]
fn nineteen_vectors() {
    for vector in vectors("nineteen").iter().chain(&vectors("nineteen-more")) {
        let id = &vector["id"];
        let players = vector["players"].as_u64().expect("players") as usize;
        let rules = Rules::new("nineteen", players, &options(vector)).expect("rules");
        let number = vector["round"].as_i64().expect("a round");
        let dealer = vector["dealer"].as_u64().expect("a seat") as usize;
        let estimates = numbers(&vector["estimates"]);
        let call = |&tricks: &i64| Some(Call { kind: Kind::Estimate, tricks });
        let round = Round {
            rules: &rules,
            number,
            carry: 1,
            first_speaker: rules.seat(dealer, 1),
            calls: estimates.iter().map(call).collect(),
            tricks: numbers(&vector["tricks"]),
            folded: false,
        };
        assert_eq!(possible(&round, None), Ok(()), "{id} could not have happened");
        let hand = rules.hand_size(number);
        assert_eq!(vector["hand_size"], hand, "{id}");
        assert_eq!(dealer, (number as usize - 1) % players, "{id}: the dealer");
        let others = estimates.iter().sum::<i64>() - estimates[dealer];
        let barred = if others <= hand { Some(hand - others) } else { None };
        let expected = &vector["expected"];
        assert_eq!(expected["barred_to_dealer"], json!(barred), "{id}");
        assert_eq!(expected["leader"], rules.seat(dealer, 2), "{id}");
        assert_eq!(expected["points"], json!(score(&round).points), "{id}");
    }
}

#[test]
fn impossible_rounds_are_named() {
    for vector in vectors("impossible") {
        let id = &vector["id"];
        let players = vector["players"].as_u64().expect("players") as usize;
        let name = vector["ruleset"].as_str().expect("a ruleset");
        let rules = Rules::new(name, players, &options(&vector)).expect("rules");
        let first = match vector["dealer"].as_u64() {
            Some(dealer) if dealer as usize >= players => dealer as usize,
            Some(dealer) => rules.seat(dealer as usize, 1),
            None => vector["first_speaker"].as_u64().expect("a seat") as usize,
        };
        let call = |call: &Value| {
            call.as_object().map(|call| Call {
                kind: kind(call["kind"].as_str().expect("a kind")),
                tricks: call["tricks"].as_i64().expect("tricks"),
            })
        };
        let round = Round {
            rules: &rules,
            number: vector["round"].as_i64().expect("a round"),
            carry: vector["carry"].as_i64().unwrap_or(1),
            first_speaker: first,
            calls: vector["calls"].as_array().expect("calls").iter().map(call).collect(),
            tricks: numbers(&vector["tricks"]),
            folded: vector["folded"] == true,
        };
        let bidder = vector.get("bidder").map(|seat| seat.as_u64().map(|seat| seat as usize));
        let reason = vector["reason"].as_str().expect("a reason");
        assert_eq!(possible(&round, bidder), Err(reason), "{id}: {}", vector["why"]);
    }
}
