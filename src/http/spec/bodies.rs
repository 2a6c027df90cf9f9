//! The maximum size of each operation's body, from its schema.

use serde_json::Value;

use super::JSON;
use super::references::{name_of, named};

/// The member of a request body with its maximum size in bytes. [`crate::http::paths`] reads it.
const MAXIMUM: &str = "x-max-bytes";

/// The smallest limit, in bytes.
const LEAST: usize = 1024;

/// The largest limit, in bytes.
pub(in crate::http) const LARGEST: usize = 64 * 1024;

/// By how much a limit exceeds the longest body.
const MARGIN: usize = 2;

/// The length of an escaped character: `\u00e9`. Characters outside the basic plane have two, which the margin covers.
const ESCAPED: usize = 6;

/// The indentation of each level.
const INDENT: usize = 4;

/// Adds the maximum size to every body.
pub(super) fn limit(spec: &mut Value) {
    let components = spec["components"].take();
    let document = serde_json::json!({ "components": components });
    super::each_operation(spec, |_, _, operation| {
        let Some(body) = operation.get_mut("requestBody") else { return };
        let limit = limit_of(&document, &body["content"][JSON]["schema"]);
        body[MAXIMUM] = limit.into();
        body["description"] = format!("At most {limit} bytes.").into();
    });
    if let Value::Object(mut document) = document {
        spec["components"] = document["components"].take();
    }
}

/// A power of two.
fn limit_of(document: &Value, schema: &Value) -> usize {
    let longest = longest(document, schema, 0).map(|longest| (MARGIN * longest).next_power_of_two());
    longest.unwrap_or(LARGEST).clamp(LEAST, LARGEST)
}

/// The length of the longest valid value, indented, at a depth; `None` if the schema sets no maximum.
fn longest(document: &Value, schema: &Value, depth: usize) -> Option<usize> {
    if depth > 32 {
        return None;
    }
    if let Some(name) = name_of(schema) {
        return longest(document, named(document, name), depth);
    }
    if let Some(branches) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
        return longest_of_all(branches.iter().map(|branch| longest(document, branch, depth)));
    }
    if let Some(choices) = schema["enum"].as_array() {
        return longest_of_all(choices.iter().map(|choice| Some(choice.to_string().len())));
    }
    let types = schema["type"].as_array().map_or(std::slice::from_ref(&schema["type"]), Vec::as_slice);
    longest_of_all(types.iter().map(|kind| longest_of(document, schema, kind.as_str()?, depth)))
}

/// The length of the longest valid value of a type.
fn longest_of(document: &Value, schema: &Value, kind: &str, depth: usize) -> Option<usize> {
    let whole = |limit: &str| schema[limit].as_u64().and_then(|limit| usize::try_from(limit).ok());
    // An entry has a line break, its indentation and a comma.
    let entry = 2 + INDENT * (depth + 1);
    let end = 3 + INDENT * depth;
    match kind {
        "null" | "boolean" => Some("false".len()),
        "integer" => {
            let digits = |limit: &str| Some(schema.get(limit)?.to_string().len());
            // Some clients send 2.0.
            Some(digits("minimum")?.max(digits("maximum")?) + ".0".len())
        }
        "string" => {
            // Patterns allow ASCII only, which no client escapes.
            let character = if schema.get("pattern").is_some() { 1 } else { ESCAPED };
            Some(whole("maxLength")? * character + 2)
        }
        "array" => Some(end + whole("maxItems")? * (entry + longest(document, &schema["items"], depth + 1)?)),
        // The server refuses members that the schema does not list.
        "object" if schema["properties"].is_object() => {
            let member = |(name, value): (&String, &Value)| {
                Some(entry + name.len() + "\"\": ".len() + longest(document, value, depth + 1)?)
            };
            let members = schema["properties"].as_object()?.iter().map(member).sum::<Option<usize>>()?;
            Some(end + members)
        }
        _ => None,
    }
}

/// The maximum; `None` if one of them has none.
fn longest_of_all(lengths: impl Iterator<Item = Option<usize>>) -> Option<usize> {
    lengths.collect::<Option<Vec<usize>>>()?.into_iter().max()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_limit_follows_from_the_schema() {
        let text = |longest: u64| json!({"type": "string", "maxLength": longest});
        let list = |most: u64| json!({"type": "array", "items": text(10), "maxItems": most});
        for (schema, limit) in [
            (text(10), 1024),
            (text(80), 1024),
            (text(100), 2048),
            (json!({"type": "string", "maxLength": 500, "pattern": "^[a-z]*$"}), 1024),
            (list(10), 2048),
            (list(1_000_000), LARGEST),
            (json!({"type": "string"}), LARGEST),
            (json!({"type": "object", "additionalProperties": text(100)}), LARGEST),
            (
                json!({"type": "object", "properties": {"name": text(100)}, "additionalProperties": false}),
                2048,
            ),
            (
                json!({"oneOf": [text(200), {"type": "null"}, {"type": "integer", "minimum": 0, "maximum": 9}]}),
                4096,
            ),
            (json!({"$ref": "#/components/schemas/Name"}), 2048),
        ] {
            let document = json!({"components": {"schemas": {"Name": text(100)}}});
            assert_eq!(limit_of(&document, &schema), limit, "{schema}");
        }
    }
}
