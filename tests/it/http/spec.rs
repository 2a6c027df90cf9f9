//! Checks every answer against the published spec.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};

use estimation::http::Language;
use estimation::http::problem::{MEDIA_TYPE, PROBLEMS, ProblemType};
use jsonschema::Validator;
use serde_json::Map;

use crate::prelude::*;

/// Paths outside the operations of the spec.
const BESIDE: [&str; 17] = [
    "/openapi.json",
    "/.well-known/security.txt",
    "/docs",
    "/web/",
    "/lobby",
    "/new",
    "/account",
    "/people",
    "/join/",
    "/games/",
    "/calculator",
    "/check",
    "/rules",
    "/learn/",
    "/leaderboard",
    "/players/",
    "/desk",
];

pub struct Spec {
    document: Value,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

struct Operation<'a> {
    name: String,
    body: &'a Value,
}

pub fn spec() -> &'static Spec {
    static SPEC: OnceLock<Spec> = OnceLock::new();
    SPEC.get_or_init(|| {
        // The program makes the same document (`documentation::…`), but not in the time of one test.
        let document = serde_json::from_str(include_str!("../../../openapi/openapi.json")).expect("the spec");
        let document = estimation::http::closed(&document);
        Spec { document, validators: Mutex::default() }
    })
}

impl Spec {
    pub fn document(&self) -> &Value {
        &self.document
    }

    pub fn judge(&self, answer: &Answer) -> Result<(), String> {
        let id = answer.header("x-request-id").ok_or("there is no X-Request-Id")?;
        if id.is_empty() || id.len() > 64 {
            return Err(format!("the request id is {id:?}"));
        }
        if answer.method == Method::HEAD {
            if !answer.body.is_empty() {
                return Err("an answer to HEAD has a body".to_owned());
            }
        } else if answer.status >= 400 {
            problem(answer, id)?;
        }
        let path = answer.path.split('?').next().unwrap_or_default();
        match self.operation(&answer.method, path) {
            Some(operation) => self.documented(answer, &operation),
            // An unknown operation may only be refused: 404, 405, or 429.
            None if matches!(answer.status, 404 | 405 | 429) => Ok(()),
            None if path == "/" || BESIDE.iter().any(|beside| path.starts_with(beside)) => Ok(()),
            None => Err("there is no such operation".to_owned()),
        }
    }

    fn operation(&self, method: &Method, path: &str) -> Option<Operation<'_>> {
        let paths = self.document["paths"].as_object()?;
        // Every GET operation allows HEAD.
        let method = if method == Method::HEAD { Method::GET.as_str() } else { method.as_str() };
        let verb = method.to_lowercase();
        let matching = paths.iter().filter(|(template, _)| fits(template, path));
        let (template, item) = matching.min_by_key(|(template, _)| template.matches('{').count())?;
        let body = item.get(&verb)?;
        Some(Operation { name: format!("{verb} {template}"), body })
    }

    fn documented(&self, answer: &Answer, operation: &Operation<'_>) -> Result<(), String> {
        let Operation { name, body } = operation;
        let response = self.resolved(&body["responses"][answer.status.to_string()]);
        if response.is_null() {
            return Err("the status is not documented".to_owned());
        }
        self.headers(answer, response)?;
        if answer.method == Method::HEAD {
            return Ok(());
        }
        let Some(contents) = response.get("content").and_then(Value::as_object) else {
            return if answer.body.is_empty() { Ok(()) } else { Err("no body is documented".to_owned()) };
        };
        let media_type = answer.header("content-type").ok_or("there is no Content-Type")?;
        let essence = media_type.split(';').next().unwrap_or(media_type);
        let content = contents.get(essence).ok_or(format!("{media_type} is not documented"))?;
        let key = format!("{name} {} {media_type}", answer.status);
        let is_json = media_type.ends_with("json") && !media_type.starts_with("application/x-");
        let said = if is_json { answer.json() } else { json!(answer.body) };
        self.validate(&key, &content["schema"], &said)?;
        // An accepted request body must match its schema.
        let request = &body["requestBody"]["content"]["application/json"]["schema"];
        match (answer.status, &answer.sent) {
            (200..300, Some(sent)) if !request.is_null() => {
                self.validate(&format!("{name} request"), request, sent).map_err(|e| format!("request: {e}"))
            }
            _ => Ok(()),
        }
    }

    pub fn check(&self, schema: &Value, value: &Value) -> Result<(), String> {
        self.validate(&schema.to_string(), schema, value)
    }

    pub fn resolved<'a>(&'a self, value: &'a Value) -> &'a Value {
        let location = value["$ref"].as_str().and_then(|location| location.strip_prefix('#'));
        location.map_or(value, |pointer| self.document.pointer(pointer).expect("what is referred to"))
    }

    /// Every required header is present, and each header matches its schema.
    fn headers(&self, answer: &Answer, response: &Value) -> Result<(), String> {
        for (name, header) in response["headers"].as_object().into_iter().flatten() {
            let header = self.resolved(header);
            match answer.header(&name.to_lowercase()) {
                None if header["required"] == true => return Err(format!("there is no {name}")),
                None => {}
                Some(value) => {
                    let is_number = header["schema"]["type"] == "integer";
                    let number = value.parse::<u64>().ok().filter(|_| is_number);
                    let value = number.map_or_else(|| json!(value), |number| json!(number));
                    self.validate(&format!("header {name}"), &header["schema"], &value)
                        .map_err(|error| format!("{name}: {error}"))?;
                }
            }
        }
        Ok(())
    }

    fn validate(&self, key: &str, schema: &Value, value: &Value) -> Result<(), String> {
        let validator = {
            let mut validators = self.validators.lock().expect("the validators");
            let made = validators.entry(key.to_owned()).or_insert_with(|| Arc::new(self.validator(schema)));
            Arc::clone(made)
        };
        validator.validate(value).map_err(|error| format!("{error} at {}", error.instance_path()))
    }

    fn validator(&self, schema: &Value) -> Validator {
        let mut schemas = Map::new();
        self.collect(schema, &mut schemas);
        let root = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "components": {"schemas": schemas},
            "allOf": [schema],
        });
        jsonschema::options().should_validate_formats(true).build(&root).expect("a schema")
    }

    /// Adds the schemas that a schema refers to, and those that they refer to.
    fn collect(&self, schema: &Value, into: &mut Map<String, Value>) {
        match schema {
            Value::Object(object) => {
                let name = object.get("$ref").and_then(Value::as_str);
                if let Some(name) = name.and_then(|name| name.strip_prefix("#/components/schemas/"))
                    && !into.contains_key(name)
                {
                    let found = &self.document["components"]["schemas"][name];
                    into.insert(name.to_owned(), found.clone());
                    self.collect(found, into);
                }
                object.values().for_each(|value| self.collect(value, into));
            }
            Value::Array(items) => items.iter().for_each(|item| self.collect(item, into)),
            _ => {}
        }
    }
}

