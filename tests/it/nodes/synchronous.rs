//! A silent synchronous standby blocks COMMITs on the primary. Callers are answered in time, nothing is
//! acknowledged that the standby lacks, and the waits do not add up.

use std::sync::mpsc::channel;

use estimation_store::{Connection, Database, Server, Settings, StoreError};

use super::cluster::Cluster;
use super::signals::Frozen;
use crate::prelude::*;

/// The time limit of a request, and a little more. Two waits that add up take longer.
const LIMIT: Duration = Duration::from_secs(12);

fn waiting(primary: &Cluster) -> i64 {
    primary.processes_where("wait_event = 'SyncRep'")
}

fn pair() -> (Cluster, Cluster) {
    let primary = Cluster::durable();
    let standby = primary.standby();
    primary.run("ALTER SYSTEM SET synchronous_standby_names = '*'");
    primary.reload();
    (primary, standby)
}

#[derive(Clone)]
struct Move {
    client: Client,
    path: String,
    command: Value,
}

impl Move {
    async fn at(table: &Table) -> Move {
        let (actor, view) = table.turn().await.expect("a game under way");
        let client = table.players[actor].client.clone();
        Move { client, path: table.path("commands"), command: view["legal"][0].clone() }
    }

    async fn post(&self, key: &str) -> Answer {
        self.client.send(&self.path, &self.command).header("idempotency-key", key).await
    }
}

async fn readiness(url: &str) -> Value {
    let answer = Client::anonymous(url).get("/readyz").await;
    if answer.status == 200 { json!("ready") } else { answer.json()["reason"].clone() }
}

#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[tokio::test]
async fn a_silent_standby() {
    let (primary, standby) = pair();
    let site = Site::at(&format!("{}/postgres", primary.url));
    let node = site.node();
    let begun = Instant::now();
    let table = Table::of_two(&Client::anonymous(&node.url)).await;
    // A slow machine needs more: as much as for these requests.
    let limit = LIMIT + begun.elapsed();
    let version = table.version().await;
    let wanted = Move::at(&table).await;
    let frozen = found("a move whose COMMIT waits", async || {
        let frozen = Frozen::new(|| standby.processes());
        let begun = Instant::now();
        let first = wanted.post("first").await;
        assert!(begun.elapsed() < limit, "{:?}", begun.elapsed());
        assert_eq!(first.status, 503, "{first:?}");
        if first.json()["code"] == "outcome-unknown" {
            return Some(frozen);
        }
        // A COMMIT of the node's own waits instead, and the writer did not take the move.
        drop(frozen);
        eventually("the node writes again", async || readiness(&node.url).await == "ready").await;
        None
    })
    .await;
    // Until a write has waited for long, the database is silent if it does not answer the check in time.
    eventually("the node says that writes wait", async || {
        let reason = readiness(&node.url).await;
        assert!(reason == "writes-waiting" || reason == "database-silent", "{reason}");
        reason == "writes-waiting"
    })
    .await;
    // Again, with the key and without: nothing is acknowledged, and the waits do not add up.
    for number in 0..2 {
        let begun = Instant::now();
        let key = if number % 2 == 0 { "first".to_owned() } else { format!("other-{number}") };
        let answer = wanted.post(&key).await;
        assert_eq!(answer.status, 503, "{answer:?}");
        assert!(begun.elapsed() < limit, "{:?}", begun.elapsed());
        assert_eq!(waiting(&primary), 1);
    }
    // A connection that was opened meanwhile cannot confirm what it reads, so the answer may be a refusal.
    let view = table.seat(0).view().await;
    assert!(view.status == 503 || view.json()["version"] == version, "the move is visible: {view}");

    drop(frozen);
    eventually("the node writes again", async || readiness(&node.url).await == "ready").await;
    assert_eq!(table.version().await, version + 1, "the first move is there, and no other");
    assert_eq!(wanted.post("first").await.header("idempotency-replayed"), Some("true"));
}

/// A commit without writes does not wait for a standby, so it confirms nothing.
#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[tokio::test]
async fn a_commit_without_content() {
    let (primary, standby) = pair();
    let url = format!("{}/postgres", primary.url).parse().expect("a URL");
    let store = Database::open(&url, Settings::default()).expect("a database");
    let _frozen = Frozen::new(|| standby.processes());
    let (begin, begun) = channel();
    let (go_on, going_on) = channel();
    let reading = tokio::spawn({
        let store = store.clone();
        async move {
            let read = move |_: &mut Connection| {
                begin.send(()).expect("the test waits");
                going_on.recv().expect("the test goes on");
                Ok(())
            };
            store.read(read).await
        }
    });
    tokio::task::spawn_blocking(move || begun.recv()).await.expect("no panic").expect("a connection is open");
    store.write(Server, |_| Ok::<_, StoreError>(())).await.expect("a commit without content");
    go_on.send(()).expect("the read waits");
    let read = reading.await.expect("no panic");
    assert!(matches!(read, Err(StoreError::OutcomeUnknown { .. })), "{read:?}");
}

/// An operator cancels the wait: PostgreSQL reports the COMMIT as a success, and no standby has it.
#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[tokio::test]
async fn a_wait_that_an_operator_cancels() {
    let (primary, standby) = pair();
    let site = Site::at(&format!("{}/postgres", primary.url));
    let node = site.node();
    let table = Table::of_two(&Client::anonymous(&node.url)).await;
    let wanted = Move::at(&table).await;
    let version = table.version().await;
    let made = format!("game_events WHERE game_id = '{}' AND seq > {version}", table.id);
    let cancelled = async |statement: &str| {
        let posting = tokio::spawn({
            let wanted = wanted.clone();
            async move { wanted.post("once").await }
        });
        eventually("a COMMIT waits", async || waiting(&primary) == 1).await;
        primary.run(&format!("SELECT {statement} FROM pg_stat_activity WHERE wait_event = 'SyncRep'"));
        let answer = posting.await.expect("no panic");
        assert_eq!(answer.status, 503, "{statement}: {answer:?}");
        primary.count(&made) > 0
    };
    let frozen = found("a move whose COMMIT an operator cancels", async || {
        let frozen = Frozen::new(|| standby.processes());
        if cancelled("pg_cancel_backend(pid)").await {
            return Some(frozen);
        }
        // A COMMIT of the node's own waited instead, and the writer did not take the move.
        drop(frozen);
        eventually("the node writes again", async || readiness(&node.url).await == "ready").await;
        None
    })
    .await;
    for statement in ["pg_cancel_backend(pid)", "pg_terminate_backend(pid)"] {
        assert!(cancelled(statement).await, "{statement}: the move stays");
        // The move is visible now, and still on no standby.
        let begun = Instant::now();
        let again = wanted.post("once").await;
        assert_eq!(again.status, 503, "{statement}: {again:?}");
        assert!(begun.elapsed() < PATIENCE);
    }
    drop(frozen);
    let answer = found("an acknowledgement", async || {
        let answer = wanted.post("once").await;
        (answer.status != 503).then_some(answer)
    })
    .await;
    assert_eq!(answer.header("idempotency-replayed"), Some("true"), "{answer:?}");
    assert_eq!(table.version().await, version + primary.count(&made) as u64);
}
