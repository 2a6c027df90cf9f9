//! The limits of bodies in the OpenAPI document are those of the server: a value at a limit passes, and one beyond is refused by the
//! pointer to its field.

use super::bodies::{Bodied, bodied, longest};
use super::spec::spec;
use crate::prelude::*;

/// The codes of broken limits and forms.
const LIMITS: [&str; 5] = ["too-short", "too-long", "out-of-range", "wrong-format", "wrong-type"];

/// The JSON pointer to a field, as problems have it, and its schema.
struct Field<'s> {
    pointer: String,
    schema: &'s Value,
}

/// The fields of a schema that have no fields or items themselves, and the lists.
fn fields<'s>(schema: &'s Value, pointer: &str) -> Vec<Field<'s>> {
    let schema = spec().resolved(schema);
    if let Some(branches) = schema["oneOf"].as_array() {
        return branches.iter().flat_map(|branch| fields(branch, pointer)).collect();
    }
    if let Some(inner) = schema["properties"].as_object() {
        return inner
            .iter()
            .flat_map(|(field, schema)| fields(schema, &format!("{pointer}/{field}")))
            .collect();
    }
    let this = Field { pointer: pointer.to_owned(), schema };
    let items = schema.get("items");
    let items = items.map(|items| fields(items, &format!("{pointer}/0")));
    items.into_iter().flatten().chain([this]).collect()
}

/// What a value is to its field.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    AtLimit,
    Beyond,
    /// It does not match the pattern.
    Malformed,
}

/// Values at the limits of a field, values beyond, and malformed ones.
fn values(schema: &Value) -> Vec<(Kind, Value)> {
    let (mut right, mut wrong, mut malformed) = (Vec::new(), Vec::new(), None);
    let one = longest(schema).into_iter().next_back().expect("a value");
    for (limit, next) in [("minimum", -1), ("maximum", 1)] {
        let number = schema[limit].as_i64().into_iter();
        right.extend(number.clone().map(|number| json!(number)));
        wrong.extend(number.map(|number| json!(number + next)));
    }
    if schema["enum"].is_array() {
        wrong.push(json!("nothing"));
    }
    if let Value::Array(items) = &one {
        right.push(one.clone());
        wrong.push(json!([items.as_slice(), &items[..1]].concat()));
    }
    let limit = |name: &str| schema[name].as_u64().map(|limit| limit as usize);
    if let (Some(least), Some(most)) = (limit("minLength"), limit("maxLength")) {
        let text = one.as_str().expect("a text").to_owned();
        let is_free = schema["pattern"].is_null() && schema["format"] != "uuid";
        let sized = |length: usize| match is_free {
            true => json!("ü".repeat(length)),
            false => json!(text.chars().chain("a".repeat(most).chars()).take(length).collect::<String>()),
        };
        if is_free {
            right.extend([sized(least), sized(most)]);
        } else {
            right.push(json!(text));
            malformed = Some(json!(format!(" {}", &text[1..])));
        }
        wrong.extend((least > 0).then(|| sized(least - 1)));
        wrong.push(sized(most + 1));
    }
    let right = right.into_iter().map(|value| (Kind::AtLimit, value));
    let wrong = wrong.into_iter().map(|value| (Kind::Beyond, value));
    right.chain(wrong).chain(malformed.map(|value| (Kind::Malformed, value))).collect()
}

/// A valid body in which a field has a value.
fn with(body: &Bodied, field: &Field<'_>, value: Value) -> Value {
    let mut given = body.example.clone();
    let mut at = &mut given;
    let names: Vec<&str> = field.pointer.split('/').skip(1).collect();
    for (depth, name) in names.iter().enumerate() {
        if at.is_array() {
            at = &mut at[0];
            continue;
        }
        if depth + 1 < names.len() && !at[*name].is_object() && !at[*name].is_array() {
            let pointer = format!("/{}", names[..=depth].join("/"));
            let all = longest(&body.schema).into_iter().next_back().expect("a body");
            at[*name] = all.pointer(&pointer).expect("a value").clone();
        }
        if at[*name].as_array().is_some_and(Vec::is_empty) {
            at[*name] = json!([null]);
        }
        at = &mut at[*name];
    }
    *at = value;
    // Other fields narrow these two.
    if field.pointer == "/opening_seconds" {
        given["turn_seconds"] = json!(604_800);
    }
    if field.pointer == "/players" && given["ruleset"].is_string() {
        given["ruleset"] = json!("nineteen");
        given["options"] = json!({});
    }
    given
}

