//! History cannot be changed: not by the store, not by anybody who can run SQL on a connection like its own.

use estimation::store::{StoreError, events};

use super::samples::Log;
use crate::databases::{Backend, on_both};

on_both! {
    /// Every way there is to change or take away a row is refused, and leaves the log as it was.
    async fn the_log_refuses_change(database: TestDatabase) {
        let store = database.open();
        let mut log = Log::new("g");
        store.append(log.next(&["1", "2"])).await.expect("two events");
        let before = store.read(|conn| events::after(conn, "g", 0, 10)).await.expect("the log");

        let mut attempts = vec![
            "UPDATE game_events SET body = 'forged' WHERE seq = 1",
            "UPDATE game_events SET seq = seq + 10",
            "DELETE FROM game_events WHERE seq = 2",
            "DELETE FROM game_events",
        ];
        match database.backend() {
            Backend::Sqlite => attempts.extend([
                "INSERT OR REPLACE INTO game_events (game_id, seq, hash, body) \
                 SELECT game_id, seq, hash, 'forged' FROM game_events WHERE seq = 1",
                "INSERT OR REPLACE INTO game_events (position, game_id, seq, hash, body) \
                 SELECT position, game_id, 99, hash, 'forged' FROM game_events WHERE seq = 1",
                "INSERT INTO game_events (game_id, seq, hash, body) \
                 SELECT game_id, seq, hash, 'forged' FROM game_events WHERE seq = 1 \
                 ON CONFLICT (game_id, seq) DO UPDATE SET body = excluded.body",
                "UPDATE OR REPLACE game_events SET seq = 2 WHERE seq = 1",
            ]),
            Backend::Postgres => attempts.extend([
                "TRUNCATE game_events",
                "TRUNCATE game_events RESTART IDENTITY CASCADE",
                "INSERT INTO game_events (game_id, seq, hash, body) \
                 SELECT game_id, seq, hash, 'forged' FROM game_events WHERE seq = 1 \
                 ON CONFLICT (game_id, seq) DO UPDATE SET body = excluded.body",
                "SET LOCAL session_replication_role = replica; DELETE FROM game_events",
            ]),
        }
        for sql in attempts {
            let refused = store
                .write(move |conn| {
                    diesel::connection::SimpleConnection::batch_execute(conn, sql)?;
                    Ok(())
                })
                .await;
            assert_eq!(refused, Err(StoreError::AppendOnly), "{sql}");
        }
        let after = store.read(|conn| events::after(conn, "g", 0, 10)).await.expect("the log");
        assert_eq!(after, before);
        store.append(log.next(&["3"])).await.expect("the log goes on");
    }

    /// An outsider without the store's settings meets the same triggers.
    async fn outsiders_are_refused(database: TestDatabase) {
        let store = database.open();
        store.append(Log::new("g").next(&["1"])).await.expect("an event");
        let mut outsider = database.outsider();
        assert!(outsider.run("UPDATE game_events SET body = 'forged'").is_err());
        assert!(outsider.run("DELETE FROM game_events").is_err());
    }

    /// Reading connections cannot write at all.
    async fn readers_cannot_write(database: TestDatabase) {
        let store = database.open();
        let refused = store
            .read(|conn| {
                diesel::connection::SimpleConnection::batch_execute(
                    conn,
                    "INSERT INTO game_seeds (game_id, seed) VALUES ('g', '')",
                )?;
                Ok(())
            })
            .await;
        assert!(matches!(refused, Err(StoreError::ReadOnly { .. })), "{refused:?}");
    }
}
