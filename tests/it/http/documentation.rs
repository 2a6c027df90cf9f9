//! The documentation as served: reachable from the root, compressed once, cacheable, and with HEAD like every
//! other resource.

use estimation::http::ServerSettings;
use reqwest::header::{HeaderMap, HeaderValue};

use super::spec::spec;
use crate::documents::root;
use crate::prelude::*;

fn service() -> Service {
    Service::start(TestDatabase::new(Backend::Sqlite))
}

async fn fetched(service: &Service, path: &str, headers: &[(&str, &str)]) -> (u16, HeaderMap, Vec<u8>) {
    let mut request = service.anonymous().unjudged_request(Method::GET, path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let answer = request.send().await.expect("an answer");
    let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
    (status, headers, answer.bytes().await.expect("a body").to_vec())
}

async fn loaded(service: &Service) -> Vec<String> {
    let page = service.anonymous().get("/docs/").await;
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    let links = page.body.split(['"', '\'']).filter(|text| text.starts_with("./"));
    let links: Vec<String> = links.map(|link| format!("/docs/{}", &link[2..])).collect();
    assert_eq!(links.len(), 4, "{page}");
    links
}

#[tokio::test]
async fn without_the_web_app_the_root_leads_to_the_documentation() {
    let settings = ServerSettings { has_web_app: false, ..Setup::default().settings };
    let service = Service::told(TestDatabase::new(Backend::Sqlite), Setup { settings, ..Setup::default() });
    for path in ["/", "/docs"] {
        let answer = service.anonymous().get(path).await;
        assert_eq!((answer.status, answer.header("location")), (307, Some("/docs/")), "{answer}");
    }
    for path in ["/docs/nothing.js", "/lobby", "/games/1", "/web/1/main.js"] {
        service.anonymous().get(path).await.refused(404, "not-found");
    }
}

#[tokio::test]
async fn the_rule_book_is_served_as_it_is_written() {
    let service = service();
    for entry in fs::read_dir(root().join("docs/rules")).expect("the rule book") {
        let path = entry.expect("a page").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        let (status, headers, body) = fetched(&service, &format!("/docs/rules/{name}"), &[]).await;
        assert_eq!(
            (status, &headers["content-type"]),
            (200, &HeaderValue::from_static("text/plain; charset=utf-8"))
        );
        assert_eq!(body, fs::read(&path).expect("the page"), "{name}");
    }
    service.anonymous().get("/docs/rules/nothing.md").await.refused(404, "not-found");
}

#[tokio::test]
async fn page_assets_are_immutable_under_their_names() {
    let service = service();
    for path in loaded(&service).await {
        let (status, headers, body) = fetched(&service, &path, &[]).await;
        assert_eq!(status, 200, "{path}");
        assert_eq!(headers["cache-control"], "public, max-age=31536000, immutable", "{path}");
        let name = path.rsplit('/').next().expect("a name");
        // Without a version, and with the version of an older or newer node.
        for other in [format!("/docs/{name}"), format!("/docs/0123456789abcdef/{name}")] {
            let (_, headers, same) = fetched(&service, &other, &[]).await;
            assert_eq!(headers["cache-control"], "public, max-age=300", "{other}");
            assert_eq!(same, body, "{other}");
        }
    }
    let (_, headers, _) = fetched(&service, "/docs/", &[]).await;
    assert_eq!(headers["cache-control"], "public, max-age=300");
}

#[tokio::test]
async fn static_bodies_are_compressed_once_and_tagged() {
    let service = service();
    let mut paths = loaded(&service).await;
    paths.extend(["/docs/".to_owned(), "/openapi.json".to_owned()]);
    for path in &paths {
        let mut tags = Vec::new();
        let (_, _, plain) = fetched(&service, path, &[]).await;
        for encoding in ["identity", "gzip", "br"] {
            let (status, headers, body) = fetched(&service, path, &[("accept-encoding", encoding)]).await;
            assert_eq!(status, 200, "{path}");
            assert_eq!(headers["content-length"], body.len().to_string().as_str(), "{path}");
            let encoded =
                headers.get("content-encoding").map_or("identity", |value| value.to_str().expect("a text"));
            if !path.ends_with(".png") {
                assert_eq!(encoded, encoding, "{path}");
            }
            assert!(encoded == "identity" || body.len() < plain.len(), "{path}");
            let tag = headers["etag"].to_str().expect("a tag").to_owned();
            assert!(tag.starts_with('"'), "{tag} is weak");
            let asked = [("accept-encoding", encoding), ("if-none-match", tag.as_str())];
            let (status, headers, nothing) = fetched(&service, path, &asked).await;
            assert_eq!((status, nothing.len()), (304, 0), "{path}");
            assert_eq!(headers["etag"], tag.as_str(), "{path}");
            tags.push(tag);
        }
        tags.dedup();
        assert_eq!(tags.len(), if path.ends_with(".png") { 1 } else { 3 }, "{path}: {tags:?}");
    }
}

/// Prints figures with `--nocapture`.
#[tokio::test]
async fn compressing_takes_no_time_the_second_time() {
    let service = service();
    let mut times = Vec::new();
    for _ in 0..5 {
        let started = Instant::now();
        fetched(&service, "/docs/swagger-ui-bundle.js", &[("accept-encoding", "br")]).await;
        times.push(started.elapsed());
    }
    println!("swagger-ui-bundle.js in brotli: {times:?}");
    assert!(times[1..].iter().min() < times.first(), "{times:?}");
}

#[tokio::test]
async fn head_is_answered_as_get_is_without_the_body() {
    let service = service();
    let table = service.table("nineteen").players(2).started().await;
    let player = &table.players[0];
    let mut paths = vec!["/".to_owned(), "/docs".to_owned(), "/docs/".to_owned(), "/openapi.json".to_owned()];
    for (path, item) in spec().document()["paths"].as_object().expect("paths") {
        if item.get("get").is_some() {
            let game = path.replace("/games/{id}", &format!("/games/{}", table.id));
            let player = game.replace("/players/{id}", &format!("/players/{}", player.account));
            let filled = player.replace("{code}", "not-found").replace("{ruleset}", "nineteen");
            paths.push(filled.replace("{id}", "nineteen").replace("{version}", "1"));
        }
    }
    assert!(paths.len() > 25, "{paths:?}");
    for path in paths {
        let headers = |answer: reqwest::Response| {
            let mut headers = answer.headers().clone();
            for changing in ["date", "x-request-id", "ratelimit", "transfer-encoding", "connection"] {
                headers.remove(changing);
            }
            (answer.status(), headers)
        };
        let get = player.client.unjudged(&path).send().await.expect("an answer");
        let asked = player.client.request(Method::HEAD, &path).await;
        assert_eq!(asked.body, "", "{path}");
        let head = player.client.unjudged_request(Method::HEAD, &path).bearer_auth(&player.access_token);
        let head = head.send().await.expect("an answer");
        assert_eq!(headers(head), headers(get), "{path}");
    }
}

#[tokio::test]
async fn the_page_keeps_no_token() {
    let service = service();
    let (_, _, script) = fetched(&service, "/docs/swagger-initializer.js", &[]).await;
    let script = String::from_utf8(script).expect("a text");
    assert!(script.contains("\"/openapi.json\""), "{script}");
    assert!(script.contains("persistAuthorization: false"), "{script}");
}

#[tokio::test]
async fn the_served_spec_is_the_committed_one() {
    let served = service().anonymous().get("/openapi.json").await.json();
    assert_eq!(served, estimation::http::openapi().expect("the spec"));
}

#[tokio::test]
async fn the_page_has_a_title_and_fits_a_phone() {
    let (_, _, page) = fetched(&service(), "/docs/", &[]).await;
    let page = String::from_utf8(page).expect("a text");
    assert!(page.contains("<title>Estimation API</title>"), "{page}");
    assert_eq!(page.matches("name=\"viewport\"").count(), 1, "{page}");
    assert!(page.contains("width=device-width"), "{page}");
}
