//! Examples: requests and answers of the service. A test records them. The committed document keeps them: the examples
//! of a generated document are those of the committed one.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::references::name_of;
use super::{COMMITTED, JSON, METHODS};
use crate::http::problem::MEDIA_TYPE;

/// The name of the example of a body.
const NAME: &str = "recorded";

/// The start of a reference to an example that operations share.
const SHARED_EXAMPLE: &str = "#/components/examples/";

/// The examples of a document.
#[derive(Default, Serialize)]
pub struct Examples {
    /// By operation id.
    pub operations: BTreeMap<String, Exchange>,
    /// By problem code.
    pub problems: BTreeMap<String, Value>,
}

/// The bodies of a request to an operation and of its answer.
#[derive(Default, Serialize)]
pub struct Exchange {
    pub request: Option<Value>,
    /// The status and the body.
    pub response: Option<(u16, Value)>,
}

/// The schemas of many operations. Their answers share one example.
const SHARED: [&str; 6] = ["GameView", "GamePage", "Registration", "Session", "QueueEntry", "Account"];

impl Examples {
    /// Reads the examples of the committed document.
    pub(super) fn committed() -> Result<Examples, serde_json::Error> {
        serde_json::from_str(COMMITTED).map(|spec| Examples::of(&spec))
    }

    /// Reads the examples of a document.
    pub fn of(spec: &Value) -> Examples {
        let mut examples = Examples { problems: problems(spec), ..Examples::default() };
        for item in spec["paths"].as_object().into_iter().flat_map(Map::values) {
            for operation in METHODS.iter().filter_map(|method| item.get(method)) {
                let id = operation["operationId"].as_str().unwrap_or_default().to_owned();
                let answers = operation["responses"].as_object().into_iter().flatten();
                let exchange = Exchange {
                    request: recorded(spec, &operation["requestBody"]).cloned(),
                    response: answers
                        .filter_map(|(status, answer)| {
                            Some((status.parse().ok()?, recorded(spec, answer)?.clone()))
                        })
                        .next(),
                };
                examples.operations.insert(id, exchange);
            }
        }
        examples
    }

    /// Adds the examples to their bodies, answers and problems.
    pub(super) fn add_to(&self, spec: &mut Value) {
        let mut shared = Map::new();
        super::each_operation(spec, |_, _, operation| {
            let id = operation.get("operationId").and_then(Value::as_str).unwrap_or_default();
            let Some(exchange) = self.operations.get(id) else { return };
            if let (Some(request), Some(body)) = (&exchange.request, operation.get_mut("requestBody")) {
                put(&mut body["content"][JSON], example("A request", request));
            }
            let Some((status, response)) = &exchange.response else { return };
            let answers = operation.get_mut("responses");
            let Some(answer) = answers.and_then(|answers| answers.get_mut(status.to_string())) else {
                return;
            };
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
                            json!({"$ref": format!("{SHARED_EXAMPLE}{name}")})
                        }
                    },
                );
            }
        });
        for (code, body) in &self.problems {
            let status = body["status"].as_u64().unwrap_or_default().to_string();
            let content =
                &mut spec["components"]["responses"][super::problems::name(&status)]["content"][MEDIA_TYPE];
            if content.is_object() {
                content["examples"][code] = json!({"value": body});
            }
        }
        spec["components"]["examples"] = Value::Object(shared);
    }
}

fn recorded<'a>(spec: &'a Value, body: &'a Value) -> Option<&'a Value> {
    let contents = body["content"].as_object()?.values();
    let example = contents.filter_map(|content| content["examples"].get(NAME)).next()?;
    let shared = example["$ref"].as_str().and_then(|reference| reference.strip_prefix(SHARED_EXAMPLE));
    shared.map_or(example, |name| &spec["components"]["examples"][name]).get("value")
}

/// The examples of problems, by code.
fn problems(spec: &Value) -> BTreeMap<String, Value> {
    let answers = spec["components"]["responses"].as_object().into_iter().flat_map(Map::values);
    let examples = answers.filter_map(|answer| answer["content"][MEDIA_TYPE]["examples"].as_object());
    examples.flatten().map(|(code, example)| (code.clone(), example["value"].clone())).collect()
}

/// The example of an answer with a problem code, if there is one.
pub(in crate::http) fn problem(code: &str) -> Option<&'static Value> {
    /// Parsed once, because every request for a problem page needs it.
    static PROBLEMS: LazyLock<BTreeMap<String, Value>> =
        LazyLock::new(|| Examples::committed().map(|examples| examples.problems).unwrap_or_default());
    PROBLEMS.get(code)
}

fn example(summary: &str, value: &Value) -> Value {
    json!({"summary": summary, "value": value})
}

fn put(content: &mut Value, example: Value) {
    if content.is_object() {
        content["examples"] = json!({NAME: example});
    }
}
