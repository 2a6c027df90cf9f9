//! Databases that are full, read-only, locked or briefly gone: honest errors, and recovery without help.

use diesel::connection::SimpleConnection;
use estimation_store::{Database, Server, Settings, StoreError, WriteOutcomes, WriteRefusal, event_reads};

use super::batches::recorded;
use super::samples::{Log, game_id, version};
use crate::nodes::proxy::Proxy;
use crate::prelude::*;

async fn on_the_writer(store: &Database, sql: &'static str) {
    store.write(Server, move |conn| Ok::<_, StoreError>(conn.batch_execute(sql)?)).await.expect(sql);
}

/// A full disk: only units that need room fail, and there are no partial writes.
#[tokio::test]
async fn a_full_disk_on_sqlite() {
    let database = TestDatabase::new(Backend::Sqlite);
    let store = database.open();
    let mut log = Log::new("g");
    store.append(log.next(&["1"])).await.expect("an event");
    let big = "x".repeat(1_000_000);
    for _ in 0..2 {
        on_the_writer(&store, "PRAGMA max_page_count = 60").await;
        let refused = store.append(log.rival(&["2", &big])).await;
        assert!(matches!(refused, Err(StoreError::DiskFull { .. })), "{refused:?}");
        assert_eq!(version(&store, "g").await, 1);
    }
    on_the_writer(&store, "PRAGMA max_page_count = 60").await;
    store.append(Log::new("h").next(&["1"])).await.expect("a small unit");
    // The writer's next connection has no such limit.
    let _ = store.append(log.rival(&["2", &big])).await;
    store.append(log.next(&["2", &big])).await.expect("there is room again");
    assert_eq!((version(&store, "g").await, version(&store, "h").await), (3, 1));
}

#[tokio::test]
async fn a_read_only_sqlite() {
    let database = TestDatabase::new(Backend::Sqlite);
    let store = database.open();
    let mut log = Log::new("g");
    on_the_writer(&store, "PRAGMA query_only = ON").await;
    let refused = store.append(log.rival(&["1"])).await;
    assert!(matches!(refused, Err(StoreError::ReadOnly { .. })), "{refused:?}");
    assert_eq!(version(&store, "g").await, 0);
    store.append(log.next(&["1"])).await.expect("writable again");
}

#[tokio::test]
async fn a_read_only_postgres() {
    let database = TestDatabase::new(Backend::Postgres);
    let store = database.open();
    let mut log = Log::new("g");
    store.append(log.next(&["1"])).await.expect("an event");
    let mut outsider = database.outsider();
    let default = |outsider: &mut Outsider, value: &str| {
        let sql = format!(
            "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = {value}', \
             current_database()); END $$"
        );
        outsider.run("SET default_transaction_read_only = off").expect("for this session");
        outsider.run(&sql).expect("a new default");
    };
    default(&mut outsider, "on");
    on_the_writer(&store, "SET default_transaction_read_only = on").await;
    for _ in 0..2 {
        let refused = store.append(log.rival(&["2"])).await;
        assert!(matches!(refused, Err(StoreError::ReadOnly { .. })), "{refused:?}");
    }
    default(&mut outsider, "off");
    // The session with the old default is the last to fail.
    let _ = store.append(log.rival(&["2"])).await;
    let outcome = store.append(log.next(&["2"])).await;
    assert!(matches!(outcome, Ok(_) | Err(StoreError::VersionConflict { .. })), "{outcome:?}");
    assert_eq!(version(&store, "g").await, 2);
}

