//! The schemas of each operation's body, query and path, from the published spec.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::explain::{Patterns, explained};
use crate::http::spec;
use estimation_service::base::field_error::FieldError;

/// A part of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    Body,
    Query,
    Path,
}

/// The parts of the spec that are read.
#[derive(Deserialize)]
struct Published {
    paths: BTreeMap<String, BTreeMap<String, Operation>>,
    components: Components,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Operation {
    operation_id: String,
    #[serde(default)]
    parameters: Vec<Value>,
    #[serde(default)]
    request_body: Value,
}

#[derive(Deserialize)]
struct Components {
    schemas: Map<String, Value>,
}

/// The schemas by operation and part, and those that they refer to by name.
#[derive(Default)]
pub struct Schemas {
    parts: BTreeMap<(String, Part), Value>,
    components: Map<String, Value>,
    patterns: Patterns,
}

/// The schemas of the committed spec, read on first use.
pub fn schemas() -> &'static Schemas {
    static SCHEMAS: LazyLock<Schemas> = LazyLock::new(|| {
        serde_json::from_str(spec::COMMITTED).map(Schemas::of).unwrap_or_else(|error| {
            tracing::error!(%error, "the embedded OpenAPI document cannot be read");
            Schemas::default()
        })
    });
    &SCHEMAS
}

impl Schemas {
    fn of(Published { paths, components: Components { schemas: components } }: Published) -> Schemas {
        let mut parts = BTreeMap::new();
        for Operation { operation_id, parameters, request_body } in
            paths.into_values().flat_map(BTreeMap::into_values)
        {
            let body = request_body["content"][spec::JSON].get("schema").cloned();
            let taken = [
                (Part::Body, body),
                (Part::Query, Some(object_of(&parameters, "query"))),
                (Part::Path, Some(object_of(&parameters, "path"))),
            ];
            for (part, schema) in taken {
                parts.extend(schema.map(|schema| ((operation_id.clone(), part), schema)));
            }
        }
        let mut patterns = Patterns::default();
        for schema in parts.values().chain(components.values()) {
            if let Err(error) = patterns.add(schema) {
                tracing::error!(%error, "a pattern of the embedded OpenAPI document cannot be compiled");
            }
        }
        Schemas { parts, components, patterns }
    }

    /// What is wrong with a part of a request.
    pub fn faults(&self, operation: &str, part: Part, value: &Value) -> Vec<FieldError> {
        let Some(schema) = self.parts.get(&(operation.to_owned(), part)) else { return Vec::new() };
        explained(&self.components, &self.patterns, schema, value)
    }

    /// Converts a parameter's text to the JSON type of its schema, if possible.
    pub fn typed(&self, operation: &str, part: Part, name: &str, text: &str) -> Value {
        let Some(part) = self.parts.get(&(operation.to_owned(), part)) else { return text.into() };
        let schema = &part["properties"][name];
        let schema = spec::name_of(schema).and_then(|name| self.components.get(name)).unwrap_or(schema);
        converted(&schema["type"], text)
    }
}

/// What is wrong with a value by a schema without references and patterns.
pub fn faults_by(schema: &Value, value: &Value) -> Vec<FieldError> {
    explained(&Map::new(), &Patterns::default(), schema, value)
}

/// Converts a text to an integer or a boolean. Any other value stays a text.
fn converted(kind: &Value, text: &str) -> Value {
    let number = || text.parse::<u64>().map(Value::from).or_else(|_| text.parse::<i64>().map(Value::from));
    match kind.as_str() {
        Some("integer") => number().unwrap_or_else(|_| text.into()),
        Some("boolean") => text.parse::<bool>().map_or_else(|_| text.into(), Value::from),
        _ => text.into(),
    }
}

