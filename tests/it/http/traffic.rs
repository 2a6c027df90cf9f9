//! How answers are sent: compression, caching and the client's language.

use std::io::Read;

use crate::prelude::*;

fn sqlite() -> TestDatabase {
    TestDatabase::new(Backend::Sqlite)
}

/// The bytes and headers of an answer for an `Accept-Encoding`.
pub async fn bytes(
    service: &Service,
    token: &str,
    path: &str,
    accepted: &str,
) -> (reqwest::header::HeaderMap, Vec<u8>) {
    let request = service.anonymous().with_token(token).unjudged(path).header("accept-encoding", accepted);
    let response = request.send().await.expect("an answer");
    let headers = response.headers().clone();
    (headers, response.bytes().await.expect("a body").to_vec())
}

pub fn unpacked(encoding: &str, packed: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    match encoding {
        "gzip" => flate2::read::GzDecoder::new(packed).read_to_end(&mut plain).expect("gzip"),
        "br" => brotli::Decompressor::new(packed, 4096).read_to_end(&mut plain).expect("brotli"),
        other => panic!("{other}"),
    };
    plain
}

#[tokio::test]
async fn each_encoding_has_its_own_entity_tag() {
    let service = Service::start(sqlite());
    let table = service.table("nineteen").players(2).started().await;
    let (path, token) = (format!("/v1/games/{}", table.id), table.players[0].access_token.clone());
    let (headers, plain) = bytes(&service, &token, &path, "identity").await;
    assert!(!headers.contains_key("content-encoding"));
    let mut tags = vec![headers["etag"].clone()];
    for (accepted, encoding) in
        [("gzip", "gzip"), ("br", "br"), ("gzip;q=0.5, br", "br"), ("gzip, br;q=0.1", "gzip")]
    {
        let (headers, packed) = bytes(&service, &token, &path, accepted).await;
        assert_eq!(headers["content-encoding"], encoding, "{accepted}");
        assert!(packed.len() < plain.len(), "{accepted}");
        assert_eq!(unpacked(encoding, &packed), plain, "{accepted}");
        assert_eq!(headers.get_all("vary").iter().count(), 1, "{headers:?}");
        assert!(headers["vary"].to_str().expect("a text").contains("Accept-Encoding"));
        tags.push(headers["etag"].clone());
    }
    assert_eq!(tags[1], tags[4]);
    assert_eq!(tags[2], tags[3]);
    assert!(tags[0] != tags[1] && tags[1] != tags[2], "{tags:?}");
    // Every `Accept-Encoding` gets an answer, even if it is a problem.
    let (headers, odd) = bytes(&service, &token, &path, "zebra, identity;q=0").await;
    assert!(!headers.contains_key("content-encoding"));
    assert_eq!(odd, plain);
    let (headers, packed) = bytes(&service, &token, "/v1/games/none", "gzip").await;
    assert_eq!(headers["content-type"], "application/problem+json");
    let problem: Value = serde_json::from_slice(&unpacked("gzip", &packed)).expect("JSON");
    assert_eq!(problem["code"], "malformed-path");
}

#[tokio::test]
async fn an_entity_tag_matches_only_its_encoding() {
    let service = Service::start(sqlite());
    let table = service.table("plain").open().await;
    let (path, client) = (format!("/v1/games/{}", table.id), &table.players[0].client);
    let gzip = || client.get(&path).header("accept-encoding", "gzip");
    let tag = client.unjudged(&path).header("accept-encoding", "gzip").send().await.expect("an answer");
    let tag = tag.headers()["etag"].to_str().expect("a tag").to_owned();
    assert_eq!(gzip().header("if-none-match", &tag).await.status, 304);
    assert_eq!(client.get(&path).header("if-none-match", &tag).await.status, 200);
    let arabic = client.get(&path).header("accept-language", "ar").await;
    assert_ne!(arabic.etag(), client.get(&path).await.etag());
}

