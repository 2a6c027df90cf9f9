//! Every operation of the published spec, ready to be called: its access comes from the list in
//! `src/http/endpoints/mod.rs`, and its body from its recorded example, or from the example of the schema.

use estimation::http::Examples;
use estimation::http::endpoints::{Access, OPERATIONS};

use super::spec::spec;
use crate::prelude::*;

pub struct Operation {
    pub name: String,
    pub method: Method,
    pub access: Access,
    /// With parameters in braces.
    path: String,
    /// The required parameters, with their least values.
    query: String,
    /// Whether it reads a body.
    takes_body: bool,
    body: Option<Value>,
}

/// The things to which the parameters of paths refer.
pub struct Targets<'a> {
    pub game: &'a str,
    pub session: &'a str,
    pub account: &'a str,
}

impl Operation {
    pub fn by(&self, client: &Client, targets: &Targets<'_>) -> Request {
        let id = match &self.path {
            path if path.starts_with("/v1/sessions") || path.starts_with("/v1/me") => targets.session,
            path if path.starts_with("/v1/admin/games") => targets.game,
            path if path.starts_with("/v1/admin") || path.starts_with("/v1/players") => targets.account,
            _ => targets.game,
        };
        let path = self.path.replace("{id}", id).replace("{seat}", "0").replace("{code}", "AAAAAAAA");
        let path = path.replace("{ruleset}", "nineteen") + &self.query;
        let request = client.request(self.method.clone(), &path);
        match &self.body {
            Some(body) => request.json(body),
            None => {
                assert!(
                    !self.takes_body,
                    "{}: the scene of examples.rs or its schema has no request",
                    self.name
                );
                request
            }
        }
    }
}

/// The name of an operation's handler: `get_scores` for `getScores`.
fn handler_name(operation: &str) -> String {
    let mut name = String::new();
    for letter in operation.chars() {
        if letter.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

pub fn operations() -> Vec<Operation> {
    let document = spec().document();
    let examples = Examples::of(document);
    let mut all = Vec::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (verb, operation) in item.as_object().expect("operations") {
            let Some(name) = operation["operationId"].as_str() else { continue };
            let listed = OPERATIONS.iter().find(|listed| listed.handler == handler_name(name));
            let listed = listed.unwrap_or_else(|| panic!("{name} has no handler of its name"));
            let parameters = operation["parameters"].as_array().map_or(&[][..], Vec::as_slice);
            let required = |place: &'static str| {
                parameters
                    .iter()
                    .filter(move |parameter| parameter["in"] == place && parameter["required"] == json!(true))
            };
            let query: Vec<String> = required("query")
                .map(|parameter| {
                    format!(
                        "{}={}",
                        parameter["name"].as_str().expect("a name"),
                        parameter["schema"]["minimum"]
                    )
                })
                .collect();
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
            let recorded = examples.operations[name].request.clone();
            let of_schema =
                || Some(spec().resolved(schema)["example"].clone()).filter(|body| !body.is_null());
            all.push(Operation {
                name: name.to_owned(),
                method: verb.to_uppercase().parse().expect("a method"),
                access: listed.access,
                path: path.clone(),
                query: if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) },
                takes_body: !schema.is_null(),
                body: recorded.or_else(of_schema),
            });
        }
    }
    all
}

#[test]
fn every_handler_has_the_name_of_its_operation() {
    let handlers: BTreeSet<String> = OPERATIONS.iter().map(|listed| listed.handler.to_owned()).collect();
    let all: BTreeSet<String> = operations().iter().map(|operation| handler_name(&operation.name)).collect();
    assert_eq!(handlers, all);
    assert_eq!(OPERATIONS.len(), all.len());
}
