//! Fuzzing of requests: mutated bodies, score sheets, paths and headers get an answer of the spec, never a
//! 5xx.

use estimation::http::Examples;
use estimation_test_support::fuzz::{mutated, seeds};

use crate::prelude::*;

const METHODS: [&str; 4] = ["post", "put", "patch", "delete"];

/// The operations with a body: method, path, and the example body.
fn operations() -> Vec<(Method, String, String)> {
    let spec = estimation::http::openapi().expect("the spec");
    let examples = Examples::of(&spec);
    let mut found = Vec::new();
    for (path, item) in spec["paths"].as_object().expect("paths") {
        for method in METHODS {
            let operation = item[method]["operationId"].as_str().unwrap_or_default();
            let example = examples.operations.get(operation).and_then(|exchange| exchange.request.as_ref());
            if let Some(body) = example {
                let method = Method::from_bytes(method.to_uppercase().as_bytes()).expect("a method");
                found.push((method, path.clone(), body.to_string()));
            }
        }
    }
    assert!(found.len() > 15, "{} operations", found.len());
    found
}

on_both! {
    #[ignore = "all: tries random inputs; all tries more of them"]
    async fn fuzz_bodies(service: Service) {
        let operations = operations();
        let table = service.table("nineteen").players(2).started().await;
        let id = table.path("commands");
        let id = id.split('/').nth(3).expect("an id");
        let stranger = service.player("stranger").await;
        for seed in seeds() {
            let mut random = Random(seed);
            let (method, path, body) = random.pick(&operations);
            if path == "/v1/me" && *method == Method::DELETE {
                continue;
            }
            let path = path.replace("/rulesets/{id}", "/rulesets/squares").replace("{seat}", "1");
            let path = path.replace("{code}", "ABCD2345").replace("{id}", id);
            let client = if random.once_in(2) { &stranger.client } else { &table.players[0].client };
            let changed = mutated(body.as_bytes(), &mut random);
            let answer = client.request(method.clone(), &path).raw(changed.clone()).await;
            assert!(answer.status < 500, "{}\n{answer}", String::from_utf8_lossy(&changed));
        }
    }

    async fn fuzz_score_sheets(service: Service) {
        let sheet = r#"{"carry":1,"dealer":2,"calls":[{"seat":0,"kind":"estimate","tricks":4},{"seat":1,"kind":"bid","tricks":5},{"seat":2,"kind":"dash_call","tricks":0},{"seat":3,"kind":"estimate","tricks":3}],"tricks":[4,5,1,3],"options":{"carry_ladder":"double"},"round":7}"#;
        for seed in seeds() {
            let mut random = Random(seed);
            let id = *random.pick(&["nineteen", "squares", "kabooot", "plain", "double-risk"]);
            let changed = mutated(sheet.as_bytes(), &mut random);
            let request = service.anonymous().post(&format!("/v1/rulesets/{id}/score"));
            let answer = request.raw(changed.clone()).await;
            assert!(answer.status < 500, "{}\n{answer}", String::from_utf8_lossy(&changed));
        }
    }
}
