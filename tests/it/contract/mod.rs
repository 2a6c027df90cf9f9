//! The contract and the engine agree: each reads what the other writes, value by value, and the published
//! schemas allow exactly that.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that is surprised has failed")]

mod calculator;
mod games;
mod names;
mod rulesets;
mod schemas;
mod unions;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use estimation::http::contract;
use jsonschema::Validator;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use utoipa::ToSchema;

fn components() -> &'static Value {
    static COMPONENTS: OnceLock<Value> = OnceLock::new();
    COMPONENTS.get_or_init(|| serde_json::to_value(contract::schemas()).unwrap())
}

fn validator(name: &str) -> Validator {
    let root = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$ref": format!("#/components/schemas/{name}"),
        "components": {"schemas": components()},
    });
    jsonschema::options().should_validate_formats(true).build(&root).unwrap()
}

#[derive(Default)]
struct Mirror {
    validators: BTreeMap<String, Validator>,
    held: usize,
}

impl Mirror {
    /// Asserts that a value parses as a `T`, serialises to the same value, and matches the schema.
    fn holds<T: Serialize + DeserializeOwned + ToSchema>(&mut self, value: &Value) -> T {
        let name = T::name();
        let read: T = serde_json::from_value(value.clone())
            .unwrap_or_else(|error| panic!("{value} is no {name}: {error}"));
        assert_eq!(serde_json::to_value(&read).unwrap(), *value);
        let validator = self.validators.entry(name.clone().into_owned()).or_insert_with(|| validator(&name));
        if let Err(error) = validator.validate(value) {
            panic!("{value} is no {name}: {error} at {}", error.instance_path());
        }
        self.held += 1;
        read
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