/// The schema of an object with all parameters of one place, as in `query`.
fn object_of(parameters: &[Value], place: &str) -> Value {
    let list = parameters.iter().filter(|parameter| parameter["in"] == place);
    let name = |parameter: &Value| parameter["name"].as_str().unwrap_or_default().to_owned();
    let required: Vec<String> =
        list.clone().filter(|parameter| parameter["required"] == true).map(name).collect();
    let properties: Map<String, Value> =
        list.map(|parameter| (name(parameter), parameter["schema"].clone())).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Number;

    use super::super::explain::KEYWORDS;
    use super::*;

    /// Keywords of JSON Schema that restrict nothing.
    const REMARKS: [&str; 6] =
        ["default", "description", "example", "examples", "x-commands", "x-extensible-enum"];

    /// A schema with those that it refers to.
    fn whole(schemas: &Schemas, schema: &Value) -> Value {
        let document = json!({"components": {"schemas": schemas.components}});
        let used = spec::referred_to(&document, [schema]).into_iter();
        let used: Map<_, _> = used.map(|name| (name.clone(), schemas.components[&name].clone())).collect();
        let mut whole = schema.clone();
        whole["components"] = json!({"schemas": used});
        whole
    }

    /// The schemas below one, without those that have a name.
    fn below(schema: &Value) -> Vec<&Value> {
        let named = schema["properties"].as_object().into_iter().flat_map(Map::values);
        let branches = schema["oneOf"].as_array().into_iter().flatten();
        let inner = named.chain(branches).chain(schema.get("items"));
        inner.flat_map(below).chain([schema]).collect()
    }

    #[test]
    fn every_keyword_of_a_request_is_compared() {
        let schemas = schemas();
        assert!(schemas.parts.len() > 100, "{}", schemas.parts.len());
        for ((operation, part), schema) in &schemas.parts {
            let whole = whole(schemas, schema);
            let named = whole["components"]["schemas"].as_object().unwrap().values();
            for schema in named.chain([schema]).flat_map(below) {
                for (keyword, value) in schema.as_object().unwrap() {
                    assert!(Patterns::default().add(schema).is_ok(), "{operation} {part:?}");
                    let known = KEYWORDS.contains(&keyword.as_str()) || REMARKS.contains(&keyword.as_str());
                    assert!(known, "{operation} {part:?}: {keyword}");
                    assert!(keyword != "additionalProperties" || value == false, "{operation} {part:?}");
                }
            }
        }
    }

    /// Values of a schema, right ones first and then wrong ones.
    fn values(schemas: &Schemas, schema: &Value) -> Vec<Value> {
        if let Some(name) = spec::name_of(schema) {
            return values(schemas, &schemas.components[name]);
        }
        let mut values: Vec<Value> = schema["oneOf"]
            .as_array()
            .into_iter()
            .flatten()
            .flat_map(|branch| self::values(schemas, branch))
            .collect();
        values.extend(schema["enum"].as_array().into_iter().flatten().cloned());
        values.extend(schema.get("example").cloned());
        for (bound, next) in [("minimum", -1), ("maximum", 1)] {
            let number = schema[bound].as_i64();
            values.extend(number.into_iter().flat_map(|number| {
                [json!(number), json!(number.saturating_add(next)), json!(number as f64)]
            }));
        }
        for (bound, next) in [("minLength", -1), ("maxLength", 1)] {
            let length = schema[bound].as_i64();
            values.extend(length.into_iter().flat_map(|length| {
                ["a", "0", "ü"].into_iter().flat_map(move |sign| {
                    [length, length + next].map(|length| json!(sign.repeat(length.max(0) as usize)))
                })
            }));
        }
        if let Some(properties) = schema["properties"].as_object() {
            let inner: BTreeMap<_, _> =
                properties.iter().map(|(name, field)| (name, self::values(schemas, field))).collect();
            let right: Map<String, Value> =
                inner.iter().map(|(name, values)| ((*name).clone(), values[0].clone())).collect();
            values.push(Value::Object(right.clone()));
            for (name, several) in inner {
                let mut without = right.clone();
                without.remove(name);
                values.push(Value::Object(without));
                for value in several {
                    let mut other = right.clone();
                    other.insert(name.clone(), value);
                    values.push(Value::Object(other));
                }
            }
            let mut more = right;
            more.insert("another".to_owned(), json!(1));
            values.push(Value::Object(more));
        }
        if let Some(items) = schema.get("items") {
            let inner = self::values(schemas, items);
            let most = schema["maxItems"].as_u64().unwrap() as usize;
            values.extend([most, most + 1].map(|length| json!(vec![&inner[0]; length])));
            values.extend(inner.into_iter().map(|item| json!([item])));
        }
        let huge = Number::from_f64(1e30).unwrap();
        values.extend([
            json!("aA0_-aA0_-"),
            json!("019b7a00-0000-7000-8000-000000000001"),
            json!("2026-02-30T00:00:00.000Z"),
        ]);
        values.extend([
            json!(null),
            json!(true),
            json!(5),
            json!(-1),
            json!(1.5),
            json!(huge),
            json!(u64::MAX),
        ]);
        values.extend([json!(""), json!("x".repeat(5_000)), json!([]), json!({})]);
        values
    }

    #[test]
    fn faults_are_found_in_the_values_that_a_complete_validator_refuses() {
        let schemas = schemas();
        let (mut right, mut wrong) = (0, 0);
        let mut tried = BTreeSet::new();
        for ((operation, part), schema) in &schemas.parts {
            let whole = whole(schemas, schema);
            if !tried.insert(whole.to_string()) {
                continue;
            }
            // Patterns and use cases decide about addresses.
            let judge = jsonschema::options()
                .should_validate_formats(true)
                .with_format("email", |_| true)
                .with_format("uri", |_| true)
                .build(&whole)
                .unwrap();
            for value in values(schemas, schema) {
                let errors = schemas.faults(operation, *part, &value);
                let is_right = judge.is_valid(&value);
                if whole["components"]["schemas"].get("Command").is_some() {
                    // The spec publishes commands open.
                    assert!(is_right || !errors.is_empty(), "{operation} {part:?} {value}");
                } else {
                    assert_eq!(errors.is_empty(), is_right, "{operation} {part:?} {value}: {errors:?}");
                }
                if is_right { right += 1 } else { wrong += 1 }
            }
        }
        assert!(right > 500 && wrong > 5_000, "{right} right, {wrong} wrong");
    }
}
