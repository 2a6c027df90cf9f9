//! Examples: requests and answers of the service that a test recorded.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::JSON;
use super::references::name_of;
use crate::http::problem::MEDIA_TYPE;

const RECORDED: &str = include_str!("../../../openapi/examples.json");

#[derive(Deserialize)]
struct Recorded {
    /// By operation id.
    operations: BTreeMap<String, Exchanged>,
    /// By problem code.
    problems: BTreeMap<String, Value>,
}

/// A request to an operation and its answer.
#[derive(Deserialize)]
struct Exchanged {
    #[serde(default)]
    request: Option<Value>,
    status: u16,
    #[serde(default)]
    response: Option<Value>,
}

/// The schemas of many operations. Their answers share one example.
const SHARED: [&str; 6] = ["GameView", "GamePage", "Registration", "Session", "QueueEntry", "Account"];

/// Adds the examples to their bodies, answers and problems.
pub(super) fn add(spec: &mut Value) -> Result<(), serde_json::Error> {
    let recorded: Recorded = serde_json::from_str(RECORDED)?;
    let mut shared = Map::new();
    super::each_operation(spec, |_, _, operation| {
        let id = operation.get("operationId").and_then(Value::as_str).unwrap_or_default();
        let Some(exchanged) = recorded.operations.get(id) else { return };
        if let (Some(request), Some(body)) = (&exchanged.request, operation.get_mut("requestBody")) {
            put(&mut body["content"][JSON], example("A request", request));
        }
        let status = exchanged.status.to_string();
        let answer = operation.get_mut("responses").and_then(|answers| answers.get_mut(&status));
        if let (Some(response), Some(answer)) = (&exchanged.response, answer) {
            let mut contents = answer["content"].as_object_mut().into_iter().flatten();
            let is_text = response.is_string();
            let content = contents.find(|(media_type, _)| is_text == media_type.starts_with("text/"));
            if let Some((_, content)) = content {
                let name =
                    name_of(&content["schema"]).filter(|name| SHARED.contains(name)).map(str::to_owned);
                let example = example("An answer", response);
                put(
                    content,
                    match name {
                        None => example,
                        Some(name) => {
                            shared.entry(&name).or_insert(example);
                            json!({"$ref": format!("#/components/examples/{name}")})
                        }
                    },
                );
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
    spec["components"]["examples"] = Value::Object(shared);
    Ok(())
}

/// The recorded answer with a problem code, if there is one.
pub(in crate::http) fn problem(code: &str) -> Option<&'static Value> {
    /// Parsed once, because every request for a problem page needs it.
    static PROBLEMS: LazyLock<BTreeMap<String, Value>> = LazyLock::new(|| {
        serde_json::from_str(RECORDED).map(|recorded: Recorded| recorded.problems).unwrap_or_default()
    });
    PROBLEMS.get(code)
}

fn example(summary: &str, value: &Value) -> Value {
    json!({"summary": summary, "value": value})
}

fn put(content: &mut Value, example: Value) {
    if content.is_object() {
        content["examples"] = json!({"recorded": example});
    }
}
