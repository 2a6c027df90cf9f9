//! `estimation-audit watch` against nodes whose operator has the keys.

use std::net::TcpListener;
use std::sync::mpsc;
use std::thread::JoinHandle;

use actix_web::dev::ServerHandle;
use clap::Parser;
use estimation::http::{ServerSettings, serve};
use estimation_audit::log::{Findings, LogCommand, check};
use estimation_engine::event::Visibility;
use estimation_service::auth::keys::Bound;
use estimation_service::public_log::LogSettings;
use estimation_store::GameId;
use estimation_store::public_log::{self, EntryKind};

use super::rollback::{keep, roll_back};
use super::{expect, node};
use crate::audit::served::*;
use crate::prelude::*;

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: LogCommand,
}

/// A node that serves its log over HTTP.
pub(super) struct Site {
    pub(super) app: Arc<App>,
    pub(super) url: String,
    server: Option<(ServerHandle, JoinHandle<()>)>,
}

impl Site {
    pub(super) async fn start(database: &TestDatabase) -> Site {
        let app = node(database, LogSettings::default()).await;
        app.public_log.advance().await.expect("the empty log");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let (started, starting) = mpsc::channel();
        let served = Arc::clone(&app);
        let thread = std::thread::spawn(move || {
            actix_web::rt::System::new().block_on(async move {
                let settings = ServerSettings { workers: 1, ..ServerSettings::default() };
                let server = serve(served, listener, settings).expect("a server");
                started.send(server.handle()).expect("a receiver");
                server.await.expect("the server runs");
            });
        });
        let handle = starting.recv().expect("the server starts");
        Site { app, url, server: Some((handle, thread)) }
    }

    /// Starts a game, and adds it to the log.
    async fn grow(&self) {
        table(&self.app, Visibility::Public).await;
        self.app.public_log.advance().await.expect("an entry");
    }

    fn watch(&self, state: &Path) -> Findings {
        let state = state.to_str().expect("UTF-8");
        let arguments = ["estimation-audit", "watch", "--url", &self.url, "--state", state];
        check(&Arguments::parse_from(arguments).command)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        if let Some((handle, thread)) = self.server.take() {
            self.app.close();
            drop(handle.stop(false));
            thread.join().expect("the server ends");
        }
    }
}

/// Replaces the end of a game that waits for the log, as the operator can who has the keys.
async fn another_end(database: &TestDatabase, game: GameId) {
    let waiting = database.open().read(public_log::queue).await.expect("the queue");
    let ends = waiting.into_iter().map(|waiting| waiting.entry.expect("an entry"));
    let end = ends
        .into_iter()
        .find(|entry| entry.kind == EntryKind::End && entry.game == Some(game))
        .expect("the end");
    let forged = end.entry.replace("\"events\":", "\"events\":1");
    let mut bytes = game.0.as_bytes().to_vec();
    bytes.push(EntryKind::End as u8);
    bytes.extend(end.entered_at.to_be_bytes());
    bytes.extend(forged.as_bytes());
    let keys = crate::audit::keys().record_keys();
    let binding = keys.bind(Bound::Entry, &bytes, Timestamp::now()).expect("a key");
    let mut outsider = database.outsider();
    let binding = outsider.bytes(&hex::encode([&binding.key()[..], binding.mac()].concat()));
    let number = end.number;
    for change in [
        format!("UPDATE log_games SET end_entry = '{forged}' WHERE game_id = '{game}'"),
        format!("UPDATE log_queue SET entry = '{forged}', binding = {binding} WHERE number = {number}"),
    ] {
        outsider.run(&change).expect("another end");
    }
}

on_sqlite_first! {
    async fn a_log_that_grows_is_accepted_and_one_that_was_rolled_back_is_not(database: TestDatabase) {
        let folder = TempDir::new().expect("a folder");
        let [state, first] = ["state", "first"].map(|name| folder.path().join(name));
        let site = Site::start(&database).await;
        site.grow().await;
        expect(&site.watch(&first), 0, "1 entries");
        keep(&database);
        site.grow().await;
        expect(&site.watch(&state), 0, "2 entries");
        expect(&site.watch(&first), 0, "kept: 1 entries");
        roll_back(&database);
        expect(&site.watch(&state), 1, "rolled back: it has 1 entries, it signed 2 before");
        expect(&site.watch(&first), 1, "rolled back");
    }

    /// A watch compares the games that are over with their histories, without a token.
    async fn a_watch_compares_the_games_with_their_histories(database: TestDatabase) {
        let folder = TempDir::new().expect("a folder");
        let state = folder.path().join("state");
        let site = Site::start(&database).await;
        let mut games = Vec::new();
        for _ in 0..2 {
            games.push(ended(&site.app, Visibility::Public).await);
        }
        ended(&site.app, Visibility::Private).await;
        site.app.public_log.advance().await.expect("starts");
        expect(&site.watch(&state), 0, "3 entries");
        sign_and_log(&site.app).await;
        another_end(&database, games[1]).await;
        site.app.public_log.advance().await.expect("ends");
        let findings = site.watch(&state);
        expect(&findings, 1, &format!("is another end of the game {} than its history has", games[1]));
        expect(&findings, 1, "2 games were compared with their histories; 0 more");
        assert!(!findings.to_string().contains(&games[0].to_string()), "{findings}");
    }

    /// The signed log has another end of a game than the history.
    async fn an_audit_compares_the_games_with_the_public_log(database: TestDatabase) {
        let site = Site::start(&database).await;
        let audit = || {
            let output = run(&["audit", "--url", &site.url, "--all", "--json"]);
            let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
            (output.status.code(), report)
        };
        ended(&site.app, Visibility::Public).await;
        sign_and_log(&site.app).await;
        site.app.public_log.advance().await.expect("entries");
        let (status, report) = audit();
        assert_eq!(status, Some(0), "{report}");
        let log = &report["log"];
        assert_eq!((&log["origin"], &log["size"], &log["games"]), (&json!("estimation.localhost/log"), &json!(2), &json!(1)));
        assert!(log["root"].is_string() && log["cosigned_at"].is_string(), "{log}");

        let other = ended(&site.app, Visibility::Public).await;
        sign_and_log(&site.app).await;
        another_end(&database, other).await;
        site.app.public_log.advance().await.expect("entries");
        let (status, report) = audit();
        assert_eq!(status, Some(1), "{report}");
        let details: Vec<&str> = report["findings"].as_array().expect("findings").iter()
            .filter(|finding| finding["game"] == other.to_string())
            .filter_map(|finding| finding["detail"].as_str())
            .collect();
        assert_eq!(details, ["the public log has another end of the game than its history"]);
    }
}
