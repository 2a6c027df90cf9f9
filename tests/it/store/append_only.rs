//! History is immutable: for the store, and for any SQL on a connection like its own.

use diesel::{QueryableByName, RunQueryDsl, sql_query, sql_types::Text};
use estimation_store::ended_games::{self, EndedGame};
use estimation_store::moderation::{Act, ActToRecord, ModerationAct};
use estimation_store::role::Role;
use estimation_store::triggers::{self, TriggerFault};
use estimation_store::{
    Binding, Connection, Database, Server, StoreError, accounts, audit_accesses, event_reads, moderation,
    role_grants,
};

use super::samples::{Log, account_id, at, game_id, guest, row_id};
use crate::prelude::*;

fn signed(game: &str) -> EndedGame {
    EndedGame {
        number: 1,
        game: game_id(game),
        events: 7,
        head: [1; 32],
        kid: "key".to_owned(),
        signature: [3; 64],
        signed_at: 5_000,
    }
}

async fn run(store: &Database, sql: &str) -> Result<(), StoreError> {
    let sql = sql.to_owned();
    let unit = move |conn: &mut Connection| {
        diesel::connection::SimpleConnection::batch_execute(conn, &sql)?;
        Ok(())
    };
    store.write(Server, unit).await
}

on_both! {
    async fn the_log_refuses_change(database: TestDatabase) {
        let store = database.open();
        let mut log = Log::new("g");
        store.append(log.next(&["1", "2"])).await.expect("two events");
        let before = store.read(|conn| event_reads::after(conn, game_id("g"), 0, 10)).await.expect("the log");

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
            assert_eq!(run(&store, sql).await, Err(StoreError::AppendOnly), "{sql}");
        }
        let after = store.read(|conn| event_reads::after(conn, game_id("g"), 0, 10)).await.expect("the log");
        assert_eq!(after, before);
        store.append(log.next(&["3"])).await.expect("the log goes on");
    }

    async fn signed_ends_and_accesses_cannot_be_changed(database: TestDatabase) {
        let store = database.open();
        store
            .write(Server, |conn| {
                ended_games::add(conn, &signed("g"))?;
                audit_accesses::record(conn, &account_id("ann"), game_id("g"), 7, at(5_000))
            })
            .await
            .expect("a game and a look");
        let read = |conn: &mut Connection| Ok((ended_games::after(conn, 0, 10)?, audit_accesses::before(conn, None, None, 10)?));
        let before = store.read(read).await.expect("the rows");
        assert_eq!((before.0.len(), before.1.len()), (1, 1));

        let mut attempts = Vec::new();
        for (table, number, column, time) in [("ended_games", "number", "game_id", "signed_at"), ("looks", "position", "account_id", "looked_at")] {
            attempts.extend([
                format!("UPDATE {table} SET {column} = 'forged'"),
                format!("UPDATE {table} SET {time} = {time} + 10"),
                format!("DELETE FROM {table}"),
                format!("DELETE FROM {table} WHERE {number} = 1"),
            ]);
            if database.backend() == Backend::Postgres {
                attempts.extend([
                    format!("TRUNCATE {table}"),
                    format!("TRUNCATE {table} RESTART IDENTITY CASCADE"),
                    format!("SET LOCAL session_replication_role = replica; DELETE FROM {table}"),
                ]);
            }
        }
        let upsert = "INSERT INTO ended_games SELECT number, 'forged', events, head, kid, signature, \
                      signed_at FROM ended_games WHERE number = 1 ON CONFLICT (number) DO UPDATE SET \
                      game_id = excluded.game_id";
        attempts.push(upsert.to_owned());
        let mut outsiders = attempts.clone();
        if database.backend() == Backend::Sqlite {
            let replacements = [
                "INSERT OR REPLACE INTO ended_games SELECT number, 'forged', events, head, kid, \
                 signature, signed_at FROM ended_games",
                "INSERT OR REPLACE INTO ended_games SELECT 99, game_id, events, head, 'forged', \
                 signature, signed_at FROM ended_games",
                "INSERT OR REPLACE INTO looks SELECT position, 'forged', game_id, version, looked_at FROM looks",
                "UPDATE OR REPLACE ended_games SET number = 2",
            ];
            attempts.extend(replacements.map(str::to_owned));
            // The signed ends also resist connections without the store's settings.
            outsiders.extend(replacements.map(str::to_owned));
        }
        for sql in attempts {
            assert_eq!(run(&store, &sql).await, Err(StoreError::AppendOnly), "{sql}");
        }
        let mut outsider = database.outsider();
        for sql in outsiders.iter().filter(|sql| !sql.starts_with("SET LOCAL")) {
            assert!(outsider.run(sql).is_err(), "{sql}");
        }
        assert_eq!(store.read(read).await.expect("the rows"), before);
    }

    async fn grants_of_roles_cannot_be_changed(database: TestDatabase) {
        let store = database.open();
        store
            .write(Server, |conn| {
                accounts::insert(conn, &guest("ann"))?;
                role_grants::grant(conn, row_id("1"), &account_id("ann"), Role::Auditor, None, at(20))
            })
            .await
            .expect("a grant");
        let read = |conn: &mut Connection| role_grants::of_account(conn, &account_id("ann"));
        let before = store.read(read).await.expect("the grants");
        let mut attempts = vec![
            "UPDATE role_grants SET granted_by = 'somebody'",
            "UPDATE role_grants SET created_at = created_at + 10",
            "DELETE FROM role_grants",
            "DELETE FROM role_grants WHERE account_id = 'ann'",
            "INSERT INTO role_grants SELECT id, account_id, 'player', former_role, granted_by, created_at \
             FROM role_grants WHERE true ON CONFLICT (id) DO UPDATE SET role = excluded.role",
        ];
        match database.backend() {
            Backend::Sqlite => attempts.extend([
                "INSERT OR REPLACE INTO role_grants SELECT id, account_id, 'player', former_role, granted_by, \
                 created_at FROM role_grants",
                "UPDATE OR REPLACE role_grants SET id = '2'",
            ]),
            Backend::Postgres => attempts.extend([
                "TRUNCATE role_grants",
                "SET LOCAL session_replication_role = replica; DELETE FROM role_grants",
            ]),
        }
        let mut outsider = database.outsider();
        for sql in attempts {
            assert_eq!(run(&store, sql).await, Err(StoreError::AppendOnly), "{sql}");
            assert!(sql.starts_with("SET LOCAL") || outsider.run(sql).is_err(), "an outsider: {sql}");
        }
        assert_eq!(store.read(read).await.expect("the grants"), before);
        // The log continues, and survives the account.
        let deleted = store.write(Server, |conn| {
            role_grants::grant(conn, row_id("2"), &account_id("ann"), Role::Player, None, at(30))?;
            accounts::delete(conn, &account_id("ann"))
        });
        assert_eq!(deleted.await, Ok(true));
        assert_eq!(store.read(read).await.expect("the grants").len(), 2);
    }

    async fn acts_of_moderators_cannot_be_changed(database: TestDatabase) {
        let store = database.open();
        let to_record = |act| ActToRecord { act, seal: Arc::new(|_, _| Ok(Binding::new([0; 9], [0; 32]))) };
        let act = |id: &str| to_record(ModerationAct {
            id: row_id(id),
            account_id: Some(account_id("ann")),
            game_id: None,
            act: Act::Muted,
            until_at: Some(50),
            reason: "a reason".to_owned(),
            appeal: None,
            changes: "[]".to_owned(),
            report_id: None,
            acted_by: None,
            untold: None,
            created_at: at(20),
        });
        let (first, second) = (act("1"), act("2"));
        let insert = move |conn: &mut Connection| {
            accounts::insert(conn, &guest("ann"))?;
            moderation::record(conn, &first)
        };
        store.write(Server, insert).await.expect("an act");
        let read = |conn: &mut Connection| moderation::acts_of(conn, &account_id("ann"), 10);
        let before = store.read(read).await.expect("the acts");
        let mut attempts = vec![
            "UPDATE moderation_acts SET reason = 'another'",
            "DELETE FROM moderation_acts",
            "INSERT INTO moderation_acts SELECT id, account_id, game_id, 'lifted', until_at, reason, appeal, changes, \
             report_id, acted_by, untold, created_at, number, binding FROM moderation_acts WHERE true ON CONFLICT (id) DO UPDATE SET act = excluded.act",
        ];
        match database.backend() {
            Backend::Sqlite => attempts.extend([
                "INSERT OR REPLACE INTO moderation_acts SELECT id, account_id, game_id, 'lifted', until_at, reason, \
                 appeal, changes, report_id, acted_by, untold, created_at, number, binding FROM moderation_acts",
                "INSERT OR REPLACE INTO moderation_acts SELECT 'another', account_id, game_id, act, until_at, reason, \
                 appeal, changes, report_id, acted_by, untold, created_at, number, binding FROM moderation_acts",
            ]),
            Backend::Postgres => attempts.extend([
                "TRUNCATE moderation_acts",
                "SET LOCAL session_replication_role = replica; DELETE FROM moderation_acts",
            ]),
        }
        let mut outsider = database.outsider();
        for sql in attempts {
            assert_eq!(run(&store, sql).await, Err(StoreError::AppendOnly), "{sql}");
            assert!(sql.starts_with("SET LOCAL") || outsider.run(sql).is_err(), "an outsider: {sql}");
        }
        assert_eq!(store.read(read).await.expect("the acts"), before);
        // The acts survive the account.
        let deleted = store.write(Server, move |conn| {
            moderation::record(conn, &second)?;
            accounts::delete(conn, &account_id("ann"))
        });
        assert_eq!(deleted.await, Ok(true));
        assert_eq!(store.read(read).await.expect("the acts").len(), 2);
    }

    /// A connection without the store's settings meets the same triggers.
    async fn outsiders_are_refused(database: TestDatabase) {
        let store = database.open();
        store.append(Log::new("g").next(&["1"])).await.expect("an event");
        let mut outsider = database.outsider();
        assert!(outsider.run("UPDATE game_events SET body = 'forged'").is_err());
        assert!(outsider.run("DELETE FROM game_events").is_err());
    }

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

#[derive(QueryableByName)]
struct Trigger {
    #[diesel(sql_type = Text)]
    of: String,
    #[diesel(sql_type = Text)]
    name: String,
}

/// An audit misses no trigger that the migrations of PostgreSQL create.
#[tokio::test]
async fn every_disabled_trigger_of_postgresql_is_a_fault() {
    let database = TestDatabase::new(Backend::Postgres);
    let store = database.open();
    assert_eq!(store.read(triggers::faults).await, Ok(Vec::new()));
    let Outsider::Postgres(mut outsider) = database.outsider() else { panic!("PostgreSQL") };
    let query = "SELECT tgrelid::regclass::text AS of, tgname::text AS name FROM pg_trigger WHERE NOT tgisinternal ORDER BY of, name";
    let all: Vec<Trigger> = sql_query(query).load(&mut outsider).expect("triggers");
    for Trigger { of, name } in &all {
        sql_query(format!("ALTER TABLE {of} DISABLE TRIGGER {name}"))
            .execute(&mut outsider)
            .expect("disabled");
    }
    let changed =
        all.iter().map(|Trigger { of, name }| TriggerFault::Changed(format!("{of}.{name}"))).collect();
    assert_eq!(store.read(triggers::faults).await, Ok(changed));
}
