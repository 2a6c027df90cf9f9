//! Problems: each kind is described where its `type` leads, none is missing from the table, and a 5xx never
//! says why.

use std::path::{Path, PathBuf};

use estimation::http::problem::PROBLEMS;
use serde_json::{Value, json};

use super::playthrough::Playthrough;
use super::service::Service;
use crate::databases::{Backend, Outsider, on_both};

fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { walk(&path, files) } else { files.push(path) }
        }
    }
    let mut files = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(folder), &mut files);
    files.into_iter().map(|file| (file.clone(), std::fs::read_to_string(file).expect("a source"))).collect()
}

fn is_in_the_table(code: &str) -> bool {
    PROBLEMS.iter().any(|entry| entry.code == code)
}

#[test]
fn every_rejection_of_the_rules_is_in_the_table() {
    let source = include_str!("../../../crates/engine/src/rejection.rs");
    let named = source.split("pub const fn code").nth(1).expect("the codes").lines();
    let codes: Vec<&str> = named
        .filter(|line| line.trim_start().starts_with("Rejection::"))
        .map(|line| line.split('"').nth(1).expect("a code"))
        .collect();
    assert!(codes.len() >= 25, "{codes:?}");
    for code in codes {
        assert!(is_in_the_table(code), "{code}");
    }
}

#[test]
fn every_problem_that_the_service_makes_is_in_the_table() {
    let mut made = 0;
    for (file, text) in sources("http") {
        for call in text.split("Problem::new(").skip(1) {
            if let Some(code) = call.trim_start().strip_prefix('"').and_then(|rest| rest.split('"').next()) {
                assert!(is_in_the_table(code), "{code} in {}", file.display());
                made += 1;
            }
        }
    }
    assert!(made > 20, "{made} problems found");
}

#[test]
fn a_code_stands_once_in_the_table_and_for_an_error() {
    for (index, entry) in PROBLEMS.iter().enumerate() {
        assert!((400..600).contains(&entry.status), "{}", entry.code);
        assert!(PROBLEMS[..index].iter().all(|other| other.code != entry.code), "{}", entry.code);
        assert!(entry.code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{}", entry.code);
    }
}

/// What a 5xx says, and nothing beside it.
fn says_nothing_of_its_cause(problem: &Value) {
    let members: Vec<&String> = problem.as_object().expect("an object").keys().collect();
    let standard = ["code", "detail", "instance", "request_id", "status", "title", "type"];
    assert!(members.iter().all(|member| standard.contains(&member.as_str())), "{problem}");
    let text = problem.to_string().to_lowercase();
    for word in
        ["sql", "postgres", "table", "snapshot", "database", "column", "connection", "moon", "panic", "src/"]
    {
        assert!(!text.contains(word), "{problem} speaks of {word}");
    }
}

/// Writes an event as only a newer version could.
fn append(outsider: &mut Outsider, game: &str, seq: u64, kind: &str) {
    let body = json!({
        "game": game, "seq": seq, "at": "2026-01-01T12:00:00.000Z", "actor": "server", "event": {"type": kind},
    });
    let hash = match outsider {
        Outsider::Sqlite(_) => format!("X'{}'", "00".repeat(32)),
        Outsider::Postgres(_) => format!("'\\x{}'", "00".repeat(32)),
    };
    let insert = format!(
        "INSERT INTO game_events (game_id, seq, hash, body) VALUES ('{game}', {seq}, {hash}, '{body}')"
    );
    outsider.run(&insert).unwrap();
}

on_both! {
    async fn a_type_leads_to_its_description(database: TestDatabase) {
        let service = Service::start(database);
        for entry in PROBLEMS {
            let kind = service.anybody().get(&format!("/problems/{}", entry.code)).await.accepted();
            assert_eq!((&kind["code"], &kind["status"]), (&json!(entry.code), &json!(entry.status)));
            assert_eq!((&kind["title"], &kind["description"]), (&json!(entry.title), &json!(entry.about)));
        }
    }

    async fn a_failure_does_not_say_why(database: TestDatabase) {
        let service = Service::start(database);
        let onlooker = service.player("watcher").await;
        let table = service.table("nineteen").players(2).started().await;
        let third = |view: &Value| view["round"]["number"] == 3;
        Playthrough::begin(&table, &onlooker, 5).await.until(third).await;
        let spoil = "UPDATE game_snapshots SET state = 'the state of a spoilt database table'";
        service.database().outsider().run(spoil).unwrap();
        let service = service.restart();
        let table = table.at(service.anybody().base());
        for request in [table.seat(0).view(), table.seat(1).estimate(0), table.seat(0).events(0, 10)] {
            let answer = request.header("x-request-id", "look-for-me").await;
            let problem = answer.refused(500, "internal-error");
            assert_eq!(problem["request_id"], "look-for-me");
            says_nothing_of_its_cause(&problem);
        }
        // Without what was spoilt the game goes on: the log is whole.
        service.database().outsider().run("DELETE FROM game_snapshots").unwrap();
        table.seat(0).view().await.accepted();
    }

    async fn a_log_of_a_newer_version_is_not_guessed_at(database: TestDatabase) {
        let service = Service::start(database);
        let table = service.table("nineteen").players(2).started().await;
        let other = service.table("plain").open().await;
        let version = table.view().await["version"].as_u64().expect("a version");
        append(&mut service.database().outsider(), &table.id, version + 1, "moon_rose");
        for request in [table.seat(0).view(), table.seat(1).estimate(0), table.seat(0).events(0, 10)] {
            let problem = request.await.refused(503, "unavailable");
            says_nothing_of_its_cause(&problem);
        }
        // Other games do not suffer from it.
        other.seat(0).view().await.accepted();
    }

    async fn without_a_database_the_service_is_not_ready(database: TestDatabase) {
        if database.backend() == Backend::Sqlite {
            // A file that is open cannot be taken away.
            return;
        }
        let service = Service::start(database);
        let table = service.table("nineteen").players(2).started().await;
        service.anybody().get("/readyz").await.accepted();
        service.database().vanish();
        let told = service.anybody().get("/readyz").await.refused(503, "unavailable");
        assert_eq!(told["reason"], "database-silent");
        for request in [table.seat(0).view(), table.seat(1).estimate(0)] {
            let answer = request.await;
            says_nothing_of_its_cause(&answer.refused(503, "unavailable"));
        }
        service.anybody().get("/healthz").await.accepted();
    }
}
