//! Cuts what is too long in an invalid request, so that validating the rest has a limit.

use serde_json::Value;

use super::MOST_ERRORS;
use super::document::joined;
use super::explain::most_items;
use estimation_service::base::field_error::{FieldCode, FieldError};

/// The length to which texts without a maximum are cut: choices, and texts where the schema has none.
const LONGEST_TEXT: usize = 100;

/// Cuts lists to their maximum length, and unknown fields of an object to at most [`MOST_ERRORS`] without their values.
/// Empties lists and objects where the schema has none, and cuts texts to one character too many. Returns the errors of the lists; the
/// validator finds the others, and copies the values that it refuses. The schema has its components in it.
pub(super) fn cut(schema: &Value, value: &mut Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut branches = Vec::new();
    resolve(schema, schema, &mut branches);
    cut_value(schema, &branches, value, "", &mut errors);
    errors
}

/// Adds a schema, or both branches of one that may be null, without references.
fn resolve<'s>(root: &'s Value, schema: &'s Value, branches: &mut Vec<&'s Value>) {
    if let Some(location) = schema["$ref"].as_str() {
        let named = location.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
        return named.into_iter().for_each(|named| resolve(root, named, branches));
    }
    let unions = ["oneOf", "anyOf"].map(|union| schema[union].as_array());
    if unions == [None, None] {
        branches.push(schema);
    }
    for branch in unions.into_iter().flatten().flatten() {
        resolve(root, branch, branches);
    }
}

/// A value may be as long as one of the branches allows.
fn cut_value(root: &Value, branches: &[&Value], value: &mut Value, at: &str, errors: &mut Vec<FieldError>) {
    match value {
        Value::Array(items) => {
            let lists: Vec<&Value> = branches.iter().filter_map(|branch| branch.get("items")).collect();
            let Some(most) = branches.iter().filter_map(|branch| branch["maxItems"].as_u64()).max() else {
                return items.clear();
            };
            if items.len() as u64 > most {
                errors.push(FieldError::new(at, FieldCode::TooLong, &most_items(most)));
                items.truncate(most as usize);
            }
            let mut inner = Vec::new();
            lists.into_iter().for_each(|list| resolve(root, list, &mut inner));
            for (index, item) in items.iter_mut().enumerate() {
                cut_value(root, &inner, item, &format!("{at}[{index}]"), errors);
            }
        }
        Value::Object(fields) => {
            if branches.iter().all(|branch| branch.get("properties").is_none()) {
                return fields.clear();
            }
            // The validator finds an unknown field of a command twice: for the command, and for its kind.
            let is_command = branches.iter().any(|branch| branch.get("allOf").is_some());
            let most_unknown = if is_command { MOST_ERRORS / 2 } else { MOST_ERRORS };
            let known = |name: &str| branches.iter().any(|branch| branch["properties"].get(name).is_some());
            let mut unknown = 0;
            fields.retain(|name, field| {
                let known = known(name);
                if !known {
                    unknown += 1;
                    *field = Value::Null;
                }
                known || unknown <= most_unknown
            });
            for (name, field) in fields.iter_mut() {
                let mut inner = Vec::new();
                for branch in branches.iter().filter_map(|branch| branch["properties"].get(name)) {
                    resolve(root, branch, &mut inner);
                }
                cut_value(root, &inner, field, &joined(at, name), errors);
            }
        }
        Value::String(text) => {
            let most = branches.iter().filter_map(|branch| branch["maxLength"].as_u64()).max();
            let most = most.map_or(LONGEST_TEXT, |most| most as usize);
            if let Some((end, _)) = text.char_indices().nth(most + 1) {
                text.truncate(end);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({
            "oneOf": [{"$ref": "#/components/schemas/Sheet"}, {"type": "null"}],
            "components": {"schemas": {"Sheet": {"type": "object", "properties": {
                "calls": {"type": "array", "maxItems": 2, "items": {"type": "object", "properties": {
                    "tricks": {"type": "array", "maxItems": 1, "items": {"type": "integer"}},
                }}},
                "round": {"type": "integer"},
            }}}},
        })
    }

    #[test]
    fn lists_are_cut_to_their_maximum_and_named() {
        let mut value =
            json!({"calls": [{"tricks": [1, 2]}, {"tricks": [1]}, {"tricks": [1, 2]}], "round": [1, 2]});
        let errors = cut(&schema(), &mut value);
        let named: Vec<(&str, FieldCode)> =
            errors.iter().map(|error| (error.field.as_str(), error.code)).collect();
        assert_eq!(named, [("calls", FieldCode::TooLong), ("calls[0].tricks", FieldCode::TooLong)]);
        assert_eq!(errors[0].detail, "`calls` must have at most 2 items.");
        assert_eq!(value, json!({"calls": [{"tricks": [1]}, {"tricks": [1]}], "round": []}));
    }

    #[test]
    fn what_the_validator_would_copy_is_cut() {
        let long = "x".repeat(1_000);
        let mut value = json!({"calls": {"a": 1}, "round": long, "unknown": [1, 2]});
        assert_eq!(cut(&schema(), &mut value), []);
        assert_eq!(value, json!({"calls": {}, "round": "x".repeat(LONGEST_TEXT + 1), "unknown": null}));
    }

    #[test]
    fn known_fields_remain_beside_many_unknown_ones() {
        let fields = (0..1_000).map(|number| (format!("a{number}"), json!(number)));
        let mut value = Value::Object(fields.chain([("round".to_owned(), json!(1))]).collect());
        assert_eq!(cut(&schema(), &mut value), []);
        assert_eq!(value.as_object().unwrap().len(), MOST_ERRORS + 1);
        assert_eq!(value["round"], 1);
    }
}
