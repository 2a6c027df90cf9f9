use estimation_store::notifications::{self, DeliveryOutcome, NewNotification, NotificationRow, WEBHOOK};
use estimation_store::push_subscriptions::{self, PushSubscription, Pushing};
use estimation_store::{Connection, Database, Id, Server, StoreError};

use super::samples::{account_id, at, game_id, row_id};
use crate::prelude::*;

fn notice(id: &str, game: &str, since: i64) -> NewNotification {
    NewNotification {
        id: row_id(id),
        account: account_id("noor"),
        kind: "your_turn",
        game: Some(game_id(game)),
        version: Some(7),
        since: at(since),
        expires_at: None,
        created_at: at(since),
    }
}

async fn write<T: Send + 'static>(
    store: &Database,
    act: impl Fn(&mut Connection) -> Result<T, StoreError> + Send + 'static,
) -> T {
    store.write(Server, act).await.expect("a write")
}

async fn add(store: &Database, id: &str, game: &str, since: i64, at: i64) -> bool {
    let new = notice(id, game, since);
    write(store, move |conn| notifications::add(conn, &new, WEBHOOK, at)).await
}

async fn take(store: &Database, now: i64) -> Vec<NotificationRow> {
    write(store, move |conn| notifications::take(conn, now, now + 100, 10)).await
}

async fn settle(store: &Database, row: &NotificationRow, how: DeliveryOutcome, now: i64) {
    let row = row.clone();
    write(store, move |conn| notifications::settle(conn, &row, how, now)).await;
}

fn ids(rows: &[NotificationRow]) -> Vec<Id> {
    rows.iter().map(|row| row.id).collect()
}

async fn store(database: &TestDatabase) -> Database {
    let store = database.open();
    let noor = account_id("noor");
    database
        .outsider()
        .run(&format!(
            "INSERT INTO accounts VALUES ('{noor}', NULL, NULL, 'Noor', NULL, 0, 'guest', 'player', 0, 0)"
        ))
        .expect("an account");
    store
}

