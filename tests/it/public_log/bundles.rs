//! The bundle of a game, and `estimation-audit verify` with it.

use clap::Parser;
use estimation_audit::log::{Findings, LogCommand, check};
use estimation_engine::event::Visibility;
use estimation_record::verify::Proofs;
use estimation_service::auth::caller::Caller;
use estimation_service::auth::tokens::Role;
use estimation_service::base::clock::ManualClock;
use estimation_service::base::failure::Failure;
use estimation_service::histories::Bundle;
use estimation_service::public_log::LogSettings;
use estimation_store::GameId;

use super::witness::TestWitness;
use super::{expect, node, node_at, node_with_log};
use crate::audit::served::*;
use crate::http::traffic::bytes;
use crate::prelude::*;

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: LogCommand,
}

/// Runs `estimation-audit verify` with a file.
fn verify(text: &str, more: &[&str]) -> Findings {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("bundle");
    fs::write(&file, text).expect("a file");
    let base = ["estimation-audit", "verify", file.to_str().expect("UTF-8")];
    check(&Arguments::parse_from([&base, more].concat()).command)
}

/// The keys of a service, as a caller pins them.
struct Pinned {
    log: String,
    own_witness: String,
    folder: TempDir,
}

impl Pinned {
    async fn of(nobody: &Client) -> Pinned {
        let keys = nobody.unjudged_request(Method::GET, "/log/key").send().await.expect("an answer");
        let keys = keys.text().await.expect("text");
        let mut lines = keys.lines().map(str::to_owned);
        let (log, own_witness) = (lines.next().expect("a key"), lines.next().expect("a key"));
        let jwks = nobody.get("/.well-known/jwks.json").await.body;
        let folder = TempDir::new().expect("a folder");
        fs::write(folder.path().join("jwks.json"), jwks).expect("a file");
        Pinned { log, own_witness, folder }
    }

    fn jwks(&self) -> String {
        self.folder.path().join("jwks.json").to_str().expect("UTF-8").to_owned()
    }
}

/// The bundle once the log has the end; until then the refusal.
async fn bundled(client: &Client, path: &str) -> Answer {
    found("the bundle", async || {
        let answer = client.get(path).await;
        if answer.status == 409 {
            answer.refused(409, "not-logged");
            return None;
        }
        Some(answer)
    })
    .await
}

/// The bundle of a game as lines, as the service writes it.
async fn lines(app: &Arc<App>, player: &Caller, game: GameId) -> String {
    let Bundle { mut history, proofs } = app.records.bundle(player, game).await.expect("a bundle");
    let mut text = format!("{}\n", json!({ "header": history.header() }));
    while let Some(events) = history.next().await.expect("events") {
        events.iter().for_each(|event| text += &format!("{}\n", json!({ "event": event })));
    }
    text + &format!("{}\n{}\n", json!({ "end": history.end() }), json!({ "proofs": proofs }))
}

fn proofs(text: &str) -> Proofs {
    let line = text.lines().last().expect("a line");
    let mut piece: Value = serde_json::from_str(line).expect("JSON");
    serde_json::from_value(piece["proofs"].take()).expect("proofs")
}

