//! Browsers and slow clients: what pages may do, and how long somebody may take.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use estimation::http::ServerSettings;
use reqwest::Method;

use super::service::{Service, Setup};
use crate::databases::{Backend, TestDatabase};

const ORIGIN: &str = "https://play.example.org";

fn told(settings: ServerSettings) -> Service {
    Service::told(TestDatabase::new(Backend::Sqlite), Setup { settings, ..Setup::default() })
}

#[tokio::test]
async fn pages_of_other_origins_may_call_only_if_configured() {
    let service = Service::start(TestDatabase::new(Backend::Sqlite));
    let answer = service.anybody().get("/v1/rulesets").header("origin", ORIGIN).await;
    assert_eq!(answer.header("access-control-allow-origin"), None);

    let service = told(ServerSettings { cors_origins: vec![ORIGIN.to_owned()], ..Setup::default().settings });
    let nobody = service.anybody();
    let answer = nobody.get("/v1/rulesets").header("origin", ORIGIN).await;
    assert_eq!(answer.header("access-control-allow-origin"), Some(ORIGIN));
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
    let page = service.anybody().get("/docs/").await;
    assert_eq!(page.status, 200, "{page}");
    assert!(!page.body.contains("<script>"), "an inline script, which the policy forbids");
    let policy = page.header("content-security-policy").expect("a policy");
    for part in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"] {
        assert!(policy.contains(part), "{policy}");
    }
    assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
    let script = service.anybody().get("/docs/swagger-initializer.js").await.body;
    assert!(script.contains("\"/openapi.json\""), "{script}");
    assert!(!script.contains("\"persistAuthorization\": true"), "tokens would be kept: {script}");
    for path in ["/docs/", "/v1/rulesets", "/v1/me", "/nothing"] {
        let answer = service.anybody().get(path).await;
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
    }
}

/// Says something to the server and hears what it answers until it hangs up.
fn converse(service: &Service, said: &str) -> (String, Duration) {
    let started = Instant::now();
    let mut socket = TcpStream::connect(service.anybody().host()).expect("a connection");
    socket.set_read_timeout(Some(Duration::from_secs(30))).expect("a timeout");
    socket.write_all(said.as_bytes()).expect("a write");
    let mut heard = Vec::new();
    // A connection that is reset has been cut off as well.
    let _ = socket.read_to_end(&mut heard);
    (String::from_utf8_lossy(&heard).into_owned(), started.elapsed())
}

#[test]
fn slow_clients_are_cut_off() {
    let settings = ServerSettings { client_timeout: Duration::from_secs(1), ..Setup::default().settings };
    let service = told(settings);
    let (_, head) = converse(&service, "POST /v1/sessions HTTP/1.1\r\nHost: x\r\n");
    assert!(head < Duration::from_secs(10), "{head:?}");
    let (heard, body) = converse(
        &service,
        "POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{\"user",
    );
    assert!(heard.starts_with("HTTP/1.1 408") && heard.contains("request-timeout"), "{heard}");
    assert!(body < Duration::from_secs(20), "{body:?}");
}
