//! Unreadable bodies: each is refused with its problem, and nothing changes.

use serde_json::Map;

use super::raw::Raw;
use super::spec::spec;
use crate::prelude::*;

/// An operation with a body.
pub(super) struct Bodied {
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) schema: Value,
    /// A valid body.
    pub(super) example: Value,
    /// The maximum size of the body.
    limit: usize,
}

/// Every operation with a body. The operations of a game have one that does not exist.
pub(super) fn bodied() -> Vec<Bodied> {
    let mut found = Vec::new();
    for (path, item) in spec().document()["paths"].as_object().expect("paths") {
        for (verb, operation) in item.as_object().expect("operations") {
            let body = &operation["requestBody"];
            if !body.is_object() {
                continue;
            }
            let limit = body["x-max-bytes"].as_u64().unwrap_or_else(|| panic!("{verb} {path} has no limit"));
            assert_eq!(body["description"], format!("At most {limit} bytes."), "{verb} {path}");
            let id =
                if path.contains("rulesets") { "squares" } else { "019b7a00-0000-7000-8000-000000000001" };
            let path = path.replace("{id}", id).replace("{seat}", "1").replace("{code}", "AAAAAAAA");
            let content = &body["content"]["application/json"];
            let example = content["examples"].as_object().and_then(|examples| examples.values().next());
            let example = example.map_or(&content["example"], |example| &example["value"]).clone();
            found.push(Bodied {
                method: verb.to_uppercase().parse().expect("a method"),
                path,
                schema: content["schema"].clone(),
                example,
                limit: limit.try_into().expect("a limit"),
            });
        }
    }
    assert!(found.len() > 10, "{}", found.len());
    found
}

