//! The web app as served: one app for all its paths, files that browsers keep, and a strict policy.

use estimation::http::{SecuritySettings, ServerSettings};

use crate::documents::root;
use crate::prelude::*;

const PAGES: [&str; 20] = [
    "/",
    "/lobby",
    "/leaderboard",
    "/players/01a208de-9d4b-7fee-ae68-2141aba83254",
    "/new",
    "/account",
    "/people",
    "/calculator",
    "/check",
    "/rules",
    "/rules/plain",
    "/rules/plain/book",
    "/learn/plain",
    "/join/ABCDEFGH",
    "/games/01a208de-9d4b-7fee-ae68-2141aba83254",
    "/games/1/scores",
    "/games/1/replay",
    "/desk",
    "/desk/accounts",
    "/desk/reports/1",
];

fn service() -> Service {
    Service::start(TestDatabase::new(Backend::Sqlite))
}

/// The addresses in the attributes of a page.
fn linked(page: &Answer) -> Vec<&str> {
    page.body.split('"').filter(|text| text.starts_with("/web/")).collect()
}

#[tokio::test]
async fn every_page_is_the_app() {
    let service = service();
    for path in PAGES {
        let page = service.anonymous().get(path).await;
        assert_eq!(
            (page.status, page.header("content-type")),
            (200, Some("text/html; charset=utf-8")),
            "{path}"
        );
        assert_eq!(page.header("cache-control"), Some("no-cache"), "{path}");
        assert!(linked(&page).iter().any(|file| file.ends_with("/main.js")), "{path}");
    }
    for path in [
        "/games",
        "/games/1/cards",
        "/desk/accounts/1/acts",
        "/join",
        "/lobby/1",
        "/web/",
        "/web/main.js",
        "/web/1/nothing.js",
        "/web/1/README.md",
    ] {
        service.anonymous().get(path).await.refused(404, "not-found");
    }
    service.anonymous().request(Method::POST, "/lobby").await.refused(405, "method-not-allowed");
}

/// A page names what its path loads, and no more, with the texts of one language.
#[tokio::test]
async fn a_page_names_what_its_path_needs() {
    let service = service();
    let named = |page: &Answer| {
        let files = linked(page).into_iter().filter_map(|path| Some(path.splitn(4, '/').nth(3)?.to_owned()));
        files.collect::<Vec<_>>()
    };
    let home = named(&service.anonymous().get("/").await);
    let table = named(&service.anonymous().get("/games/1").await);
    let check = named(&service.anonymous().get("/check").await);
    let has = |files: &[String], name: &str| files.iter().any(|file| file == name);
    for name in ["main.js", "vendor/preact/preact.js", "style.css", "i18n/en/shell.js"] {
        for files in [&home, &table, &check] {
            assert!(has(files, name), "{name} is missing in {files:?}");
        }
    }
    for (name, files, others) in [
        ("pages/home.js", &home, [&table, &check]),
        ("style/home.css", &home, [&table, &check]),
        ("game/store.js", &table, [&home, &check]),
        ("verify/index.js", &check, [&home, &table]),
        ("style/records.css", &check, [&home, &table]),
        ("i18n/en/records.js", &check, [&home, &table]),
    ] {
        assert!(has(files, name), "{name} is missing in {files:?}");
        assert!(others.iter().all(|others| !has(others, name)), "{name} is in another page");
    }
    assert!(home.iter().chain(&table).chain(&check).all(|name| !name.starts_with("i18n/ar/")));
    let desk = named(&service.anonymous().get("/desk/accounts").await);
    for name in ["desk/index.js", "style/desk.css", "i18n/en/desk.js"] {
        assert!(has(&desk, name), "{name} is missing in {desk:?}");
        assert!([&home, &table, &check].iter().all(|files| !has(files, name)), "{name} is in another page");
    }

    let arabic = service.anonymous().get("/").header("accept-language", "ar-EG,ar;q=0.9,en;q=0.5").await;
    assert!(arabic.body.contains("<html lang=\"ar\" dir=\"rtl\">"), "{arabic}");
    assert_eq!(arabic.header("content-language"), Some("ar"));
    assert!(arabic.header("vary").is_some_and(|vary| vary.contains("Accept-Language")), "{arabic}");
    let expected: Vec<String> = home.iter().map(|name| name.replace("i18n/en/", "i18n/ar/")).collect();
    assert_eq!(named(&arabic), expected);
}

#[tokio::test]
async fn pages_are_out_of_reach_of_other_sites() {
    let service = service();
    for path in PAGES.into_iter().chain(["/docs/"]) {
        let page = service.anonymous().get(path).await;
        for (header, value) in [
            ("cross-origin-opener-policy", "same-origin"),
            ("x-frame-options", "DENY"),
            ("referrer-policy", "no-referrer"),
            ("x-content-type-options", "nosniff"),
        ] {
            assert_eq!(page.header(header), Some(value), "{path}");
        }
        assert_eq!(page.header("strict-transport-security"), None);
    }
}

