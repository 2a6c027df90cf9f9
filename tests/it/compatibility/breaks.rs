//! Breaking changes between two specs: operations, parameters, bodies, answers.

use std::fmt;

use serde_json::Map;

use super::schemas::{Side, Walk};
use crate::prelude::*;

#[derive(Debug, PartialEq, Eq)]
pub struct Break {
    /// The operation and its part.
    pub place: String,
    pub what: String,
}

impl fmt::Display for Break {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "- `{}`: {}", self.place, self.what)
    }
}

/// Resolves a reference in a document, or returns the value itself.
pub fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let location = value["$ref"].as_str().and_then(|location| location.strip_prefix('#'));
    location.and_then(|pointer| document.pointer(pointer)).unwrap_or(value)
}

fn object(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

pub fn breaks(old: &Value, new: &Value) -> Vec<Break> {
    let mut gate = Gate { old, new, found: Vec::new() };
    for (path, item) in object(&old["paths"]) {
        for (verb, operation) in object(item) {
            let name = operation["operationId"].as_str().unwrap_or("?").to_owned();
            match new["paths"][path].get(verb) {
                None => gate.add(name, format!("{verb} {path} is gone")),
                Some(now) => gate.operation(&name, operation, now),
            }
        }
    }
    gate.found.sort_by(|a, b| (&a.place, &a.what).cmp(&(&b.place, &b.what)));
    gate.found.dedup();
    gate.found
}

struct Gate<'a> {
    old: &'a Value,
    new: &'a Value,
    found: Vec<Break>,
}

impl Gate<'_> {
    fn add(&mut self, place: impl Into<String>, what: impl Into<String>) {
        self.found.push(Break { place: place.into(), what: what.into() });
    }

    fn operation(&mut self, name: &str, old: &Value, new: &Value) {
        if old["operationId"] != new["operationId"] {
            self.add(
                name,
                format!("is called {} now, and so are the methods of generated clients", new["operationId"]),
            );
        }
        let open = |operation: &Value| operation["security"] == Value::Array(Vec::new());
        if open(old) && !open(new) {
            self.add(format!("{name} security"), "takes a token now");
        }
        self.parameters(name, old, new);
        self.body(name, &old["requestBody"], &new["requestBody"]);
        for (status, answer) in object(&old["responses"]) {
            let place = format!("{name} {status}");
            match new["responses"].get(status) {
                Some(now) => self.answer(&place, answer, now),
                // Removing a refusal breaks no client.
                None if status.starts_with(['4', '5']) => {}
                None => self.add(place, "is not answered any more"),
            }
        }
    }

    fn parameters(&mut self, name: &str, old: &Value, new: &Value) {
        let list = |document: &Value, operation: &Value| -> Vec<Value> {
            let list = operation["parameters"].as_array().into_iter().flatten();
            list.map(|parameter| resolved(document, parameter).clone()).collect()
        };
        let (then, now) = (list(self.old, old), list(self.new, new));
        let same = |a: &Value, b: &Value| a["name"] == b["name"] && a["in"] == b["in"];
        let required = |parameter: &Value| parameter["required"] == true;
        let place = |parameter: &Value| format!("{name} {}", parameter["name"].as_str().unwrap_or("?"));
        for parameter in &then {
            match now.iter().find(|other| same(parameter, other)) {
                None => self.add(place(parameter), "is not taken any more"),
                Some(other) => {
                    if required(other) && !required(parameter) {
                        self.add(place(parameter), "is required now");
                    }
                    self.walk(&place(parameter), Side::Sent, &parameter["schema"], &other["schema"]);
                }
            }
        }
        for parameter in now.iter().filter(|parameter| required(parameter)) {
            if !then.iter().any(|other| same(parameter, other)) {
                self.add(place(parameter), "is new and required");
            }
        }
    }

    fn body(&mut self, name: &str, old: &Value, new: &Value) {
        let place = format!("{name} body");
        if new["required"] == true && old["required"] != true {
            self.add(&place, "is required now");
        }
        for (media_type, content) in object(&old["content"]) {
            match new["content"].get(media_type) {
                None => self.add(format!("{place} {media_type}"), "is not taken any more"),
                Some(now) => self.walk(&place, Side::Sent, &content["schema"], &now["schema"]),
            }
        }
    }

    fn answer(&mut self, place: &str, old: &Value, new: &Value) {
        let (old, new) = (resolved(self.old, old).clone(), resolved(self.new, new).clone());
        let none = Map::new();
        let headers = |answer: &Value| answer["headers"].as_object().unwrap_or(&none).clone();
        let now = headers(&new);
        for (name, _) in headers(&old) {
            if !now.contains_key(&name) {
                self.add(format!("{place} {name}"), "is not there any more");
            }
        }
        for (media_type, content) in object(&old["content"]) {
            match new["content"].get(media_type) {
                None => self.add(format!("{place} {media_type}"), "is not answered any more"),
                Some(now) => self.walk(place, Side::Answered, &content["schema"], &now["schema"]),
            }
        }
    }

    fn walk(&mut self, place: &str, side: Side, old: &Value, new: &Value) {
        for (path, what) in Walk::new(self.old, self.new, side).compare(old, new) {
            let place = if path.is_empty() { place.to_owned() } else { format!("{place} {path}") };
            self.add(place, what);
        }
    }
}
