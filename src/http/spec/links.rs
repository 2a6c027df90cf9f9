//! Links: which value of an answer is a parameter of another operation. Clients and tests follow them.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::schema_name;

/// A value in answers of a schema is a parameter of the paths that begin with `path`.
struct Rule {
    schema: &'static str,
    /// The JSON pointer of the value.
    pointer: &'static str,
    path: &'static str,
    parameter: &'static str,
}

const fn rule(
    schema: &'static str,
    pointer: &'static str,
    path: &'static str,
    parameter: &'static str,
) -> Rule {
    Rule { schema, pointer, path, parameter }
}

const RULES: &[Rule] = &[
    rule("GameView", "/id", "/v1/games/{id}", "id"),
    rule("GamePage", "/items/0/id", "/v1/games/{id}", "id"),
    rule("RulesetPage", "/items/0/id", "/v1/rulesets/{id}", "id"),
    rule("RulesetInfo", "/id", "/v1/rulesets/{id}", "id"),
    rule("SignedInList", "/items/0/id", "/v1/sessions/{id}", "id"),
    rule("Session", "/session_id", "/v1/sessions/{id}", "id"),
    rule("Registered", "/account/id", "/v1/admin/accounts/{id}", "id"),
    rule("Registered", "/account/id", "/v1/players/{id}", "id"),
    rule("Account", "/id", "/v1/admin/accounts/{id}", "id"),
    rule("Account", "/id", "/v1/players/{id}", "id"),
    rule("RulesetInfo", "/id", "/v1/leaderboards/{ruleset}", "ruleset"),
    rule("Waiting", "/game", "/v1/games/{id}", "id"),
    rule("LeaderboardPage", "/items/0/player/id", "/v1/players/{id}", "id"),
    rule("ListedPage", "/items/0/entry/game", "/v1/games/{id}/history", "id"),
];

/// Adds the links to every success that has some.
pub(super) fn add(spec: &mut Value) {
    let mut takers: Vec<(String, String, bool)> = Vec::new();
    super::each_operation(spec, |path, _, operation| {
        let id = operation.get("operationId").and_then(Value::as_str).unwrap_or_default();
        let version = names(operation).any(|name| name == "version");
        takers.push((path.to_owned(), id.to_owned(), version));
    });
    let mut links = BTreeMap::new();
    super::each_operation(spec, |_, _, operation| {
        for (status, answer) in
            operation.get_mut("responses").and_then(Value::as_object_mut).into_iter().flatten()
        {
            let Some(schema) = schema_name(answer).filter(|_| status.starts_with('2')).map(str::to_owned)
            else {
                continue;
            };
            let found = from(&schema, &takers);
            if !found.is_empty() {
                let references = found.keys().map(|name| {
                    let to = name.split_once('_').map_or(name.as_str(), |(_, to)| to);
                    (to.to_owned(), json!({"$ref": format!("#/components/links/{name}")}))
                });
                answer["links"] = Value::Object(references.collect());
                links.extend(found);
            }
        }
    });
    spec["components"]["links"] = json!(links);
}

/// The links from an answer of a schema, by a name for each.
fn from(schema: &str, takers: &[(String, String, bool)]) -> BTreeMap<String, Value> {
    let mut links = BTreeMap::new();
    for rule in RULES.iter().filter(|rule| rule.schema == schema) {
        let below = |path: &str| {
            path.strip_prefix(rule.path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        for (path, operation, version) in takers.iter().filter(|(path, ..)| below(path)) {
            let mut parameters = Map::new();
            parameters.insert(rule.parameter.to_owned(), format!("$response.body#{}", rule.pointer).into());
            if *version && schema == "GameView" {
                parameters.insert("version".to_owned(), "$response.body#/version".into());
            }
            let about = format!("`{}` is what {path} takes as `{}`.", rule.pointer, rule.parameter);
            let link = json!({"operationId": operation, "parameters": parameters, "description": about});
            links.insert(format!("{schema}_{operation}"), link);
        }
    }
    links
}

fn names(operation: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let parameters = operation.get("parameters").and_then(Value::as_array).into_iter().flatten();
    parameters.filter_map(|parameter| parameter["name"].as_str())
}