on_sqlite_first! {
    async fn a_bundle_is_the_history_with_its_proofs(service: Service) {
        let nobody = service.anonymous();
        let table = service.table("nineteen").players(2).with("visibility", "public").started().await;
        let path = table.path("bundle");
        table.seat(0).player.client.get(&path).await.refused(409, "game-not-over");
        nobody.get(&path).await.refused(401, "token-missing");
        for (seat, player) in table.players.iter().enumerate() {
            player.client.delete(&table.path(&format!("seats/{seat}"))).await.accepted();
        }
        let bundle = bundled(&nobody, &path).await;
        bundle.accepted();
        let history = nobody.get(&table.path("history")).await.body;
        let whole = history.strip_suffix('}').expect("an object");
        assert!(bundle.body.starts_with(&format!("{whole},\"proofs\":{{\"start\":\"c2sp.org/tlog-proof@v1")), "{bundle}");
        let lines = async |part: &str| {
            let answer = nobody.get(&table.path(part)).header("accept", "application/x-ndjson").await;
            assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
            answer.body
        };
        let (bundle_lines, history_lines) = (lines("bundle").await, lines("history").await);
        let rest = bundle_lines.strip_prefix(&history_lines).expect("the history first");
        assert!(rest.starts_with("{\"proofs\":{") && rest.lines().count() == 1, "{rest}");
        // Uncompressed, whatever the client takes.
        let token = &table.players[0].access_token;
        for encoding in ["br", "gzip"] {
            let (headers, plain) = bytes(&service, token, &path, encoding).await;
            assert_eq!(headers.get("content-encoding"), None);
            assert!(plain.starts_with(whole.as_bytes()));
        }

        let pinned = Pinned::of(&nobody).await;
        let Pinned { log, own_witness, .. } = &pinned;
        let jwks = pinned.jwks();
        for text in [&bundle.body, &bundle_lines] {
            expect(&verify(text, &[]), 4, log);
            expect(&verify(text, &["--jwks", &jwks, "--log-key", log]), 0, "all is well");
            let all = ["--jwks", &jwks, "--log-key", log, "--witness", own_witness];
            expect(&verify(text, &all), 0, "the log had the start by");
        }
        let stranger = TestWitness::start("other.example/w").verifier().to_string();
        expect(&verify(&bundle.body, &["--jwks", &jwks, "--log-key", log, "--witness", &stranger]), 5, "other.example/w");
        // Changed, and with the proofs of another game.
        expect(&verify(&bundle.body.replace("game_started", "game_stopped"), &[]), 1, "event");
        expect(&verify(&bundle.body.replacen("\\nindex ", "\\nindex 1", 1), &[]), 1, "tampered");
        let other = service.table("nineteen").with("visibility", "public").open().await;
        other.seat(0).player.client.send(&other.path("cancel"), &json!({})).await.accepted();
        let cancelled = bundled(&nobody, &other.path("bundle")).await;
        assert!(cancelled.json()["proofs"]["start"].is_null(), "{cancelled}");
        expect(&verify(&cancelled.body, &[]), 4, "sound by the keys in this file");
        expect(&verify(&cancelled.body, &["--jwks", &jwks, "--witness", own_witness]), 0, "all is well");
        let mixed = json!({ "proofs": bundle.json()["proofs"] });
        let mixed = nobody.get(&other.path("history")).header("accept", "application/x-ndjson").await.body + &mixed.to_string();
        expect(&verify(&mixed, &[]), 3, "not those of this game");
    }

    async fn the_bundle_of_a_private_game_is_for_its_players_and_for_auditors(service: Service) {
        let (nobody, stranger) = (service.anonymous(), service.player("lina").await);
        let auditor = service.with_role("salma", "auditor").await;
        let table = service.table("nineteen").players(2).with("visibility", "private").started().await;
        let (path, player) = (table.path("bundle"), &table.players[1]);
        auditor.get(&path).await.refused(409, "game-not-over");
        for (seat, player) in table.players.iter().enumerate() {
            player.client.delete(&table.path(&format!("seats/{seat}"))).await.accepted();
        }
        let bundle = bundled(&player.client, &path).await;
        let accesses = async || player.client.get(&table.path("audit-accesses")).await.accepted()["items"].clone();
        assert_eq!(accesses().await, json!([]), "refused requests are no accesses");
        let seen = auditor.get(&path).await;
        seen.accepted();
        assert_eq!(accesses().await[0]["version"], bundle.json()["end"]["events"]);
        let history = stranger.client.get(&table.path("history")).await;
        let code = history.json()["code"].clone();
        assert!(history.status == 404 && code.is_string(), "{history}");
        stranger.client.get(&path).await.refused(404, code.as_str().unwrap_or_default());
        nobody.get(&path).await.refused(401, "token-missing");
        let pinned = Pinned::of(&nobody).await;
        for text in [&bundle.body, &seen.body] {
            expect(&verify(text, &[]), 4, "sound by the keys in this file");
            expect(&verify(text, &["--jwks", &pinned.jwks(), "--log-key", &pinned.log]), 0, "all is well");
        }
        let unsealed = bundle.body.replace("\\nextra ", "\\nextra A");
        assert_ne!(verify(&unsealed, &[]).outcome().status(), 4);
    }

    async fn there_is_no_bundle_before_a_checkpoint_has_the_end(database: TestDatabase) {
        let app = node(&database, LogSettings::default()).await;
        let (game, players) = table(&app, Visibility::Private).await;
        let auditor = caller(13, Role::Auditor);
        let refused = async |caller: &Caller| app.records.bundle(caller, game).await.err().expect("a refusal");
        assert!(matches!(refused(&players[0]).await, Failure::GameNotOver));
        play(&app, game, &players, usize::MAX).await;
        for caller in [&players[0], &auditor] {
            assert!(matches!(refused(caller).await, Failure::NotLogged));
        }
        sign_and_log(&app).await;
        assert!(matches!(refused(&players[0]).await, Failure::NotLogged));
        let accesses = app.records.audit_accesses(&players[0], game, None, 10).await.expect("accesses");
        assert_eq!(accesses.items, []);
        app.public_log.advance().await.expect("the end");
        assert!(matches!(refused(&caller(6, Role::Player)).await, Failure::Withheld { .. }));
        assert!(app.records.public_bundle(game).await.expect("a look").is_none());
        expect(&verify(&lines(&app, &players[0], game).await, &[]), 4, "deals are right");
    }

    /// A game whose start is in a former log, after two new ones; and one that is in the last log alone.
    async fn a_start_in_a_former_log_is_proved_by_the_origins(database: TestDatabase) {
        let app = node_with_log(&database).await;
        let mut games = Vec::new();
        for visibility in [Visibility::Public, Visibility::Private] {
            games.push(table(&app, visibility).await);
        }
        sign_starts(&app).await;
        let first = app.public_log.verifiers().await.expect("keys").expect("a log").log.to_string();
        app.shutdown().await;
        for origin in ["cards.example/second", "cards.example/third"] {
            begin_log(&database, origin).await;
            let app = node(&database, LogSettings { origin: origin.to_owned(), ..LogSettings::default() }).await;
            app.public_log.advance().await.expect("a checkpoint");
            app.shutdown().await;
        }
        let log = LogSettings { origin: "cards.example/third".to_owned(), ..LogSettings::default() };
        let app = node(&database, log).await;
        for (game, players) in &games {
            play(&app, *game, players, usize::MAX).await;
        }
        let (later, players) = finished(&app, Visibility::Public).await;
        assert_eq!(sign_and_log(&app).await, 3);
        sign_starts(&app).await;
        let last = app.public_log.verifiers().await.expect("keys").expect("a log").log.to_string();
        for (game, players) in &games {
            let text = lines(&app, &players[0], *game).await;
            let Proofs { origins, log_keys, .. } = proofs(&text);
            assert_eq!((origins.len(), log_keys.len()), (2, 6));
            assert!(log_keys[0] == last && log_keys.contains(&first), "{log_keys:?}");
            expect(&verify(&text, &[]), 4, "cards.example/second continues 2 entries of estimation.localhost/log");
            let folder = TempDir::new().expect("a folder");
            let jwks = folder.path().join("jwks.json");
            fs::write(&jwks, json!(app.keys.jwks()).to_string()).expect("a file");
            let pinned = ["--jwks", jwks.to_str().expect("UTF-8"), "--log-key", &last];
            expect(&verify(&text, &pinned), 0, &first);
            let all = verify(&text, &[&pinned[..], &["--log-key", &first]].concat());
            expect(&all, 0, "all is well");
            assert!(!all.to_string().contains(&first), "{all}");
            let without = text.replace(&json!(origins).to_string(), "[]");
            assert_ne!(without, text);
            expect(&verify(&without, &[]), 3, "and the start is in estimation.localhost/log");
        }
        let text = lines(&app, &players[0], later).await;
        assert_eq!(proofs(&text).origins, [] as [String; 0]);
        expect(&verify(&text, &[]), 4, "sound by the keys in this file");
        app.shutdown().await;
    }

    /// The keys from which the first log's are derived are lost: the next log vouches for it.
    async fn a_log_whose_key_is_lost_has_none_in_the_bundle(database: TestDatabase) {
        let app = node_with_log(&database).await;
        let (game, players) = finished(&app, Visibility::Public).await;
        assert_eq!(sign_and_log(&app).await, 1);
        sign_starts(&app).await;
        let text = lines(&app, &players[0], game).await;
        app.shutdown().await;
        database.outsider().run("UPDATE log_tree SET kid = 'lost'").expect("another key");
        let app = node(&database, LogSettings::default()).await;
        let keyless = lines(&app, &players[0], game).await;
        assert_eq!(proofs(&keyless).log_keys, [] as [String; 0]);
        assert_eq!(proofs(&keyless).end, proofs(&text).end);
        expect(&verify(&keyless, &[]), 3, "no key of the log");
        let log = proofs(&text).log_keys.remove(0);
        expect(&verify(&keyless, &["--log-key", &log]), 4, "sound by the keys in this file");
        app.shutdown().await;
    }

    async fn a_bundle_has_the_cosignatures_that_there_are(database: TestDatabase) {
        let witness = TestWitness::start("first.example/w");
        let log = LogSettings { witnesses: vec![witness.setting()], ..LogSettings::default() };
        // The witness has one time.
        let clock = Arc::new(ManualClock::at(Timestamp::from_second(1_789_999_990).expect("a time")));
        let app = node_at(&database, log, clock).await;
        app.public_log.advance().await.expect("the empty log");
        app.public_log.ask_witness(&witness.setting()).await;
        let (game, players) = finished(&app, Visibility::Public).await;
        assert_eq!(sign_and_log(&app).await, 1);
        sign_starts(&app).await;
        let key = witness.verifier().to_string();
        let early = lines(&app, &players[0], game).await;
        expect(&verify(&early, &["--witness", &key]), 5, "first.example/w has not signed the note");
        app.public_log.ask_witness(&witness.setting()).await;
        let text = lines(&app, &players[0], game).await;
        let said = verify(&text, &["--witness", &key]);
        expect(&said, 4, "the log had the start by 2026-09-21T14:13:20Z");
        assert!(!said.to_string().contains("log key"), "the witness stands for the log: {said}");
        app.shutdown().await;
    }
}
