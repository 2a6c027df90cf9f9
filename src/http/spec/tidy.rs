//! What the derived schemas leave to be said: parameters are absent rather than null, ids have a length, an
//! open operation says so in the usual way, and nothing stands in the components that nobody refers to.

use serde_json::{Map, Value, json};

use super::references::referred_to;

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
    let mut used = referred_to(spec, [&spec["paths"]]);
    // The problems' members refer to some that no operation names; they are added later.
    used.extend(super::problems::SCHEMAS.map(str::to_owned));
    if let Some(schemas) = spec["components"]["schemas"].as_object_mut() {
        schemas.retain(|name, _| used.contains(name));
    }
}
