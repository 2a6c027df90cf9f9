//! Every operation of the published spec, ready to be called: its access comes from its file in `src/http/endpoints`,
//! and its body from its recorded example, or from the example of the schema.

use std::collections::BTreeSet;
use std::fs;

use estimation::http::Examples;
use estimation::http::endpoints::{ACCESS, Access};
use reqwest::Method;
use serde_json::{Value, json};

use super::spec::spec;
use crate::documents::root;
use crate::harness::client::{Client, Request};

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

/// The name of an operation's file: `get_scores` for `getScores`.
fn file_name(operation: &str) -> String {
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
            let access = ACCESS.iter().find(|(file, _)| *file == file_name(name));
            let (_, access) = access.unwrap_or_else(|| panic!("{name} is not in a file of its name"));
            let open = operation["security"] == json!([]) || operation["security"] == json!([{}]);
            assert_eq!(open, *access == Access::Public, "{name}: what the spec says about tokens");
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
                access: *access,
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
fn every_operation_has_the_file_of_its_name() {
    let files = fs::read_dir(root().join("src/http/endpoints")).expect("the folder");
    let mut found = BTreeSet::new();
    for file in files.map(|file| file.expect("a file").path()) {
        let name = file.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
        if name != "mod" {
            let text = fs::read_to_string(&file).expect("a text");
            assert_eq!(text.matches("operation_id = ").count(), 1, "{name}");
            found.insert(name);
        }
    }
    let all: BTreeSet<String> = operations().iter().map(|operation| file_name(&operation.name)).collect();
    assert_eq!(found, all);
    assert_eq!(ACCESS.len(), all.len());
}
