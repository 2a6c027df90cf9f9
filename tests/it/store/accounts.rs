use estimation_store::accounts::{self, AccountChanges, Credentials};
use estimation_store::refresh_tokens::{self, RefreshToken};
use estimation_store::sessions::{self, SessionRow};
use estimation_store::{Database, Server, StoreError};

use super::samples::{account_id, at, guest, row_id};
use crate::prelude::*;

fn credentials(username: &str) -> Credentials {
    Credentials {
        username: username.to_owned(),
        username_key: username.to_lowercase(),
        password_hash: "$argon2id$x".to_owned(),
    }
}

fn session(id: &str, account: &str) -> SessionRow {
    SessionRow {
        id: row_id(id),
        account_id: account_id(account),
        device: Some("phone".to_owned()),
        created_at: at(10),
        last_used_at: at(10),
        ended_at: None,
        used_generation: 0,
        second_step_at: None,
    }
}

fn token(hash: u8, session: &str) -> RefreshToken {
    RefreshToken {
        hash: [hash; 32],
        session_id: row_id(session),
        account_id: account_id("a"),
        issued_at: 10,
        expires_at: 100,
        used_at: None,
        successor_hash: None,
        generation: 0,
    }
}

async fn with_guests(store: &Database) {
    store
        .write(Server, |conn| {
            accounts::insert(conn, &guest("a"))?;
            accounts::insert(conn, &guest("b"))
        })
        .await
        .expect("two guests without usernames");
}

on_both! {
    async fn a_guest_becomes_a_full_account(database: TestDatabase) {
        let store = database.open();
        with_guests(&store).await;
        let gave = |id: &'static str, name: &'static str| {
            store.write(Server, move |conn| accounts::give_credentials(conn, &account_id(id), &credentials(name), 20))
        };
        assert_eq!(gave("a", "Ann").await, Ok(true));
        assert_eq!(gave("a", "Anna").await, Ok(false), "no longer a guest");
        assert_eq!(gave("b", "ANN").await, Err(StoreError::UsernameTaken));
        let found = store.read(|conn| accounts::find_by_username_key(conn, "ann")).await.expect("a look");
        let found = found.expect("the account");
        assert_eq!((found.id.as_str(), found.kind.as_str(), found.updated_at), ("a", "full", at(20)));
        assert_eq!(found.username.as_deref(), Some("Ann"));

        let display_name = Some("Queen Ann".to_owned());
        let changes = AccountChanges { display_name, updated_at: 30, ..Default::default() };
        let unknown = changes.clone();
        store.write(Server, move |conn| accounts::update(conn, &account_id("a"), &changes)).await.expect("a new name");
        assert_eq!(
            store.write(Server, move |conn| accounts::update(conn, &account_id("z"), &unknown)).await,
            Err(StoreError::NotFound)
        );
        let read = store.read(|conn| accounts::display_names(conn, &["a", "b", "z"].map(account_id)));
        let mut names = read.await.expect("names");
        names.sort();
        let expected = [(account_id("a"), "Queen Ann".to_owned()), (account_id("b"), "Guest b".to_owned())];
        assert_eq!(names, expected);
    }

    async fn sessions_are_listed_until_they_end(database: TestDatabase) {
        let store = database.open();
        with_guests(&store).await;
        store
            .write(Server, |conn| {
                ["1", "2", "3"].iter().try_for_each(|id| sessions::insert(conn, &session(id, "a")))?;
                refresh_tokens::insert(conn, &token(1, "3"))?;
                sessions::touch(conn, row_id("2"), 15)
            })
            .await
            .expect("three sessions");
        assert_eq!(store.write(Server, |conn| sessions::end(conn, row_id("1"), 20)).await, Ok(true));
        assert_eq!(store.write(Server, |conn| sessions::end(conn, row_id("1"), 21)).await, Ok(false));
        let living = store.read(|conn| sessions::of_account(conn, &account_id("a"), i64::MIN, 10)).await.expect("a list");
        let living: Vec<_> = living.iter().map(|s| (s.id, s.last_used_at)).collect();
        assert_eq!(living, [(row_id("3"), at(10)), (row_id("2"), at(15))]);
        assert_eq!(store.write(Server, |conn| sessions::end_all(conn, &account_id("a"), 30)).await, Ok(2));
        assert_eq!(store.write(Server, |conn| accounts::delete(conn, &account_id("a"))).await, Ok(true));
        assert_eq!(store.write(Server, |conn| accounts::delete(conn, &account_id("a"))).await, Ok(false));
        let left = store
            .read(|conn| Ok((sessions::find(conn, row_id("3"))?, refresh_tokens::find(conn, &[1; 32])?)))
            .await
            .expect("a look");
        assert_eq!(left, (None, None));
        let orphan = store.write(Server, |conn| sessions::insert(conn, &session("9", "a"))).await;
        assert!(matches!(orphan, Err(StoreError::Constraint { .. })), "{orphan:?}");
    }

    async fn a_token_is_exchanged_once(database: TestDatabase) {
        let nodes = [database.open(), database.open()];
        with_guests(&nodes[0]).await;
        nodes[0]
            .write(Server, |conn| {
                sessions::insert(conn, &session("s", "a"))?;
                refresh_tokens::insert(conn, &token(1, "s"))
            })
            .await
            .expect("a token");
        let tries: Vec<_> = (0..16_u8)
            .map(|n| {
                let node = nodes[usize::from(n) % 2].clone();
                let successor = RefreshToken { generation: 1, expires_at: 140, ..token(100 + n, "s") };
                tokio::spawn(async move {
                    node.write(Server, move |conn| refresh_tokens::mark_used(conn, &[1; 32], &successor, 40)).await
                })
            })
            .collect();
        let mut winner = Vec::new();
        for (n, attempt) in (0..).zip(tries) {
            if attempt.await.expect("no panic").expect("an answer") {
                winner.push([100 + n; 32]);
            }
        }
        let found = nodes[1].read(|conn| refresh_tokens::find(conn, &[1; 32])).await.expect("a look");
        let found = found.expect("the token");
        assert_eq!(winner, [found.successor_hash.expect("a successor")]);
        assert_eq!(found.used_at, Some(40));
        // It is kept as long as its successor.
        assert_eq!(nodes[0].write(Server, |conn| refresh_tokens::sweep(conn, 140)).await, Ok(0));
        assert_eq!(nodes[0].write(Server, |conn| refresh_tokens::sweep(conn, 141)).await, Ok(1));
    }

    async fn the_newest_used_generation_stays(database: TestDatabase) {
        let store = database.open();
        with_guests(&store).await;
        store.write(Server, |conn| sessions::insert(conn, &session("s", "a"))).await.expect("a session");
        for (used, newest) in [(2, 2), (1, 2), (3, 3)] {
            store.write(Server, move |conn| sessions::use_generation(conn, row_id("s"), used)).await.expect("a use");
            let found = store.read(|conn| sessions::find(conn, row_id("s"))).await.expect("a look");
            assert_eq!(found.map(|session| session.used_generation), Some(newest));
        }
    }

    async fn an_unknown_name_is_an_error_of_its_column(database: TestDatabase) {
        let store = database.open();
        store.write(Server, |conn| accounts::insert(conn, &guest("a"))).await.expect("an account");
        database.outsider().run("UPDATE accounts SET role = 'king'").expect("a change");
        let found = store.read(|conn| accounts::find(conn, &account_id("a"))).await;
        let error = found.err().expect("an error").to_string();
        assert!(error.contains("role") && error.contains("\"king\" is no Role"), "{error}");
    }
}
