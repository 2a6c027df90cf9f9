//! The references between schemas.

use std::collections::BTreeSet;

use serde_json::Value;

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
