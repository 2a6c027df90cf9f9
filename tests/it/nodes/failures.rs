//! Databases that are full or away: honest answers, no partial writes, and recovery without a
//! restart.

use tokio::time::sleep;

use super::audit::is_whole;
use super::frames::{Frame, Frames, id_of};
use super::inside::Inside;
use super::proxy::{Plan, Proxy};
use super::site::Location;
use crate::prelude::*;

/// A string that occurs in every event of a game and in no other write.
fn in_an_event(table: &Table) -> String {
    format!("\"game\":\"{}\",\"seq\"", table.id)
}

async fn move_of(table: &Table, key: &str) -> Answer {
    let (actor, view) = table.turn().await.expect("a game under way");
    table.seat(actor).command(&view["legal"][0]).header("idempotency-key", key).await
}

async fn ready(url: &str) -> u16 {
    Client::anonymous(url).get("/readyz").await.status
}

/// No free page: a command that needs one is refused; commands at other tables still work.
#[tokio::test]
#[ignore = "all: runs, kills and freezes programs for many seconds"]
async fn a_full_disk() {
    let inside = Inside::start(TestDatabase::new(Backend::Sqlite));
    let table = Table::of_two(&Client::anonymous(&inside.url)).await;
    let mut dice = Random(1);
    table.play(&mut dice, 10).await;
    let mut refused = 0;
    let mut made = 0;
    // Gives room for a few moves each time. The writer's next connection has no limit.
    while refused < 10 {
        // Sets the limit to the current number of pages.
        inside.on_the_writer("PRAGMA max_page_count = 1").await;
        loop {
            let before = table.views().await;
            let answer = move_of(&table, &format!("move-{made}")).await;
            if answer.is_success() {
                made += 1;
                continue;
            }
            let problem = answer.unavailable();
            let told = problem.to_string();
            assert!(!told.contains("disk") && !told.contains("full"), "a 5xx never says why: {told}");
            assert_eq!(table.views().await, before, "nothing is half done");
            assert_eq!(ready(&inside.url).await, 200, "the database answers");
            refused += 1;
            break;
        }
        // The same request now takes effect, once.
        let again = move_of(&table, &format!("move-{made}")).await;
        assert_eq!(again.header("idempotency-replayed"), None);
        again.accepted();
        made += 1;
    }
    println!("a full disk: {made} moves made, {refused} refused");
    is_whole(&mut inside.database.outsider(), &table, table.version().await);
}

/// The database is away for a while: the node is not ready, answers honestly, and streams continue or can be
/// resumed afterwards.
#[tokio::test]
#[ignore = "all: runs, kills and freezes programs for many seconds"]
async fn a_database_that_is_away() {
    let site = Site::new(Backend::Postgres);
    let proxy = Proxy::before(site.url());
    let node = site.node_through(&proxy.url, &["--heartbeat", "1"]);
    let other = site.node();
    let table = Table::of_two(&Client::anonymous(&node.url)).await;
    let client = table.players[0].client.clone();
    let mut stream = Frames::of(&client, &table.stream(), None).await;
    for seq in 1..=4 {
        assert!(matches!(stream.soon(PATIENCE).await, Frame::Event { id, .. } if id == seq));
    }
    for plan in [Plan::Away, Plan::Hang, Plan::Away] {
        let (before, mut head) = (table.version().await, table.head().await);
        proxy.plan(plan);
        let begun = Instant::now();
        while ready(&node.url).await == 200 {
            assert!(begun.elapsed() < PATIENCE, "ready without a database");
        }
        assert_eq!(ready(&node.url).await, 503);
        assert_eq!(Client::anonymous(&node.url).get("/healthz").await.status, 200, "the process lives");
        if plan == Plan::Away {
            let refused = client.get(&table.game()).await;
            refused.unavailable();
            let refused =
                client.send(&table.path("commands"), &json!({"type": "estimate", "tricks": 0})).await;
            refused.unavailable();
        }
        let there = table.at(&other.url);
        assert_eq!(there.version().await, before);
        let reached = there.play(&mut Random(before), 3).await;
        proxy.plan(Plan::Pass);
        node.is_ready_again().await;
        table.moves_again().await;
        let last = table.version().await;
        let mut seq = before;
        while seq < last {
            match stream.next().await {
                Ok(Some(Frame::Event { id, data })) => {
                    assert_eq!(id, seq + 1, "a hole or a repeat");
                    (seq, head) = (id, id_of(id, data["hash"].as_str().expect("a hash")));
                }
                Ok(Some(_)) => {}
                // Resumes a stream that was cut while the database was away.
                Ok(None) | Err(_) => match Frames::open(&client, &table.stream(), Some(&head)).await {
                    Ok(Ok(again)) => stream = again,
                    _ => sleep(Duration::from_millis(100)).await,
                },
            }
        }
        assert!(reached < last);
    }
    let Location::Test(database) = &site.database else { unreachable!() };
    is_whole(&mut database.outsider(), &table, table.version().await);
}

