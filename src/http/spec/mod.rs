//! The published spec (OpenAPI).
//!
//! utoipa collects parameters, bodies and answers from the operations' attributes. This module adds what they share, by
//! rules about paths, schemas and statuses, without a list of operations: a new operation needs no change here.

mod about;
mod bodies;
pub(super) mod examples;
mod headers;
mod links;
mod openness;
mod operations;
mod problems;
mod references;
mod shapes;
mod tidy;

use actix_web::App as ActixApp;
use serde_json::{Map, Value};
use utoipa::openapi::OpenApi;
use utoipa_actix_web::AppExt;

pub(super) use self::bodies::LARGEST as LARGEST_BODY;
pub use self::examples::{Examples, Exchange};
pub(super) use self::headers::IDEMPOTENCY_KEY;
pub use self::openness::closed;
use super::contract;
use super::endpoints::declare;

/// The media type of JSON.
pub(super) const JSON: &str = "application/json";

/// The committed spec, which is served. A test compares it with the generated one.
pub(super) const COMMITTED: &str = include_str!("../../../openapi/openapi.json");

/// The methods an operation may have, as paths list them.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// The parts of the document, in reading order.
const PARTS: [&str; 7] = ["openapi", "info", "servers", "tags", "security", "paths", "components"];

/// The spec of the operations' attributes alone.
fn declared() -> OpenApi {
    let (_, mut spec) = ActixApp::new().into_utoipa_app().configure(declare).split_for_parts();
    spec.components.get_or_insert_default().schemas.extend(contract::schemas());
    spec
}

/// Generates the spec, with the examples of the committed one.
///
/// # Errors
/// If it cannot be generated, or the committed one cannot be read.
pub fn openapi() -> Result<Value, serde_json::Error> {
    openapi_with(&Examples::committed()?)
}

/// Generates the spec.
///
/// # Errors
/// If it cannot be generated, which is a defect of this program.
pub fn openapi_with(examples: &Examples) -> Result<Value, serde_json::Error> {
    let mut spec = serde_json::to_value(declared())?;
    operations::complete(&mut spec);
    problems::add_schemas(&mut spec);
    about::add(&mut spec);
    shapes::reshape(&mut spec);
    tidy::tidy(&mut spec);
    openness::open(&mut spec);
    bodies::limit(&mut spec);
    problems::add(&mut spec);
    headers::add(&mut spec);
    links::add(&mut spec);
    examples.add_to(&mut spec);
    Ok(spec)
}

/// A spec as text, as it is committed and served.
pub fn openapi_text(spec: &Value) -> String {
    let parts = PARTS.map(|part| {
        // A line for each path and each component.
        let depth = if part == "components" { 2 } else { usize::from(part == "paths") };
        format!("{}:{}", Value::from(part), in_lines(&spec[part], depth))
    });
    format!("{{{}}}\n", parts.join(",\n"))
}

/// JSON with a line for each entry of the objects down to a depth.
fn in_lines(value: &Value, depth: usize) -> String {
    match value {
        Value::Object(object) if depth > 0 => {
            let entries = object.iter().map(|(name, value)| {
                format!("{}:{}", Value::from(name.as_str()), in_lines(value, depth - 1))
            });
            format!("{{\n{}}}", entries.collect::<Vec<_>>().join(",\n"))
        }
        _ => value.to_string(),
    }
}

/// Calls `change` with every operation, its path and its method.
fn each_operation(spec: &mut Value, mut change: impl FnMut(&str, &str, &mut Map<String, Value>)) {
    for (path, item) in spec["paths"].as_object_mut().into_iter().flatten() {
        for (method, operation) in item.as_object_mut().into_iter().flatten() {
            if let Some(operation) = operation.as_object_mut().filter(|_| METHODS.contains(&method.as_str()))
            {
                change(path, method, operation);
            }
        }
    }
}

/// The name of the schema of an answer's JSON.
fn schema_name(answer: &Value) -> Option<&str> {
    answer["content"][JSON]["schema"]["$ref"].as_str()?.rsplit('/').next()
}
