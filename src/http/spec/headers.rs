//! Response headers: rules that say which answers have which. Request headers that several operations share.

use std::collections::BTreeSet;
use std::mem::replace;

use serde_json::{Map, Value, json};

use super::schema_name;

/// The parameter of operations that take an idempotency key.
pub(in crate::http) const IDEMPOTENCY_KEY: &str = "#/components/parameters/IdempotencyKey";

struct Header {
    name: &'static str,
    always: bool,
    about: &'static str,
    schema: fn() -> Value,
}

const HEADERS: &[Header] = &[
    Header {
        name: "X-Request-Id",
        always: true,
        about: "The id of the request: the client's, if it sent one.",
        schema: || json!({"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$", "minLength": 1, "maxLength": 64}),
    },
    Header {
        name: "Cache-Control",
        always: true,
        about: "Whether and for how long caches may store the answer.",
        schema: || text(200),
    },
    Header {
        name: "Vary",
        always: true,
        about: "The request headers that the answer depends on.",
        schema: || text(200),
    },
    Header {
        name: "RateLimit-Policy",
        always: false,
        about: "The rate limits of the request: a list of names, each with `q`, the number of requests, and `w`, the \
                window in seconds. Absent if the request has no limit.",
        schema: || text(400),
    },
    Header {
        name: "RateLimit",
        always: false,
        about: "What is left of each limit: `r`, the number of requests, and `t`, the seconds until the limit is \
                fully restored.",
        schema: || text(400),
    },
    Header {
        name: "Content-Language",
        always: false,
        about: "The language of titles and descriptions: `en` or `ar`.",
        schema: || json!({"type": "string", "enum": ["en", "ar"]}),
    },
    Header {
        name: "ETag",
        always: true,
        about: "The version of the game, a dot, and a tag of what this caller sees. Send it in `If-Match` or \
                `If-None-Match`.",
        schema: || json!({"type": "string", "pattern": "^\"[0-9]{1,16}(\\.[0-9a-f]{16}){1,2}\"$", "minLength": 20, "maxLength": 52}),
    },
    Header {
        name: "Idempotency-Replayed",
        always: false,
        about: "`true` if the server has handled the request before and repeats its first answer.",
        schema: || json!({"type": "string", "enum": ["true"]}),
    },
    Header {
        name: "Retry-After",
        always: true,
        about: "The number of seconds to wait before you try again.",
        schema: || json!({"type": "integer", "format": "int32", "minimum": 1, "maximum": 2_147_483_647}),
    },
    Header {
        name: "WWW-Authenticate",
        always: true,
        about: "The authentication challenge (RFC 6750).",
        schema: || text(200),
    },
    Header {
        name: "Accept",
        always: false,
        about: "The media type to send. Present if `Content-Type` is wrong.",
        schema: || text(100),
    },
    Header {
        name: "Accept-Encoding",
        always: false,
        about: "The encoding to send. Present if `Content-Encoding` is wrong.",
        schema: || text(100),
    },
    Header {
        name: "Allow",
        always: true,
        about: "The methods that the path supports.",
        schema: || text(100),
    },
];

fn text(longest: u64) -> Value {
    json!({"type": "string", "minLength": 1, "maxLength": longest})
}

/// The schemas with translated texts.
const IN_LANGUAGES: [&str; 9] = [
    "EventFrames",
    "QueueEntry",
    "GameView",
    "CommandAnswer",
    "GamePage",
    "Ruleset",
    "RulesetPage",
    "ProblemKind",
    "Problem",
];

/// The schemas whose answers have an entity tag: those of operations that may answer 304.
fn tagged(spec: &mut Value) -> BTreeSet<String> {
    let mut tagged = BTreeSet::new();
    super::each_operation(spec, |_, _, operation| {
        let answers = operation.get("responses").unwrap_or(&Value::Null);
        if answers.get("304").is_some() {
            tagged.extend(schema_name(&answers["200"]).map(str::to_owned));
        }
    });
    tagged
}

/// Adds the headers to every answer, and `Accept-Language` to operations whose success has translated texts.
pub(super) fn add(spec: &mut Value) {
    let described = HEADERS.iter().map(|header| {
        let mut body = json!({"description": header.about, "schema": (header.schema)()});
        if header.always {
            body["required"] = true.into();
        }
        (header.name.to_owned(), body)
    });
    spec["components"]["headers"] = Value::Object(described.collect());
    spec["components"]["parameters"] = json!({
        "AcceptLanguage": {
            "name": "Accept-Language",
            "in": "header",
            "description": "The language of titles and descriptions, as browsers send it: Arabic for `ar`, or English.",
            "schema": {"type": "string", "maxLength": 1000},
        },
    });
    let tagged = tagged(spec);
    let mut key = Value::Null;
    super::each_operation(spec, |path, _, operation| {
        let mut keyed = false;
        let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten();
        for parameter in parameters.filter(|parameter| parameter["name"] == "Idempotency-Key") {
            key = replace(parameter, json!({"$ref": IDEMPOTENCY_KEY}));
            keyed = true;
        }
        let mut in_languages = false;
        for (status, answer) in
            operation.get_mut("responses").and_then(Value::as_object_mut).into_iter().flatten()
        {
            // Problems are shared by all operations and described once.
            if answer.get("$ref").is_none() {
                let success = status.starts_with('2');
                let mut names = common(path);
                let schema = schema_name(answer).unwrap_or_default().to_owned();
                if IN_LANGUAGES.contains(&schema.as_str()) {
                    names.push("Content-Language");
                    in_languages |= success;
                }
                if tagged.contains(&schema) || status == "304" {
                    names.push("ETag");
                }
                if success && keyed {
                    names.push("Idempotency-Replayed");
                }
                refer(answer, &names);
            }
        }
        if in_languages && let Some(parameters) = list(operation, "parameters") {
            parameters.push(json!({"$ref": "#/components/parameters/AcceptLanguage"}));
        }
    });
    spec["components"]["parameters"]["IdempotencyKey"] = key;
    for (name, answer) in spec["components"]["responses"].as_object_mut().into_iter().flatten() {
        let mut names = common("/v1");
        names.push("Content-Language");
        match name.as_str() {
            "Problem401" => names.push("WWW-Authenticate"),
            "Problem405" => names.push("Allow"),
            "Problem415" => names.extend(["Accept", "Accept-Encoding"]),
            "Problem429" | "Problem503" => names.push("Retry-After"),
            _ => {}
        }
        refer(answer, &names);
    }
}

/// The headers of every answer.
fn common(path: &str) -> Vec<&'static str> {
    let mut names = vec!["X-Request-Id", "Cache-Control", "Vary"];
    if path.starts_with("/v1") {
        names.extend(["RateLimit-Policy", "RateLimit"]);
    }
    names
}

/// Makes an answer refer to headers.
fn refer(answer: &mut Value, names: &[&str]) {
    let Some(answer) = answer.as_object_mut() else { return };
    let headers = answer.entry("headers").or_insert_with(|| json!({}));
    for name in names {
        let reference = json!({"$ref": format!("#/components/headers/{name}")});
        if let Some(headers) = headers.as_object_mut() {
            headers.insert((*name).to_owned(), reference);
        }
    }
}

fn list<'a>(operation: &'a mut Map<String, Value>, name: &str) -> Option<&'a mut Vec<Value>> {
    operation.entry(name).or_insert_with(|| json!([])).as_array_mut()
}