/// The connection is cut around COMMIT: the answer is true, or says that the outcome is unknown. Nothing is
/// done twice.
#[tokio::test]
#[ignore = "all: runs, kills and freezes programs for many seconds"]
async fn a_connection_cut_at_commit() {
    let site = Site::new(Backend::Postgres);
    let proxy = Proxy::before(site.url());
    let node = site.node_through(&proxy.url, &[]);
    let table = Table::of_two(&Client::anonymous(&node.url)).await;
    let event = in_an_event(&table);
    for round in 0..6 {
        let key = format!("round-{round}");
        let before = table.version().await;

        proxy.cut(Plan::CutAfterCommit, &event);
        let answer = if round % 2 == 0 { move_of(&table, &key).await } else { table.any_move().await };
        assert_eq!(answer.header("idempotency-replayed"), None);
        let done = answer.accepted();
        assert_eq!(done["version"], table.version().await, "it took place, and so it is said");
        assert_eq!(done["events"][0]["seq"], before + 1);

        let before = table.views().await;
        proxy.cut(Plan::CutBeforeCommit, &event);
        let answer = table.any_move().await;
        answer.unavailable();
        assert_eq!(table.views().await, before, "it did not take place, and so it is said");
    }
    assert_eq!(proxy.cuts(), 12);
    // Accounts have no log for a lookup.
    for (n, plan) in [Plan::CutAfterCommit, Plan::CutBeforeCommit].into_iter().enumerate() {
        let username = format!("cut-{n}");
        proxy.cut(plan, &username);
        let account = json!({"username": username, "password": "plum-kettle-orbit"});
        let nobody = Client::anonymous(&node.url);
        let answer = nobody.send("/v1/accounts", &account).await;
        let again = nobody.send("/v1/accounts", &account).await;
        if plan == Plan::CutAfterCommit {
            answer.accepted();
            again.refused(409, "username-taken");
        } else {
            answer.unavailable();
            again.accepted();
        }
    }
    let Location::Test(database) = &site.database else { unreachable!() };
    is_whole(&mut database.outsider(), &table, table.version().await);
}

/// The connection is cut after COMMIT, and the database cannot be asked for the outcome: the answer says so.
/// A retry with the key gets the first answer.
#[tokio::test]
#[ignore = "all: runs, kills and freezes programs for many seconds"]
async fn a_commit_with_unknown_outcome() {
    let site = Site::new(Backend::Postgres);
    let proxy = Proxy::before(site.url());
    let node = site.node_through(&proxy.url, &[]);
    let table = Table::of_two(&Client::anonymous(&node.url)).await;
    let (actor, view) = table.turn().await.expect("a game under way");
    let request = || {
        let path = table.path("commands");
        table.players[actor].client.send(&path, &view["legal"][0]).header("idempotency-key", "once")
    };
    proxy.cut(Plan::CutAfterCommitAndAll, &in_an_event(&table));
    let begun = Instant::now();
    request().await.refused(503, "outcome-unknown");
    assert!(begun.elapsed() < PATIENCE);
    proxy.plan(Plan::Pass);
    node.is_ready_again().await;
    let again = request().await;
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(again.accepted()["events"][0]["seq"], 5);
    table.play(&mut Random(1), 5).await;
    let Location::Test(database) = &site.database else { unreachable!() };
    is_whole(&mut database.outsider(), &table, table.version().await);
}

/// The move is committed, but the names for the answer cannot be read: the answer does not say that nothing
/// changed.
#[tokio::test]
#[ignore = "all: runs, kills and freezes programs for many seconds"]
async fn a_database_that_fails_after_the_commit() {
    let site = Site::new(Backend::Postgres);
    let (node, other) = (site.node(), site.node());
    let mut outsider = site.outsider();
    let mut unknown = 0;
    while unknown == 0 {
        let table = Table::of_two(&Client::anonymous(&node.url)).await;
        let (actor, view) = table.turn().await.expect("a game under way");
        let version = table.version().await;
        let there = table.at(&other.url);
        // This node has cached the session and none of the names.
        there.players[actor].client.get("/v1/me").await.accepted();
        outsider.run("BEGIN; LOCK TABLE accounts, presence IN ACCESS EXCLUSIVE MODE").expect("a lock");
        let answer = there.players[actor].client.send(&table.path("commands"), &view["legal"][0]).await;
        outsider.run("ROLLBACK").expect("unlocked");
        assert_eq!(answer.status, 503, "{answer:?}");
        let is_unknown = answer.json()["code"] == "outcome-unknown";
        assert!(is_unknown || table.version().await == version, "{answer:?}");
        unknown += usize::from(is_unknown && table.version().await == version + 1);
    }
}