fn fits(template: &str, path: &str) -> bool {
    let (mut wanted, mut given) = (template.split('/'), path.split('/'));
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return true,
            (Some(wanted), Some(given)) if wanted == given => {}
            (Some(wanted), Some(given)) if wanted.starts_with('{') && !given.is_empty() => {}
            _ => return false,
        }
    }
}

const STANDARD: [&str; 7] = ["type", "title", "status", "detail", "instance", "code", "request_id"];

/// A problem has exactly the members of its table entry.
fn members(body: &Value, entry: &ProblemType) -> Result<(), String> {
    let has: Vec<&str> = body.as_object().ok_or("no object")?.keys().map(String::as_str).collect();
    if let Some(missing) = entry.members.iter().find(|member| !has.contains(member)) {
        return Err(format!("{} without {missing}", entry.code));
    }
    let known = |member: &&&str| {
        STANDARD.contains(*member) || entry.members.contains(*member) || entry.perhaps.contains(*member)
    };
    match has.iter().find(|member| !known(member)) {
        Some(unknown) => Err(format!("{} with {unknown}, of which the table does not know", entry.code)),
        None => Ok(()),
    }
}

/// A problem has the standard members, those of its table entry, and the headers for its status.
fn problem(answer: &Answer, request_id: &str) -> Result<(), String> {
    if answer.header("content-type") != Some(MEDIA_TYPE) {
        return Err(format!("a problem of type {:?}", answer.header("content-type")));
    }
    let body = answer.json();
    let code = body["code"].as_str().ok_or("a problem without a code")?;
    let entry = PROBLEMS.iter().find(|entry| entry.code == code).ok_or("a problem not in the table")?;
    let path = answer.path.split('?').next().unwrap_or_default();
    let title = match answer.header("content-language") {
        Some("en") => entry.text(Language::English).title,
        Some("ar") => entry.text(Language::Arabic).title,
        other => return Err(format!("a problem in the language {other:?}")),
    };
    members(&body, entry)?;
    for (member, expected) in [
        ("type", json!(format!("/problems/{code}"))),
        ("title", json!(title)),
        ("status", json!(answer.status)),
        ("instance", json!(path)),
    ] {
        if body[member] != expected {
            return Err(format!("{member} is {}, not {expected}", body[member]));
        }
    }
    if entry.status != answer.status || body["detail"].as_str().is_none_or(str::is_empty) {
        return Err(format!("{code} comes with {} and detail {}", entry.status, body["detail"]));
    }
    if answer.status >= 500 && body["request_id"] != request_id {
        return Err(format!("a 5xx with request id {}", body["request_id"]));
    }
    for (status, header) in
        [(401, "www-authenticate"), (405, "allow"), (429, "retry-after"), (503, "retry-after")]
    {
        if answer.status == status && answer.header(header).is_none() {
            return Err(format!("a {status} without {header}"));
        }
    }
    Ok(())
}