#[tokio::test]
async fn answers_with_tokens_or_codes_are_never_compressed() {
    let service = Service::start(sqlite());
    let post = async |path: &str, body: Value| {
        let request = service.anonymous().unjudged_request(Method::POST, path).json(&body);
        let answer = request.header("accept-encoding", "gzip, br").send().await.expect("an answer");
        assert!(answer.status().is_success(), "{path}");
        assert!(!answer.headers().contains_key("content-encoding"), "{path}");
        answer.json::<Value>().await.expect("plain JSON")
    };
    let noor = json!({"username": "noor", "password": PASSWORD, "display_name": "Noor"});
    post("/v1/accounts", noor).await;
    post("/v1/accounts/guest", json!({})).await;
    let session = post("/v1/sessions", json!({"username": "noor", "password": PASSWORD})).await;
    let session = post("/v1/sessions/refresh", json!({"refresh_token": session["refresh_token"]})).await;

    let token = session["access_token"].as_str().expect("a token");
    let client = service.anonymous().with_token(token);
    let mine = async || bytes(&service, token, "/v1/games?mine=true", "gzip").await;
    client.send("/v1/games", &json!({"ruleset": "plain", "visibility": "public"})).await.accepted();
    let (headers, packed) = mine().await;
    assert_eq!(headers["content-encoding"], "gzip");
    assert!(unpacked("gzip", &packed).starts_with(b"{"));
    client.send("/v1/games", &json!({"ruleset": "plain", "visibility": "private"})).await.accepted();
    let (headers, plain) = mine().await;
    assert!(!headers.contains_key("content-encoding"));
    let list: Value = serde_json::from_slice(&plain).expect("JSON");
    let mut items = list["items"].as_array().expect("games").iter();
    assert!(items.any(|game| game["own"]["join_code"].is_string()), "{list}");
}

#[tokio::test]
async fn every_answer_has_a_cache_policy() {
    let service = Service::start(sqlite());
    let table = service.table("plain").open().await;
    let (nobody, noor) = (service.anonymous(), table.players[0].client.clone());
    for (answer, kept) in [
        (nobody.get("/v1/rulesets").await, "public, max-age=300"),
        (nobody.get("/v1/rulesets/plain").await, "public, max-age=300"),
        (nobody.get("/problems/not-found").await, "public, max-age=300"),
        (nobody.get("/openapi.json").await, "public, max-age=300"),
        (nobody.get("/healthz").await, "no-cache"),
        (noor.get("/v1/me").await, "no-store"),
        (noor.get("/v1/me/export").await, "no-store"),
        (noor.get("/v1/sessions").await, "no-store"),
        (noor.get("/v1/games").await, "private, no-cache"),
        (noor.get(&table.path("events")).await, "no-store"),
        (noor.get("/v1/rulesets").await, "public, max-age=300"),
        // The client may store an answer with an entity tag, and must revalidate it.
        (noor.get(&format!("/v1/games/{}", table.id)).await, "private, no-cache"),
        (noor.get("/v1/games/none").await, "no-store"),
        (noor.send(&table.path("commands"), &json!({"type": "pass"})).await, "no-store"),
        (nobody.get("/nothing").await, "no-store"),
        (service.anonymous().send("/v1/accounts/guest", &json!({})).await, "no-store"),
    ] {
        assert_eq!(answer.header("cache-control"), Some(kept), "{answer}");
        let vary = answer.header("vary").unwrap_or_default();
        for part in ["Accept", "Accept-Encoding", "Accept-Language", "Authorization"] {
            assert!(vary.split(", ").any(|one| one == part), "{vary}: {answer}");
        }
    }
}

fn is_arabic(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.chars().any(|c| ('\u{600}'..='\u{6ff}').contains(&c)))
}

#[tokio::test]
async fn a_problem_has_one_language() {
    let service = Service::start(sqlite());
    let wish = json!({"username": "x", "password": "y", "display_name": " "});
    let problem = service.anonymous().send("/v1/accounts", &wish).header("accept-language", "ar").await;
    let problem = problem.refused(422, "invalid-field");
    assert!(is_arabic(&problem["title"]) && is_arabic(&problem["detail"]), "{problem}");
    let errors = problem["errors"].as_array().expect("errors");
    assert!(errors.len() > 2 && errors.iter().all(|error| is_arabic(&error["detail"])), "{problem}");
}

