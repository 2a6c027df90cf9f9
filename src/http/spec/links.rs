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
    rule("GameView", "/join_code", "/v1/join/{code}", "code"),
    rule("GamePage", "/items/0/id", "/v1/games/{id}", "id"),
    rule("RulesetPage", "/items/0/id", "/v1/rulesets/{id}", "id"),
    rule("Ruleset", "/id", "/v1/rulesets/{id}", "id"),
    rule("DeviceList", "/items/0/id", "/v1/sessions/{id}", "id"),
    rule("IdentityList", "/items/0/id", "/v1/me/identities/{id}", "id"),
    rule("Session", "/session_id", "/v1/sessions/{id}", "id"),
    rule("Registration", "/account/id", "/v1/admin/accounts/{id}", "id"),
    rule("Registration", "/account/id", "/v1/players/{id}", "id"),
    rule("Account", "/id", "/v1/admin/accounts/{id}", "id"),
    rule("Account", "/id", "/v1/players/{id}", "id"),
    rule("FoundAccounts", "/items/0/id", "/v1/admin/accounts/{id}", "id"),
    rule("ReportQueue", "/items/0/id", "/v1/admin/reports/{id}", "id"),
    rule("WaitingGames", "/tables/0/game", "/v1/admin/games/{id}", "id"),
    rule("Ruleset", "/id", "/v1/leaderboards/{ruleset}", "ruleset"),
    rule("QueueEntry", "/game", "/v1/games/{id}", "id"),
    rule("PeopleView", "/friends/0/player/id", "/v1/me/friends/{id}", "id"),
    rule("PeopleView", "/blocked/0/player/id", "/v1/me/blocks/{id}", "id"),
    rule("PeopleView", "/muted/0/player/id", "/v1/me/mutes/{id}", "id"),
    rule("FoundPlayers", "/items/0/id", "/v1/me/friends/{id}", "id"),
    rule("InvitationList", "/items/0/id", "/v1/me/invitations/{id}", "id"),
    rule("LeaderboardPage", "/items/0/player/id", "/v1/players/{id}", "id"),
    rule("OpenedEntryPage", "/items/0/game", "/v1/games/{id}/history", "id"),
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
    super::each_operation(spec, |path, _, operation| {
        let next = next_page(path, operation);
        for (status, answer) in
            operation.get_mut("responses").and_then(Value::as_object_mut).into_iter().flatten()
        {
            let Some(schema) = schema_name(answer).filter(|_| status.starts_with('2')).map(str::to_owned)
            else {
                continue;
            };
            let mut found = from(&schema, &takers);
            found.extend(next.clone());
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

/// The link from a page to the next one, if the operation takes the `next_cursor` of its own answer.
fn next_page(path: &str, operation: &Map<String, Value>) -> Option<(String, Value)> {
    let cursor =
        ["cursor", "after"].into_iter().find(|cursor| names(operation).any(|name| name == *cursor))?;
    let id = operation.get("operationId").and_then(Value::as_str)?;
    let mut parameters = Map::new();
    for part in path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')) {
        parameters.insert(part.to_owned(), format!("$request.path.{part}").into());
    }
    parameters.insert(cursor.to_owned(), "$response.body#/next_cursor".into());
    Some((format!("{id}_next"), json!({"operationId": id, "parameters": parameters})))
}

/// The links from an answer of a schema, by a name for each.
fn from(schema: &str, takers: &[(String, String, bool)]) -> BTreeMap<String, Value> {
    let mut links = BTreeMap::new();
    for rule in RULES.iter().filter(|rule| rule.schema == schema) {
        let below = |path: &str| {
            path.strip_prefix(rule.path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        for (_, operation, version) in takers.iter().filter(|(path, ..)| below(path)) {
            let mut parameters = Map::new();
            parameters.insert(rule.parameter.to_owned(), format!("$response.body#{}", rule.pointer).into());
            if *version && schema == "GameView" {
                parameters.insert("version".to_owned(), "$response.body#/version".into());
            }
            let link = json!({"operationId": operation, "parameters": parameters});
            links.insert(format!("{schema}_{operation}"), link);
        }
    }
    links
}

fn names(operation: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let parameters = operation.get("parameters").and_then(Value::as_array).into_iter().flatten();
    parameters.filter_map(|parameter| parameter["name"].as_str())
}
