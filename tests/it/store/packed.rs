//! Packed logs: they read the same as before, and cannot be lost or forged.

use std::collections::HashSet;

use estimation_store::ended_games::{self, EndedGame};
use estimation_store::event_reads::StoredEvent;
use estimation_store::packed::{self, PackedLog};
use estimation_store::{
    Binding, Database, Effect, GENESIS, GameId, Hash, Server, StoreError, chain, event_reads,
};

use super::samples::{Log, game_id, lobby_game, with};
use crate::prelude::*;

/// Writes a log of that many events, and a signed end with that number, if given.
async fn game(store: &Database, id: &str, number: usize, signed: Option<u64>) -> Vec<StoredEvent> {
    let bodies: Vec<String> = (0..number).map(|n| format!("{{\"g\":\"{id}\",\"n\":{n}}}")).collect();
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    let unit = with(Log::new(id).next(&bodies), [Effect::InsertGame(lobby_game("plain", "ann"))]);
    let appended = store.append(unit).await.expect("a log");
    if let Some(number) = signed {
        sign(store, id, number, appended.last_seq, appended.hash).await;
    }
    log(store, id).await
}

async fn sign(store: &Database, id: &str, number: u64, events: u64, head: Hash) {
    let ended = EndedGame {
        number,
        game: game_id(id),
        events,
        head,
        kid: "key".to_owned(),
        signature: [3; 64],
        signed_at: 5_000,
    };
    store.write(Server, move |conn| ended_games::add(conn, &ended)).await.expect("a signed end");
}

async fn log(store: &Database, id: &str) -> Vec<StoredEvent> {
    let id = game_id(id);
    store.read(move |conn| event_reads::after(conn, id, 0, 10_000)).await.expect("the log")
}

async fn pack(store: &Database, id: &str, log: &[StoredEvent]) -> Result<(), StoreError> {
    let packed = PackedLog::of(game_id(id), log).expect("a chain");
    store.write(Server, move |conn| packed::insert(conn, &packed)).await
}

async fn clear(store: &Database, id: &str, limit: i64) -> bool {
    let id = game_id(id);
    store.write(Server, move |conn| packed::clear(conn, id, limit, 9_000)).await.expect("events that may go")
}

fn chained(bodies: &[&str]) -> Vec<StoredEvent> {
    let mut hash = GENESIS;
    (1..)
        .zip(bodies)
        .map(|(seq, body)| {
            hash = chain(hash, body.as_bytes());
            StoredEvent { seq, hash, body: (*body).to_owned(), binding: None }
        })
        .collect()
}

#[test]
fn every_byte_comes_back() {
    let mut events = chained(&["{\"a\":1}", "", "{\"ü\":\"\\n\"}", " "]);
    events[3].binding = Some(Binding::new([1; 9], [2; 32]));
    let packed = PackedLog::of(GameId::default(), &events).expect("a chain");
    assert_eq!(packed.unpack(), Ok(events));
}

#[test]
fn events_without_a_chain_are_not_packed() {
    let good = chained(&["1", "2", "3"]);
    let mut swapped = good.clone();
    swapped.swap(0, 1);
    let mut forged = good.clone();
    forged[1].body = "4".to_owned();
    for events in [&good[1..], &swapped, &forged, &[]] {
        assert!(matches!(PackedLog::of(GameId::default(), events), Err(StoreError::Corrupt { .. })));
    }
    assert!(PackedLog::of(GameId::default(), &good).is_ok());
}

#[test]
fn a_changed_body_under_the_same_head_is_detected() {
    let head = PackedLog::of(GameId::default(), &chained(&["1", "2"])).expect("a chain").head;
    let other = PackedLog::of(GameId::default(), &chained(&["1", "3"])).expect("a chain");
    let forged = PackedLog { head, ..other.clone() };
    assert!(matches!(forged.unpack(), Err(StoreError::Corrupt { .. })));
    let torn = PackedLog { body: other.body[..3].to_vec(), ..other };
    assert!(matches!(torn.unpack(), Err(StoreError::Corrupt { .. })));
}

