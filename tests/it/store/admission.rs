//! Who may be seated and who may host another table is decided where it is written: between nodes as well.

use estimation::store::{Append, Database, Effect, StoreError, accounts, event_reads, games};
use futures_util::future::join_all;

use super::samples::{Log, guest, human, lobby_game, people, with};
use crate::databases::on_both;

fn opening(id: &str, host: &str, most: Option<u32>) -> Append {
    let account = host.to_owned();
    let effects = [
        Effect::HostTable { account, most },
        Effect::InsertGame(lobby_game("squares", host)),
        human(0, host),
    ];
    with(Log::new(id).next(&["created"]), effects)
}

async fn in_lobby(store: &Database, host: &'static str) -> i64 {
    store.read(move |conn| games::in_lobby_of(conn, host)).await.expect("a count")
}

on_both! {
    /// Thirty tables at once on two nodes: as many as a host may have are opened, and another host's beside them.
    async fn a_host_has_only_so_many_tables_in_the_lobby(database: TestDatabase) {
        let nodes = [database.open(), database.open()];
        people(&nodes[0], ["ann", "bob"]).await;
        let units = (0..30).map(|n| nodes[n % 2].append(opening(&format!("a-{n:02}"), "ann", Some(20))));
        let (answers, bob) = tokio::join!(join_all(units), nodes[0].append(opening("b", "bob", Some(20))));
        bob.expect("another host's");
        assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 20);
        let full = Err(StoreError::TooManyTables { host: "ann".to_owned(), most: 20 });
        assert_eq!(answers.iter().filter(|answer| **answer == full).count(), 10);
        assert_eq!((in_lobby(&nodes[1], "ann").await, in_lobby(&nodes[1], "bob").await), (20, 1));
        // Those that are there stay, whatever a later limit says.
        assert!(matches!(
            nodes[1].append(opening("c", "ann", Some(3))).await,
            Err(StoreError::TooManyTables { most: 3, .. })
        ));
        nodes[1].append(opening("d", "ann", None)).await.expect("there is no limit");
        assert_eq!(in_lobby(&nodes[0], "ann").await, 21);
    }

    /// Somebody who is gone is not seated, and nothing of the unit is written; others in the batch are.
    async fn nobody_is_seated_without_an_account(database: TestDatabase) {
        let store = database.open();
        people(&store, ["ann", "bob"]).await;
        store.write(|conn| accounts::delete(conn, "bob")).await.expect("bob goes");
        let gone = Err(StoreError::NoAccount { account: "bob".to_owned() });
        let (ann, bob, joins) = tokio::join!(
            store.append(opening("a", "ann", Some(20))),
            store.append(opening("b", "bob", Some(20))),
            store.append(with(Log::new("c").next(&["joined"]), [human(1, "bob")])),
        );
        assert_eq!((ann.is_ok(), bob, joins), (true, gone.clone(), gone));
        let heads = store.read(|conn| event_reads::heads(conn, &["a", "b", "c"])).await.expect("a look");
        assert_eq!(heads.iter().map(|(game, _)| game.as_str()).collect::<Vec<_>>(), ["a"]);
    }

    /// Somebody is seated on one node while they are deleted on another: either there is no seat, or the seat is
    /// there when the deletion is done, to be freed.
    async fn a_seat_that_a_deletion_does_not_find_is_not_taken(database: TestDatabase) {
        let (here, there) = (database.open(), database.open());
        for attempt in 0..20 {
            let id = format!("leaving-{attempt}");
            let (account, deleted) = (id.clone(), id.clone());
            here.write(move |conn| accounts::insert(conn, &guest(&account))).await.expect("an account");
            let game = format!("game-{attempt:02}");
            let seat = with(Log::new(&game).next(&["joined"]), [Effect::InsertGame(lobby_game("plain", "ann")), human(0, &id)]);
            let deletion = async {
                here.write(move |conn| accounts::delete(conn, &deleted)).await.expect("a deletion");
                let asked = id.clone();
                here.read(move |conn| games::open_of(conn, &asked)).await.expect("a look")
            };
            let (seated, found) = tokio::join!(there.append(seat), deletion);
            match seated {
                Ok(_) => assert_eq!(found, [game]),
                Err(error) => assert_eq!((error, found), (StoreError::NoAccount { account: id }, vec![])),
            }
        }
    }
}
