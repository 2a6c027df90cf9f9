//! A database that answers and refuses writes: `/readyz` and the metrics say so and say why, until it writes again.

use std::future::IntoFuture;

use estimation_store::{Connection, Server, StoreError};

use super::audit::is_whole;
use super::inside::Inside;
use super::proxy::Proxy;
use crate::prelude::*;

async fn readiness(url: &str) -> Answer {
    Client::anonymous(url).get("/readyz").await
}

fn refused(reason: &str) -> Value {
    json!({"status": "ok", "writes": "refused", "reason": reason})
}

/// The reasons for which the metrics say that writes are refused.
async fn measured(inside: &Inside) -> Vec<String> {
    let text = inside.app.monitoring.scrape().await;
    let samples: Vec<&str> =
        text.lines().filter(|line| line.starts_with("estimation_writes_refused{")).collect();
    assert_eq!(samples.len(), 5, "one for each reason: {samples:?}");
    let raised = samples.iter().filter_map(|line| line.strip_suffix("\"} 1"));
    raised.map(|line| line.rsplit('"').next().expect("a reason").to_owned()).collect()
}

/// A refused move, and what is told of it; then moves succeed, and nothing is told any more.
async fn is_told(inside: &Inside, table: &Table, reason: &str, end: impl AsyncFnOnce()) {
    assert_eq!(readiness(&inside.url).await.accepted(), json!({"status": "ok", "writes": "accepted"}));
    assert!(measured(inside).await.is_empty());
    let before = table.views().await;
    table.any_move().await.unavailable();
    // A write of the node itself may still wait.
    eventually("the node says why", async || {
        let answer = readiness(&inside.url).await;
        answer.status == 200 && answer.json() == refused(reason)
    })
    .await;
    assert_eq!(measured(inside).await, [reason]);
    assert_eq!(table.views().await, before);
    end().await;
    table.moves_again().await;
    eventually("writes are accepted", async || {
        readiness(&inside.url).await.accepted()["writes"] == "accepted"
    })
    .await;
    assert!(measured(inside).await.is_empty());
    is_whole(&mut inside.database.outsider(), table, table.version().await);
}

#[tokio::test]
async fn a_read_only_connection() {
    let inside = Inside::start(TestDatabase::new(Backend::Sqlite));
    let table = Table::of_two(&Client::anonymous(&inside.url)).await;
    inside.on_the_writer("PRAGMA query_only = ON").await;
    is_told(&inside, &table, "read-only", async || {}).await;
}

#[tokio::test]
async fn a_disk_without_a_free_page() {
    let inside = Inside::start(TestDatabase::new(Backend::Sqlite));
    let table = Table::of_two(&Client::anonymous(&inside.url)).await;
    table.play(&mut Random(1), 4).await;
    // Uses up the free space of the pages there are.
    inside.on_the_writer("PRAGMA max_page_count = 1").await;
    while table.any_move().await.is_success() {}
    assert_eq!(readiness(&inside.url).await.accepted(), refused("disk-full"));
    assert_eq!(measured(&inside).await, ["disk-full"]);
}

#[tokio::test]
async fn a_replaced_file() {
    let inside = Inside::start(TestDatabase::new(Backend::Sqlite));
    let table = Table::of_two(&Client::anonymous(&inside.url)).await;
    let (actor, view) = table.turn().await.expect("a game under way");
    let file = inside.database.file();
    // Deleted between the write and its commit.
    let deletion = move |_: &mut Connection| {
        fs::remove_file(&file).expect("deleted");
        Ok(())
    };
    let written = inside.store.write(Server, deletion).await;
    assert!(matches!(written, Err(StoreError::OutcomeUnknown { .. })), "{written:?}");
    table.seat(actor).command(&view["legal"][0]).await.unavailable();
    assert_eq!(readiness(&inside.url).await.unavailable()["reason"], "database-replaced");
    assert_eq!(measured(&inside).await, ["database-replaced"]);
}

#[tokio::test]
#[ignore = "all: waits out deadlines of a node, a client or the database"]
async fn a_table_that_another_session_locks() {
    for (backend, lock) in [
        (Backend::Sqlite, "BEGIN IMMEDIATE"),
        (Backend::Postgres, "BEGIN; LOCK TABLE game_events IN EXCLUSIVE MODE"),
    ] {
        let inside = Inside::start(TestDatabase::new(backend));
        let table = Table::of_two(&Client::anonymous(&inside.url)).await;
        let mut outsider = inside.database.outsider();
        outsider.run(lock).expect("a lock");
        is_told(&inside, &table, "locked", async || outsider.run("ROLLBACK").expect("unlocked")).await;
    }
}

/// Nobody writes, and nodes notice it all the same; and also that it is over.
#[tokio::test]
async fn a_read_only_postgres() {
    let site = Site::new(Backend::Postgres);
    let node = site.node();
    let strict = site.node_with(&["--ready-without-writes", "off"]);
    let nobody = Client::anonymous(&node.url);
    let table = Table::of_two(&nobody).await;
    let (actor, view) = table.turn().await.expect("a game under way");
    site.set_read_only(true);
    eventually("the node says why", async || {
        let answer = readiness(&node.url).await;
        answer.status == 200 && answer.json() == refused("read-only")
    })
    .await;
    eventually("the other is not ready", async || {
        let answer = readiness(&strict.url).await;
        answer.status == 503 && answer.json()["reason"] == "read-only"
    })
    .await;
    table.seat(actor).command(&view["legal"][0]).await.unavailable();
    let account = json!({"username": "nobody-at-all", "password": "plum-kettle-orbit"});
    nobody.send("/v1/accounts", &account).await.unavailable();
    is_whole(&mut site.outsider(), &table, 4);
    site.set_read_only(false);
    for node in [&node, &strict] {
        eventually("writes are accepted", async || {
            let answer = readiness(&node.url).await;
            answer.status == 200 && answer.json()["writes"] == "accepted"
        })
        .await;
    }
    // The node notices a cut read connection when it uses it.
    eventually("reads succeed", async || table.seat(0).view().await.is_success()).await;
    table.moves_again().await;
    is_whole(&mut site.outsider(), &table, table.version().await);
}

/// A firewall forgets the open connections. A check on a new one succeeds while the writer's still hangs: the node is
/// ready again only when it also writes.
#[tokio::test]
#[ignore = "all: waits out deadlines of a node, a client or the database"]
async fn frozen_connections_do_not_make_readiness_flap() {
    let database = TestDatabase::new(Backend::Postgres);
    let proxy = Proxy::before(database.url_text());
    let inside = Inside::start_through(database, &proxy.url);
    let table = Table::of_two(&Client::anonymous(&inside.url)).await;
    let (actor, view) = table.turn().await.expect("a game under way");
    readiness(&inside.url).await.accepted();
    proxy.freeze();
    eventually("the node is not ready", async || readiness(&inside.url).await.status == 503).await;
    eventually("the node is ready again", async || readiness(&inside.url).await.status == 200).await;
    table.seat(actor).command(&view["legal"][0]).await.accepted();
    // None of these finds a frozen connection.
    let client = &table.players[0].client;
    let unheard = proxy.unheard();
    assert!(unheard > 0, "the node spoke on a frozen connection before it knew");
    let reads = (0..32).map(|_| client.get("/v1/leaderboards/squares").into_future());
    for answer in join_all(reads).await {
        answer.accepted();
    }
    assert_eq!(proxy.unheard(), unheard, "a frozen connection was used");
    assert_eq!(readiness(&inside.url).await.status, 200);
}
