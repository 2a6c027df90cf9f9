//! The limits on seats and on tables per host are checked in the writing transaction, so they hold between
//! nodes.

use estimation_store::{Append, Database, Effect, Server, StoreError, accounts, event_reads, games};

use super::samples::{Log, account_id, game_id, guest, human, lobby_game, people, with};
use crate::prelude::*;

fn opening(id: &str, host: &str, limit: Option<u32>) -> Append {
    let account = account_id(host);
    let effects = [
        Effect::HostTable { account, limit },
        Effect::InsertGame(lobby_game("squares", host)),
        human(0, host),
    ];
    with(Log::new(id).next(&["created"]), effects)
}

async fn in_lobby(store: &Database, host: &'static str) -> i64 {
    store.read(move |conn| games::in_lobby_of(conn, &account_id(host))).await.expect("a count")
}

on_both! {
    /// Thirty tables at once on two nodes: the host gets as many as the limit allows, and another host is
    /// unaffected.
    async fn lobby_tables_per_host_are_limited(database: TestDatabase) {
        let nodes = [database.open(), database.open()];
        people(&nodes[0], ["ann", "bob"]).await;
        let units = (0..30).map(|n| nodes[n % 2].append(opening(&format!("a-{n:02}"), "ann", Some(20))));
        let (answers, bob) = tokio::join!(join_all(units), nodes[0].append(opening("b", "bob", Some(20))));
        bob.expect("another host's");
        assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 20);
        let full = Err(StoreError::TooManyTables { host: account_id("ann"), limit: 20 });
        assert_eq!(answers.iter().filter(|answer| **answer == full).count(), 10);
        assert_eq!((in_lobby(&nodes[1], "ann").await, in_lobby(&nodes[1], "bob").await), (20, 1));
        // Existing tables stay under a later, lower limit.
        assert!(matches!(
            nodes[1].append(opening("c", "ann", Some(3))).await,
            Err(StoreError::TooManyTables { limit: 3, .. })
        ));
        nodes[1].append(opening("d", "ann", None)).await.expect("there is no limit");
        assert_eq!(in_lobby(&nodes[0], "ann").await, 21);
    }

    /// A deleted account is not seated, and nothing of its unit is written. Other units of the batch are.
    async fn a_deleted_account_is_not_seated(database: TestDatabase) {
        let store = database.open();
        people(&store, ["ann", "bob"]).await;
        store.write(Server, |conn| accounts::delete(conn, &account_id("bob"))).await.expect("bob goes");
        let gone = Err(StoreError::NoAccount { account: account_id("bob") });
        let (ann, bob, joins) = tokio::join!(
            store.append(opening("a", "ann", Some(20))),
            store.append(opening("b", "bob", Some(20))),
            store.append(with(Log::new("c").next(&["joined"]), [human(1, "bob")])),
        );
        assert_eq!((ann.is_ok(), bob, joins), (true, gone.clone(), gone));
        let heads = store.read(|conn| event_reads::heads(conn, &["a", "b", "c"].map(game_id))).await.expect("a look");
        assert_eq!(heads.iter().map(|(game, _)| *game).collect::<Vec<_>>(), [game_id("a")]);
    }

    /// An account is seated on one node while another deletes it: either the seat is refused, or the deletion
    /// finds the seat and frees it.
    async fn a_deletion_finds_every_seat(database: TestDatabase) {
        let (here, there) = (database.open(), database.open());
        for attempt in 0..20 {
            let id = format!("leaving-{attempt}");
            let (account, deleted, asked) = (id.clone(), account_id(&id), account_id(&id));
            here.write(Server, move |conn| accounts::insert(conn, &guest(&account))).await.expect("an account");
            let game = format!("game-{attempt:02}");
            let seat = with(Log::new(&game).next(&["joined"]), [Effect::InsertGame(lobby_game("plain", "ann")), human(0, &id)]);
            let deletion = async {
                here.write(Server, move |conn| accounts::delete(conn, &deleted)).await.expect("a deletion");
                here.read(move |conn| games::open_of(conn, &asked)).await.expect("a look")
            };
            let (seated, found) = tokio::join!(there.append(seat), deletion);
            match seated {
                Ok(_) => assert_eq!(found, [game_id(&game)]),
                Err(error) => assert_eq!((error, found), (StoreError::NoAccount { account: account_id(&id) }, vec![])),
            }
        }
    }
}
