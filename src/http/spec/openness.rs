//! What may grow without breaking clients. Answers may have more members than the spec lists, and the values of an
//! extensible enumeration are not all known. Requests are closed: the service refuses what it does not know.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::references::{each_object, name_in, name_of, referred_to, schemas};
use super::{JSON, each_operation};

/// The enumerations that never get another value.
const CLOSED: [&str; 5] = ["Direction", "Suit", "Trump", "Visibility", "OptionType"];

/// Opens the schemas of answers.
pub(super) fn open(spec: &mut Value) {
    let answered = referred_to(spec, operations(spec).map(|operation| &operation["responses"]));
    let requested = requested(spec, &answered);
    let extensible = extensible(spec, &requested, &answered);
    let copies = close_requests(spec, &requested, &extensible);
    let Some(schemas) = spec["components"]["schemas"].as_object_mut() else { return };
    for (name, schema) in schemas.iter_mut().filter(|(name, _)| !copies.contains(*name)) {
        if extensible.contains_key(name) {
            open_values(schema);
        }
        if requested.contains(name) && !extensible.contains_key(name) {
            continue;
        }
        // Options, whose values stand in the object itself.
        schema
            .get_mut("properties")
            .and_then(Value::as_object_mut)
            .into_iter()
            .for_each(|properties| properties.values_mut().for_each(open_values));
        if schema["additionalProperties"] == false
            && let Some(schema) = schema.as_object_mut()
        {
            schema.remove("additionalProperties");
        }
        // The members of a problem depend on its code; turns have those that changed.
        if !["Problem", "Turn", "RoundChanges"].contains(&name.as_str()) {
            require_nullable(schema);
        }
    }
}

/// The schemas of request bodies, and those to which they refer. A body that an answer offers, as `legal` offers commands,
/// is not among them: it has one schema, which is open, because clients send what the answer has.
fn requested(spec: &Value, answered: &BTreeSet<String>) -> BTreeSet<String> {
    let bodies = operations(spec).map(|operation| &operation["requestBody"]["content"][JSON]["schema"]);
    let is_offered = |body: &Value| name_of(body).is_some_and(|name| answered.contains(name));
    referred_to(spec, bodies.filter(|body| !is_offered(body)))
}

/// The schemas that may grow in answers: enumerations, and objects of requests that answers have too.
fn extensible(spec: &Value, requested: &BTreeSet<String>, answered: &BTreeSet<String>) -> Map<String, Value> {
    let grows = |name: &str, schema: &Value| {
        let shared = requested.contains(name) && answered.contains(name);
        schema["enum"].is_array() || shared && schema["additionalProperties"] == false
    };
    let open = schemas(spec).filter(|(name, schema)| !CLOSED.contains(&name.as_str()) && grows(name, schema));
    open.map(|(name, schema)| (name.clone(), schema.clone())).collect()
}

fn operations(spec: &Value) -> impl Iterator<Item = &Value> {
    let paths = spec["paths"].as_object().into_iter().flat_map(Map::values);
    paths.filter_map(Value::as_object).flat_map(Map::values)
}

/// In requests what may grow is as in this version: they refer to a closed copy of it. Returns the names of the copies.
fn close_requests(
    spec: &mut Value,
    requested: &BTreeSet<String>,
    extensible: &Map<String, Value>,
) -> BTreeSet<String> {
    let mut copied = BTreeSet::new();
    for name in requested.iter().filter(|name| !extensible.contains_key(*name)) {
        refer_to_copies(&mut spec["components"]["schemas"][name], extensible, &mut copied);
    }
    each_operation(spec, |_, _, operation| {
        for part in ["parameters", "requestBody"] {
            if let Some(part) = operation.get_mut(part) {
                refer_to_copies(part, extensible, &mut copied);
            }
        }
    });
    let mut copies = BTreeSet::new();
    while let Some(name) = copied.pop_first() {
        let copy = known(&name);
        if copies.insert(copy.clone()) {
            let mut schema = extensible[&name].clone();
            // What an extension says is said of the schema in answers.
            if let Some(members) = schema.as_object_mut() {
                members.retain(|member, _| !member.starts_with("x-"));
            }
            refer_to_copies(&mut schema, extensible, &mut copied);
            spec["components"]["schemas"][copy] = schema;
        }
    }
    copies
}

/// The name of the closed copy.
fn known(name: &str) -> String {
    format!("Known{name}")
}

fn refer_to_copies(value: &mut Value, extensible: &Map<String, Value>, copied: &mut BTreeSet<String>) {
    each_object(value, &mut |object| {
        if let Some(name) = name_in(object).filter(|name| extensible.contains_key(*name)).map(str::to_owned) {
            object.insert("$ref".to_owned(), format!("#/components/schemas/{}", known(&name)).into());
            copied.insert(name);
        }
    });
}

/// Turns the values of an enumeration into the known ones among any text.
fn open_values(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    if let Some(values) = object.remove("enum") {
        object.insert("x-extensible-enum".to_owned(), values);
        object.insert("minLength".to_owned(), json!(1));
        object.insert("maxLength".to_owned(), json!(64));
    }
}

/// Members of answers that may be null are always present.
fn require_nullable(schema: &mut Value) {
    let nullable = |schema: &Value| {
        schema["type"].as_array().is_some_and(|types| types.contains(&json!("null")))
            || schema["oneOf"].as_array().is_some_and(|any| any.iter().any(|one| one["type"] == "null"))
    };
    let names: Vec<Value> = schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(_, property)| nullable(property))
        .map(|(name, _)| name.clone().into())
        .collect();
    if names.is_empty() {
        return;
    }
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let missing = names.into_iter().filter(|name| !required.contains(name));
    schema["required"] = required.iter().cloned().chain(missing).collect();
}

/// The spec in its closed form: answers have the listed members and the known values only. Tests judge by it.
pub fn closed(spec: &Value) -> Value {
    let mut spec = spec.clone();
    let Some(schemas) = spec["components"]["schemas"].as_object_mut() else { return spec };
    for schema in schemas.values_mut() {
        each_object(schema, &mut |object| {
            if let Some(values) = object.remove("x-extensible-enum") {
                object.insert("enum".to_owned(), values);
            }
        });
        let Some(schema) = schema.as_object_mut() else { continue };
        if schema.contains_key("properties") {
            schema.insert("additionalProperties".to_owned(), false.into());
        }
    }
    spec
}
