//! The published spec: what the operations say of themselves, and what holds for all of them.
//!
//! The operations bring parameters, bodies and answers (through utoipa). What every one of them has in common
//! is added here, by rules that look at paths, schemas and statuses and never at a list of operations: a new
//! operation gets all of it by itself.

mod about;
mod examples;
mod headers;
mod links;
mod problems;
mod references;
mod tidy;

use actix_web::App as ActixApp;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::openapi::OpenApi;
use utoipa_actix_web::AppExt;

pub(super) use self::references::referred_to;
use super::contract;
use super::server::operations;

/// The media type of JSON.
pub(super) const JSON: &str = "application/json";

/// The spec as it is committed, and served: a test holds it to be what the program says of itself.
pub(super) const COMMITTED: &str = include_str!("../../../openapi/openapi.json");

/// The methods an operation may have, as paths list them.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// The parts of the document in the order in which somebody reads them.
#[derive(Serialize)]
struct Document<'a> {
    openapi: &'a Value,
    info: &'a Value,
    servers: &'a Value,
    tags: &'a Value,
    security: &'a Value,
    paths: &'a Value,
    components: &'a Value,
}

/// What the operations say of themselves, before the rest is added.
fn declared() -> OpenApi {
    let (_, mut spec) = ActixApp::new().into_utoipa_app().configure(operations).split_for_parts();
    spec.components.get_or_insert_default().schemas.extend(contract::schemas());
    spec
}

/// The spec of everything the server does.
///
/// # Errors
/// If it cannot be put together: a mistake of this program.
pub fn openapi() -> Result<Value, serde_json::Error> {
    let mut spec = serde_json::to_value(declared())?;
    about::add(&mut spec);
    tidy::tidy(&mut spec);
    problems::add(&mut spec);
    headers::add(&mut spec);
    links::add(&mut spec);
    examples::add(&mut spec)?;
    Ok(spec)
}

/// The spec as it is served and committed.
///
/// # Errors
/// If it cannot be put together: a mistake of this program.
pub fn openapi_text() -> Result<String, serde_json::Error> {
    let spec = openapi()?;
    let document = Document {
        openapi: &spec["openapi"],
        info: &spec["info"],
        servers: &spec["servers"],
        tags: &spec["tags"],
        security: &spec["security"],
        paths: &spec["paths"],
        components: &spec["components"],
    };
    Ok(serde_json::to_string_pretty(&document)? + "\n")
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

/// The name of the schema that an answer's JSON has.
fn schema_name(answer: &Value) -> Option<&str> {
    answer["content"][JSON]["schema"]["$ref"].as_str()?.rsplit('/').next()
}
