//! The closed form of the spec finds what a test must not miss, and the published form lets it pass.

use super::validator;
use crate::prelude::*;

fn open(name: &str) -> jsonschema::Validator {
    let spec = estimation::http::openapi().unwrap();
    let root = json!({"$ref": format!("#/components/schemas/{name}"), "components": spec["components"]});
    jsonschema::options().build(&root).unwrap()
}

fn assert_grows(name: &str, grown: &Value) {
    assert!(open(name).is_valid(grown), "{grown} is no {name}");
    assert!(!validator(name).is_valid(grown), "{grown} is a {name} of the closed form");
}

#[test]
fn an_unknown_member_is_found() {
    assert_grows("Hand", &json!({"count": 7, "cards": null, "colour": "red"}));
    assert_grows("Event", &json!({"type": "passed", "seat": 1, "mood": "grim"}));
    let problem = json!({"type": "/problems/not-found", "title": "Not found", "status": 404, "detail": "None.",
        "code": "not-found", "hint": "look"});
    assert_grows("Problem", &problem);
}

#[test]
fn an_unknown_value_is_found() {
    assert_grows("Event", &json!({"type": "cards_shown", "seat": 1}));
    assert_grows("ScoreLine", &json!({"reason": "luck", "points": 3}));
    assert_grows("GameStatus", &json!("paused"));
    let problem =
        json!({"type": "/problems/odd", "title": "Odd", "status": 409, "detail": "Odd.", "code": "odd"});
    assert_grows("Problem", &problem);
}
