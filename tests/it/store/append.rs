use estimation_store::event_reads::{self, Head, StoredEvent};
use estimation_store::{Append, Database, StoreError};

use super::samples::{Log, game_id};
use crate::prelude::*;

async fn bodies(database: &Database, game: &str) -> Vec<(u64, String)> {
    let game = game_id(game);
    let stored = database.read(move |conn| event_reads::after(conn, game, 0, 1_000)).await.expect("a log");
    stored.into_iter().map(|event| (event.seq, event.body)).collect()
}

on_both! {
    /// Events come back in order, byte for byte, and the head is the last one.
    async fn appended_events_are_read_back(database: TestDatabase) {
        let store = database.open();
        let mut log = Log::new("g1");
        let odd = "{\"text\":\"naïve \u{1F0CF} 'quoted' \\\\ \"}";
        let appended = store.append(log.next(&["{\"a\":1}", odd])).await.expect("two events");
        assert_eq!((appended.last_seq, appended.hash), (2, log.hash));
        store.append(log.next(&["{}"])).await.expect("a third");

        let all = store.read(|conn| event_reads::after(conn, game_id("g1"), 0, 100)).await.expect("the log");
        assert_eq!(all.iter().map(|event| event.seq).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(all[1].body, odd);
        assert_eq!(all[2].hash, log.hash);
        let tail = store.read(|conn| event_reads::after(conn, game_id("g1"), 1, 1)).await.expect("a page");
        assert_eq!(tail, all[1..2]);
        let head = store.read(|conn| event_reads::head(conn, game_id("g1"))).await.expect("the head");
        assert_eq!(head, Some(Head { seq: 3, hash: log.hash }));
        assert_eq!(store.read(|conn| event_reads::head(conn, game_id("nobody"))).await, Ok(None));
    }

    async fn heads_of_many_games(database: TestDatabase) {
        let store = database.open();
        let (mut a, mut b) = (Log::new("a"), Log::new("b"));
        store.append(a.next(&["1", "2"])).await.expect("a");
        store.append(b.next(&["1"])).await.expect("b");
        let mut heads = store.read(|conn| event_reads::heads(conn, &["b", "a", "c"].map(game_id))).await.expect("heads");
        heads.sort_by_key(|(game, _)| *game);
        let end = |log: &Log| (log.game, Head { seq: log.seq, hash: log.hash });
        assert_eq!(heads, [end(&a), end(&b)]);
        assert_eq!(store.read(|conn| event_reads::heads(conn, &[])).await, Ok(Vec::new()));
    }

    async fn the_later_of_two_loses(database: TestDatabase) {
        let store = database.open();
        let mut log = Log::new("g");
        store.append(log.next(&["1"])).await.expect("the first event");
        let rival = log.rival(&["rival"]);
        store.append(log.next(&["2"])).await.expect("the winner");
        assert_eq!(store.append(rival).await, Err(StoreError::VersionConflict { game: game_id("g") }));
        assert_eq!(bodies(&store, "g").await, [(1, "1".to_owned()), (2, "2".to_owned())]);
    }

    async fn exactly_one_of_many_wins(database: TestDatabase) {
        let nodes = [database.open(), database.open()];
        let mut log = Log::new("g");
        nodes[0].append(log.next(&["1"])).await.expect("the first event");
        let attempts: Vec<_> = (0..32)
            .map(|n| {
                let node = nodes[n % 2].clone();
                let unit = log.rival(&[&format!("by {n}")]);
                tokio::spawn(async move { node.append(unit).await })
            })
            .collect();
        let mut won = 0;
        for attempt in attempts {
            match attempt.await.expect("no panic") {
                Ok(appended) => {
                    assert_eq!(appended.last_seq, 2);
                    won += 1;
                }
                Err(error) => assert_eq!(error, StoreError::VersionConflict { game: game_id("g") }),
            }
        }
        assert_eq!(won, 1);
        assert_eq!(bodies(&nodes[1], "g").await.len(), 2);
    }

    /// A gap in the sequence, or a link to another hash, is a conflict too.
    async fn gaps_and_forks_are_refused(database: TestDatabase) {
        let store = database.open();
        let mut log = Log::new("g");
        store.append(log.next(&["1"])).await.expect("the first event");
        let conflict = Err(StoreError::VersionConflict { game: game_id("g") });

        let mut ahead = log.clone();
        ahead.next(&["2"]);
        assert_eq!(store.append(ahead.next(&["3"])).await, conflict);
        let elsewhere = Log { hash: [9; 32], ..log.clone() };
        assert_eq!(store.append(elsewhere.rival(&["2"])).await, conflict);
        assert_eq!(bodies(&store, "g").await.len(), 1);
        store.append(log.next(&["2"])).await.expect("the true second event");
    }

    /// A node remembers the last event that it wrote. It does not know what another node wrote after it.
    async fn what_another_node_wrote_is_no_gap(database: TestDatabase) {
        let (node, other) = (database.open(), database.open());
        let mut log = Log::new("g");
        node.append(log.next(&["1", "2"])).await.expect("two events");
        let stale = log.rival(&["rival"]);
        other.append(log.next(&["3"])).await.expect("an event of the other node");
        let conflict = Err(StoreError::VersionConflict { game: game_id("g") });
        assert_eq!(node.append(stale).await, conflict);
        node.append(log.next(&["4"])).await.expect("the next event");
        let elsewhere = Log { hash: [9; 32], ..log.clone() };
        assert_eq!(node.append(elsewhere.rival(&["5"])).await, conflict);
        node.append(log.next(&["5"])).await.expect("the true fifth event");
    }

    async fn malformed_units_are_refused(database: TestDatabase) {
        let store = database.open();
        let sound = Log::new("g").next(&["1"]);
        let numbered = |seq: u64| vec![StoredEvent { seq, ..sound.events[0].clone() }];
        let gap = [sound.events.clone(), numbered(3)].concat();
        let broken = [
            Append { events: Vec::new(), ..sound.clone() },
            Append { events: numbered(0), ..sound.clone() },
            Append { previous_hash: [1; 32], ..sound.clone() },
            Append { events: numbered(2), ..sound.clone() },
            Append { events: gap, ..sound.clone() },
            Append { events: numbered(u64::MAX), previous_hash: [1; 32], ..sound.clone() },
        ];
        for unit in broken {
            assert!(matches!(store.append(unit).await, Err(StoreError::Malformed { .. })));
        }
        store.append(sound).await.expect("nothing had happened");
    }
}
