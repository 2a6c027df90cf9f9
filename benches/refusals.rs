//! What a worker spends on a refused body. A refusal must take less than a millisecond, because all players of a worker wait
//! meanwhile.
//!
//! The bodies are as long as the operation takes: unknown, repeated and nested fields, long lists, texts and numbers, and what
//! is not JSON.

use std::collections::BTreeSet;
use std::process::ExitCode;

use serde_json::{Value, json};

use super::counted_node::{Body, Node};

/// The most instructions of a worker for a request: a core executes at least so many in a millisecond. The profile `counted`
/// needs more of them than the release.
const MAX: u64 = 3_000_000;

/// The least number of refused bodies for each operation.
const LEAST: usize = 200;

const SPEC: &str = include_str!("../openapi/openapi.json");

/// Counts every refusal. Fails if one takes too long.
pub fn checked() -> ExitCode {
    let folder = tempfile::tempdir().expect("a folder");
    let mut node = Node::start(folder.path());
    let mut guest = node.guest();
    let mut worst: Vec<(u64, String)> = Vec::new();
    let mut all = 0;
    for operation in operations() {
        let mut refused = 0;
        let mut most = (0, String::new());
        for (name, body) in hostile(&operation) {
            let token = if operation.needs_token { guest.as_str() } else { "" };
            let (instructions, (status, answer)) =
                node.counted(|node| node.send(&operation.method, &operation.path, token, &body));
            let name = format!("{}, {name}: {status}", operation.id);
            let about = String::from_utf8_lossy(&answer);
            assert!(status != 429 && (status != 401 || !operation.needs_token), "{name}: {about}");
            match status {
                400..500 => {
                    refused += 1;
                    most = most.max((instructions, name));
                }
                // It may have deleted the account.
                _ => guest = node.guest(),
            }
        }
        println!("{refused} refused bodies, at most {} instructions: {}", most.0, most.1);
        assert!(refused >= LEAST, "{}: only {refused} bodies were refused", operation.id);
        all += refused;
        worst.push(most);
    }
    node.stop();
    worst.retain(|(instructions, _)| *instructions > MAX);
    for (instructions, name) in &worst {
        println!("{name}: {instructions} instructions, TOO MANY");
    }
    println!("{all} refused bodies, the most is {MAX} instructions");
    if worst.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

struct Operation {
    id: String,
    method: String,
    path: String,
    needs_token: bool,
    /// The maximum size of the body.
    limit: usize,
    /// The names of the body's fields.
    fields: BTreeSet<String>,
    /// A valid body.
    example: Value,
}

/// Every operation with a body.
fn operations() -> Vec<Operation> {
    let spec: Value = serde_json::from_str(SPEC).expect("the spec");
    let mut found = Vec::new();
    for (path, item) in spec["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations") {
            let body = &operation["requestBody"];
            if !body.is_object() {
                continue;
            }
            let content = &body["content"]["application/json"];
            let mut fields = BTreeSet::from(["type", "options", "calls"].map(str::to_owned));
            add_fields(&spec, &content["schema"], &mut fields);
            let id =
                if path.contains("rulesets") { "squares" } else { "019b7a00-0000-7000-8000-000000000001" };
            let path = path.replace("{id}", id).replace("{seat}", "1").replace("{code}", "AAAAAAAA");
            let examples = content["examples"].as_object().and_then(|examples| examples.values().next());
            let example = examples.map_or(&content["example"], |example| &example["value"]);
            found.push(Operation {
                id: operation["operationId"].as_str().expect("an id").to_owned(),
                method: method.to_uppercase(),
                path,
                needs_token: operation["security"] != json!([]),
                limit: body["x-max-bytes"].as_u64().expect("a limit").try_into().expect("a limit"),
                fields,
                example: if example.is_object() { example.clone() } else { json!({}) },
            });
        }
    }
    assert!(found.len() > 10, "the spec has too few bodies");
    found
}

/// Adds the names of the fields of a schema and its branches.
fn add_fields(spec: &Value, schema: &Value, fields: &mut BTreeSet<String>) {
    if let Some(location) = schema["$ref"].as_str() {
        return add_fields(spec, spec.pointer(location.trim_start_matches('#')).expect("a schema"), fields);
    }
    fields.extend(schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()));
    for branch in schema["oneOf"].as_array().into_iter().flatten() {
        add_fields(spec, branch, fields);
    }
}

/// What fills the top of a body: its name, its start, what is repeated with a number for `#`, and its end.
const TOPS: [(&str, &str, &str, &str); 29] = [
    ("unknown fields", "{", "\"a#\":1,", "\"z\":1}"),
    ("unknown fields of one letter", "{", "\"a\":1,", "\"z\":1}"),
    ("unknown escaped fields", "{", "\"\\u0061#\":1,", "\"z\":1}"),
    ("unknown objects", "{", "\"a#\":{},", "\"z\":1}"),
    ("unknown lists", "{", "\"a#\":[],", "\"z\":1}"),
    ("unknown texts", "{", "\"a#\":\"\",", "\"z\":1}"),
    ("unknown floats", "{", "\"a#\":1.5e5,", "\"z\":1}"),
    ("fields without a name", "{", "\"\":0,", "\"z\":1}"),
    ("two repeated fields", "{", "\"a\":0,\"b\":1,", "\"z\":1}"),
    ("unknown fields of a bid", "{\"type\":\"bid\",", "\"a#\":1,", "\"z\":1}"),
    ("unknown fields of a play", "{\"type\":\"play\",\"card\":\"AS\",", "\"a#\":1,", "\"z\":1}"),
    ("a long unknown field", "{\"", "a", "\":1}"),
    ("a long escaped field", "{\"", "\\u00e9", "\":1}"),
    ("nested unknown lists", "{\"a\":[", "[],", "[]]}"),
    ("nested unknown objects", "{\"a\":[", "{\"a\":{}},", "{}]}"),
    ("a list", "[", "1,", "1]"),
    ("a list of objects", "[", "{},", "{}]"),
    ("a text", "\"", "a", "\""),
    ("an escaped text", "\"", "\\ud83d\\ude00", "\""),
    ("a number", "", "9", ""),
    ("a small number", "0.", "0", "1"),
    ("spaces", "{\"z\":", " ", "1}"),
    ("lines", "{\"z\":", "\n", "1}"),
    ("no end", "{", "\"a#\":1,", ""),
    ("more behind the end", "{", "\"a#\":1,", "\"z\":1}}"),
    ("a wrong escape", "{\"a\":\"", "\\u0061", "\\ud800\"}"),
    ("open lists", "", "[", ""),
    ("open objects", "", "{\"a\":", ""),
    ("single quotes", "{", "'a':1,", "}"),
];