/// The code with which an answer refuses a field.
fn refusal(answer: &Answer, field: &str) -> Option<String> {
    if answer.status < 400 {
        return None;
    }
    let problem = answer.json();
    let error = problem["errors"].as_array()?.iter().find(|error| {
        // The calculator may refuse the list.
        error["field"] == field || field.strip_suffix("/0").is_some_and(|list| error["field"] == list)
    })?;
    error["code"].as_str().map(str::to_owned)
}

on_sqlite_first! {
    async fn each_limit_of_a_body_is_that_of_the_document(service: Service) {
        let (mut right, mut wrong, mut faults) = (0, 0, Vec::new());
        for body in bodied() {
            // The rules have the limits of commands.
            if body.path.contains("/commands") {
                continue;
            }
            let client = async |number: usize| {
                let name = format!("player{number}");
                // The role is checked before the body is read.
                match body.path.starts_with("/v1/admin/") {
                    true => service.with_role(&name, "admin").await,
                    false => service.player(&name).await.client,
                }
            };
            let mut player = client(right + wrong).await;
            // Rulesets narrow what the calculator takes.
            let is_calculator = body.path.ends_with("/score");
            // What is beyond these limits is refused like a wrong secret, or after one.
            let is_secret = |field: &str| {
                (body.path.ends_with("/recovery") && field == "/new_password") || field == "/refresh_token"
            };
            // The limits of options in the document are made from those of the rulesets.
            let fields = fields(&body.schema, "").into_iter();
            for field in fields.filter(|field| !field.pointer.starts_with("/options/")) {
                for (kind, value) in values(field.schema) {
                    let given = with(&body, &field, value);
                    let answer = player.request(body.method.clone(), &body.path).raw(given.to_string()).await;
                    let is_right = match kind {
                        Kind::AtLimit => {
                            let code = refusal(&answer, &field.pointer);
                            is_calculator || code.is_none_or(|code| !LIMITS.contains(&code.as_str()))
                        }
                        Kind::Beyond if is_secret(&field.pointer) => answer.status == 401,
                        Kind::Beyond => refusal(&answer, &field.pointer).is_some(),
                        Kind::Malformed => answer.status >= 400,
                    };
                    if !is_right {
                        faults.push(format!("{} {}: {given}\n{answer}", body.method, body.path));
                    }
                    if kind == Kind::AtLimit { right += 1 } else { wrong += 1 }
                    if answer.status < 400 {
                        player = client(right + wrong).await;
                    }
                }
            }
        }
        assert!(faults.is_empty(), "{} of {right} + {wrong}\n{}", faults.len(), faults.join("\n"));
        assert!(right > 100 && wrong > 150, "{right} right, {wrong} wrong");
    }

    async fn each_limit_of_a_query_is_that_of_the_document(service: Service) {
        let table = service.table("plain").open().await;
        let [player, admin, auditor] = [
            table.players[0].client.clone(),
            service.with_role("keeper", "admin").await,
            service.with_role("reader", "auditor").await,
        ];
        let other = service.player("other").await.account;
        let (mut tried, mut faults) = (0, Vec::new());
        for (path, operations) in spec().document()["paths"].as_object().expect("paths") {
            let client = match path.as_str() {
                "/v1/audit/accesses" => &admin,
                path if path.starts_with("/v1/admin/") => &admin,
                path if path.starts_with("/v1/audit/") => &auditor,
                _ => &player,
            };
            let id = if path.contains("/games/") { &table.id } else { &other };
            let path = path.replace("{id}", id).replace("{ruleset}", "plain");
            for (method, operation) in operations.as_object().expect("operations") {
                for parameter in operation["parameters"].as_array().into_iter().flatten() {
                    let (name, schema) = (&parameter["name"], spec().resolved(&parameter["schema"]));
                    if parameter["in"] != "query" || schema["type"] == "boolean" {
                        continue;
                    }
                    let name = name.as_str().expect("a name");
                    for (kind, value) in values(schema) {
                        // A cursor is opaque: only its length is in the document.
                        if name == "cursor" && kind == Kind::AtLimit {
                            continue;
                        }
                        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                        let query = serde_urlencoded::to_string([(name, &text)]).expect("a query");
                        let method = method.to_uppercase().parse().expect("a method");
                        let answer = client.request(method, &format!("{path}?{query}")).await;
                        let code = refusal(&answer, name);
                        let is_right = match kind {
                            Kind::AtLimit => code.is_none_or(|code| !LIMITS.contains(&code.as_str())),
                            Kind::Beyond | Kind::Malformed => code.is_some(),
                        };
                        if !is_right {
                            faults.push(format!("{path}?{query}\n{answer}"));
                        }
                        tried += 1;
                    }
                }
            }
        }
        assert!(faults.is_empty(), "{} of {tried}\n{}", faults.len(), faults.join("\n"));
        assert!(tried > 80, "{tried}");
    }
}