on_both! {
    async fn a_notice_is_written_and_taken_once(database: TestDatabase) {
        let store = store(&database).await;
        assert!(add(&store, "a", "g", 10, 20).await);
        assert!(!add(&store, "a", "g", 10, 20).await, "the same notice again");
        assert!(take(&store, 19).await.is_empty(), "it is not due");
        let taken = take(&store, 20).await;
        assert_eq!(ids(&taken), [row_id("a")]);
        assert!(take(&store, 119).await.is_empty(), "a node sends it");
        // The node does not finish, so another one takes over.
        assert_eq!(ids(&take(&store, 120).await), [row_id("a")]);
        settle(&store, &taken[0], DeliveryOutcome::Delivered, 130).await;
        assert!(take(&store, 1_000).await.is_empty());
        // A late word of the first node changes nothing.
        settle(&store, &taken[0], DeliveryOutcome::Again(140), 131).await;
        assert!(take(&store, 1_000).await.is_empty());
    }

    async fn the_notices_of_a_game_go_in_order(database: TestDatabase) {
        let store = store(&database).await;
        add(&store, "a", "g", 10, 20).await;
        add(&store, "b", "g", 11, 20).await;
        add(&store, "c", "other", 12, 20).await;
        let taken = take(&store, 20).await;
        assert_eq!(ids(&taken), [row_id("a"), row_id("c")]);
        settle(&store, &taken[1], DeliveryOutcome::Delivered, 30).await;
        settle(&store, &taken[0], DeliveryOutcome::Again(500), 30).await;
        assert!(take(&store, 30).await.is_empty(), "the first is not delivered yet");
        // A later notice of the game wakes it.
        add(&store, "d", "g", 13, 40).await;
        let again = take(&store, 40).await;
        assert_eq!(ids(&again), [row_id("a")]);
        assert_eq!(again[0].failures, 1);
        settle(&store, &again[0], DeliveryOutcome::Again(500), 41).await;
        let third = take(&store, 500).await;
        assert_eq!(ids(&third), [row_id("a")]);
        // Three failures release the next one.
        settle(&store, &third[0], DeliveryOutcome::Again(9_000), 501).await;
        let next = take(&store, 502).await;
        assert_eq!(ids(&next), [row_id("b")]);
        settle(&store, &next[0], DeliveryOutcome::Dropped, 503).await;
        assert_eq!(ids(&take(&store, 504).await), [row_id("d")]);
    }

    async fn parked_notices_wait_for_an_operator(database: TestDatabase) {
        let store = store(&database).await;
        add(&store, "a", "g", 10, 20).await;
        let taken = take(&store, 20).await;
        settle(&store, &taken[0], DeliveryOutcome::Parked, 30).await;
        assert!(take(&store, 9_000).await.is_empty());
        let counts = store.read(notifications::counts).await;
        assert_eq!(counts, Ok((0, 1)));
        assert_eq!(ids(&store.read(|conn| notifications::parked(conn, 10)).await.expect("a list")), [row_id("a")]);
        assert_eq!(write(&store, |conn| notifications::replay(conn, Some(row_id("b")), 40)).await, 0);
        assert_eq!(write(&store, |conn| notifications::replay(conn, None, 40)).await, 1);
        assert_eq!(ids(&take(&store, 40).await), [row_id("a")]);
    }

    async fn pushes_to_a_browser_go_a_minute_apart(database: TestDatabase) {
        let store = store(&database).await;
        let noor = account_id("noor");
        for session in ["s", "t"] {
            database
                .outsider()
                .run(&format!("INSERT INTO sessions VALUES ('{session}', '{noor}', NULL, 0, 0, 0, NULL, NULL, 0)"))
                .expect("a session");
        }
        let new = |session: &str, endpoint: &str| PushSubscription {
            session_id: session.to_owned(),
            account_id: account_id("noor"),
            endpoint: endpoint.to_owned(),
            p256dh: vec![4; 65],
            auth: vec![9; 16],
            created_at: at(0),
            pushed_at: 0,
        };
        let first = new("s", "https://push.example.org/a");
        write(&store, move |conn| push_subscriptions::put(conn, &first)).await;
        let begin = |at| write(&store, move |conn| push_subscriptions::begin_push(conn, "s", at, 60));
        assert!(matches!(begin(100).await, Pushing::Now(found) if found.pushed_at == 0));
        assert!(matches!(begin(159).await, Pushing::Later(160)));
        // One that failed does not count.
        write(&store, |conn| push_subscriptions::set_pushed(conn, "s", 0)).await;
        assert!(matches!(begin(159).await, Pushing::Now(_)));
        // The browser is another session's now.
        let moved = new("t", "https://push.example.org/a");
        write(&store, move |conn| push_subscriptions::put(conn, &moved)).await;
        assert!(matches!(begin(1_000).await, Pushing::Gone));
        database.outsider().run("UPDATE sessions SET ended_at = 5").expect("the end of the session");
        let ended = write(&store, |conn| push_subscriptions::begin_push(conn, "t", 1_000, 60)).await;
        assert!(matches!(ended, Pushing::Gone));
        assert_eq!(write(&store, push_subscriptions::sweep).await, 1);
    }

    async fn old_notices_are_deleted(database: TestDatabase) {
        let store = store(&database).await;
        for (id, how) in [("a", DeliveryOutcome::Delivered), ("b", DeliveryOutcome::Parked), ("c", DeliveryOutcome::Again(40))] {
            add(&store, id, id, 10, 20).await;
            let taken = take(&store, 20).await;
            settle(&store, &taken[0], how, 30).await;
        }
        let sweep = |settled, parked| move |conn: &mut Connection| notifications::sweep(conn, settled, parked, 1_000);
        assert_eq!(write(&store, sweep(30, 30)).await, 0, "not old enough");
        assert_eq!(write(&store, sweep(31, 30)).await, 1, "the delivered one");
        assert_eq!(write(&store, sweep(31, 31)).await, 1, "the parked one");
        assert_eq!(ids(&take(&store, 1_000).await), [row_id("c")]);
    }
}
