//! Requests with faults: the first that cannot be read is named, and every limit that is broken, in JSON terms and not in terms of
//! Rust types.

use crate::prelude::*;

/// Words of the parser and of Rust types that must not reach a client.
const INTERNAL: [&str; 14] = [
    "u8", "u16", "u32", "u64", "i64", "usize", "struct", "enum", "variant", "Option", "expected", "sequence",
    "map", "untagged",
];

/// Field and code of every error of a refusal. Each message quotes its field and names no Rust type.
#[track_caller]
fn told(answer: &Answer, status: u16, code: &str) -> Vec<(String, String)> {
    let problem = answer.refused(status, code);
    let errors = problem["errors"].as_array().unwrap_or_else(|| panic!("{answer}\nhas no errors"));
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let found: Vec<(String, String)> = errors
        .iter()
        .map(|error| {
            let (field, detail) = (text(&error["field"]), text(&error["detail"]));
            let subject = if field.is_empty() { "The body".to_owned() } else { format!("`{field}`") };
            assert!(
                detail.contains(&subject) || code == "impossible-round",
                "{detail} does not name {subject}"
            );
            assert!(detail.ends_with('.'), "{detail}");
            (field, text(&error["code"]))
        })
        .collect();
    let said = problem.to_string();
    let words: Vec<&str> = said.split(|sign: char| !sign.is_ascii_alphanumeric()).collect();
    for word in INTERNAL {
        assert!(!words.contains(&word), "{said} speaks of {word}");
    }
    assert!(
        found.len() > 1 || code == "malformed-path" || problem["detail"] == errors[0]["detail"],
        "{said}"
    );
    found
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|&(field, code)| (field.to_owned(), code.to_owned())).collect()
}

on_both! {
    async fn a_cursor_of_another_list_is_refused(service: Service) {
        let (noor, omar) = (service.player("noor").await, service.player("omar").await);
        for _ in 0..3 {
            noor.client.send("/v1/games", &json!({"ruleset": "squares"})).await.accepted();
        }
        let lists = [
            "/v1/games?ruleset=squares".to_owned(),
            "/v1/games?mine=true".to_owned(),
            "/v1/games?mine=true&status=lobby".to_owned(),
            format!("/v1/players/{}/games?status=lobby", noor.account),
            format!("/v1/players/{}/games?ruleset=squares", noor.account),
        ];
        let others = [
            "/v1/games?limit=2".to_owned(),
            "/v1/games?status=playing".to_owned(),
            "/v1/games?ruleset=plain".to_owned(),
            format!("/v1/players/{}/games?limit=1", omar.account),
            "/v1/leaderboards/squares?limit=1".to_owned(),
            "/v1/leaderboards/plain?limit=1".to_owned(),
        ];
        for list in &lists {
            let page = noor.client.get(&format!("{list}&limit=1")).await.accepted();
            let cursor = page["next_cursor"].as_str().expect("another page");
            let next = noor.client.get(&format!("{list}&limit=1&cursor={cursor}")).await.accepted();
            assert_ne!(next["items"][0]["id"], page["items"][0]["id"]);
            for other in lists.iter().filter(|other| *other != list).chain(&others) {
                let answer = noor.client.get(&format!("{other}&cursor={cursor}")).await;
                assert_eq!(told(&answer, 400, "malformed-query"), pairs(&[("cursor", "other-list")]), "{list} → {other}");
                assert_eq!(answer.json()["parameter"], "cursor");
            }
            let events = format!("/v1/games/{}/events?after={cursor}", page["items"][0]["id"].as_str().expect("an id"));
            noor.client.get(&events).await.refused(400, "malformed-query");
        }
        let mine = noor.client.get("/v1/games?mine=true&limit=1").await.accepted();
        let cursor = mine["next_cursor"].as_str().expect("another page");
        omar.client.get(&format!("/v1/games?mine=true&cursor={cursor}")).await.refused(400, "malformed-query");
        for wrong in ["first", "0", "AAAA", "019b7a00-0000-7000-8000-000000000001", &"A".repeat(600)] {
            noor.client.get(&format!("/v1/games?cursor={wrong}")).await.refused(400, "malformed-query");
            noor.client.get(&format!("/v1/leaderboards/plain?cursor={wrong}")).await.refused(400, "malformed-query");
        }
    }
}

