//! Corrections of the derived schemas: parameters are absent instead of null, ids have a length, and unused schemas
//! are removed.

use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::references::{each_object, referred_to};
use crate::http::contract::EventFrames;
use estimation_service::games::events::GameMessage;

/// The length of a UUID as text.
const UUID_LENGTH: u64 = 36;

/// Corrects the whole document.
pub(super) fn tidy(spec: &mut Value) {
    super::each_operation(spec, |_, _, operation| {
        for parameter in operation.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(schema) = parameter.get_mut("schema") {
                not_null(schema);
            }
        }
    });
    super::each_operation(spec, |_, _, operation| limit_headers(operation));
    each_object(spec, &mut with_limits);
    describe_messages(spec);
    drop_unused(spec);
}

/// The maximum length of a header of an answer.
const HEADER_LENGTH: u64 = 1000;

/// Adds the length of texts in headers of answers.
fn limit_headers(operation: &mut Map<String, Value>) {
    let answers = operation.get_mut("responses").and_then(Value::as_object_mut).into_iter().flatten();
    for (_, answer) in answers {
        for (_, header) in answer.get_mut("headers").and_then(Value::as_object_mut).into_iter().flatten() {
            if header["schema"]["type"] == "string" {
                header["schema"]["maxLength"] = HEADER_LENGTH.into();
            }
        }
    }
}

/// Removes `null` from a parameter's types: paths, queries and headers have no null.
fn not_null(schema: &mut Value) {
    let Some(types) = schema.get_mut("type").and_then(Value::as_array_mut) else { return };
    types.retain(|name| name != "null");
    if let [only] = types.as_slice() {
        schema["type"] = only.clone();
    }
}

/// The largest integer that every JSON parser reads exactly.
const LARGEST: u64 = 9_007_199_254_740_991;

/// Adds the length of ids and the limits of integers, and removes `propertyNames`.
fn with_limits(schema: &mut Map<String, Value>) {
    if schema.get("type").is_some_and(|kind| kind == "integer" || kind[0] == "integer") {
        let (min, max) = match schema.get("format").and_then(Value::as_str) {
            Some("int64") => (json!(-(LARGEST as i64)), json!(LARGEST)),
            _ => (json!(i32::MIN), json!(i32::MAX)),
        };
        schema.entry("format").or_insert("int32".into());
        schema.entry("minimum").or_insert(min);
        schema.entry("maximum").or_insert(max);
    }
    if schema.get("format").is_some_and(|format| format == "uuid") {
        schema.entry("minLength").or_insert(UUID_LENGTH.into());
        schema.entry("maxLength").or_insert(UUID_LENGTH.into());
    }
    if schema.contains_key("maxLength") {
        schema.entry("minLength").or_insert(0.into());
    }
    // `propertyNames: {type: string}` is always true in JSON, and some generators reject it.
    schema.remove("propertyNames");
}

/// Says what the messages of a game's stream are.
fn describe_messages(spec: &mut Value) {
    let frames = &mut spec["components"]["schemas"][&*EventFrames::name()];
    frames["contentMediaType"] = "text/event-stream".into();
    frames["contentSchema"] = json!({"$ref": format!("#/components/schemas/{}", GameMessage::name())});
}

/// Removes schemas to which nothing refers.
fn drop_unused(spec: &mut Value) {
    let mut used = referred_to(spec, [&spec["paths"]]);
    // Members of problems, which are added later, refer to some that no operation names.
    used.insert(super::problems::PROBLEM.to_owned());
    if let Some(schemas) = spec["components"]["schemas"].as_object_mut() {
        schemas.retain(|name, _| used.contains(name));
    }
}
