use serde_json::{Value, json};

pub const RULESETS: [&str; 5] = ["nineteen", "squares", "kabooot", "plain", "double-risk"];

pub fn vectors(name: &str) -> Vec<Value> {
    let path = format!("{}/../vectors/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The calls of a request, from the call of each seat; a seat without a call has null.
pub fn by_seat(calls: &[Value]) -> Vec<Value> {
    let made = calls.iter().enumerate().filter(|(_, call)| !call.is_null());
    made.map(|(seat, call)| {
        let mut call = call.clone();
        call["seat"] = json!(seat);
        call
    })
    .collect()
}

/// The vectors of a ruleset, each with the request that enters it.
pub fn requests(ruleset: &str) -> Vec<(Value, Value)> {
    let all = vectors(ruleset).into_iter().chain(vectors(&format!("{ruleset}-more")));
    all.map(|vector| {
        let request = if ruleset == "nineteen" { nineteen(&vector) } else { four_players(&vector) };
        (vector, request)
    })
    .collect()
}

fn nineteen(vector: &Value) -> Value {
    let estimates = vector["estimates"].as_array().expect("estimates");
    let calls: Vec<Value> =
        estimates.iter().map(|tricks| json!({"kind": "estimate", "tricks": tricks})).collect();
    json!({
        "options": vector["options"], "players": vector["players"], "round": vector["round"],
        "dealer": vector["dealer"], "calls": by_seat(&calls), "tricks": vector["tricks"],
    })
}

fn four_players(vector: &Value) -> Value {
    let numbers = vector["calls"].as_array().expect("calls");
    let call = |(kind, tricks): (Value, &Value)| match kind {
        Value::Null => Value::Null,
        kind => json!({"kind": kind, "tricks": tricks}),
    };
    let calls: Vec<Value> = kinds(vector).into_iter().zip(numbers).map(call).collect();
    let mut request = json!({
        "round": vector["round"], "carry": vector["carry"], "first_speaker": vector["first_speaker"],
        "calls": by_seat(&calls), "tricks": vector["tricks"],
    });
    for field in ["options", "folded"] {
        if let Some(given) = vector.get(field) {
            request[field] = given.clone();
        }
    }
    request
}

/// The kinds of the four calls: given, or derived from the auction.
fn kinds(vector: &Value) -> Vec<Value> {
    if let Some(given) = vector.get("kinds").and_then(Value::as_array) {
        return given.clone();
    }
    let auction = vector["auction"].as_array().expect("an auction");
    let kind = |seat: u64| {
        let dashed = auction.iter().any(|call| call["type"] == "dash_call" && call["seat"] == seat);
        match () {
            () if vector["blind_dashes"].as_array().expect("a list").contains(&json!(seat)) => "blind_dash",
            () if dashed => "dash_call",
            () if highest_bid(auction) == Some(seat) => "bid",
            () => "estimate",
        }
    };
    (0..4).map(|seat| json!(kind(seat))).collect()
}

/// The highest bid of a vector's auction: by number, then suit, then the earlier.
fn highest_bid(auction: &[Value]) -> Option<u64> {
    const TRUMPS: [&str; 5] = ["clubs", "diamonds", "hearts", "spades", "no_trump"];
    let strength =
        |call: &Value| (call["tricks"].as_i64(), TRUMPS.iter().position(|trump| call["trump"] == *trump));
    let bids = auction.iter().rev().filter(|call| call["type"] == "bid");
    // `max_by_key` takes the last of equal ones, which is the earlier bid.
    bids.max_by_key(|call| strength(call)).and_then(|call| call["seat"].as_u64())
}

/// The answer has the vector's values, and its lines add up to its points.
pub fn agrees(vector: &Value, answer: &Value) {
    let id = &vector["id"];
    for (field, expected) in vector["expected"].as_object().expect("an expectation") {
        // Values that the answer lacks: the total of the calls, and facts from before the end of the play.
        if !["total", "leader", "barred_to_dealer"].contains(&field.as_str()) {
            assert_eq!(answer[field], *expected, "{id}: {field}");
        }
    }
    for (seat, lines) in answer["lines"].as_array().expect("lines").iter().enumerate() {
        let part = |name: &str| -> Vec<i64> {
            lines.as_array().into_iter().flatten().filter_map(|line| line[name].as_i64()).collect()
        };
        let worth = part("points").iter().sum::<i64>() * part("factor").iter().product::<i64>();
        assert_eq!(answer["points"][seat], worth, "{id}: the lines of seat {seat}");
    }
}

/// Whether the spec requires the first speaker.
pub fn needs_first_speaker(ruleset: &str, request: &Value) -> bool {
    let first_fast = match request["options"]["length"].as_str() {
        Some("mini") => 6,
        Some("micro") => 19,
        _ => 14,
    };
    let folded = request["folded"] == true;
    ["squares", "kabooot", "double-risk"].contains(&ruleset)
        && request["round"].as_u64().is_some_and(|round| round >= first_fast)
        && !folded
}