#[tokio::test]
async fn security_settings_are_sent() {
    let silent = service();
    silent.anonymous().get("/.well-known/security.txt").await.refused(404, "not-found");
    let contacts = ["mailto:security@example.org", "https://example.org/report"].map(str::to_owned).to_vec();
    let security = SecuritySettings { hsts: Some(Duration::from_secs(31_536_000)), contacts };
    let settings = ServerSettings { security, ..Setup::default().settings };
    let service = Service::told(TestDatabase::new(Backend::Sqlite), Setup { settings, ..Setup::default() });
    let text = service.anonymous().get("/.well-known/security.txt").await;
    assert_eq!((text.status, text.header("content-type")), (200, Some("text/plain; charset=utf-8")));
    assert_eq!(
        text.body,
        "Contact: mailto:security@example.org\nContact: https://example.org/report\n\
         Expires: 2026-04-01T12:00:00Z\nPreferred-Languages: en, ar\n"
    );
    for path in ["/", "/v1/rulesets", "/v1/me", "/nowhere"] {
        let answer = service.anonymous().get(path).await;
        assert_eq!(answer.header("strict-transport-security"), Some("max-age=31536000"), "{path}");
    }
}

#[tokio::test]
async fn the_policy_allows_the_files_of_this_server_alone() {
    let service = service();
    let page = service.anonymous().get("/").await;
    let policy = page.header("content-security-policy").expect("a policy");
    for part in [
        "default-src 'none'",
        "script-src 'self';",
        "style-src 'self';",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
    ] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
    assert_eq!(page.body.matches("<script").count(), 1, "an inline script");
    assert!(!page.body.contains("style="), "an inline style");
    assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
    assert_eq!(page.header("x-frame-options"), Some("DENY"));
}

#[tokio::test]
async fn files_are_immutable_under_the_version_of_the_page() {
    let service = service();
    let page = service.anonymous().get("/").await;
    let links = linked(&page);
    assert!(links.len() > 20, "{page}");
    for path in links {
        let file = service.anonymous().get(path).await;
        assert_eq!(file.status, 200, "{path}");
        assert_eq!(file.header("cache-control"), Some("public, max-age=31536000, immutable"), "{path}");
        assert!(file.header("etag").is_some_and(|tag| tag.starts_with('"')), "{path}");
        // The page of another node names another version.
        let (_, name) = path.strip_prefix("/web/").and_then(|rest| rest.split_once('/')).expect("a version");
        let other = service.anonymous().get(&format!("/web/0123456789abcdef/{name}")).await;
        assert_eq!(
            (other.status, other.header("cache-control")),
            (200, Some("public, max-age=300")),
            "{path}"
        );
    }
}

/// The service worker keeps these files, so that the app starts without a network.
#[tokio::test]
async fn the_list_names_every_file_for_players() {
    let service = service();
    let page = service.anonymous().get("/").await;
    let main = linked(&page).into_iter().find(|path| path.ends_with("/main.js")).expect("the first module");
    let folder = main.trim_end_matches("main.js").to_owned();
    let list = service.anonymous().get(&format!("{folder}files.json")).await.json();
    let names: Vec<&str> = list.as_array().expect("a list").iter().filter_map(|name| name.as_str()).collect();
    assert!(names.contains(&"verify/index.js") && names.contains(&"i18n/ar/table.js"), "{names:?}");
    assert!(names.iter().all(|name| !name.contains("desk")), "players do not load the desk: {names:?}");
    for name in names {
        let file = service.anonymous().get(&format!("{folder}{name}")).await;
        assert_eq!(file.status, 200, "{name}");
        if name.ends_with(".js") {
            assert_eq!(file.header("content-type"), Some("text/javascript; charset=utf-8"), "{name}");
            // Comments are left out.
            let source = fs::read_to_string(root().join("web").join(name)).expect("a file");
            let mut lines = source.lines();
            assert!(file.body.lines().all(|line| lines.any(|one| one.ends_with(line))), "{name}");
        }
    }
    let worker = service.anonymous().get(&format!("{folder}service_worker.js")).await;
    assert_eq!(worker.header("service-worker-allowed"), Some("/"));
}

/// Both languages have the same texts, with the same parameters.
#[test]
fn both_languages_have_the_same_texts() {
    let texts = |language: &str| {
        let mut keys = Vec::new();
        for area in fs::read_dir(root().join("web/i18n").join(language)).expect("the areas") {
            let text = fs::read_to_string(area.expect("an area").path()).expect("the texts");
            // A long text stands below its key.
            let text = text.replace("\":\n    \"", "\": \"");
            for pair in text.split("\": \"").collect::<Vec<_>>().windows(2) {
                let key = pair[0].rsplit('"').next().expect("a key").to_owned();
                let value = pair[1].split("\",").next().expect("a text");
                let mut parameters: Vec<String> = value
                    .split('{')
                    .skip(1)
                    .filter_map(|rest| Some(rest.split_once('}')?.0.to_owned()))
                    .collect();
                parameters.sort();
                parameters.dedup();
                keys.push((key, parameters));
            }
        }
        keys.sort();
        keys
    };
    let english = texts("en");
    assert!(english.len() > 250, "{}", english.len());
    assert_eq!(english, texts("ar"));
}
