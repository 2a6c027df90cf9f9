use estimation_engine::player::AccountId;
use estimation_store::accounts;
use estimation_store::attempts::{self, Attempt, ExceededLimit};
use estimation_store::role::Role;
use estimation_store::{Server, StoreError, role_grants, sealed_keys};

use super::samples::{account_id, at, guest, row_id};
use crate::prelude::*;

/// Three at once, and one more every 10 milliseconds.
fn attempt(bucket: u8) -> Attempt {
    let limit = if bucket == 1 { "one" } else { "two" };
    Attempt { limit, bucket: [bucket; 32], interval: 10, burst: 3 }
}

fn exceeded(limit: &'static str, wait: i64) -> Result<Option<ExceededLimit>, StoreError> {
    Ok(Some(ExceededLimit { limit, wait }))
}

on_both! {
    async fn a_bucket_fills_and_leaks(database: TestDatabase) {
        let store = database.open();
        let count = |all: &'static [u8], now: i64| {
            let all: Vec<Attempt> = all.iter().map(|&bucket| attempt(bucket)).collect();
            store.write(Server, move |conn| attempts::count(conn, &all, now))
        };
        for _ in 0..3 {
            assert_eq!(count(&[1], 1_000).await, Ok(None));
        }
        assert_eq!(count(&[1], 1_000).await, exceeded("one", 10));
        assert_eq!(count(&[1], 1_004).await, exceeded("one", 6));
        assert_eq!(count(&[1], 1_010).await, Ok(None));
        // All or none: the first bucket's refusal did not charge the second bucket.
        for _ in 0..3 {
            assert_eq!(count(&[2, 1], 1_010).await, exceeded("one", 10));
        }
        for _ in 0..3 {
            assert_eq!(count(&[2], 1_010).await, Ok(None));
        }
        assert_eq!(store.write(Server, |conn| attempts::undo(conn, &[attempt(2)])).await, Ok(()));
        assert_eq!(count(&[2], 1_010).await, Ok(None));
        assert_eq!(count(&[2], 1_010).await, exceeded("two", 10));
        assert_eq!(store.write(Server, |conn| attempts::sweep(conn, 1_039, 1)).await, Ok(0));
        let sweep = async || store.write(Server, |conn| attempts::sweep(conn, 1_041, 10)).await;
        assert_eq!(sweep().await, Ok(2));
    }

    /// A node whose clock was an hour ahead counted. The wait is not an hour.
    async fn a_corrected_clock_locks_nobody_out(database: TestDatabase) {
        let store = database.open();
        let count = |now: i64| store.write(Server, move |conn| attempts::count(conn, &[attempt(1)], now));
        assert_eq!(count(3_600_000).await, Ok(None));
        assert_eq!(count(1_000).await, exceeded("one", 10));
        assert_eq!(count(1_010).await, Ok(None));
        assert_eq!(count(1_010).await, exceeded("one", 10));
    }

    async fn nodes_count_together(database: TestDatabase) {
        let nodes = [database.open(), database.open()];
        let tasks: Vec<_> = (0..40)
            .map(|task| {
                let node = nodes[task % 2].clone();
                let all = [Attempt { limit: "all", bucket: [7; 32], interval: 1_000, burst: 20 }];
                tokio::spawn(async move { node.write(Server, move |conn| attempts::count(conn, &all, 0)).await })
            })
            .collect();
        let mut counted = 0;
        for task in tasks {
            counted += usize::from(task.await.expect("a task").expect("a count").is_none());
        }
        assert_eq!(counted, 20);
    }

    async fn grants_are_recorded(database: TestDatabase) {
        let store = database.open();
        store.write(Server, |conn| accounts::insert(conn, &guest("a"))).await.expect("an account");
        store.write(Server, |conn| accounts::insert(conn, &guest("b"))).await.expect("an account");
        let grant = |id: &'static str, role: Role, by: Option<&'static str>| {
            let by = by.map(account_id);
            store.write(Server, move |conn| role_grants::grant(conn, row_id(id), &account_id("a"), role, by.as_ref(), at(20)))
        };
        grant("1", Role::Auditor, None).await.expect("a grant");
        let by_player = grant("2", Role::Player, Some("b")).await;
        assert_eq!(by_player, Err(StoreError::NotAdmin { account: account_id("b") }));
        store.write(Server, |conn| role_grants::grant(conn, row_id("b"), &account_id("b"), Role::Admin, None, at(20))).await.expect("an admin");
        grant("2", Role::Player, Some("b")).await.expect("a grant");
        let nobody = store.write(Server, |conn| role_grants::grant(conn, row_id("3"), &account_id("nobody"), Role::Admin, None, at(20))).await;
        assert_eq!(nobody, Err(StoreError::NotFound));
        let grants = store.read(|conn| role_grants::of_account(conn, &account_id("a"))).await.expect("a list");
        let told: Vec<_> = grants
            .iter()
            .map(|grant| (grant.former_role.as_str(), grant.role.as_str(), grant.granted_by.as_ref().map(AccountId::as_str)))
            .collect();
        assert_eq!(told, [("player", "auditor", None), ("auditor", "player", Some("b"))]);
    }

    async fn replacing_a_sealed_ring_needs_the_current_one(database: TestDatabase) {
        let store = database.open();
        let replace = |former: i64, bytes: &'static [u8]| {
            store.write(Server, move |conn| sealed_keys::replace(conn, former, bytes))
        };
        assert_eq!(store.read(sealed_keys::version).await, Ok(None));
        assert_eq!(replace(0, b"one").await, Ok(true));
        assert_eq!(replace(0, b"two").await, Ok(false));
        assert_eq!(replace(1, b"three").await, Ok(true));
        assert_eq!(replace(1, b"four").await, Ok(false));
        assert_eq!(store.read(sealed_keys::find).await, Ok(Some((2, b"three".to_vec()))));
    }
}
