//! Restored backups, lost state files, and databases that moved: no second history is signed, whatever a node knows.

use diesel::Connection as _;
use estimation_engine::event::Visibility;
use estimation_service::public_log::failure::LogFailure;
use estimation_service::public_log::{LogSettings, LogStateFile};
use estimation_store::public_log::tree;
use estimation_store::{Database, DatabaseUrl, PgConnection, Settings};

use super::procedures::node_on;
use super::witness::TestWitness;
use super::{node, signed};
use crate::audit::served::*;
use crate::nodes::cluster::Cluster;
use crate::prelude::*;

/// A node's state file, in a folder of its own.
struct State {
    folder: TempDir,
}

impl State {
    fn new() -> State {
        State { folder: TempDir::new().expect("a folder") }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("log-state")
    }

    fn settings(&self) -> LogSettings {
        LogSettings { state_file: Some(LogStateFile::new(self.path())), ..LogSettings::default() }
    }

    fn watched(&self, witness: &TestWitness) -> LogSettings {
        LogSettings { witnesses: vec![witness.setting()], ..self.settings() }
    }

    fn text(&self) -> String {
        fs::read_to_string(self.path()).expect("the state")
    }
}

/// Starts a game, and signs its start.
async fn grow(app: &Arc<App>) {
    table(app, Visibility::Public).await;
    app.public_log.advance().await.expect("an entry");
}

/// The sizes of the tree and of its last checkpoint.
async fn sizes(database: &TestDatabase) -> (u64, u64) {
    let store = database.open();
    let tree = store.read(tree::find).await.expect("a look").expect("a log");
    store.shutdown().await;
    (tree.size, tree.signed_size)
}

/// A start waits. The node neither enters nor signs it, and says why.
async fn is_refused(app: &Arc<App>, database: &TestDatabase, reason: &str) {
    table(app, Visibility::Public).await;
    let before = sizes(database).await;
    for _ in 0..2 {
        let failure = app.public_log.advance().await.expect_err("nothing is signed");
        assert_eq!(failure.reason(), Some(reason), "{failure}");
        assert_eq!(app.public_log.refusal().expect("a reason").reason, reason);
    }
    assert_eq!(sizes(database).await, before);
    assert!(app.metrics.render().contains("estimation_public_log_refused 1"));
}

on_both! {
    /// Also not by a node that has signed nothing itself.
    async fn two_nodes_sign_no_second_history_of_a_restored_backup(database: TestDatabase) {
        let (one, other) = (State::new(), State::new());
        let (first, second) = (node(&database, one.settings()).await, node(&database, other.settings()).await);
        first.public_log.advance().await.expect("the empty log");
        second.public_log.init().await.expect("a state file");
        grow(&first).await;
        second.public_log.advance().await.expect("nothing to do");
        for app in [&first, &second] {
            app.shutdown().await;
        }
        drop((first, second));
        let backup = database.copied();

        let (first, second) = (node(&database, one.settings()).await, node(&database, other.settings()).await);
        for _ in 0..2 {
            grow(&first).await;
            second.public_log.advance().await.expect("nothing to do");
        }
        assert_eq!(signed(&first).await.0.size, 3);
        assert_eq!(one.text(), other.text());
        for app in [&first, &second] {
            app.shutdown().await;
        }

        for state in [&other, &one] {
            let app = node(&backup, state.settings()).await;
            is_refused(&app, &backup, "rolled-back").await;
            app.shutdown().await;
        }
        assert_eq!(sizes(&backup).await, (1, 1));
    }

    /// The database was lost as well.
    async fn an_empty_database_asks_the_witnesses(database: TestDatabase) {
        let (state, witness) = (State::new(), TestWitness::start("first.example/w"));
        let app = node(&database, state.watched(&witness)).await;
        app.public_log.advance().await.expect("the empty log");
        grow(&app).await;
        app.public_log.ask_witness(&witness.setting()).await;
        app.shutdown().await;
        let (state, empty) = (State::new(), TestDatabase::new(database.backend()));
        let app = node(&empty, state.watched(&witness)).await;
        let failure = app.public_log.advance().await;
        assert!(matches!(&failure, Err(LogFailure::RolledBack { .. })), "{failure:?}");
        is_refused(&app, &empty, "rolled-back").await;
        assert!(app.public_log.checkpoint().await.expect("a look").is_none(), "not even the empty log");
    }

    async fn a_running_node_stops_at_a_contradiction(database: TestDatabase) {
        let (state, witness) = (State::new(), TestWitness::start("first.example/w"));
        let app = node(&database, state.watched(&witness)).await;
        app.public_log.advance().await.expect("the empty log");
        grow(&app).await;
        app.public_log.ask_witness(&witness.setting()).await;
        let seen = witness.seen.lock().expect("the state").clone().expect("a checkpoint");
        *witness.seen.lock().expect("the state") = Some(estimation_tlog::Checkpoint { size: 7, ..seen.clone() });
        grow(&app).await;
        app.public_log.ask_witness(&witness.setting()).await;
        is_refused(&app, &database, "rolled-back").await;
        *witness.seen.lock().expect("the state") = Some(seen);
        app.public_log.ask_witness(&witness.setting()).await;
        app.public_log.advance().await.expect("the log goes on");
        assert_eq!(signed(&app).await.0.size, 3);
    }
}

