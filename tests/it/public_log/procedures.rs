//! The procedures of docs/operations.md for the public log, with the commands of the page.

use clap::Parser;
use diesel::{Connection as _, SqliteConnection};
use estimation_audit::log::{Findings, LogCommand, check};
use estimation_engine::event::Visibility;
use estimation_record::LogEntry;
use estimation_service::base::clock::SystemClock;
use estimation_service::base::entropy::SystemEntropy;
use estimation_service::public_log::failure::LogFailure;
use estimation_service::public_log::{LogSettings, LogStateFile, begin_again};
use estimation_service::services::AppSettings;
use estimation_store::{Database, DatabaseUrl, PgConnection, Settings};

use super::signed;
use crate::audit::keys;
use crate::audit::served::*;
use crate::nodes::cluster::Cluster;
use crate::prelude::*;

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: LogCommand,
}

/// The table of procedures names these commands.
fn assert_documented(commands: &[&str]) {
    let page = include_str!("../../../docs/operations.md");
    for command in commands {
        assert!(page.contains(&format!("`{command}")), "{command}");
    }
}

fn done(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

async fn text(url: &str, path: &str) -> Option<String> {
    let answer = Client::anonymous(url).get(path).await;
    (answer.status == 200).then_some(answer.body)
}

/// A service on SQLite as a process, with its database and its keys in a folder.
struct Site {
    folder: TempDir,
    node: Node,
}

impl Site {
    fn start(folder: TempDir, origin: &str) -> Site {
        let node = Node::start(folder.path(), &["--data-dir", path(&folder), "--log-origin", origin]);
        Site { folder, node }
    }

    /// The checkpoint of the log with this name, once it has so many entries.
    async fn checkpoint(&self, origin: &str, entries: u64) -> String {
        found(format!("{entries} entries of {origin}"), async || {
            let note = text(&self.node.url, "/log/checkpoint").await?;
            let size: u64 = note.lines().nth(1)?.parse().ok()?;
            (note.starts_with(&format!("{origin}\n")) && size >= entries).then_some(note)
        })
        .await
    }

    /// The checkpoint of the former log in the first entry.
    async fn former(&self) -> String {
        let bundle = text(&self.node.url, "/log/tile/entries/000.p/1").await.expect("the first entry");
        let entry = &bundle[bundle.find('{').expect("an entry")..];
        let LogEntry::Origin { checkpoint } = serde_json::from_str(entry).expect("an entry") else {
            panic!("{entry}")
        };
        checkpoint
    }

    fn watch(&self, state: &Path) -> Findings {
        let arguments =
            ["estimation-audit", "watch", "--url", &self.node.url, "--state", state.to_str().expect("UTF-8")];
        check(&Arguments::parse_from(arguments).command)
    }

    fn stop(mut self) -> TempDir {
        self.node.terminate();
        self.node.ended_within(PATIENCE).expect("the node stops");
        self.folder
    }
}

fn path(folder: &TempDir) -> &str {
    folder.path().to_str().expect("UTF-8")
}

/// Copies the files of a folder, as a thief does.
fn copied(folder: &TempDir) -> TempDir {
    let copy = TempDir::new().expect("a folder");
    for file in std::fs::read_dir(folder.path()).expect("a folder") {
        let file = file.expect("a file");
        std::fs::copy(file.path(), copy.path().join(file.file_name())).expect("a copy");
    }
    copy
}

/// The first lines of a signed note: origin, size and root.
fn statement(note: &str) -> Vec<&str> {
    note.lines().take(3).collect()
}

const FIRST: &str = "cards.example/log";
const SECOND: &str = "cards.example/second";

#[tokio::test]
#[ignore = "all: runs, kills and freezes programs for many seconds"]
async fn after_a_key_was_stolen_a_new_log_has_another_key() {
    assert_documented(&["estimation keys rotate --records`", "estimation log new-origin NAME`"]);
    let watched = TempDir::new().expect("a folder");
    let [first, second] = ["first", "second"].map(|name| watched.path().join(name));
    let site = Site::start(TempDir::new().expect("a folder"), FIRST);
    let last = site.checkpoint(FIRST, 0).await;
    assert_eq!(site.watch(&first).outcome().status(), 0);
    let folder = site.stop();
    let stolen = copied(&folder);

    done(&["keys", "rotate", "--records", "--data-dir", path(&folder)]);
    let said = done(&["log", "new-origin", SECOND, "--data-dir", path(&folder)]);
    assert!(said.contains(FIRST), "{said}");
    let file = folder.path().join("estimation.db");
    let connection = SqliteConnection::establish(file.to_str().expect("UTF-8")).expect("the database");
    let mut outsider = Outsider::Sqlite(connection);
    assert_eq!(outsider.count("log_tree a, log_tree b WHERE a.id = 1 AND b.id = 2 AND a.kid <> b.kid"), 1);
    drop(outsider);
    let site = Site::start(folder, SECOND);
    site.checkpoint(SECOND, 1).await;
    assert_eq!(statement(&site.former().await), statement(&last));
    // An auditor who kept the first log is told where it ends, and watches the second with a new file.
    let findings = site.watch(&first);
    assert!(
        findings.outcome().status() == 3 && findings.to_string().contains("has begun another log"),
        "{findings}"
    );
    assert_eq!(site.watch(&second).outcome().status(), 0);
    // What the thief signs with the old key is not accepted as the second log.
    let thief = Site::start(stolen, FIRST);
    thief.checkpoint(FIRST, 0).await;
    assert_eq!(thief.watch(&second).outcome().status(), 3);
    site.stop();
}

#[tokio::test]
#[ignore = "all: runs, kills and freezes programs for many seconds"]
async fn after_the_keys_were_lost_a_new_log_continues_the_old_one() {
    assert_documented(&["estimation log new-origin NAME`", "estimation games adopt`"]);
    let watched = TempDir::new().expect("a folder");
    let state = watched.path().join("state");
    let site = Site::start(TempDir::new().expect("a folder"), FIRST);
    let last = site.checkpoint(FIRST, 0).await;
    assert_eq!(site.watch(&state).outcome().status(), 0);
    let folder = site.stop();
    std::fs::remove_file(folder.path().join("keys.json")).expect("the keys are lost");

    let said = done(&["log", "new-origin", SECOND, "--data-dir", path(&folder)]);
    assert!(said.contains(FIRST), "{said}");
    let said = done(&["games", "adopt", "--data-dir", path(&folder)]);
    assert!(
        said.contains("0 adoptions queued for the public log\n0 entries that wait for the public log"),
        "{said}"
    );
    let site = Site::start(folder, SECOND);
    site.checkpoint(SECOND, 1).await;
    assert_eq!(statement(&site.former().await), statement(&last));
    let findings = site.watch(&state);
    assert!(
        findings.outcome().status() == 3 && findings.to_string().contains("has begun another log"),
        "{findings}"
    );
    site.stop();
}

pub(super) async fn node_on(cluster: &Cluster, log: LogSettings) -> Arc<App> {
    let url: DatabaseUrl =
        format!("postgres://postgres@127.0.0.1:{}/postgres", cluster.port()).parse().expect("a URL");
    let store = Database::open(&url, Settings::default()).expect("a database");
    let settings =
        AppSettings { log, ..AppSettings::unlimited(Arc::new(SystemClock), Arc::new(SystemEntropy)) };
    service_on(store, settings).await
}

#[tokio::test]
#[ignore = "all: runs, kills and freezes programs for many seconds"]
async fn a_promoted_standby_without_the_last_checkpoint_refuses_to_sign() {
    let folder = TempDir::new().expect("a folder");
    let state_file = Some(LogStateFile::new(folder.path().join("log-state")));
    let log = LogSettings { state_file, ..LogSettings::default() };
    let primary = Cluster::new();
    let standby = primary.standby();
    let app = node_on(&primary, log.clone()).await;
    app.public_log.advance().await.expect("the empty log");
    table(&app, Visibility::Public).await;
    app.public_log.advance().await.expect("an entry");
    let connection = PgConnection::establish(&primary.socket_url()).expect("the socket");
    let mut outsider = Outsider::Postgres(connection);
    let follows = "pg_stat_replication WHERE replay_lsn >= pg_current_wal_lsn()";
    eventually("the entry on the standby", async || outsider.count(follows) == 1).await;
    drop(outsider);
    standby.crash();
    table(&app, Visibility::Public).await;
    app.public_log.advance().await.expect("an entry that the standby lacks");
    let last = signed(&app).await.0;
    assert_eq!(last.size, 2);
    app.shutdown().await;
    primary.crash();
    standby.again();
    standby.promote();

    let app = node_on(&standby, log.clone()).await;
    assert_eq!(signed(&app).await.0.size, 1);
    table(&app, Visibility::Public).await;
    let failure = app.public_log.advance().await;
    assert!(matches!(&failure, Err(LogFailure::RolledBack { .. })), "{failure:?}");
    assert_eq!(signed(&app).await.0.size, 1);
    app.shutdown().await;

    // The procedure: a new log, which has the entries that wait.
    let url = format!("postgres://postgres@127.0.0.1:{}/postgres", standby.port()).parse().expect("a URL");
    let store = Database::open(&url, Settings::default()).expect("a database");
    begin_again(&store, &keys(), jiff::Timestamp::now(), SECOND).await.expect("a new log");
    store.shutdown().await;
    let app = node_on(&standby, LogSettings { origin: SECOND.to_owned(), ..log }).await;
    sign_starts(&app).await;
    assert_eq!(signed(&app).await.0.origin.as_str(), SECOND);
    app.shutdown().await;
}

/// Why a node does not sign the log, as it says.
async fn refusal(url: &str) -> Option<String> {
    let answer = Client::anonymous(url).get("/readyz").await.accepted();
    answer["log_refusal"].as_str().map(str::to_owned)
}

/// The state file is in another directory.
#[tokio::test]
#[ignore = "all: runs, kills and freezes programs for many seconds"]
async fn a_snapshot_of_the_data_directory_is_not_signed_again() {
    let (data, state) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    let file = state.path().join("log-state");
    let start = |folder: TempDir| {
        let flags = [
            "--data-dir",
            path(&folder),
            "--log-origin",
            FIRST,
            "--log-state",
            file.to_str().expect("UTF-8"),
        ];
        let node = Node::start(folder.path(), &flags);
        Site { folder, node }
    };
    let site = start(data);
    Table::of_two(&Client::anonymous(&site.node.url)).await;
    site.checkpoint(FIRST, 1).await;
    let data = site.stop();
    let snapshot = copied(&data);
    let site = start(data);
    Table::of_two(&Client::anonymous(&site.node.url)).await;
    site.checkpoint(FIRST, 2).await;
    site.stop();

    let site = start(snapshot);
    Table::of_two(&Client::anonymous(&site.node.url)).await;
    eventually("a refusal", async || refusal(&site.node.url).await.as_deref() == Some("rolled-back")).await;
    let database = site.folder.path().join("estimation.db");
    let mut outsider = Outsider::Sqlite(
        SqliteConnection::establish(database.to_str().expect("UTF-8")).expect("the database"),
    );
    assert_eq!(outsider.count("log_queue"), 1);
    assert_eq!(outsider.count("log_entries"), 1);
    assert!(site.checkpoint(FIRST, 1).await.starts_with("cards.example/log\n1\n"));
    let told = site.node.complaints();
    assert!(
        told.contains("the public log is not signed") && told.contains("one with 2 was signed"),
        "{told}"
    );
    drop(outsider);
    site.stop();
}

async fn the_operator_accepts_a_log(backend: Backend) {
    assert_documented(&["estimation log init`", "estimation log status`"]);
    let (database, folder) = (TestDatabase::new(backend), TempDir::new().expect("a folder"));
    let secret = "a secret that all of these nodes share";
    let flags = ["--data-dir", path(&folder), "--database-url", database.url_text(), "--keys-secret", secret];
    let mut node = Node::start(folder.path(), &flags);
    Table::of_two(&Client::anonymous(&node.url)).await;
    eventually("a checkpoint", async || {
        text(&node.url, "/log/checkpoint").await.is_some_and(|note| note.lines().nth(1) == Some("1"))
    })
    .await;
    let status = || done(&[&["log", "status"], &flags[..]].concat());
    let file = folder.path().join("log-state").display().to_string();
    let told = status();
    let state = std::fs::read_to_string(&file).expect("the state").trim_end().replace('\n', ", ");
    for line in [
        "origin    estimation.localhost/log\nentries   1\nsigned    1 entries at ",
        &format!("waiting   0\nrefused   0\nstate     {file}: {state}\n"),
        "signing   yes\n",
    ] {
        assert!(told.contains(line), "{line:?}: {told}");
    }
    assert_eq!(told.contains("postgres  system "), backend == Backend::Postgres, "{told}");
    assert_eq!(refusal(&node.url).await, None);

    std::fs::remove_file(&file).expect("the file");
    eventually("a refusal", async || refusal(&node.url).await.as_deref() == Some("unconfirmed")).await;
    let told = status();
    assert!(told.contains(&format!("state     {file}: missing\n")), "{told}");
    assert!(told.contains("signing   no, unconfirmed: ") && told.contains("`estimation log init`"), "{told}");
    let told = done(&[&["log", "init"], &flags[..]].concat());
    assert_eq!(told, "the log estimation.localhost/log continues from 1 entries\n");
    eventually("the node goes on", async || refusal(&node.url).await.is_none()).await;
    node.terminate();
    node.ended_within(PATIENCE).expect("the node stops");
}

#[tokio::test]
async fn the_operator_accepts_a_log_on_sqlite() {
    the_operator_accepts_a_log(Backend::Sqlite).await;
}

#[tokio::test]
async fn the_operator_accepts_a_log_on_postgres() {
    the_operator_accepts_a_log(Backend::Postgres).await;
}

/// The first start of a node on an empty database.
async fn the_first_answer_has_a_checkpoint(backend: Backend) {
    let site = crate::nodes::site::Site::new(backend);
    let node = site.node();
    let note = text(&node.url, "/log/checkpoint").await.expect("a checkpoint");
    assert_eq!(note.lines().nth(1), Some("0"), "{note}");
}

#[tokio::test]
async fn the_first_answer_has_a_checkpoint_on_sqlite() {
    the_first_answer_has_a_checkpoint(Backend::Sqlite).await;
}

#[tokio::test]
async fn the_first_answer_has_a_checkpoint_on_postgres() {
    the_first_answer_has_a_checkpoint(Backend::Postgres).await;
}