/// The longest text of each pattern of a request.
const LONGEST: [(&str, &str); 9] = [
    (r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$", "2027-01-31T00:00:00.000Z"),
    ("^[A-Za-z0-9._-]{3,32}$", "abcdefghijklmnopqrstuvwxyz.12345"),
    ("^[0-9a-f]{32,64}$", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"),
    ("^[0-9a-f]{64}$", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"),
    ("^[A-Za-z0-9_+/-]{1,64}$", "America/Argentina/ComodRivadavia/and/a/place/that/is/nowhere/all"),
    ("^([01][0-9]|2[0-3]):[0-5][0-9]$", "22:30"),
    (
        "^[A-Za-z0-9_-]{87}=?$",
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4=",
    ),
    ("^[A-Za-z0-9_-]{22}(==)?$", "BTBZMqHH6r4Tts7J_aSIgg=="),
    ("^((10|[2-9JQKA])[CDHS]|RJ|BJ)$", "10H"),
];

/// The longest valid values of a schema, one for each branch.
pub(super) fn longest(schema: &Value) -> Vec<Value> {
    let schema = spec().resolved(schema);
    if let Some(branches) = schema["oneOf"].as_array() {
        return branches.iter().flat_map(longest).collect();
    }
    let by_length = |value: &Value| value.to_string().len();
    if let Some(choices) = schema["enum"].as_array() {
        return choices.iter().max_by_key(|choice| by_length(choice)).cloned().into_iter().collect();
    }
    let kind = schema["type"].as_str().or(schema["type"][0].as_str()).expect("a type");
    let one = |schema: &Value| longest(schema).into_iter().max_by_key(by_length).expect("a value");
    let count = |name: &str| schema[name].as_u64().expect("a maximum").try_into().expect("a number");
    vec![match kind {
        "null" => Value::Null,
        "boolean" => false.into(),
        "integer" => [&schema["minimum"], &schema["maximum"]]
            .into_iter()
            .max_by_key(|limit| by_length(limit))
            .expect("a limit")
            .clone(),
        "string" if schema["format"] == "uuid" => "019b7a00-0000-7000-8000-000000000001".into(),
        "string" => match schema["pattern"].as_str() {
            None => "🂡".repeat(count("maxLength")).into(),
            Some("^https://[!-~]+$") => format!("https://{}", "a".repeat(1_992)).into(),
            // Tokens and codes of issuers.
            Some(r"^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$") => {
                format!("a.b.{}", "c".repeat(4_092)).into()
            }
            Some("^[ -~]+$") => "c".repeat(1_024).into(),
            Some("^[A-Za-z0-9._~-]{43,128}$") => "v".repeat(128).into(),
            Some("^[A-Za-z0-9_-]{54}$") => "n".repeat(54).into(),
            Some("^[!-~]+@[!-~]+$") => format!(
                "{}@{}.org",
                "a".repeat(64),
                ["b".repeat(60), "c".repeat(60), "d".repeat(60)].join(".")
            )
            .into(),
            Some("^[0-9a-f]{16,64}$") => "0".repeat(64).into(),
            Some("^[A-Za-z0-9_-]{43}$") => "t".repeat(43).into(),
            Some("^[a-z0-9-]{1,32}$") => "i".repeat(32).into(),
            Some(pattern) => {
                let text = LONGEST.iter().find(|(known, _)| *known == pattern);
                text.unwrap_or_else(|| panic!("{pattern} has no longest text")).1.into()
            }
        },
        "array" => vec![one(&schema["items"]); count("maxItems")].into(),
        "object" => {
            let fields = schema["properties"].as_object().expect("fields");
            fields.iter().map(|(name, schema)| (name.clone(), one(schema))).collect::<Map<_, _>>().into()
        }
        _ => panic!("{schema} has an unknown type"),
    }]
}

/// JSON as a client writes it that indents by four spaces and escapes all but ASCII.
fn indented(value: &Value) -> String {
    let mut text = Vec::new();
    let format = serde_json::ser::PrettyFormatter::with_indent(b"    ");
    let mut writer = serde_json::Serializer::with_formatter(&mut text, format);
    serde::Serialize::serialize(value, &mut writer).expect("JSON");
    let text = String::from_utf8(text).expect("UTF-8");
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter.is_ascii() {
            true => escaped.push(letter),
            false => {
                letter.encode_utf16(&mut [0; 2]).iter().for_each(|unit| escaped += &format!("\\u{unit:04x}"))
            }
        }
    }
    escaped
}

#[test]
fn the_longest_valid_body_is_within_the_limit() {
    for Bodied { method, path, schema, limit, .. } in bodied() {
        for value in longest(&schema) {
            spec().check(&schema, &value).unwrap_or_else(|error| panic!("{method} {path}: {value}: {error}"));
            let length = indented(&value).len();
            assert!(length <= limit, "{method} {path} takes {limit} bytes, not {length}");
        }
    }
}

on_sqlite_first! {
    async fn a_body_that_is_not_json_is_malformed(service: Service) {
        let table = service.table("nineteen").players(2).started().await;
        let path = table.path("commands");
        for body in [
            "", "   ", "{", "{\"type\":", "play", "{'type':'pass'}", "{\"type\":\"pass\",}", "{\"type\":\"pass\"} {}",
            "{\"type\":\"pass\"}x", "{\"type\":\"pa\nss\"}", "{\"type\":\"\\ud800\"}", "NaN",
        ] {
            let request = table.players[1].client.post(&path).raw(body);
            let problem = table.refuses(request, 400, "malformed-json").await;
            assert!(problem["line"].is_u64() && problem["column"].is_u64(), "{problem}");
        }
        let nested = format!("{{\"ruleset\":\"squares\",\"options\":{{\"length\":{}", "[".repeat(1_024));
        let deep = table.players[1].client.post("/v1/games").raw(nested).await;
        deep.refused(400, "malformed-json");
        let not_text = [b"{\"type\":\"".as_slice(), &[0xff, 0xfe], b"\"}"].concat();
        table.refuses(table.players[1].client.post(&path).raw(not_text), 400, "malformed-json").await;
    }

    async fn an_unknown_command_is_invalid(service: Service) {
        let table = service.table("nineteen").players(2).started().await;
        for command in [
            json!(null),
            json!([]),
            json!("pass"),
            json!({}),
            json!({"type": "fold"}),
            json!({"type": null}),
            json!({"type": 3}),
            json!({"kind": "pass"}),
            json!({"type": "estimate"}),
            json!({"type": "estimate", "tricks": null}),
            json!({"type": "estimate", "tricks": "1"}),
            json!({"type": "estimate", "tricks": 1.5}),
            json!({"type": "estimate", "tricks": -1}),
            json!({"type": "estimate", "tricks": 256}),
            json!({"type": "estimate", "tricks": 1e30}),
            json!({"type": "estimate", "tricks": 1, "trump": "stars"}),
            json!({"type": "estimate", "tricks": 1, "seat": 0}),
            json!({"type": "pass", "tricks": 1}),
            json!({"type": "play"}),
            json!({"type": "play", "card": "1S"}),
            json!({"type": "play", "card": "as"}),
            json!({"type": "play", "card": ""}),
            json!({"type": "play", "card": 12}),
            json!({"type": "play", "card": ["AS"]}),
            json!({"type": "bid", "tricks": 4, "trump": "Hearts"}),
        ] {
            table.refuses(table.seat(1).command(&command), 422, "invalid-body").await;
        }
        let twice = table.players[1].client.post(&table.path("commands"));
        let twice = twice.raw(r#"{"type":"play","card":"AS","card":"KS"}"#);
        table.refuses(twice, 422, "invalid-body").await;
    }

    async fn the_answer_names_a_wrong_field(service: Service) {
        let host = service.player("noor").await.client;
        let table = service.table("nineteen").open().await;
        for (body, field) in [
            (json!({"ruleset": 19}), "/ruleset"),
            (json!({"ruleset": "nineteen", "players": "four"}), "/players"),
            (json!({"ruleset": "nineteen", "players": 1000}), "/players"),
            (json!({"ruleset": "nineteen", "options": []}), "/options"),
            (json!({"ruleset": "nineteen", "visibility": "secret"}), "/visibility"),
            (json!({"ruleset": "nineteen", "spectators": "no"}), "/spectators"),
            (json!({"ruleset": "nineteen", "turn_seconds": -1}), "/turn_seconds"),
            (json!({"ruleset": "nineteen", "seed_commitment": "abc"}), "/seed_commitment"),
            (json!({"ruleset": "nineteen", "seed_commitment": "A".repeat(64)}), "/seed_commitment"),
            (json!({"ruleset": "nineteen", "seed_commitment": "a".repeat(65)}), "/seed_commitment"),
        ] {
            let problem = table.refuses(host.send("/v1/games", &body), 422, "invalid-body").await;
            assert_eq!(problem["field"], field, "{problem}");
        }
        for body in [json!({}), json!({"ruleset": "nineteen", "colour": "red"}), json!(["nineteen"])] {
            table.refuses(host.send("/v1/games", &body), 422, "invalid-body").await;
        }
        let games = host.get("/v1/games?mine=true").await.accepted();
        assert_eq!(games["items"].as_array().map(Vec::len), Some(1), "a refused table was opened");
    }

    async fn a_body_that_is_too_large_is_refused(service: Service) {
        let table = service.table("nineteen").players(2).started().await;
        let path = table.path("commands");
        for size in [1_024 + 1, 2 * 1024 * 1024] {
            let body = format!("{{\"type\":\"pass\"}}{}", " ".repeat(size - 15));
            let request = table.players[1].client.post(&path).raw(body);
            let problem = table.refuses(request, 413, "body-too-large").await;
            assert_eq!(problem["limit"], 1_024);
        }
        let secret = json!({"refresh_token": "x".repeat(2 * 1024 * 1024)});
        service.anonymous().send("/v1/sessions/refresh", &secret).await.refused(413, "body-too-large");
    }

    async fn every_operation_limits_its_body(service: Service) {
        let noor = service.player("noor").await.client;
        // The role is checked before the body is read.
        let boss = service.with_role("boss", "admin").await;
        let mut largest = 0;
        for Bodied { method, path, limit, .. } in bodied() {
            largest = largest.max(limit);
            let spaced = |size: usize| {
                let body = format!("{{\"colour\":{}1}}", " ".repeat(size - 12));
                assert_eq!(body.len(), size);
                let client = if path.starts_with("/v1/admin/") { &boss } else { &noor };
                client.request(method.clone(), &path).raw(body)
            };
            let problem = spaced(limit + 1).await.refused(413, "body-too-large");
            assert_eq!(problem["limit"], limit, "{method} {path}");
            spaced(limit).await.refused(422, "invalid-body");
        }
        assert_eq!(largest, 16 * 1024);
    }

    /// A chunked body does not say its length.
    async fn a_chunked_body_has_the_same_limit(service: Service) {
        let mut raw = Raw::to(&service);
        raw.say("POST /v1/accounts/guest HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n");
        raw.say("Transfer-Encoding: chunked\r\n\r\n");
        for _ in 0..5 {
            raw.say_what_is_heard(&format!("100\r\n{}\r\n", " ".repeat(256)));
        }
        raw.say_what_is_heard("0\r\n\r\n");
        let answer = raw.answer();
        assert!(answer.starts_with("HTTP/1.1 413") && answer.contains("\"limit\":1024"), "{answer}");
    }

    /// A chunk counts as at least 8 bytes, because it takes time to read.
    async fn a_body_in_tiny_chunks_is_short(service: Service) {
        let answer = |bytes: &str| {
            let mut raw = Raw::to(&service);
            raw.say("POST /v1/accounts/guest HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n");
            raw.say("Transfer-Encoding: chunked\r\n\r\n");
            for byte in bytes.chars() {
                raw.say_what_is_heard(&format!("1\r\n{byte}\r\n"));
            }
            raw.say_what_is_heard("0\r\n\r\n");
            raw.answer()
        };
        assert!(answer(&format!("{{{}}}", " ".repeat(126))).starts_with("HTTP/1.1 201"));
        let refused = answer(&format!("{{{}}}", " ".repeat(127)));
        assert!(refused.starts_with("HTTP/1.1 413") && refused.contains("\"limit\":1024"), "{refused}");
    }

    async fn another_content_type_is_refused(service: Service) {
        let table = service.table("nineteen").players(2).started().await;
        let estimate = |media_type: &str| {
            let request = table.players[1].client.post(&table.path("commands"));
            request.raw(r#"{"type":"estimate","tricks":0}"#).header("content-type", media_type)
        };
        for media_type in ["", "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "json"] {
            let answer = estimate(media_type).await;
            assert_eq!(answer.refused(415, "unsupported-media-type")["header"], "Content-Type", "{media_type}");
            assert_eq!((answer.header("accept"), answer.header("accept-encoding")), (Some("application/json"), None));
        }
        for encoding in ["gzip", "br", "zstd", "identity, gzip", "GZIP"] {
            let answer = estimate("application/json").header("content-encoding", encoding).await;
            assert_eq!(answer.refused(415, "unsupported-media-type")["header"], "Content-Encoding", "{encoding}");
            assert_eq!((answer.header("accept"), answer.header("accept-encoding")), (None, Some("identity")));
        }
        let identity = estimate("Application/JSON; charset=utf-8").header("content-encoding", "Identity");
        identity.await.accepted();
        let bare = service.anonymous().post("/v1/sessions/refresh");
        bare.await.refused(415, "unsupported-media-type");
    }

    /// PostgreSQL cannot store U+0000 in text.
    async fn null_characters_are_refused(service: Service) {
        let (nobody, noor) = (service.anonymous(), service.player("noor").await.client);
        let login = json!({"username": "no\u{0}or", "password": "plum-kettle-orbit"});
        nobody.send("/v1/sessions", &login).await.refused(401, "wrong-credentials");
        nobody.send("/v1/accounts", &login).await.refused(422, "character-not-allowed");
        let named = json!({"username": "nobody", "password": "plum-kettle-orbit", "display_name": "a\u{0}b"});
        nobody.send("/v1/accounts", &named).await.refused(422, "character-not-allowed");
        for code in ["%00AAAAAAA", "AAAA%00AA", "%F0%9F%82%A1", &"A".repeat(5_000)] {
            noor.send(&format!("/v1/join/{code}"), &json!({})).await.refused(404, "not-found");
        }
        nobody.get("/v1/rulesets/%00").await.refused(404, "not-found");
        nobody.get("/problems/%00").await.refused(404, "not-found");
    }
}