/// What fills a field.
const VALUES: [(&str, &str, &str, &str); 17] = [
    ("whole numbers", "[", "1,", "1]"),
    ("floats", "[", "2.0,", "2.0]"),
    ("nulls", "[", "null,", "null]"),
    ("texts", "[", "\"a\",", "\"a\"]"),
    ("empty lists", "[", "[],", "[]]"),
    ("empty objects", "[", "{},", "{}]"),
    ("calls", "[", "{\"seat\":0,\"kind\":\"bid\",\"tricks\":1},", "{}]"),
    ("objects with unknown fields", "[{", "\"a#\":1,", "\"z\":1}]"),
    ("unknown fields", "{", "\"a#\":1,", "\"z\":1}"),
    ("unknown options", "{\"jokers\":9,", "\"a#\":[],", "\"order\":0}"),
    ("a long text", "\"", "a", "\""),
    ("an escaped text", "\"", "\\u0061", "\""),
    ("marks", "\"a", "\u{301}", "\""),
    ("escaped marks", "\"a", "\\u0315\\u035c", "\""),
    ("letters of several scripts", "\"", "aжع字", "\""),
    ("figures", "\"", "\\ud83d\\ude00", "\""),
    ("digits", "", "9", ""),
];

/// Many bodies that an operation refuses, with their names.
fn hostile(operation: &Operation) -> Vec<(String, Body)> {
    let mut bodies = Vec::new();
    for size in [operation.limit, operation.limit / 2] {
        for (name, start, unit, end) in TOPS {
            bodies.push((format!("{name}, {size} bytes"), Body::sized(filled(size, start, unit, end))));
        }
        let nested = |open: &str, close: &str| {
            let inner = filled(size - 250 * (open.len() + close.len()).min(size / 500), "[", "1,", "1]");
            let depth = 120.min((size - inner.len()) / (open.len() + close.len()));
            let text = String::from_utf8_lossy(&inner);
            format!("{}{text}{}", open.repeat(depth), close.repeat(depth)).into_bytes()
        };
        bodies.push((format!("nested lists, {size} bytes"), Body::sized(nested("[", "]"))));
        bodies.push((format!("nested objects, {size} bytes"), Body::sized(nested("{\"a\":", "}"))));
        let long = "a".repeat(size / 2);
        let below = filled(size, &format!("{{\"{long}\":{{"), "\"a#\":1,", "\"z\":1}}");
        bodies.push((format!("fields below a long field, {size} bytes"), Body::sized(below)));
        let mut torn = filled(size, "{\"a\":\"", "a", "\"}");
        torn[size / 2] = 0xff;
        bodies.push((format!("not UTF-8, {size} bytes"), Body::sized(torn)));
        for field in &operation.fields {
            for (name, start, unit, end) in VALUES {
                // The other fields are valid.
                let mut others = operation.example.clone();
                others.as_object_mut().expect("an object").remove(field);
                let others = others.to_string();
                let others = others.trim_start_matches('{').trim_end_matches('}');
                let others = if others.is_empty() { String::new() } else { format!("{others},") };
                let start = format!("{{{others}\"{field}\":{start}");
                let bytes = filled(size, &start, unit, &format!("{end}}}"));
                bodies.push((format!("{name} in `{field}`, {size} bytes"), Body::sized(bytes)));
            }
            let bytes = filled(size, "{", &format!("\"{field}\":1,"), "\"z\":1}");
            bodies.push((format!("repeated `{field}`, {size} bytes"), Body::sized(bytes)));
        }
        for chunk in [16, 1024] {
            let body = Body::chunked(&filled(size, "{", "\"a#\":1,", "\"z\":1}"), chunk);
            bodies.push((format!("chunks of {chunk}, {size} bytes"), body));
        }
    }
    let beyond = filled(64 * 1024, "{", "\"a#\":1,", "\"z\":1}");
    bodies.push(("64 KiB in chunks".to_owned(), Body::chunked(&beyond, 1024)));
    bodies.push(("64 KiB".to_owned(), Body::sized(beyond)));
    bodies
}

/// A text of at most so many bytes: a start, as many units as fit, and an end.
fn filled(size: usize, start: &str, unit: &str, end: &str) -> Vec<u8> {
    let mut text = start.to_owned();
    for number in 0.. {
        let unit = unit.replace('#', &number.to_string());
        if text.len() + unit.len() + end.len() > size {
            break;
        }
        text.push_str(&unit);
    }
    text.push_str(end);
    text.into_bytes()
}