/// A restored dump is a new database. A node that was stopped when the later entries were signed does not know them.
#[tokio::test]
async fn a_database_that_moved_is_not_signed() {
    let (database, state) = (TestDatabase::new(Backend::Postgres), State::new());
    let app = node(&database, state.settings()).await;
    app.public_log.advance().await.expect("the empty log");
    grow(&app).await;
    app.shutdown().await;
    drop(app);
    let restored = database.copied();
    let app = node(&restored, state.settings()).await;
    is_refused(&app, &restored, "unconfirmed").await;
    app.public_log.init().await.expect("a state file");
    app.public_log.advance().await.expect("the start");
    assert_eq!(signed(&app).await.0.size, 2);
}

#[tokio::test]
async fn on_a_new_timeline_the_operator_or_a_setting_decides() {
    let state = State::new();
    let primary = Cluster::new();
    let standby = primary.standby();
    let app = node_on(&primary, state.settings()).await;
    app.public_log.advance().await.expect("the empty log");
    grow(&app).await;
    let connection = PgConnection::establish(&primary.socket_url()).expect("the socket");
    let mut outsider = Outsider::Postgres(connection);
    let follows = "pg_stat_replication WHERE replay_lsn >= pg_current_wal_lsn()";
    eventually("the entry on the standby", async || outsider.count(follows) == 1).await;
    drop(outsider);
    app.shutdown().await;
    primary.crash();
    let before = state.text();
    standby.promote();

    let app = node_on(&standby, state.settings()).await;
    table(&app, Visibility::Public).await;
    let failure = app.public_log.advance().await.expect_err("nothing is signed");
    assert!(
        failure.to_string().contains("PostgreSQL is on timeline 2, the state file is of timeline 1"),
        "{failure}"
    );
    let url: DatabaseUrl = standby.socket_url().parse().expect("a URL");
    let store = Database::open(&url, Settings::default()).expect("a database");
    let tree = store.read(tree::find).await.expect("a look").expect("a log");
    assert_eq!((tree.size, tree.signed_size), (1, 1));
    store.shutdown().await;
    app.public_log.init().await.expect("a state file");
    app.public_log.advance().await.expect("the start");
    assert_eq!(signed(&app).await.0.size, 2);
    app.shutdown().await;

    // The same promotion, with the setting.
    fs::write(state.path(), before).expect("the state before");
    let app = node_on(&standby, LogSettings { synchronous_standbys: true, ..state.settings() }).await;
    grow(&app).await;
    assert_eq!(signed(&app).await.0.size, 3);
    assert!(state.text().contains(" 2 "), "{}", state.text());
    app.shutdown().await;
}