#[tokio::test]
async fn a_locked_sqlite_is_waited_for() {
    let database = TestDatabase::new(Backend::Sqlite);
    let store = database.open();
    let mut outsider = database.outsider();
    outsider.run("BEGIN IMMEDIATE").expect("the lock");
    let mut log = Log::new("g");
    let unit = log.next(&["1"]);
    let appending = tokio::spawn({
        let store = store.clone();
        async move { store.append(unit).await }
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!appending.is_finished());
    outsider.run("COMMIT").expect("unlocked");
    appending.await.expect("no panic").expect("appended after the wait");
}

/// All connections are cut: at most one read fails, no write does, and the store recovers by itself.
#[tokio::test]
async fn postgres_connections_are_reopened() {
    let database = TestDatabase::new(Backend::Postgres);
    let proxy = Proxy::before(database.url_text());
    let settings = Settings { readers: 4, ..Settings::default() };
    let store = Database::open(&proxy.url.parse().expect("a URL"), settings).expect("through the proxy");
    let mut log = Log::new("g");
    store.append(log.next(&["1"])).await.expect("an event");
    let writers = proxy.writers();
    let reads: Vec<_> = (0..4)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                store
                    .read(|_| {
                        std::thread::sleep(Duration::from_millis(50));
                        Ok(())
                    })
                    .await
            })
        })
        .collect();
    for read in reads {
        read.await.expect("no panic").expect("a read");
    }
    database
        .outsider()
        .run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
             WHERE datname = current_database() AND pid <> pg_backend_pid()",
        )
        .expect("all cut");
    store.append(log.next(&["2"])).await.expect("the writer connects again");
    let mut failed = 0;
    for _ in 0..8 {
        // The pool does not ping, so a read must notice.
        failed += usize::from(store.read(|conn| event_reads::head(conn, game_id("g"))).await.is_err());
    }
    assert!(failed <= 1, "{failed} reads failed");
    assert_eq!(version(&store, "g").await, 2);
    assert_eq!(proxy.writers(), writers + 1);
}

/// Another session locks the table of events: all waiting callers are refused together.
#[tokio::test]
async fn a_locked_table_fails_all_waiting_callers() {
    let database = TestDatabase::new(Backend::Postgres);
    let (store, recorder) = recorded(&database);
    let mut outsider = database.outsider();
    outsider.run("BEGIN; LOCK TABLE game_events IN SHARE MODE").expect("the lock");
    let appending: Vec<_> = (0..40)
        .map(|game| {
            let (store, unit) = (store.clone(), Log::new(&format!("game-{game}")).next(&["1"]));
            tokio::spawn(async move { store.append(unit).await })
        })
        .collect();
    for answer in appending {
        let answer = answer.await.expect("no panic");
        assert!(answer.as_ref().is_err_and(StoreError::is_unavailable), "{answer:?}");
    }
    assert_eq!(recorder.totals().reruns, 0, "no batch ran again unit by unit");
    outsider.run("COMMIT").expect("unlocked");
    store.append(Log::new("game-0").next(&["1"])).await.expect("writing goes on");
}

on_both! {
    async fn bad_sql_is_a_distinct_error(database: TestDatabase) {
        let store = database.open();
        let bad = store.write(Server, |conn| Ok::<_, StoreError>(conn.batch_execute("SELEKT 1")?)).await;
        assert!(bad.is_err());
        store.append(Log::new("g").next(&["1"])).await.expect("the next unit");
    }
}

#[test]
fn a_refusal_ends_with_a_commit_and_a_pause() {
    let begun = Instant::now();
    let at = |seconds: u64| begun + Duration::from_secs(seconds);
    let mut outcomes =
        WriteOutcomes { refused: Some((WriteRefusal::Locked, at(10))), ..WriteOutcomes::default() };
    assert_eq!(outcomes.refusal(at(100)), Some(WriteRefusal::Locked), "nobody has written since");
    outcomes.committed = Some(at(9));
    assert_eq!(outcomes.refusal(at(100)), Some(WriteRefusal::Locked), "the commit was before");
    outcomes.committed = Some(at(11));
    assert_eq!(outcomes.refusal(at(14)), Some(WriteRefusal::Locked));
    assert_eq!(outcomes.refusal(at(15)), None);
}

#[test]
fn errors_of_a_unit_are_no_refusal() {
    let unavailable = |detail: &str| StoreError::Unavailable { detail: detail.to_owned() };
    assert_eq!(WriteRefusal::of(&unavailable("55P03: lock timeout")), Some(WriteRefusal::Locked));
    assert_eq!(WriteRefusal::of(&unavailable("database is locked")), Some(WriteRefusal::Locked));
    assert_eq!(WriteRefusal::of(&unavailable("40P01: deadlock")), None);
    assert_eq!(WriteRefusal::of(&unavailable("connection refused")), Some(WriteRefusal::Unavailable));
    for error in
        [StoreError::NotFound, StoreError::KeyTaken, StoreError::Overloaded, StoreError::ShuttingDown]
    {
        assert_eq!(WriteRefusal::of(&error), None, "{error}");
    }
}