#[tokio::test]
async fn titles_come_in_the_clients_language_and_codes_never_change() {
    let service = Service::start(sqlite());
    let table = service.table("double-risk").open().await;
    let (nobody, noor) = (service.anonymous(), table.players[0].client.clone());
    let bot = json!({"level": "steady"}).to_string();
    noor.request(reqwest::Method::PUT, &table.path("seats/3/bot")).raw(bot).await.accepted();
    let both = async |path: &str| -> (Answer, Answer) {
        let english = noor.get(path).await;
        let arabic = noor.get(path).header("accept-language", "ar-EG, en;q=0.5").await;
        assert_eq!(english.header("content-language"), Some("en"), "{path}");
        assert_eq!(arabic.header("content-language"), Some("ar"), "{path}");
        (english, arabic)
    };
    let (english, arabic) = both("/v1/rulesets").await;
    for (one, other) in english.json()["items"]
        .as_array()
        .expect("rulesets")
        .iter()
        .zip(arabic.json()["items"].as_array().expect("rulesets"))
    {
        assert_eq!(one["id"], other["id"]);
        assert!(is_arabic(&other["title"]) && !is_arabic(&one["title"]), "{other}");
        for (one, other) in one["options"]
            .as_array()
            .expect("options")
            .iter()
            .zip(other["options"].as_array().expect("options"))
        {
            assert_eq!(
                (&one["name"], &one["values"], &one["default"]),
                (&other["name"], &other["values"], &other["default"])
            );
            assert!(is_arabic(&other["title"]) && is_arabic(&other["description"]), "{other}");
            assert!(!is_arabic(&one["title"]), "{one}");
        }
    }
    let (_, arabic) = both("/v1/games").await;
    assert!(is_arabic(&arabic.json()["items"][0]["ruleset"]["title"]));
    let (_, arabic) = both(&format!("/v1/games/{}", table.id)).await;
    assert!(is_arabic(&arabic.json()["ruleset"]["title"]));
    assert!(is_arabic(&arabic.json()["seats"][3]["player"]["name"]), "a bot has a name in every language");
    let (english, arabic) = both("/v1/games?mine=true").await;
    assert!(!is_arabic(&english.json()["items"][0]["own"]["seats"][1]["name"]));
    assert!(is_arabic(&arabic.json()["items"][0]["own"]["seats"][1]["name"]));
    let (english, arabic) = both("/v1/games/none").await;
    assert!(is_arabic(&arabic.json()["title"]));
    assert_eq!(english.json()["code"], arabic.json()["code"]);
    let (_, arabic) = both("/problems/not-host").await;
    assert!(is_arabic(&arabic.json()["title"]));
    // An unsupported language gets English.
    let french = nobody.get("/v1/rulesets/plain").header("accept-language", "fr").await;
    assert_eq!(french.header("content-language"), Some("en"));
}

#[tokio::test]
async fn a_problem_has_a_page_for_people() {
    let service = Service::start(sqlite());
    let path = "/problems/must-follow-suit";
    let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    let page = service.anonymous().get(path).header("accept", browser).await;
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    for part in [
        "<!doctype html>",
        "lang=\"en\"",
        "<h1>Must follow suit</h1>",
        "\"code\": \"must-follow-suit\"",
        "<code>must-follow-suit</code>",
        "<code>led</code>",
    ] {
        assert!(page.body.contains(part), "{part}: {page}");
    }
    assert!(!page.body.contains("<script") && !page.body.contains("http"), "nothing from elsewhere: {page}");
    let policy = page.header("content-security-policy").expect("a policy");
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
    let page = service.anonymous().get(path).header("accept", browser).header("accept-language", "ar").await;
    assert!(page.body.contains("dir=\"rtl\"") && page.body.contains("يجب اتباع اللون"), "{page}");
    for accept in ["application/json", "*/*", "text/html;q=0.5, application/json", "application/problem+json"]
    {
        let kind = service.anonymous().get(path).header("accept", accept).await;
        assert_eq!(kind.header("content-type"), Some("application/json"), "{accept}");
        assert_eq!(kind.json()["members"], json!(["led"]));
    }
}
