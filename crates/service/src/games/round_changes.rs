//! What changed in a round since a client's last turn, beside what the events say. Clients apply the same events, so that a turn
//! says nothing twice.

use serde_json::{Value, json};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;
use utoipa::{PartialSchema, ToSchema};

use estimation_engine::view::RoundView;

/// The schema of the members of a round that changed.
pub(super) struct RoundChanges;

impl PartialSchema for RoundChanges {
    fn schema() -> RefOr<Schema> {
        let mut schema = RoundView::schema();
        if let RefOr::T(Schema::Object(object)) = &mut schema {
            object.description = Some("Members of a round. One that is absent has not changed.".into());
            object.required.clear();
            object.properties.remove("to_act");
        }
        schema
    }
}

impl ToSchema for RoundChanges {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        RoundView::schemas(schemas);
    }
}

/// The members of a deal that are also members of its round, with their names there.
const DEALT: [(&str, &str); 10] = [
    ("round", "number"),
    ("attempt", "attempt"),
    ("kind", "kind"),
    ("hand_size", "hand_size"),
    ("dealer", "dealer"),
    ("first_speaker", "first_speaker"),
    ("carry", "carry"),
    ("trump", "trump"),
    ("indicator", "indicator"),
    ("hands", "hands"),
];

/// The members of a round that differ from what a client has after the events; null if there is no round any more, none if
/// nothing differs.
pub(super) fn changes<'a>(
    known: &Option<RoundView>,
    events: impl Iterator<Item = &'a str>,
    round: &Option<RoundView>,
) -> serde_json::Result<Option<Value>> {
    let mut known = serde_json::to_value(known)?;
    for event in events {
        apply(&mut known, &serde_json::from_str(event)?);
    }
    let mut now = serde_json::to_value(round)?;
    if let (Value::Object(known), Value::Object(now)) = (&known, &mut now) {
        // Before a deal a player sees no empty hand any more, which the hands of an account without a seat do not show.
        let is_cutting = now.get("phase").is_some_and(|phase| phase == "cutting");
        now.retain(|name, value| match name.as_str() {
            "to_act" => false,
            "hands" if is_cutting => true,
            _ => known.get(name) != Some(value),
        });
        return Ok((!now.is_empty()).then(|| std::mem::take(now).into()));
    }
    Ok((known != now).then_some(now))
}

/// Changes a round as an event says, like clients do.
fn apply(round: &mut Value, event: &Value) {
    if round.is_null() {
        return;
    }
    let seat = event["seat"].as_u64().unwrap_or_default() as usize;
    match event["type"].as_str().unwrap_or_default() {
        "round_dealt" => {
            for (dealt, member) in DEALT {
                round[member] = event["deal"][dealt].clone();
            }
            // Each client sees its own cards there, and the turn is that of an account without a seat.
            for hand in round["hands"].as_array_mut().into_iter().flatten() {
                hand["cards"] = Value::Null;
            }
        }
        "estimate_made" => {
            let call = json!({"seat": seat, "kind": "estimate", "tricks": event["tricks"], "with": false, "risk": false});
            if let Some(calls) = round["calls"].as_array_mut() {
                calls.retain(|known| known["seat"] != call["seat"]);
                let place =
                    calls.iter().take_while(|known| known["seat"].as_u64() < call["seat"].as_u64()).count();
                calls.insert(place, call);
            }
        }
        "card_played" => {
            let hand = &mut round["hands"][seat];
            hand["count"] = (hand["count"].as_u64().unwrap_or_default().saturating_sub(1)).into();
            if let Some(plays) = round["trick"]["plays"].as_array_mut() {
                plays.push(json!({"seat": seat, "card": event["card"]}));
            }
        }
        "trick_taken" => {
            round["last_trick"] = round["trick"].take();
            round["trick"] = json!({"leader": seat, "plays": []});
            if let Some(taken) = round["tricks_taken"].get_mut(seat) {
                *taken = (taken.as_u64().unwrap_or_default() + 1).into();
            }
        }
        _ => {}
    }
}
