use estimation_store::idempotency::{self, RequestKey};
use estimation_store::{Effect, GameId, Server, StoreError, event_reads};

use super::samples::{Log, account_id, game_id, request, with};
use crate::prelude::*;

on_both! {
    async fn the_outcome_of_a_request_is_stored(database: TestDatabase) {
        let store = database.open();
        let remembered = request("k", "g");
        let unit = with(Log::new("g").next(&["1"]), [Effect::RememberRequest(remembered.clone())]);
        store.append(unit).await.expect("a command");
        let same = remembered.request.clone();
        assert_eq!(store.read(move |conn| idempotency::find(conn, &same)).await, Ok(Some(remembered.clone())));
        let other = RequestKey { account: account_id("bob"), ..remembered.request };
        assert_eq!(store.read(move |conn| idempotency::find(conn, &other)).await, Ok(None));

        let mut elsewhere = request("made", "");
        (elsewhere.game, elsewhere.first_seq, elsewhere.last_seq) = (None, None, None);
        elsewhere.resource = Some("account".to_owned());
        let kept = elsewhere.clone();
        store.write(Server, move |conn| idempotency::remember(conn, &kept)).await.expect("without a game");
        let same = elsewhere.request.clone();
        assert_eq!(store.read(move |conn| idempotency::find(conn, &same)).await, Ok(Some(elsewhere)));
    }

    async fn a_key_has_one_effect(database: TestDatabase) {
        let nodes = [database.open(), database.open()];
        let tries: Vec<_> = (0..32)
            .map(|n| {
                let node = nodes[n % 2].clone();
                let remembered = request("the key", "same path");
                let unit =
                    with(Log::new(&format!("g{n}")).next(&["1"]), [Effect::RememberRequest(remembered)]);
                tokio::spawn(async move { node.append(unit).await })
            })
            .collect();
        let mut won = 0;
        for attempt in tries {
            match attempt.await.expect("no panic") {
                Ok(_) => won += 1,
                Err(error) => assert_eq!(error, StoreError::KeyTaken),
            }
        }
        assert_eq!(won, 1);
        let games: Vec<GameId> = (0..32).map(|n| game_id(&format!("g{n}"))).collect();
        let written = nodes[0]
            .read(move |conn| {
                event_reads::heads(conn, &games)
            })
            .await
            .expect("a look");
        assert_eq!(written.len(), 1);
    }

    async fn old_keys_are_swept(database: TestDatabase) {
        let store = database.open();
        let (old, mut new) = (request("old", "g"), request("new", "g"));
        new.created_at = 9_000;
        let (first, second) = (old.clone(), new.clone());
        store
            .write(Server, move |conn| {
                idempotency::remember(conn, &first)?;
                idempotency::remember(conn, &second)
            })
            .await
            .expect("two keys");
        assert_eq!(store.write(Server, |conn| idempotency::sweep(conn, 9_000, 10)).await, Ok(1));
        let left = store
            .read(move |conn| {
                Ok((
                    idempotency::find(conn, &old.request)?.is_some(),
                    idempotency::find(conn, &new.request)?.is_some(),
                ))
            })
            .await;
        assert_eq!(left, Ok((false, true)));
    }
}
