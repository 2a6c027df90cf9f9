//! What the derived schemas leave to be said: parameters are absent rather than null, ids have a length, an
//! open operation says so in the usual way, and nothing stands in the components that nobody refers to.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// How long a UUID is, written out.
const UUID_LENGTH: u64 = 36;

/// Tidies the whole document.
pub(super) fn tidy(spec: &mut Value) {
    super::each_operation(spec, |_, _, operation| {
        if operation.get("security") == Some(&json!([{}])) {
            operation.insert("security".to_owned(), json!([]));
        }
        for parameter in operation.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(schema) = parameter.get_mut("schema") {
                not_null(schema);
            }
        }
    });
    each_schema(spec, &mut with_limits);
    drop_unused(spec);
}

/// A parameter that is not given is absent: there is no null in paths, queries and headers.
fn not_null(schema: &mut Value) {
    let Some(types) = schema.get_mut("type").and_then(Value::as_array_mut) else { return };
    types.retain(|name| name != "null");
    if let [only] = types.as_slice() {
        schema["type"] = only.clone();
    }
}

/// Calls `change` with every object of the document that may be a schema.
fn each_schema(value: &mut Value, change: &mut dyn FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            change(object);
            object.values_mut().for_each(|inner| each_schema(inner, change));
        }
        Value::Array(items) => items.iter_mut().for_each(|inner| each_schema(inner, change)),
        _ => {}
    }
}

/// Ids have one length; a pattern that says how long a text is says so to readers that do not read patterns.
fn with_limits(schema: &mut Map<String, Value>) {
    if schema.get("format").is_some_and(|format| format == "uuid") {
        schema.entry("minLength").or_insert(UUID_LENGTH.into());
        schema.entry("maxLength").or_insert(UUID_LENGTH.into());
    }
    // `propertyNames: {type: string}` says what JSON says already, and generators stumble over it.
    schema.remove("propertyNames");
}

/// Drops schemas that nothing refers to.
fn drop_unused(spec: &mut Value) {
    let mut used = BTreeSet::new();
    references(&spec["paths"], &mut used);
    let mut waiting: Vec<String> = used.iter().cloned().collect();
    while let Some(name) = waiting.pop() {
        let mut more = BTreeSet::new();
        references(&spec["components"]["schemas"][&name], &mut more);
        waiting.extend(more.difference(&used).cloned().collect::<Vec<_>>());
        used.extend(more);
    }
    // The problems' members refer to some that no operation names; they are added later.
    used.extend(super::problems::SCHEMAS.map(str::to_owned));
    if let Some(schemas) = spec["components"]["schemas"].as_object_mut() {
        schemas.retain(|name, _| used.contains(name));
    }
}

/// The names of the schemas that a part of the document refers to.
fn references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            let location = object.get("$ref").and_then(Value::as_str);
            found.extend(location.and_then(|at| at.strip_prefix("#/components/schemas/")).map(str::to_owned));
            object.values().for_each(|inner| references(inner, found));
        }
        Value::Array(items) => items.iter().for_each(|inner| references(inner, found)),
        _ => {}
    }
}