on_sqlite_first! {
    async fn an_invitation_code_has_eight_characters_at_a_public_table_too(service: Service) {
        let table = service.table("plain").open().await;
        let omar = service.player("omar").await;
        for (code, fault) in [("ABCDEFGHI", "too-long"), ("ABCDEFG", "too-short"), ("ÀÀÀÀÀÀÀÀÀ", "too-long")] {
            let answer = table.seen_by(&omar).sit_down(&json!({"join_code": code})).await;
            assert_eq!(told(&answer, 422, "invalid-field"), pairs(&[("/join_code", fault)]), "{code}");
        }
        table.seen_by(&omar).sit_down(&json!({"join_code": "ABCDEFGH"})).await.accepted();
    }

    async fn the_first_field_that_cannot_be_read_is_named(service: Service) {
        let (nobody, noor) = (service.anonymous(), service.player("noor").await.client);
        let answer = nobody.send("/v1/accounts", &json!({"username": 5, "password": "short", "colour": "red"})).await;
        assert_eq!(told(&answer, 422, "invalid-body"), pairs(&[("/colour", "unknown")]));
        let answer = nobody.send("/v1/accounts", &json!({"username": 5, "password": "password123"})).await;
        assert_eq!(told(&answer, 422, "invalid-body"), pairs(&[("/username", "wrong-type")]));
        let wish = json!({
            "ruleset": "nineteen", "players": "four", "visibility": "secret", "spectators": 1, "turn_seconds": 5,
            "seed_commitment": "abc", "options": {"jokers": 7, "order": "1-9-1", "colour": 1},
        });
        let answer = noor.send("/v1/games", &wish).await;
        assert_eq!(told(&answer, 422, "invalid-body"), pairs(&[("/players", "wrong-type")]));
        let repeated = r#"{"ruleset":"nineteen","options":{"jokers":1,"order":"1-9","jokers":1}}"#;
        let answer = noor.post("/v1/games").raw(repeated).await;
        assert_eq!(told(&answer, 422, "invalid-body"), pairs(&[("/options/jokers", "repeated")]));
        let wish = json!({"ruleset": "nineteen", "bots": {"level": "steady", "colour": "red"}});
        let answer = noor.send("/v1/games", &wish).await;
        assert_eq!(told(&answer, 422, "invalid-body"), pairs(&[("/bots/colour", "unknown")]));
    }

    async fn every_limit_that_is_broken_is_named(service: Service) {
        let (nobody, noor) = (service.anonymous(), service.player("noor").await.client);
        let long = "x".repeat(129);
        let wish = json!({"username": long, "password": long, "device": long, "device_token": long});
        let answer = nobody.send("/v1/sessions", &wish).await;
        let names = ["/device", "/device_token", "/password", "/username"];
        assert_eq!(told(&answer, 422, "invalid-field"), pairs(&names.map(|name| (name, "too-long"))));
        let identity = json!({"issuer": "", "nonce": "n", "id_token": "", "code": ""});
        let answer = nobody.send("/v1/sessions/oidc", &json!({"identity": identity})).await;
        let names = ["/identity/code", "/identity/id_token", "/identity/issuer", "/identity/nonce"];
        assert_eq!(told(&answer, 422, "invalid-field"), pairs(&names.map(|name| (name, "too-short"))));
        // Some limits are the service's.
        let wish = json!({"username": "x", "password": "password123", "display_name": " "});
        let answer = nobody.send("/v1/accounts", &wish).await;
        let found = told(&answer, 422, "invalid-field");
        assert_eq!(found[0], ("/username".to_owned(), "too-short".to_owned()));
        assert_eq!(found.iter().map(|(field, _)| field.as_str()).collect::<Vec<_>>(), ["/username", "/password", "/display_name"]);

        let wish = json!({
            "ruleset": "nineteen", "players": 6, "turn_seconds": 5, "options": {"jokers": 7, "order": "1-9-1"},
        });
        let answer = noor.send("/v1/games", &wish).await;
        assert_eq!(told(&answer, 422, "players-out-of-range"), pairs(&[
            ("/players", "out-of-range"), ("/options/jokers", "out-of-range"), ("/options/order", "not-a-choice"),
            ("/turn_seconds", "out-of-range"),
        ]));
        let none = noor.get("/v1/games?mine=true").await.accepted();
        assert_eq!(none["items"], json!([]));
    }

    async fn one_wrong_field_has_its_code(service: Service) {
        let table = service.table("nineteen").players(2).started().await;
        let commands = [
            (r#"{}"#, "/type", "missing"),
            (r#"{"type":3}"#, "/type", "wrong-type"),
            (r#"{"type":"fold"}"#, "/type", "not-a-choice"),
            (r#"{"type":"estimate"}"#, "/tricks", "missing"),
            (r#"{"type":"estimate","tricks":null}"#, "/tricks", "wrong-type"),
            (r#"{"type":"estimate","tricks":1.5}"#, "/tricks", "wrong-type"),
            (r#"{"type":"estimate","tricks":-1}"#, "/tricks", "out-of-range"),
            (r#"{"type":"estimate","tricks":256}"#, "/tricks", "out-of-range"),
            (r#"{"type":"estimate","tricks":1e30}"#, "/tricks", "out-of-range"),
            (r#"{"type":"estimate","tricks":1,"trump":"stars"}"#, "/trump", "not-a-choice"),
            (r#"{"type":"estimate","tricks":1,"seat":0}"#, "/seat", "unknown"),
            (r#"{"type":"play","card":"1S"}"#, "/card", "wrong-format"),
            (r#"{"type":"play","card":"AS","card":"KS"}"#, "/card", "repeated"),
            (r#"[]"#, "", "wrong-type"),
        ];
        for (body, field, code) in commands {
            let answer = table.players[1].client.post(&table.path("commands")).raw(body).await;
            assert_eq!(told(&answer, 422, "invalid-body"), pairs(&[(field, code)]), "{body}");
        }
        let answer = table.players[1].client.send(&table.path("commands"), &json!({"type": "bid", "colour": 1})).await;
        assert_eq!(told(&answer, 422, "invalid-body"), pairs(&[("/colour", "unknown")]));
        // The members of a kind are compared at once.
        let bid = json!({"type": "bid", "seat": 0, "trump": null});
        let answer = table.players[1].client.send(&table.path("commands"), &bid).await;
        assert_eq!(
            told(&answer, 422, "invalid-body"),
            pairs(&[("/seat", "unknown"), ("/tricks", "missing"), ("/trump", "wrong-type")])
        );
        let choices = table.players[1].client.send(&table.path("commands"), &json!({"type": "fold"})).await;
        let detail = choices.json()["errors"][0]["detail"].to_string();
        assert!(["`avoid`", "`bid`", "`resume`"].iter().all(|name| detail.contains(name)), "{detail}");
    }

    async fn a_float_without_a_fraction_is_the_integer(service: Service) {
        let noor = service.player("noor").await.client;
        let wish = r#"{"ruleset":"nineteen","players":2.0,"turn_seconds":6e1,"options":{"jokers":1.0}}"#;
        let game = noor.post("/v1/games").raw(wish).await.accepted();
        assert_eq!(game["ruleset"]["options"]["jokers"], 1);
        let table = service.table("nineteen").players(2).started().await;
        let estimate = table.players[1].client.post(&table.path("commands")).raw(r#"{"type":"estimate","tricks":0.0}"#);
        estimate.await.accepted();
        let round = r#"{"round":2.0,"dealer":1.0,"players":4.0,"tricks":[0.0,2,0,0],"calls":[
            {"seat":0.0,"kind":"estimate","tricks":0},{"seat":1,"kind":"estimate","tricks":2.0},
            {"seat":2,"kind":"estimate","tricks":0},{"seat":3,"kind":"estimate","tricks":1}]}"#;
        let answer = service.anonymous().post("/v1/rulesets/nineteen/score").raw(round).await.accepted();
        assert_eq!(answer["points"], json!([0, 0, 0, 3]));
        let huge = table.players[0].client.post(&table.path("commands")).raw(r#"{"type":"estimate","tricks":1e300}"#);
        assert_eq!(told(&huge.await, 422, "invalid-body"), pairs(&[("/tricks", "out-of-range")]));
    }

    async fn wrong_query_and_path_fields_are_named(service: Service) {
        let noor = service.player("noor").await.client;
        let table = service.table("nineteen").open().await;
        let events = table.path("events");
        for (path, field, code) in [
            ("/v1/games?limit=1000&status=resting&colour=red&mine=perhaps", "status", "not-a-choice"),
            ("/v1/games?limit=1000", "limit", "out-of-range"),
            ("/v1/games?col/o~r=red", "col/o~r", "unknown"),
            ("/v1/games?mine=perhaps", "mine", "wrong-type"),
            ("/v1/games?limit=5&limit=6", "limit", "repeated"),
            ("/v1/games?limit=99999999999999999999", "limit", "wrong-type"),
            (&format!("{events}?after=x"), "after", "wrong-type"),
            (&format!("{events}?after=9007199254740992"), "after", "out-of-range"),
            (&format!("{events}?limit=0"), "limit", "out-of-range"),
            (&format!("{events}?wait=56"), "wait", "out-of-range"),
            (&format!("{events}?hash=0123456789abcde"), "hash", "wrong-format"),
            ("/v1/people?name=", "name", "too-short"),
            ("/v1/people?code=ABCDEFGHIJKLM", "code", "too-long"),
        ] {
            let answer = noor.get(path).await;
            assert_eq!(told(&answer, 400, "malformed-query"), pairs(&[(field, code)]), "{path}");
        }
        let answer = noor.get(&format!("{events}?limit=0&wait=56")).await;
        assert_eq!(
            told(&answer, 400, "malformed-query"),
            pairs(&[("limit", "out-of-range"), ("wait", "out-of-range")])
        );
        let answer = noor.get(&table.path("state")).await;
        assert_eq!(told(&answer, 400, "malformed-query"), pairs(&[("version", "missing")]));
        let answer = noor.get("/v1/games/1").await;
        assert_eq!(told(&answer, 400, "malformed-path"), pairs(&[("id", "wrong-format")]));
        let answer = noor.delete("/v1/games/1/seats/nine").await;
        assert_eq!(told(&answer, 400, "malformed-path"), pairs(&[("id", "wrong-format"), ("seat", "wrong-type")]));
    }

    async fn an_impossible_round_is_refused_field_by_field(service: Service) {
        let estimate = |seat: u8, tricks: u8| json!({"seat": seat, "kind": "estimate", "tricks": tricks});
        let round = json!({
            "round": 2, "carry": 7, "first_speaker": 1, "tricks": [4, 4, 4, 2],
            "calls": [{"seat": 0, "kind": "bid", "tricks": 3}, estimate(1, 2), estimate(2, 5), estimate(3, 1)],
        });
        let answer = service.anonymous().send("/v1/rulesets/squares/score", &round).await;
        assert_eq!(told(&answer, 422, "impossible-round"), pairs(&[
            ("/carry", "impossible"), ("/calls/0/tricks", "impossible"), ("/calls/2/tricks", "impossible"),
            ("/tricks", "impossible"),
        ]));
        let round = json!({"round": "two", "calls": [{"seat": 0, "kind": "guess", "tricks": 2}, null, {"seat": 7, "tricks": 99}], "tricks": 3});
        let answer = service.anonymous().send("/v1/rulesets/squares/score", &round).await;
        assert_eq!(told(&answer, 422, "invalid-body"), pairs(&[("/calls/0/kind", "not-a-choice")]));
    }

    async fn a_flood_of_faults_has_a_short_answer(service: Service) {
        let fields = |count: usize| -> serde_json::Map<String, Value> {
            (0..count).map(|n| (format!("field{n}"), json!(n))).collect()
        };
        let nobody = service.anonymous();
        let answer = nobody.send("/v1/accounts", &Value::Object(fields(200))).await;
        assert_eq!(told(&answer, 422, "invalid-body"), pairs(&[("/field0", "unknown")]));
        let repeated = format!("{{{}\"username\":1}}", "\"username\":\"a\",".repeat(200));
        let answer = nobody.post("/v1/accounts").raw(repeated).await;
        assert_eq!(told(&answer, 422, "invalid-body"), pairs(&[("/username", "repeated")]));
        let name = "~".repeat(1_000);
        let answer = nobody.send("/v1/accounts/guest", &json!({name: 1})).await;
        let field = format!("/{}…", "~0".repeat(49));
        assert_eq!(told(&answer, 422, "invalid-body"), pairs(&[(field.as_str(), "unknown")]));
        assert!(answer.body.len() < 3_000, "{}", answer.body.len());
        let calls: Vec<Value> = (0..150).map(|_| json!({"seat": 9, "kind": "bid", "tricks": 1})).collect();
        let answer = nobody.send("/v1/rulesets/squares/score", &json!({"round": 9, "calls": calls[..40]})).await;
        assert_eq!(told(&answer, 422, "invalid-field"), pairs(&[("/calls", "too-long")]));
        let answer = nobody.send("/v1/rulesets/squares/score", &json!({"round": "9", "calls": calls})).await;
        assert_eq!(told(&answer, 422, "invalid-body"), pairs(&[("/round", "wrong-type")]));
        let noor = service.player("noor").await.client;
        let options = fields(100);
        let answer = noor.send("/v1/games", &json!({"ruleset": "squares", "options": options})).await;
        assert_eq!(told(&answer, 422, "unknown-option").len(), 20);
        let parameters = |count: usize| (0..count).map(|n| format!("p{n}=1")).collect::<Vec<_>>().join("&");
        let answer = noor.get(&format!("/v1/games?{}", parameters(500))).await;
        assert_eq!(told(&answer, 400, "malformed-query"), pairs(&[("p0", "unknown")]));
        let answer = noor.get(&format!("/v1/games?{}", parameters(1_000))).await;
        assert!(answer.refused(400, "malformed-query")["errors"].is_null(), "{answer}");
    }

    async fn a_cursor_of_another_list_is_refused_to_admins(service: Service) {
        let admin = service.with_role("noor", "admin").await;
        for _ in 0..2 {
            admin.send("/v1/games", &json!({"ruleset": "squares"})).await.accepted();
        }
        let page = admin.get("/v1/games?limit=1").await.accepted();
        for cursor in ["1", page["next_cursor"].as_str().expect("another page")] {
            let answer = admin.get(&format!("/v1/audit/accesses?cursor={cursor}")).await;
            assert_eq!(told(&answer, 400, "malformed-query"), pairs(&[("cursor", "other-list")]));
        }
    }

    async fn a_password_change_names_its_own_field(service: Service) {
        let noor = service.player("noor").await.client;
        let change = json!({"current_password": PASSWORD, "new_password": "password123"});
        let answer = noor.request(Method::PUT, "/v1/me/password").raw(change.to_string()).await;
        assert_eq!(told(&answer, 422, "password-common"), pairs(&[("/new_password", "too-common")]));
        assert_eq!(answer.json()["field"], "/new_password");
    }
}
