//! The queue of matchmaking, and players who are moved between its tables.

use std::collections::HashSet;

use estimation_store::contradictions::contradictions;
use estimation_store::matchmaking::{self, NewWaiting, WaitingRow, unfinished_moves};
use estimation_store::{Database, Effect, GameId, StoreError};

use super::samples::{Log, account_id, at, game_id, human, lobby_game, people, with};
use crate::prelude::*;

fn waits(account: &str) -> Effect {
    Effect::JoinQueue(NewWaiting {
        account: account_id(account),
        terms: "the same".to_owned(),
        since: at(1_000),
        bots_at: None,
    })
}

fn moves(account: &str, from: &str) -> Effect {
    Effect::MoveQueue { account: account_id(account), from: game_id(from) }
}

fn leaves(account: &str) -> Effect {
    Effect::LeaveQueue { account: account_id(account) }
}

/// Opens a table with a host who waits there.
async fn table(store: &Database, game: &str, host: &str) -> Log {
    let mut log = Log::new(game);
    let opened = [Effect::InsertGame(lobby_game("plain", host)), human(0, host), waits(host)];
    store.append(with(log.next(&["opened"]), opened)).await.expect("a table");
    log
}

async fn entry(store: &Database, account: &'static str) -> Option<WaitingRow> {
    store.read(move |conn| matchmaking::find(conn, &account_id(account))).await.expect("a look")
}

async fn unfinished(store: &Database, skip: &[GameId]) -> Vec<GameId> {
    let skip: HashSet<GameId> = skip.iter().copied().collect();
    let moved = store.read(move |conn| unfinished_moves(conn, &skip)).await.expect("a look");
    moved.into_iter().map(|(_, from)| from).collect()
}

on_both! {
    /// A full table may begin at any moment.
    async fn nobody_is_moved_from_a_full_table(database: TestDatabase) {
        let store = database.open();
        people(&store, ["ann", "ben"]).await;
        let (_, mut second) = (table(&store, "a", "ann").await, table(&store, "b", "ben").await);
        let taken = |number: i32| format!("UPDATE games SET taken = {number} WHERE id = '{}'", game_id("a"));
        database.outsider().run(&taken(4)).expect("a full table");
        let joined = || [human(1, "ann"), moves("ann", "a")];
        assert_eq!(store.append(with(second.rival(&["joined"]), joined())).await, Err(StoreError::QueueBusy));
        assert_eq!(entry(&store, "ann").await.expect("an entry").game_id, game_id("a"));
        database.outsider().run(&taken(3)).expect("a table with room");
        store.append(with(second.next(&["joined"]), joined())).await.expect("a move");
        let moved = entry(&store, "ann").await.expect("an entry");
        assert_eq!((moved.game_id, moved.left_game_id), (game_id("b"), Some(game_id("a"))));
    }

    /// An account that leaves the queue before its former seat is free still has that seat, which a node frees.
    async fn a_move_is_finished_after_its_account_has_left(database: TestDatabase) {
        let store = database.open();
        people(&store, ["ann", "ben", "cid"]).await;
        let (mut first, mut second) = (table(&store, "a", "ann").await, table(&store, "b", "ben").await);
        let mut third = table(&store, "c", "cid").await;
        store.append(with(second.next(&["joined"]), [human(1, "ann"), moves("ann", "a")])).await.expect("a move");
        store.append(with(second.next(&["joined"]), [human(2, "cid"), moves("cid", "c")])).await.expect("a move");
        store.append(with(second.next(&["left"]), [leaves("ann")])).await.expect("left the queue");
        store.append(with(second.next(&["cancelled"]), [Effect::EndQueued])).await.expect("a cancelled table");
        assert_eq!(entry(&store, "ben").await, None);
        for (account, former) in [("ann", "a"), ("cid", "c")] {
            let entry = entry(&store, account).await.expect("what is left to do");
            assert_eq!((entry.game_id, entry.left_game_id), (game_id(former), Some(game_id(former))));
            assert_eq!(entry.terms, None, "{account} does not wait");
        }
        assert_eq!(unfinished(&store, &[]).await.len(), 2);
        assert_eq!(store.read(|conn| contradictions(conn, 10)).await.expect("an audit"), []);
        assert!(store.read(|conn| matchmaking::is_open(conn, game_id("a"))).await.expect("a look"));
        // Who waits again first frees the former seat.
        let again = with(Log::new("d").next(&["opened"]), [Effect::InsertGame(lobby_game("plain", "ann")), waits("ann")]);
        assert_eq!(store.append(again).await, Err(StoreError::WaitsAlready));

        store.append(with(first.next(&["left"]), [leaves("ann")])).await.expect("left the table");
        store.append(with(third.next(&["cancelled"]), [Effect::EndQueued])).await.expect("a cancelled table");
        assert_eq!((entry(&store, "ann").await, entry(&store, "cid").await), (None, None));
        assert!(unfinished(&store, &[]).await.is_empty());
    }

    async fn moves_from_passed_over_tables_are_not_looked_at(database: TestDatabase) {
        let store = database.open();
        people(&store, ["ann", "ben", "cid"]).await;
        let mut second = table(&store, "b", "ben").await;
        for (place, account, from) in [(1, "ann", "a"), (2, "cid", "c")] {
            table(&store, from, account).await;
            let moved = [human(place, account), moves(account, from)];
            store.append(with(second.next(&["joined"]), moved)).await.expect("a move");
        }
        assert_eq!(unfinished(&store, &[game_id("a")]).await, [game_id("c")]);
    }
}
