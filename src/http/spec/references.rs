//! The references between schemas.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// The names of the schemas to which parts of the document refer, directly or through other schemas.
pub fn referred_to<'a>(document: &Value, parts: impl IntoIterator<Item = &'a Value>) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    parts.into_iter().for_each(|part| references(part, &mut used));
    let mut waiting: Vec<String> = used.iter().cloned().collect();
    while let Some(name) = waiting.pop() {
        let mut more = BTreeSet::new();
        references(&document["components"]["schemas"][&name], &mut more);
        waiting.extend(more.difference(&used).cloned().collect::<Vec<_>>());
        used.extend(more);
    }
    used
}

/// The name of the schema to which a value is a reference.
pub fn name_of(value: &Value) -> Option<&str> {
    name_in(value.as_object()?)
}

/// The name of the schema to which an object is a reference.
pub(super) fn name_in(object: &Map<String, Value>) -> Option<&str> {
    object.get("$ref")?.as_str()?.strip_prefix("#/components/schemas/")
}

/// The schemas of the components, by name.
pub(super) fn schemas(document: &Value) -> impl Iterator<Item = (&String, &Value)> {
    document["components"]["schemas"].as_object().into_iter().flatten()
}

/// Calls `change` with every object of a part of the document, from the outside in.
pub(super) fn each_object(value: &mut Value, change: &mut dyn FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            change(object);
            object.values_mut().for_each(|inner| each_object(inner, change));
        }
        Value::Array(items) => items.iter_mut().for_each(|inner| each_object(inner, change)),
        _ => {}
    }
}

/// The schema with a name.
pub(super) fn named<'a>(document: &'a Value, name: &str) -> &'a Value {
    &document["components"]["schemas"][name]
}

fn references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            found.extend(name_of(value).map(str::to_owned));
            object.values().for_each(|inner| references(inner, found));
        }
        Value::Array(items) => items.iter().for_each(|inner| references(inner, found)),
        _ => {}
    }
}
