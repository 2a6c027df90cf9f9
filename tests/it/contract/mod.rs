//! The published schemas describe what the program really writes and reads.

#![expect(clippy::unwrap_used, reason = "a test that is surprised has failed")]

mod calculator;
mod games;
mod growth;
mod schemas;

use std::sync::OnceLock;

use jsonschema::Validator;
use serde::Serialize;

use crate::prelude::*;

/// The schemas in their closed form: no unknown member, known values only.
fn components() -> &'static Value {
    static COMPONENTS: OnceLock<Value> = OnceLock::new();
    COMPONENTS.get_or_init(|| {
        estimation::http::closed(&estimation::http::openapi().unwrap())["components"]["schemas"].clone()
    })
}

fn validator(name: &str) -> Validator {
    assert!(components().get(name).is_some(), "there is no schema {name}");
    let root = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$ref": format!("#/components/schemas/{name}"),
        "components": {"schemas": components()},
    });
    jsonschema::options().should_validate_formats(true).build(&root).unwrap()
}

#[derive(Default)]
struct Validators {
    by_name: BTreeMap<&'static str, Validator>,
    held: usize,
}

impl Validators {
    /// Asserts that a value matches a schema.
    fn holds(&mut self, name: &'static str, value: &Value) {
        let validator = self.by_name.entry(name).or_insert_with(|| validator(name));
        if let Err(error) = validator.validate(value) {
            panic!("{value} is no {name}: {error} at {}", error.instance_path());
        }
        self.held += 1;
    }
}

/// Replaces the engine's test accounts by UUIDs, as in bodies.
fn published(value: impl Serialize) -> Value {
    let text = serde_json::to_string(&value).unwrap();
    serde_json::from_str(&text.replace("player-", "019b7a00-0000-7000-8000-00000000000")).unwrap()
}

const GAME: &str = "019b7a00-0000-7000-8000-0000000000aa";
const HOST: &str = "019b7a00-0000-7000-8000-000000000000";
const NOON: &str = "2026-01-01T12:00:00.000Z";