on_sqlite_first! {
    async fn a_node_without_its_state_file_asks_for_the_operator(database: TestDatabase) {
        let state = State::new();
        let app = node(&database, state.settings()).await;
        app.public_log.advance().await.expect("the empty log");
        grow(&app).await;
        let text = state.text();
        app.shutdown().await;
        fs::remove_file(state.path()).expect("the file");
        let app = node(&database, state.settings()).await;
        is_refused(&app, &database, "unconfirmed").await;
        let status = app.public_log.status().await.expect("a look").expect("a log");
        assert_eq!((status.size, status.signed_size, status.waiting, status.refused), (1, 1, 1, 0));
        assert_eq!(status.state_file.expect("a file").1, "missing");
        assert_eq!(status.refusal.expect("a reason").reason, "unconfirmed");
        fs::write(state.path(), "scribble").expect("a damaged file");
        is_refused(&app, &database, "unconfirmed").await;
        // It refuses to take a log that contradicts the file, and the node goes on without a restart when it has it.
        fs::write(state.path(), text.replace("\n1\n", "\n9\n")).expect("a later state");
        assert!(matches!(app.public_log.init().await, Err(LogFailure::RolledBack { .. })));
        fs::remove_file(state.path()).expect("the file");
        app.public_log.init().await.expect("a state file");
        assert_eq!(state.text(), text);
        app.public_log.advance().await.expect("the starts");
        assert_eq!(signed(&app).await.0.size, 3);
        assert_eq!(app.public_log.refusal(), None);
        let status = app.public_log.status().await.expect("a look").expect("a log");
        assert_eq!((status.size, status.signed_size, status.waiting), (3, 3, 0));
        assert!(status.refusal.is_none(), "{status:?}");
    }

    /// Neither with no state file, nor with an old one.
    async fn nothing_is_signed_that_a_witness_contradicts(database: TestDatabase) {
        let (state, witness) = (State::new(), TestWitness::start("first.example/w"));
        let app = node(&database, state.watched(&witness)).await;
        app.public_log.advance().await.expect("the empty log");
        grow(&app).await;
        app.public_log.ask_witness(&witness.setting()).await;
        let old = state.text();
        app.shutdown().await;
        drop(app);
        let backup = database.copied();
        let app = node(&database, state.watched(&witness)).await;
        for _ in 0..2 {
            grow(&app).await;
            app.public_log.ask_witness(&witness.setting()).await;
        }
        assert_eq!(witness.seen.lock().expect("the state").as_ref().map(|seen| seen.size), Some(3));
        app.shutdown().await;

        for text in [None, Some(old)] {
            match text {
                None => fs::remove_file(state.path()).expect("the file"),
                Some(old) => fs::write(state.path(), old).expect("an old file"),
            }
            let app = node(&backup, state.watched(&witness)).await;
            is_refused(&app, &backup, "rolled-back").await;
            let refused = app.public_log.init().await;
            assert!(matches!(&refused, Err(LogFailure::RolledBack { .. })), "{refused:?}");
            let status = app.public_log.status().await.expect("a look").expect("a log");
            assert_eq!(status.witnesses[0].size, Some(3), "{status:?}");
            app.shutdown().await;
        }
        assert_eq!(sizes(&backup).await, (1, 1));
    }

    async fn a_witness_confirms_a_log_whose_state_file_is_lost(database: TestDatabase) {
        let (state, witness) = (State::new(), TestWitness::start("first.example/w"));
        let app = node(&database, state.watched(&witness)).await;
        app.public_log.advance().await.expect("the empty log");
        grow(&app).await;
        app.public_log.ask_witness(&witness.setting()).await;
        let text = state.text();
        app.shutdown().await;
        fs::remove_file(state.path()).expect("the file");
        let app = node(&database, state.watched(&witness)).await;
        app.public_log.advance().await.expect("a confirmed log");
        assert_eq!(state.text(), text);
        grow(&app).await;
        assert_eq!(signed(&app).await.0.size, 2);
    }
}
