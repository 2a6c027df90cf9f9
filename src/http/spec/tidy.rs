//! Corrections of the derived schemas: parameters are absent instead of null, ids have a length, operations without a token
//! say so in the usual way, and unused schemas are removed.

use serde_json::{Map, Value, json};

use super::references::referred_to;

/// The length of a UUID as text.
const UUID_LENGTH: u64 = 36;

/// Corrects the whole document.
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

/// Removes `null` from a parameter's types: paths, queries and headers have no null.
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

/// Adds the length of ids, and removes `propertyNames`.
fn with_limits(schema: &mut Map<String, Value>) {
    if schema.get("format").is_some_and(|format| format == "uuid") {
        schema.entry("minLength").or_insert(UUID_LENGTH.into());
        schema.entry("maxLength").or_insert(UUID_LENGTH.into());
    }
    // `propertyNames: {type: string}` is always true in JSON, and some generators reject it.
    schema.remove("propertyNames");
}

/// Removes schemas to which nothing refers.
fn drop_unused(spec: &mut Value) {
    let mut used = referred_to(spec, [&spec["paths"]]);
    // Members of problems, which are added later, refer to some that no operation names.
    used.extend(super::problems::SCHEMAS.map(str::to_owned));
    if let Some(schemas) = spec["components"]["schemas"].as_object_mut() {
        schemas.retain(|name, _| used.contains(name));
    }
}
