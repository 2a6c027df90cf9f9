//! Problems: the `type` URL leads to a description, and a 5xx never reveals its cause.

use estimation::http::Language;
use estimation::http::problem::PROBLEMS;

use super::playthrough::Playthrough;
use super::spec::spec;
use crate::prelude::*;

#[test]
fn every_problem_code_is_unique() {
    for (index, entry) in PROBLEMS.iter().enumerate() {
        assert!((400..600).contains(&entry.status), "{}", entry.code);
        assert!(PROBLEMS[..index].iter().all(|other| other.code != entry.code), "{}", entry.code);
        assert!(entry.code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{}", entry.code);
    }
}

fn hides_its_cause(problem: &Value) {
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

/// Writes an event of a newer version.
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

/// Whether a quoted word is written like a code of a problem.
fn is_like_a_code(word: &str) -> bool {
    word.contains('-') && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
}

#[test]
fn descriptions_name_codes_that_are_sent() {
    let document = spec().document();
    let mut named = 0;
    for (path, item) in document["paths"].as_object().expect("paths") {
        // Its reasons are not codes.
        for operation in item.as_object().expect("operations").values().filter(|_| path != "/readyz") {
            let text = operation["description"].as_str().unwrap_or_default();
            for code in text.split('`').skip(1).step_by(2).filter(|word| is_like_a_code(word)) {
                assert!(PROBLEMS.iter().any(|entry| entry.code == code), "{path}: {code}");
                named += 1;
            }
        }
    }
    assert!(named > 2, "{named} codes");
}

on_sqlite_first! {
    async fn a_type_leads_to_its_description(service: Service) {
        for entry in PROBLEMS {
            let kind = service.anonymous().get(&format!("/problems/{}", entry.code)).await.accepted();
            assert_eq!((&kind["code"], &kind["status"]), (&json!(entry.code), &json!(entry.status)));
            let title = entry.text(Language::English).title;
            assert_eq!((&kind["title"], &kind["description"]), (&json!(title), &json!(entry.about)));
        }
    }

    async fn a_failure_does_not_reveal_its_cause(service: Service) {
        let onlooker = service.player("watcher").await;
        let table = service.table("nineteen").players(2).started().await;
        let third = |view: &Value| view["round"]["number"] == 3;
        Playthrough::begin(&table, &onlooker, 5).await.until(third).await;
        let spoil = "UPDATE game_snapshots SET state = 'the state of a spoilt database table'";
        service.database().outsider().run(spoil).unwrap();
        let service = service.restart();
        let table = table.at(service.anonymous().base());
        for request in [table.seat(0).view(), table.seat(1).estimate(0), table.seat(0).events(0, 10)] {
            let answer = request.header("x-request-id", "look-for-me").await;
            let problem = answer.refused(503, "unavailable");
            assert_eq!(problem["request_id"], "look-for-me");
            hides_its_cause(&problem);
        }
        // Without the damaged snapshot the game continues from the log.
        service.database().outsider().run("DELETE FROM game_snapshots").unwrap();
        table.seat(0).view().await.accepted();
    }

    /// A disk that returns wrong data for the pages with one game's events.
    async fn damaged_pages_make_one_game_unavailable(database: TestDatabase) {
        if database.backend() == Backend::Postgres {
            // Its server keeps the pages in memory, and checksums are its own business.
            return;
        }
        let service = Service::start(database);
        let table = service.table("nineteen").players(2).started().await;
        let mut others = Vec::new();
        for _ in 0..12 {
            others.push(service.table("plain").open().await);
        }
        service.database().outsider().run("PRAGMA wal_checkpoint(TRUNCATE)").expect("a checkpoint");
        let file = service.database().file();
        let mut spoilt = Vec::new();
        let service = service.restart_after(|| spoilt = spoil_pages(&file, &in_events(&table)));
        let base = service.anonymous().base().to_owned();
        let table = table.at(&base);
        for request in [table.seat(0).view(), table.seat(1).estimate(0), table.seat(0).events(0, 10)] {
            hides_its_cause(&request.await.refused(503, "unavailable"));
        }
        // Some share a page with the game. SQLite looks at the page after those of a game, too.
        others.retain(|other| !contains(&spoilt, &in_events(other)));
        let mut neighbours = 0;
        let whole = others.len();
        for other in others {
            let answer = other.at(&base).seat(0).view().await;
            if !answer.is_success() {
                answer.refused(503, "unavailable");
                neighbours += 1;
            }
        }
        assert!(neighbours <= 2 && whole > neighbours, "{neighbours} of {whole} other games");
    }

    async fn a_log_of_a_newer_version_is_refused(service: Service) {
        let table = service.table("nineteen").players(2).started().await;
        let other = service.table("plain").open().await;
        let version = table.view().await["version"].as_u64().expect("a version");
        append(&mut service.database().outsider(), &table.id, version + 1, "moon_rose");
        for request in [table.seat(0).view(), table.seat(1).estimate(0), table.seat(0).events(0, 10)] {
            let problem = request.await.refused(503, "unavailable");
            hides_its_cause(&problem);
        }
        other.seat(0).view().await.accepted();
    }

    async fn without_a_database_the_service_is_not_ready(database: TestDatabase) {
        if database.backend() == Backend::Sqlite {
            // An open SQLite file cannot be removed.
            return;
        }
        let service = Service::start(database);
        let table = service.table("nineteen").players(2).started().await;
        service.anonymous().get("/readyz").await.accepted();
        service.database().vanish();
        let told = service.anonymous().get("/readyz").await.refused(503, "unavailable");
        assert_eq!(told["reason"], "database-silent");
        for request in [table.seat(0).view(), table.seat(1).estimate(0)] {
            let answer = request.await;
            hides_its_cause(&answer.refused(503, "unavailable"));
        }
        service.anonymous().get("/healthz").await.accepted();
    }
}

/// How the events of a game name it. Its entry in the public log goes on in another way.
fn in_events(table: &Table) -> String {
    format!("\"game\":\"{}\",\"seq\":", table.id)
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// Overwrites the header of every leaf page of an SQLite file that has the text. Returns what the pages held.
fn spoil_pages(file: &Path, text: &str) -> Vec<u8> {
    /// Leaves of an index, of which a table without row ids is one, and of a table.
    const LEAVES: [u8; 2] = [0x0a, 0x0d];
    let mut bytes = std::fs::read(file).expect("the database");
    // From the header of the file; 1 stands for 65,536.
    let page = match u16::from_be_bytes([bytes[16], bytes[17]]) {
        1 => 65_536,
        size => usize::from(size),
    };
    let mut spoilt = Vec::new();
    for page in bytes.chunks_mut(page).filter(|page| LEAVES.contains(&page[0]) && contains(page, text)) {
        spoilt.extend_from_slice(page);
        page[..64].fill(0xff);
    }
    assert!(!spoilt.is_empty(), "no page has the game");
    std::fs::write(file, bytes).expect("the database");
    spoilt
}
