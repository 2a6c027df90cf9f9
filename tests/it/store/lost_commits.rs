//! The connection is cut around COMMIT: the answer matches the outcome.

use estimation_store::accounts;
use estimation_store::{Database, Server, Settings, StoreError, event_reads};

use super::samples::{Log, account_id, guest, version};
use crate::nodes::proxy::{Plan, Proxy};
use crate::prelude::*;

const ANY: &str = "COMMIT";

fn opened() -> (TestDatabase, Proxy, Database) {
    let database = TestDatabase::new(Backend::Postgres);
    let proxy = Proxy::before(database.url_text());
    let store =
        Database::open(&proxy.url.parse().expect("a URL"), Settings::default()).expect("through the proxy");
    (database, proxy, store)
}

#[tokio::test]
async fn a_commit_that_took_place_is_acknowledged() {
    let (_database, proxy, store) = opened();
    let mut log = Log::new("g");
    store.append(log.next(&["1"])).await.expect("an event");
    let writers = proxy.writers();
    proxy.cut(Plan::CutAfterCommit, ANY);
    let appended = store.append(log.next(&["2", "3"])).await.expect("it is in the log");
    assert_eq!((appended.last_seq, version(&store, "g").await), (3, 3));
    assert_eq!(proxy.cuts(), 1);

    proxy.cut(Plan::CutAfterCommit, ANY);
    store.write(Server, |conn| accounts::insert(conn, &guest("a"))).await.expect("it is in the table");
    assert!(store.read(|conn| accounts::find(conn, &account_id("a"))).await.expect("a look").is_some());
    assert_eq!(proxy.cuts(), 2);
    store.append(log.next(&["4"])).await.expect("life goes on");
    assert_eq!(proxy.writers(), writers + 2, "one more after each cut");
}

#[tokio::test]
async fn a_commit_that_did_not_take_place_is_an_error() {
    let (_database, proxy, store) = opened();
    let mut log = Log::new("g");
    store.append(log.next(&["1"])).await.expect("an event");
    proxy.cut(Plan::CutBeforeCommit, ANY);
    let lost = store.append(log.rival(&["2"])).await;
    assert!(matches!(lost, Err(StoreError::Unavailable { .. })), "{lost:?}");
    assert_eq!(version(&store, "g").await, 1);

    proxy.cut(Plan::CutBeforeCommit, ANY);
    let lost = store.write(Server, |conn| accounts::insert(conn, &guest("a"))).await;
    assert!(matches!(lost, Err(StoreError::Unavailable { .. })), "{lost:?}");
    assert!(store.read(|conn| accounts::find(conn, &account_id("a"))).await.expect("a look").is_none());
    store.append(log.next(&["2"])).await.expect("the same command again");
}

#[tokio::test]
async fn answers_agree_with_the_log() {
    let (_database, proxy, store) = opened();
    for round in 0..10_u64 {
        let units: Vec<_> = (0..20)
            .map(|n| {
                let unit = Log::new(&format!("r{round}-{n}")).next(&["1"]);
                let store = store.clone();
                tokio::spawn(async move { (unit.game, store.append(unit).await) })
            })
            .collect();
        proxy.cut(if round % 2 == 0 { Plan::CutAfterCommit } else { Plan::CutBeforeCommit }, ANY);
        for unit in units {
            let (game, answer) = unit.await.expect("no panic");
            let head = store.read(move |conn| event_reads::head(conn, game)).await.expect("a look");
            assert_eq!(answer.is_ok(), head.is_some(), "{answer:?}");
        }
        assert_eq!(proxy.cuts() as u64, round + 1);
    }
}
