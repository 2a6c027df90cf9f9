//! Browsers: CORS and the headers of the documentation page.

use estimation::http::ServerSettings;

use crate::prelude::*;

const ORIGIN: &str = "https://play.example.org";

fn told(settings: ServerSettings) -> Service {
    Service::told(TestDatabase::new(Backend::Sqlite), Setup { settings, ..Setup::default() })
}

#[tokio::test]
async fn pages_of_other_origins_may_call_only_if_configured() {
    let service = Service::start(TestDatabase::new(Backend::Sqlite));
    let answer = service.anonymous().get("/v1/rulesets").header("origin", ORIGIN).await;
    assert_eq!(answer.header("access-control-allow-origin"), None);

    let service = told(ServerSettings { cors_origins: vec![ORIGIN.to_owned()], ..Setup::default().settings });
    let nobody = service.anonymous();
    let answer = nobody.get("/v1/rulesets").header("origin", ORIGIN).await;
    assert_eq!(answer.header("access-control-allow-origin"), Some(ORIGIN));
    assert!(answer.header("date").is_some());
    let exposed = answer.header("access-control-expose-headers").expect("headers").to_ascii_lowercase();
    for name in ["date", "etag", "retry-after", "ratelimit", "accept", "accept-encoding"] {
        assert!(exposed.split(',').any(|exposed| exposed.trim() == name), "{name} is not in {exposed}");
    }
    let answer = nobody.get("/v1/rulesets").header("origin", "https://elsewhere.example.org").await;
    assert_eq!(answer.header("access-control-allow-origin"), None);
    let asked = nobody
        .unjudged_request(Method::OPTIONS, "/v1/games")
        .header("origin", ORIGIN)
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "authorization,content-type,idempotency-key,if-match")
        .send()
        .await
        .expect("an answer");
    assert_eq!(asked.status(), 200);
    let headers = asked.headers();
    assert_eq!(headers["access-control-allow-origin"], ORIGIN);
    assert!(!headers.contains_key("access-control-allow-credentials"));
}

#[tokio::test]
async fn the_page_of_the_docs_is_guarded() {
    let service = Service::start(TestDatabase::new(Backend::Sqlite));
    let page = service.anonymous().get("/docs/").await;
    assert_eq!(page.status, 200, "{page}");
    assert!(!page.body.contains("<script>"), "an inline script, which the policy forbids");
    let policy = page.header("content-security-policy").expect("a policy");
    for part in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"] {
        assert!(policy.contains(part), "{policy}");
    }
    assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
    for path in ["/docs/", "/v1/rulesets", "/v1/me", "/nothing"] {
        let answer = service.anonymous().get(path).await;
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
    }
}

/// Phones look up which apps open links to tables.
#[tokio::test]
async fn apps_that_open_links_are_published() {
    let site = Site::new(Backend::Sqlite);
    let hash = "ab".repeat(32);
    let node = site.node_with(&[
        "--apple-app",
        "A1B2C3D4E5.org.example.cards",
        "--android-app",
        &format!("org.example.cards={hash}"),
    ]);
    let nobody = Client::anonymous(&node.url);
    let apple = nobody.get("/.well-known/apple-app-site-association").await;
    assert_eq!(apple.header("content-type"), Some("application/json"));
    let details = &apple.accepted()["applinks"]["details"][0];
    assert_eq!(details["appIDs"], json!(["A1B2C3D4E5.org.example.cards"]));
    assert_eq!(details["components"], json!([{"/": "/join/*"}, {"/": "/games/*"}]));
    let android = nobody.get("/.well-known/assetlinks.json").await.accepted();
    let target = &android[0]["target"];
    assert_eq!(target["package_name"], "org.example.cards");
    assert_eq!(target["sha256_cert_fingerprints"], json!([vec!["AB"; 32].join(":")]));
    // Without apps there is nothing.
    let plain = site.node();
    for path in ["/.well-known/apple-app-site-association", "/.well-known/assetlinks.json"] {
        Client::anonymous(&plain.url).get(path).await.refused(404, "not-found");
    }
}
