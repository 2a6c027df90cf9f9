//! What follows from the name, the topic, the path, the access, the body and the return type of an operation: its id and tag,
//! the parameters of its path, whether it needs a token, its success, and its problems. Attributes have what does not.

use std::mem::take;

use serde_json::{Map, Value, json};

use crate::http::answer::{SCHEMAS, TYPED};
use crate::http::endpoints::{Access, OPERATIONS};

/// The statuses of problems with which each operation may answer, and those with a token, with a body, and with both.
const ALWAYS: [u16; 7] = [400, 404, 405, 429, 431, 500, 503];
const WITH_TOKEN: [u16; 4] = [401, 403, 409, 422];
const WITH_BODY: [u16; 5] = [408, 409, 413, 415, 422];
const WITH_BOTH: [u16; 1] = [412];

/// Completes every operation, and adds the schemas of the return types to the components.
pub(super) fn complete(spec: &mut Value) {
    let mut schemas = Map::new();
    super::each_operation(spec, |path, _, operation| {
        let handler = operation.get("operationId").and_then(Value::as_str).unwrap_or_default();
        let Some(listed) = OPERATIONS.iter().find(|listed| listed.handler == handler) else { return };
        let public = listed.access == Access::Public;
        operation.insert("operationId".to_owned(), camel_case(handler).into());
        operation.insert("tags".to_owned(), json!([listed.tag]));
        if public {
            operation.insert("security".to_owned(), json!([]));
        }
        add_path_parameters(path, operation);
        add_problems(!public, operation);
        if let Some(answers) = operation.get_mut("responses").and_then(Value::as_object_mut) {
            add_typed_answers(listed.success, answers, &mut schemas);
        }
    });
    if let Some(components) = spec["components"]["schemas"].as_object_mut() {
        components.extend(schemas);
    }
}

/// Adds the answers of the return type, with the success of the list where the attribute has no description.
fn add_typed_answers(success: &str, answers: &mut Map<String, Value>, schemas: &mut Map<String, Value>) {
    let (typed, declared): (Map<_, _>, Map<_, _>) =
        take(answers).into_iter().partition(|(key, _)| key.starts_with(TYPED));
    *answers = declared;
    for (key, mut typed) in typed {
        if let Some(Value::Object(needed)) = typed.get_mut(SCHEMAS).map(Value::take) {
            schemas.extend(needed);
        }
        let answer = answers.entry(&key[TYPED.len()..]).or_insert_with(|| json!({}));
        if answer["description"].is_null() {
            answer["description"] = success.into();
        }
        if let Some(content) = typed.get_mut("content") {
            answer["content"] = content.take();
        }
    }
}

/// `getScores` for `get_scores`.
fn camel_case(handler: &str) -> String {
    let mut words = handler.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| name + &word[..1].to_uppercase() + &word[1..])
}

/// Describes the parameters of the path, which come first.
fn add_path_parameters(path: &str, operation: &mut Map<String, Value>) {
    let declared = operation.remove("parameters").unwrap_or_default();
    let (in_path, others): (Vec<Value>, Vec<Value>) = declared
        .as_array()
        .cloned()
        .unwrap_or_default()
        .into_iter()
        .partition(|parameter| parameter["in"] == "path");
    let described = |name: &str| {
        in_path
            .iter()
            .find(|parameter| parameter["name"] == name && parameter["description"].is_string())
            .cloned()
    };
    let mut parameters = Vec::new();
    let parts: Vec<&str> = path.split('/').collect();
    for pair in parts.windows(2) {
        if let Some(name) = pair[1].strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
            parameters.push(described(name).unwrap_or_else(|| path_parameter(pair[0], name)));
        }
    }
    parameters.extend(others);
    if !parameters.is_empty() {
        operation.insert("parameters".to_owned(), parameters.into());
    }
}

/// A parameter by the part of the path before it.
fn path_parameter(after: &str, name: &str) -> Value {
    let id = || json!({"type": "string", "format": "uuid"});
    let ruleset = || json!({"$ref": "#/components/schemas/RulesetId"});
    let (about, schema) = match after {
        "seats" => ("The seat.", json!({"type": "integer", "format": "int32", "minimum": 0, "maximum": 4})),
        "join" => (
            "The invitation code.",
            json!({"type": "string", "minLength": 8, "maxLength": 8, "pattern": "^[0-9A-Z]{8}$"}),
        ),
        "rulesets" | "leaderboards" => ("The ruleset's id.", ruleset()),
        "games" => ("The game's id.", id()),
        "accounts" => ("The account's id.", id()),
        "sessions" => ("The session's id.", id()),
        "reports" => ("The report's id.", id()),
        "identities" => ("The identity's id.", id()),
        "invitations" => ("The invitation's id.", id()),
        _ => ("The id of the player's account.", id()),
    };
    json!({"name": name, "in": "path", "required": true, "description": about, "schema": schema})
}

/// Adds the problems that follow from what the operation reads. Which codes these are, the components describe.
fn add_problems(token: bool, operation: &mut Map<String, Value>) {
    let body = operation.contains_key("requestBody");
    let mut statuses = ALWAYS.to_vec();
    statuses.extend(WITH_TOKEN.iter().filter(|_| token));
    statuses.extend(WITH_BODY.iter().filter(|_| body));
    statuses.extend(WITH_BOTH.iter().filter(|_| token && body));
    let problem = json!({"content": super::problems::content()});
    if let Some(answers) = operation.get_mut("responses").and_then(Value::as_object_mut) {
        answers.extend(statuses.into_iter().map(|status| (status.to_string(), problem.clone())));
    }
}
