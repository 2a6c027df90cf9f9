//! Examples: what the service really answered, recorded by a test.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::JSON;
use crate::http::problem::MEDIA_TYPE;

/// What was recorded.
const RECORDED: &str = include_str!("../../../openapi/examples.json");

/// The recorded examples.
#[derive(Deserialize)]
struct Recorded {
    /// By operation.
    operations: BTreeMap<String, Exchanged>,
    /// By code.
    problems: BTreeMap<String, Value>,
}

/// What was sent to an operation and what it answered.
#[derive(Deserialize)]
struct Exchanged {
    /// The body that was sent.
    #[serde(default)]
    request: Option<Value>,
    /// The status of the success.
    status: u16,
    /// The body of the success.
    #[serde(default)]
    response: Option<Value>,
}

/// Adds the examples to the bodies, answers and problems that they are of.
pub(super) fn add(spec: &mut Value) -> Result<(), serde_json::Error> {
    let recorded: Recorded = serde_json::from_str(RECORDED)?;
    super::each_operation(spec, |_, _, operation| {
        let id = operation.get("operationId").and_then(Value::as_str).unwrap_or_default();
        let Some(exchanged) = recorded.operations.get(id) else { return };
        if let (Some(request), Some(body)) = (&exchanged.request, operation.get_mut("requestBody")) {
            put(&mut body["content"][JSON], request);
        }
        let status = exchanged.status.to_string();
        let answer = operation.get_mut("responses").and_then(|answers| answers.get_mut(&status));
        if let (Some(response), Some(answer)) = (&exchanged.response, answer) {
            let media_type = if response.is_string() { "text/event-stream" } else { JSON };
            if let Some(content) = answer["content"].get_mut(media_type) {
                put(content, response);
            }
        }
    });
    for (code, body) in recorded.problems {
        let status = body["status"].as_u64().unwrap_or_default().to_string();
        let content =
            &mut spec["components"]["responses"][super::problems::name(&status)]["content"][MEDIA_TYPE];
        if content.is_object() {
            let examples = content["examples"].as_object().cloned().unwrap_or_default();
            let own: Map<String, Value> = [(code, json!({"value": body}))].into_iter().collect();
            content["examples"] = Value::Object(examples.into_iter().chain(own).collect());
        }
    }
    Ok(())
}

fn put(content: &mut Value, example: &Value) {
    if content.is_object() {
        content["examples"] = json!({"recorded": {"summary": "As it was answered.", "value": example}});
    }
}
