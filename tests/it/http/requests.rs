//! Paths, methods, queries and headers: errors of the framework use the service's own problems.

use super::spec::spec;
use crate::prelude::*;

on_sqlite_first! {
    async fn an_unknown_path_is_not_found(service: Service) {
        let nobody = service.anonymous();
        for path in ["/v1", "/v1/", "/v2/games", "/v1/games/", "/v1/nothing", "/problems", "/healthz/x", "/%FF"] {
            let problem = nobody.get(path).await.refused(404, "not-found");
            assert_eq!(problem["what"], "path", "{path}");
        }
        nobody.get("/v1/rulesets/whist").await.refused(404, "not-found");
        nobody.send("/v1/rulesets/whist/score", &json!({"round": 1, "calls": [], "tricks": []}))
            .await.refused(404, "not-found");
        nobody.get("/problems/no-such-problem").await.refused(404, "not-found");
    }

    async fn a_wrong_method_gets_the_allowed_ones(service: Service) {
        let noor = service.player("noor").await.client;
        let game = service.table("nineteen").open().await;
        for (method, path, allowed) in [
            (Method::DELETE, "/v1/games".to_owned(), vec!["GET", "HEAD", "POST"]),
            (Method::HEAD, "/v1/accounts".to_owned(), vec!["POST"]),
            (Method::GET, "/v1/accounts".to_owned(), vec!["POST"]),
            (Method::POST, "/v1/rulesets".to_owned(), vec!["GET"]),
            (Method::POST, "/v1/rulesets/plain".to_owned(), vec!["GET"]),
            (Method::GET, "/v1/rulesets/plain/score".to_owned(), vec!["POST"]),
            (Method::PUT, format!("/v1/games/{}", game.id), vec!["GET"]),
            (Method::GET, game.path("commands"), vec!["POST"]),
            (Method::PATCH, game.path("events"), vec!["GET"]),
            (Method::POST, game.path("seats/0"), vec!["DELETE"]),
            (Method::POST, "/healthz".to_owned(), vec!["GET", "HEAD"]),
            (Method::DELETE, "/".to_owned(), vec!["GET", "HEAD"]),
            (Method::POST, "/openapi.json".to_owned(), vec!["GET", "HEAD"]),
            (Method::PUT, "/docs".to_owned(), vec!["GET", "HEAD"]),
            (Method::PUT, "/docs/".to_owned(), vec!["GET", "HEAD"]),
            (Method::PATCH, "/docs/index.css".to_owned(), vec!["GET", "HEAD"]),
            (Method::POST, "/problems/not-found".to_owned(), vec!["GET", "HEAD"]),
        ] {
            let answer = noor.request(method.clone(), &path).await;
            assert_eq!(answer.status, 405, "{answer}");
            if method != Method::HEAD {
                answer.refused(405, "method-not-allowed");
            }
            let allow = answer.header("allow").expect("Allow").to_owned();
            let told: Vec<&str> = allow.split(", ").collect();
            assert!(allowed.iter().all(|method| told.contains(method)), "{method} {path}: {allow}");
            assert!(!told.contains(&method.as_str()), "{method} {path}: {allow}");
        }
    }

    async fn an_id_in_a_path_is_a_uuid(service: Service) {
        let noor = service.player("noor").await.client;
        for path in ["/v1/games/1", "/v1/games/nineteen/events", "/v1/games/019b7a00-0000-7000-8000/scores"] {
            noor.get(path).await.refused(400, "malformed-path");
        }
        let pass = json!({"type": "pass"});
        noor.send("/v1/games/x/commands", &pass).await.refused(400, "malformed-path");
        noor.send("/v1/games/x/seats", &json!({})).await.refused(400, "malformed-path");
        noor.post("/v1/games/x/start").await.refused(400, "malformed-path");
        let table = service.table("nineteen").open().await;
        for seat in ["x", "-1", "256", "1.0"] {
            let request = noor.delete(&table.path(&format!("seats/{seat}")));
            table.refuses(request, 400, "malformed-path").await;
        }
        let nowhere = "/v1/games/019b7a00-0000-7000-8000-000000000001";
        let problem = noor.get(nowhere).await.refused(404, "not-found");
        assert_eq!(problem["what"], "game");
        for part in ["events", "scores"] {
            noor.get(&format!("{nowhere}/{part}")).await.refused(404, "not-found");
        }
        noor.send(&format!("{nowhere}/commands"), &pass).await.refused(404, "not-found");
        noor.send(&format!("{nowhere}/seats"), &json!({})).await.refused(404, "not-found");
        noor.post(&format!("{nowhere}/start")).await.refused(404, "not-found");
        noor.post(&format!("{nowhere}/cancel")).await.refused(404, "not-found");
    }

    async fn an_unreadable_query_is_malformed(service: Service) {
        let noor = service.player("noor").await.client;
        let table = service.table("nineteen").open().await;
        for query in [
            "limit=0", "limit=101", "limit=-1", "limit=ten", "limit=", "status=resting", "mine=perhaps", "ruleset=whist",
            "cursor=first", "colour=red", "limit=5&limit=6",
        ] {
            noor.get(&format!("/v1/games?{query}")).await.refused(400, "malformed-query");
        }
        for query in ["after=-1", "after=x", "after=1.5", "limit=0", "limit=101", "since=1"] {
            noor.get(&format!("{}?{query}", table.path("events"))).await.refused(400, "malformed-query");
        }
        // Numbers that a JSON reader may round are refused.
        let after = |number: u64| noor.get(&format!("{}?after={number}", table.path("events")));
        let far = after((1 << 53) - 1).await.accepted();
        assert_eq!(far, json!({"items": [], "next_cursor": null}));
        after(1 << 53).await.refused(400, "malformed-query");
        after(u64::MAX).await.refused(400, "malformed-query");
    }

    async fn unknown_parameters_are_refused_in_the_api_alone(service: Service) {
        let noor = service.player("noor").await.client;
        let table = service.table("nineteen").open().await;
        let mut operations = 0;
        for (path, item) in spec().document()["paths"].as_object().expect("paths") {
            let at = path.replace("{id}", &table.id).replace("{seat}", "1").replace("{code}", "ABCDEFGH");
            let at = at.replace("{ruleset}", "plain").replace("{path}", "x");
            for method in item.as_object().expect("operations").keys() {
                let method = Method::from_bytes(method.to_uppercase().as_bytes()).expect("a method");
                let mut request = noor.request(method.clone(), &format!("{at}?colour=red"));
                if method != Method::GET {
                    request = request.raw("{}");
                }
                if path.starts_with("/v1/") {
                    let answer = request.await;
                    // A body, a role or a missing parameter may be looked at first.
                    if answer.status != 400 {
                        assert!(matches!(answer.status, 403 | 422), "{method} {path}: {answer}");
                        continue;
                    }
                    let problem = answer.refused(400, "malformed-query");
                    let errors = problem["errors"].as_array().expect("errors");
                    assert!(errors.iter().any(|error| error["field"] == "colour"), "{method} {path}: {problem}");
                    operations += 1;
                } else if !path.ends_with("/stream") {
                    let answer = request.await;
                    assert_ne!(answer.status, 400, "{method} {path}: {answer}");
                }
            }
        }
        assert!(operations > 40, "{operations} operations");
        for page in ["/", "/docs/", "/openapi.json", "/healthz"] {
            assert_eq!(noor.get(&format!("{page}?utm_source=mail")).await.status / 100, 2, "{page}");
        }
        // No parameter at all.
        noor.get("/v1/rulesets?").await.accepted();
    }

    async fn a_request_id_is_returned_or_replaced(service: Service) {
        let nobody = service.anonymous();
        let longest = "x".repeat(64);
        for id in ["a", "My-request_1.2", longest.as_str()] {
            for path in ["/healthz", "/nowhere", "/v1/me"] {
                let answer = nobody.get(path).header("x-request-id", id).await;
                assert_eq!(answer.header("x-request-id"), Some(id));
            }
        }
        let too_long = "x".repeat(65);
        let mut given = Vec::new();
        for id in ["", " ", "a b", "a/b", "a\"b", "{}", too_long.as_str()] {
            let answer = nobody.get("/healthz").header("x-request-id", id).await;
            let replaced = answer.header("x-request-id").expect("an id").to_owned();
            assert_ne!(replaced, id);
            assert!(!given.contains(&replaced), "{replaced} was given twice");
            given.push(replaced);
        }
    }
}
