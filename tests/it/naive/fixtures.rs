//! Recorded games, put to the referee whole and then tampered with: no event may be missing, and no number
//! that the server wrote may be another.

use super::referee;
use serde_json::Value;

/// A recorded game, one event a line.
fn record(name: &str) -> Vec<Value> {
    let path = format!("{}/tests/it/naive/records/{name}.ndjson", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.lines().map(|line| serde_json::from_str(line).expect("an event")).collect()
}

/// Where the game itself begins.
fn start(events: &[Value]) -> usize {
    events.iter().position(|event| event["event"]["type"] == "game_started").expect("a start")
}

/// The record without one event, numbered anew.
fn without(events: &[Value], index: usize) -> Vec<Value> {
    let mut events = events.to_vec();
    events.remove(index);
    for (index, event) in events.iter_mut().enumerate() {
        event["seq"] = (index + 1).into();
    }
    events
}

/// The JSON pointers of every number below a value, factors aside: a factor of nothing is nothing.
fn numbers(value: &Value, path: String, found: &mut Vec<String>) {
    match value {
        Value::Number(_) => found.push(path),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(index, item)| numbers(item, format!("{path}/{index}"), found));
        }
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, _)| *name != "factor")
            .for_each(|(name, item)| numbers(item, format!("{path}/{name}"), found)),
        _ => {}
    }
}

/// Accepts the record; refuses it with any event dropped or any of the server's numbers raised by one.
fn withstands_tampering(name: &str) {
    let events = record(name);
    let totals = referee(&events).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
    let finished = &events.last().expect("an end")["event"]["standings"];
    for (seat, total) in totals.iter().enumerate() {
        assert_eq!(finished[seat]["total"], *total, "{name}: seat {seat}");
    }
    for index in start(&events)..events.len() {
        assert!(referee(&without(&events, index)).is_err(), "{name}: {} was dropped", events[index]);
    }
    for index in start(&events) + 1..events.len() {
        if events[index]["actor"] != "server" {
            continue;
        }
        let mut found = Vec::new();
        numbers(&events[index]["event"], String::from("/event"), &mut found);
        for pointer in found {
            let mut tampered = events.clone();
            let number = tampered[index].pointer_mut(&pointer).expect("a number");
            *number = (number.as_i64().expect("whole") + 1).into();
            assert!(referee(&tampered).is_err(), "{name}: {pointer} of {} was raised", events[index]);
        }
    }
}

/// Replaces the first event of a kind by way of `change` and returns the complaint.
fn complaint(name: &str, kind: &str, change: impl Fn(&mut Value)) -> String {
    let mut events = record(name);
    let index = events.iter().position(|event| event["event"]["type"] == kind).expect("such an event");
    change(&mut events[index]);
    referee(&events).expect_err("the referee saw nothing")
}

#[test]
fn a_game_of_nineteen_withstands_tampering() {
    withstands_tampering("nineteen");
}

#[test]
fn a_game_of_squares_withstands_tampering() {
    withstands_tampering("squares");
}

#[test]
fn a_call_out_of_turn_is_noticed() {
    let said = complaint("squares", "dash_called", |event| {
        let seat = (event["event"]["seat"].as_i64().expect("a seat") + 1) % 4;
        event["event"]["seat"] = seat.into();
        event["actor"]["seat"] = seat.into();
    });
    assert!(said.contains("seat is"), "{said}");
}

#[test]
fn a_card_not_held_is_noticed() {
    let said = complaint("squares", "card_played", |event| event["event"]["card"] = "RJ".into());
    assert!(said.contains("does not hold"), "{said}");
}

#[test]
fn somebody_elses_act_is_noticed() {
    let said = complaint("nineteen", "estimate_made", |event| event["actor"] = "server".into());
    assert!(said.contains("the actor is"), "{said}");
}

#[test]
fn an_option_left_out_of_the_first_event_is_noticed() {
    let said = complaint("squares", "game_created", |event| {
        event["event"]["ruleset"].as_object_mut().expect("a ruleset").remove("half_square");
    });
    assert!(said.contains("half_square"), "{said}");
}