on_both! {
    async fn a_packed_log_reads_as_before(database: TestDatabase) {
        let store = database.open();
        let before = game(&store, "g", 1_001, Some(1)).await;
        game(&store, "h", 3, None).await;
        pack(&store, "g", &before).await.expect("a packed log");
        pack(&store, "g", &before).await.expect("once more changes nothing");
        for _ in 0..100 {
            for (after, limit) in [(0, 10_000), (0, 1), (499, 3), (1_000, 5), (1_001, 5), (5_000, 5)] {
                let read = store.read(move |conn| event_reads::after(conn, game_id("g"), after, limit)).await.expect("events");
                let expected = before.iter().skip(after as usize).take(limit as usize);
                assert_eq!(read, expected.cloned().collect::<Vec<_>>());
            }
            let last = &before[1_000];
            let head = store.read(|conn| event_reads::head(conn, game_id("g"))).await.expect("a head").expect("a game");
            assert_eq!((head.seq, head.hash), (last.seq, last.hash));
            let heads = store.read(|conn| event_reads::heads(conn, &["g", "h", "no"].map(game_id))).await.expect("heads");
            let mut seqs: Vec<_> = heads.iter().map(|(game, head)| (*game, head.seq)).collect();
            seqs.sort_unstable();
            assert_eq!(seqs, [(game_id("g"), 1_001), (game_id("h"), 3)]);
            if clear(&store, "g", 300).await {
                let due = store.read(|conn| packed::unpacked(conn, i64::MAX, &HashSet::new(), 10)).await.expect("games");
                assert_eq!(due, []);
                return;
            }
        }
        panic!("it never ends");
    }

    async fn only_the_log_of_a_signed_game_is_packed(database: TestDatabase) {
        let store = database.open();
        let running = game(&store, "running", 3, None).await;
        assert_eq!(pack(&store, "running", &running).await, Err(StoreError::AppendOnly));
        let ended = game(&store, "ended", 3, Some(1)).await;
        assert_eq!(pack(&store, "ended", &ended[..2]).await, Err(StoreError::AppendOnly));
        let mut other = Log::new("ended");
        other.next(&["1", "2", "3"]);
        let forged = [(3, other.hash), (2, ended[2].hash), (4, ended[2].hash)];
        for (events, head) in forged {
            let sql = format!(
                "INSERT INTO packed_games (game_id, events, head, format, body) \
                 VALUES ('{}', {events}, {}, 1, {})",
                game_id("ended"),
                bytes(database.backend(), &head),
                bytes(database.backend(), b"anything"),
            );
            assert!(database.outsider().run(&sql).is_err(), "{sql}");
        }
        let longer = game(&store, "longer", 3, None).await;
        sign(&store, "longer", 2, 2, longer[1].hash).await;
        assert_eq!(pack(&store, "longer", &longer).await, Err(StoreError::AppendOnly));
        assert_eq!(pack(&store, "longer", &longer[..2]).await, Err(StoreError::AppendOnly));
        pack(&store, "ended", &ended).await.expect("the log of a signed game");
    }

    /// Events may only move into their pack. Packed events cannot be changed, deleted or extended.
    async fn every_other_change_is_refused(database: TestDatabase) {
        let store = database.open();
        let packed = game(&store, "packed", 4, Some(1)).await;
        let signed = game(&store, "signed", 4, Some(2)).await;
        pack(&store, "packed", &packed).await.expect("a packed log");
        let mut attempts = vec![
            // A game that is not packed, alone and together with a packed one.
            "DELETE FROM game_events WHERE game_id = 'signed'",
            "DELETE FROM game_events WHERE game_id = 'signed' AND seq = 1",
            "DELETE FROM game_events",
            "UPDATE game_events SET game_id = 'packed', seq = seq + 10 WHERE game_id = 'signed'",
            "UPDATE game_events SET body = 'forged' WHERE game_id = 'packed'",
            "UPDATE packed_games SET game_id = 'signed'",
            "UPDATE packed_games SET body = body",
            "DELETE FROM packed_games",
            "INSERT INTO packed_games SELECT 'signed', events, head, format, body, binding FROM packed_games",
            "INSERT INTO packed_games SELECT * FROM packed_games WHERE true \
             ON CONFLICT (game_id) DO UPDATE SET body = excluded.head",
            "INSERT INTO game_events (game_id, seq, hash, body) SELECT game_id, 5, hash, 'forged' \
             FROM game_events WHERE game_id = 'packed' AND seq = 4",
        ];
        match database.backend() {
            Backend::Sqlite => attempts.extend([
                "INSERT OR REPLACE INTO packed_games SELECT game_id, events, head, format, head, binding FROM packed_games",
                "UPDATE OR REPLACE packed_games SET body = head",
                "INSERT OR REPLACE INTO game_events (game_id, seq, hash, body) \
                 SELECT game_id, seq, hash, 'forged' FROM game_events WHERE game_id = 'packed'",
            ]),
            Backend::Postgres => attempts.extend([
                "TRUNCATE packed_games",
                "TRUNCATE game_events",
                "TRUNCATE game_events, packed_games CASCADE",
                "SET LOCAL session_replication_role = replica; DELETE FROM packed_games",
                "SET LOCAL session_replication_role = replica; DELETE FROM game_events",
                "SET LOCAL session_replication_role = replica; \
                 INSERT INTO packed_games SELECT 'signed', events, head, format, body, binding FROM packed_games",
            ]),
        }
        let reinserted = "INSERT INTO game_events (game_id, seq, hash, body) \
                          SELECT 'packed', seq, hash, 'forged' FROM game_events WHERE game_id = 'signed' AND seq = 1";
        attempts.push(reinserted);
        for cleared in [false, true] {
            if cleared {
                while !clear(&store, "packed", 2).await {}
            }
            for sql in &attempts {
                // These statements need rows of the game; there are none left.
                if cleared
                    && (sql.contains("FROM game_events WHERE game_id = 'packed'")
                        || sql.ends_with("WHERE game_id = 'packed'"))
                {
                    continue;
                }
                let statement = with_ids(sql);
                let attempt = statement.clone();
                let refused = store
                    .write(Server, move |conn| {
                        diesel::connection::SimpleConnection::batch_execute(conn, &attempt)?;
                        Ok(())
                    })
                    .await;
                let duplicate = !cleared && *sql == reinserted
                    && matches!(refused, Err(StoreError::Constraint { .. }));
                assert!(refused == Err(StoreError::AppendOnly) || duplicate, "{sql}: {refused:?}");
                if !sql.starts_with("SET LOCAL") {
                    assert!(database.outsider().run(&statement).is_err(), "{sql}");
                }
            }
            assert_eq!(log(&store, "packed").await, packed);
            assert_eq!(log(&store, "signed").await, signed);
        }
    }

    async fn a_changed_log_is_detected(database: TestDatabase) {
        let store = database.open();
        let first = game(&store, "g", 4, Some(1)).await;
        // Without the guard, which only the database's owner can remove.
        let guard = match database.backend() {
            Backend::Sqlite => "DROP TRIGGER packed_games_refuse_update",
            Backend::Postgres => "ALTER TABLE packed_games DISABLE TRIGGER packed_games_refuse_change",
        };
        pack(&store, "g", &first).await.expect("a packed log");
        while !clear(&store, "g", 100).await {}
        let mut outsider = database.outsider();
        outsider.run(guard).expect("no guard");
        let mut forged = Log::new("g");
        forged.next(&["{\"n\":0}", "{\"n\":7}"]);
        outsider.run("UPDATE packed_games SET events = 3").expect("a change");
        let read = store.read(|conn| event_reads::after(conn, game_id("g"), 0, 10)).await;
        assert!(matches!(read, Err(StoreError::Corrupt { .. })), "{read:?}");
        let sql = format!("UPDATE packed_games SET events = 4, head = {}", bytes(database.backend(), &forged.hash));
        outsider.run(&sql).expect("a change");
        let read = store.read(|conn| event_reads::after(conn, game_id("g"), 0, 10)).await;
        assert!(matches!(read, Err(StoreError::Corrupt { .. })), "{read:?}");
    }
}

/// The statement with the ids of games in the place of their names.
fn with_ids(sql: &str) -> String {
    let id = |sql: String, name| sql.replace(&format!("'{name}'"), &format!("'{}'", game_id(name)));
    ["packed", "signed"].into_iter().fold(sql.to_owned(), id)
}

fn bytes(backend: Backend, bytes: &[u8]) -> String {
    let hex = hex::encode(bytes);
    match backend {
        Backend::Sqlite => format!("x'{hex}'"),
        Backend::Postgres => format!("'\\x{hex}'::bytea"),
    }
}
