//! Unions: the discriminator alone decides how a body is read.

use estimation::engine;
use estimation::http::contract::{
    Actor, BidCommand, Card, ChooseSeatCommand, Command, EstimateCommand, Event, Hand, Line, PlayCommand,
    Player, SeatNumber, Spoken, Tag, Trump,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Mirror, components};

fn commands() -> Vec<Value> {
    vec![
        json!({"type": "choose_seat", "seat": 2}),
        json!({"type": "cut", "position": 17}),
        json!({"type": "redeal"}),
        json!({"type": "avoid"}),
        json!({"type": "enter_auction"}),
        json!({"type": "blind_dash"}),
        json!({"type": "bid", "tricks": 5, "trump": "no_trump"}),
        json!({"type": "pass"}),
        json!({"type": "dash_call"}),
        json!({"type": "estimate", "tricks": 3}),
        json!({"type": "estimate", "tricks": 9, "trump": "spades"}),
        json!({"type": "play", "card": "10S"}),
        json!({"type": "resume"}),
    ]
}

#[test]
fn every_command_of_the_contract_is_one_of_the_engine() {
    let mut mirror = Mirror::default();
    let mut kinds: Vec<String> = Vec::new();
    for body in commands() {
        let command: Command = mirror.holds(&body);
        let written = serde_json::to_string(&command).unwrap();
        let read: engine::command::Command = serde_json::from_str(&written).unwrap();
        assert_eq!(serde_json::to_value(read).unwrap(), body);
        kinds.push(body["type"].as_str().unwrap().to_owned());
    }
    kinds.sort();
    kinds.dedup();
    let published = components()["Command"]["discriminator"]["mapping"].as_object().unwrap();
    assert_eq!(kinds, published.keys().cloned().collect::<Vec<_>>());
}

#[test]
fn commands_are_written_as_they_are_built() {
    let bid = BidCommand { r#type: Tag::default(), tricks: 5, trump: Trump::NoTrump };
    let built: [Command; 4] = [
        bid.into(),
        ChooseSeatCommand { r#type: Tag::default(), seat: SeatNumber(2) }.into(),
        EstimateCommand { r#type: Tag::default(), tricks: 3, trump: None }.into(),
        PlayCommand { r#type: Tag::default(), card: Card("10S".to_owned()) }.into(),
    ];
    let expected = [
        json!({"type": "bid", "tricks": 5, "trump": "no_trump"}),
        json!({"type": "choose_seat", "seat": 2}),
        json!({"type": "estimate", "tricks": 3}),
        json!({"type": "play", "card": "10S"}),
    ];
    assert_eq!(built.map(|command| serde_json::to_value(command).unwrap()), expected);
}

fn refusal<T: DeserializeOwned>(body: &str) -> String {
    serde_json::from_str::<T>(body).err().unwrap_or_else(|| panic!("{body} was read")).to_string()
}

#[test]
fn errors_concern_the_intended_variant() {
    for (body, said) in [
        (r#"{"type":"bid","tricks":5}"#, "bid: missing field `trump`"),
        (r#"{"type":"pass","tricks":5}"#, "pass: unknown field `tricks`, expected `type`"),
        (r#"{"type":"bid","tricks":"5","trump":"spades"}"#, "bid: invalid type: string \"5\", expected u8"),
        (r#"{"type":"bid","tricks":5,"tricks":6,"trump":"spades"}"#, "bid: duplicate field `tricks`"),
        (r#"{"type":"bid","type":"pass","tricks":5,"trump":"spades"}"#, "bid: duplicate field `type`"),
        (r#"{"tricks":5}"#, "missing field `type`"),
        (r#"{"type":5}"#, "`type` is a text"),
        (r#""pass""#, "invalid type: string \"pass\", expected an object"),
    ] {
        let refused = refusal::<Command>(body);
        assert!(refused.starts_with(said), "{body}: {refused}");
    }
    assert!(
        refusal::<Command>(r#"{"type":"fold"}"#)
            .starts_with("unknown variant `fold`, expected one of `choose_seat`")
    );
    assert!(
        refusal::<Player>(r#"{"kind":"dog"}"#)
            .starts_with("unknown variant `dog`, expected `human` or `bot`")
    );
    assert!(
        refusal::<Spoken>(r#"{"type":"play","seat":1,"card":"AS"}"#).starts_with("unknown variant `play`")
    );
    assert!(refusal::<Event>(r#"{"type":"passed"}"#).starts_with("passed: missing field `seat`"));
    assert!(
        refusal::<BidCommand>(r#"{"type":"pass","tricks":5,"trump":"spades"}"#)
            .starts_with("expected \"bid\", not \"pass\"")
    );
}

#[test]
fn unions_without_a_tag_differ_in_form() {
    let mut mirror = Mirror::default();
    for actor in [
        json!("server"),
        json!({"seat": 2}),
        json!({"seat": 2, "by": "bot"}),
        json!({"place": 1, "by": "clock"}),
    ] {
        mirror.holds::<Actor>(&actor);
    }
    for hand in [json!(["AS", "10D"]), json!([]), json!(13)] {
        mirror.holds::<Hand>(&hand);
    }
    for line in [json!({"reason": "made", "points": 10}), json!({"reason": "multiplier", "factor": 2})] {
        mirror.holds::<Line>(&line);
    }
    assert_eq!(refusal::<Actor>(r#"{"seat":1,"place":2}"#), "expected \"server\", a seat or a place");
    assert_eq!(
        refusal::<Line>(r#"{"reason":"made","points":1,"factor":2}"#),
        "expected a reason with points or a factor"
    );
}
