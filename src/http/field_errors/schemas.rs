//! The schemas of each operation's body, query and path, from the published spec.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use jsonschema::{Draft, PatternOptions, Validator};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::explain::explained;
use super::lengths;
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

/// The schemas by operation and part.
#[derive(Default)]
pub struct Schemas(BTreeMap<(String, Part), Compiled>);

/// A schema and those it refers to, compiled on first use.
struct Compiled {
    schema: Value,
    validator: OnceLock<Option<Validator>>,
}

impl Compiled {
    fn validator(&self) -> Option<&Validator> {
        self.validator.get_or_init(|| compiled(&self.schema)).as_ref()
    }
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
    fn of(Published { paths, components }: Published) -> Schemas {
        let document = json!({"components": {"schemas": components.schemas}});
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
                let schema = schema.map(|schema| with_components(&document, schema));
                parts.extend(schema.map(|schema| ((operation_id.clone(), part), schema)));
            }
        }
        Schemas(parts)
    }

    /// Validates a part of a request. Cuts what is too long in it.
    pub fn faults(&self, operation: &str, part: Part, value: &mut Value) -> Vec<FieldError> {
        let Some(part) = self.0.get(&(operation.to_owned(), part)) else { return Vec::new() };
        let mut errors = lengths::cut(&part.schema, value);
        errors.extend(
            part.validator().map(|validator| explained(validator.iter_errors(value))).unwrap_or_default(),
        );
        errors
    }

    /// Compiles the schemas of all bodies, queries and paths.
    pub fn compile(&self) {
        for part in self.0.values() {
            part.validator();
        }
    }

    /// Converts a parameter's text to the JSON type of its schema, if possible.
    pub fn typed(&self, operation: &str, part: Part, name: &str, text: &str) -> Value {
        let Some(part) = self.0.get(&(operation.to_owned(), part)) else { return text.into() };
        let schema = &part.schema["properties"][name];
        let named = schema["$ref"].as_str().and_then(|location| location.strip_prefix('#'));
        converted(&named.and_then(|pointer| part.schema.pointer(pointer)).unwrap_or(schema)["type"], text)
    }
}

/// Adds the schemas that a schema refers to.
fn with_components(document: &Value, mut schema: Value) -> Compiled {
    let used = spec::referred_to(document, [&schema]);
    let used = used.into_iter().map(|name| {
        let mut named = document["components"]["schemas"][&name].clone();
        close_commands(&mut named);
        (name, named)
    });
    schema["components"] = json!({"schemas": used.collect::<Map<_, _>>()});
    Compiled { schema, validator: OnceLock::new() }
}

/// Closes the schema of a command, which the spec publishes open because answers have it too. The server takes the kinds
/// that it knows, with exactly the members of each.
fn close_commands(schema: &mut Value) {
    let Some(kinds) = schema["x-commands"].as_object().cloned() else { return };
    let of_each_kind = kinds.iter().map(|(kind, listed)| {
        let listed = |list: &str| listed[list].as_array().into_iter().flatten().filter_map(Value::as_str);
        let taken = ["type"].into_iter().chain(listed("members")).chain(listed("perhaps"));
        let taken: Map<String, Value> = taken.map(|name| (name.to_owned(), true.into())).collect();
        let required: Vec<&str> = listed("members").collect();
        json!({
            "if": {"properties": {"type": {"const": kind}}, "required": ["type"]},
            "then": {"properties": taken, "required": required, "additionalProperties": false},
        })
    });
    schema["allOf"] = of_each_kind.collect();
    schema["additionalProperties"] = false.into();
    schema["properties"]["type"]["enum"] = kinds.keys().cloned().collect();
}

/// Validates a value against a schema without references.
pub fn faults_by(schema: &Value, value: &Value) -> Vec<FieldError> {
    compiled(schema).map(|validator| explained(validator.iter_errors(value))).unwrap_or_default()
}

fn compiled(schema: &Value) -> Option<Validator> {
    let options = jsonschema::options()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .with_pattern_options(PatternOptions::regex());
    options.build(schema).inspect_err(|error| tracing::error!(%error, "a schema cannot be compiled")).ok()
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
    use super::*;

    #[test]
    fn every_part_of_every_operation_compiles() {
        let schemas = schemas();
        assert!(schemas.0.len() > 100, "{}", schemas.0.len());
        for ((operation, part), input) in &schemas.0 {
            assert!(compiled(&input.schema).is_some(), "{operation} {part:?}");
        }
    }
}
