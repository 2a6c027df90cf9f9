//! Unreadable bodies: each is refused with its problem, and nothing changes.

use serde_json::json;

use super::service::Service;
use crate::databases::on_both;

on_both! {
    async fn a_body_that_is_not_json_is_malformed(database: TestDatabase) {
        let service = Service::start(database);
        let table = service.table("nineteen").players(2).started().await;
        let path = table.path("commands");
        let nested = "[".repeat(20_000);
        for body in [
            "", "   ", "{", "{\"type\":", "play", "{'type':'pass'}", "{\"type\":\"pass\",}", "{\"type\":\"pass\"} {}",
            "{\"type\":\"pass\"}x", "{\"type\":\"pa\nss\"}", "{\"type\":\"\\ud800\"}", "NaN", &nested,
        ] {
            let request = table.players[1].client.post(&path).raw(body);
            let problem = table.refuses(request, 400, "malformed-json").await;
            assert!(problem["line"].is_u64() && problem["column"].is_u64(), "{problem}");
        }
        let not_text = [b"{\"type\":\"".as_slice(), &[0xff, 0xfe], b"\"}"].concat();
        table.refuses(table.players[1].client.post(&path).raw(not_text), 400, "malformed-json").await;
    }

    async fn an_unknown_command_is_invalid(database: TestDatabase) {
        let service = Service::start(database);
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

    async fn the_answer_names_a_wrong_field(database: TestDatabase) {
        let service = Service::start(database);
        let host = service.player("noor").await.client;
        let table = service.table("nineteen").open().await;
        for (body, field) in [
            (json!({"ruleset": 19}), "ruleset"),
            (json!({"ruleset": "nineteen", "players": "four"}), "players"),
            (json!({"ruleset": "nineteen", "players": 1000}), "players"),
            (json!({"ruleset": "nineteen", "options": []}), "options"),
            (json!({"ruleset": "nineteen", "visibility": "secret"}), "visibility"),
            (json!({"ruleset": "nineteen", "spectators": "no"}), "spectators"),
            (json!({"ruleset": "nineteen", "turn_seconds": -1}), "turn_seconds"),
            (json!({"ruleset": "nineteen", "client_seed": "abc"}), "client_seed"),
            (json!({"ruleset": "nineteen", "client_seed": "A".repeat(32)}), "client_seed"),
            (json!({"ruleset": "nineteen", "client_seed": "a".repeat(65)}), "client_seed"),
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

    async fn a_body_that_is_too_large_is_refused(database: TestDatabase) {
        let service = Service::start(database);
        let table = service.table("nineteen").players(2).started().await;
        let path = table.path("commands");
        for size in [64 * 1024 + 1, 2 * 1024 * 1024] {
            let body = format!("{{\"type\":\"pass\"}}{}", " ".repeat(size - 15));
            let request = table.players[1].client.post(&path).raw(body);
            let problem = table.refuses(request, 413, "body-too-large").await;
            assert_eq!(problem["limit"], 64 * 1024);
        }
        // A body of the maximum size is read and parsed.
        let body = format!("{{\"type\":\"fold\"}}{}", " ".repeat(64 * 1024 - 15));
        table.refuses(table.players[1].client.post(&path).raw(body), 422, "invalid-body").await;
        let secret = json!({"refresh_token": "x".repeat(2 * 1024 * 1024)});
        service.anonymous().send("/v1/sessions/refresh", &secret).await.refused(413, "body-too-large");
    }

    async fn another_content_type_is_refused(database: TestDatabase) {
        let service = Service::start(database);
        let table = service.table("nineteen").players(2).started().await;
        let estimate = |media_type: &str| {
            let request = table.players[1].client.post(&table.path("commands"));
            request.raw(r#"{"type":"estimate","tricks":0}"#).header("content-type", media_type)
        };
        for media_type in ["", "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "json"] {
            table.refuses(estimate(media_type), 415, "unsupported-media-type").await;
        }
        estimate("Application/JSON; charset=utf-8").await.accepted();
        let bare = service.anonymous().post("/v1/sessions/refresh");
        bare.await.refused(415, "unsupported-media-type");
    }

    /// PostgreSQL cannot store U+0000 in text.
    async fn null_characters_are_refused(database: TestDatabase) {
        let service = Service::start(database);
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
