//! A database that is older than what was signed: the node does not sign it.

use estimation_engine::event::Visibility;
use estimation_record::LogEntry;
use estimation_service::auth::keys::KeyRing;
use estimation_service::public_log::failure::LogFailure;
use estimation_service::public_log::{LogSettings, LogStateFile, begin_again};
use estimation_tlog::Hash;

use super::{node, signed, whole};
use crate::audit::served::*;
use crate::prelude::*;

fn keys() -> KeyRing {
    crate::audit::keys()
}

/// Sets the log back to its first entry, as a restored backup does.
pub(super) fn roll_back(database: &TestDatabase) {
    let mut outsider = database.outsider();
    outsider
        .run(
            "UPDATE log_tree SET size = kept.size, root = kept.root, signed_size = kept.signed_size, \
                  signed_at = kept.signed_at, note = kept.note FROM kept WHERE log_tree.id = kept.id",
        )
        .expect("an older tree");
    outsider.run("DELETE FROM log_tiles").expect("no tiles");
    outsider.run("INSERT INTO log_tiles SELECT * FROM kept_tiles").expect("older tiles");
}

pub(super) fn keep(database: &TestDatabase) {
    let mut outsider = database.outsider();
    outsider.run("CREATE TABLE kept AS SELECT * FROM log_tree").expect("a copy");
    outsider.run("CREATE TABLE kept_tiles AS SELECT * FROM log_tiles").expect("a copy");
}

on_both! {
    async fn a_restored_log_is_not_signed(database: TestDatabase) {
        let folder = TempDir::new().expect("a folder");
        let log = LogSettings { state_file: Some(LogStateFile::new(folder.path().join("log-state"))), ..LogSettings::default() };
        let app = node(&database, log.clone()).await;
        app.public_log.advance().await.expect("the empty log");
        table(&app, Visibility::Public).await;
        app.public_log.advance().await.expect("an entry");
        keep(&database);
        let (game, players) = table(&app, Visibility::Public).await;
        app.public_log.advance().await.expect("another entry");
        assert_eq!(signed(&app).await.0.size, 2);
        app.shutdown().await;

        roll_back(&database);
        let app = node(&database, log.clone()).await;
        database.outsider().run("UPDATE log_tree SET signed_at = 0").expect("an old checkpoint");
        let failure = app.public_log.sign_checkpoint().await;
        assert!(matches!(&failure, Err(LogFailure::RolledBack { .. })), "{failure:?}");
        assert_eq!(signed(&app).await.0.size, 1);
        app.shutdown().await;

        // The procedure for it: a new log, which begins with the last checkpoint of the old one.
        let store = database.open();
        assert!(begin_again(&store, &keys(), jiff::Timestamp::now(), &log.origin).await.is_err(), "the same name");
        begin_again(&store, &keys(), jiff::Timestamp::now(), "cards.example/second").await.expect("a new log");
        store.shutdown().await;
        let log = LogSettings { origin: "cards.example/second".to_owned(), ..log };
        let app = node(&database, log).await;
        app.public_log.advance().await.expect("the new log");
        let (first, _) = signed(&app).await;
        // With the start that the last checkpoint lacks.
        assert_eq!((first.origin.as_str(), first.size), ("cards.example/second", 2));
        let (_, entries) = whole(&app, 2).await;
        let LogEntry::Origin { checkpoint } = serde_json::from_str(&entries[0]).expect("an entry") else {
            panic!("{}", entries[0])
        };
        assert!(checkpoint.starts_with("estimation.localhost/log\n1\n"), "{checkpoint}");

        // The promise of a game names the log that it was given for, and the view the present one.
        let view = app.games.view(&players[0], game).await.expect("a view");
        assert_eq!(&*view.log_origin, "cards.example/second");
        assert_eq!(&*view.log.expect("a promise").origin, "estimation.localhost/log");
        let (game, players) = table(&app, Visibility::Public).await;
        let view = app.games.view(&players[0], game).await.expect("a view");
        assert_eq!(&*view.log.expect("a promise").origin, "cards.example/second");
    }
}

on_sqlite_first! {
    async fn a_log_with_another_past_is_not_signed(database: TestDatabase) {
        let folder = TempDir::new().expect("a folder");
        let file = folder.path().join("log-state");
        let log = LogSettings { state_file: Some(LogStateFile::new(file.clone())), ..LogSettings::default() };
        let app = node(&database, log).await;
        app.public_log.advance().await.expect("the empty log");
        for _ in 0..2 {
            table(&app, Visibility::Public).await;
            app.public_log.advance().await.expect("an entry");
        }
        let (before, _) = signed(&app).await;
        let state = std::fs::read_to_string(&file).expect("the state");
        let other = state.replace(&before.root.to_string(), &Hash([9; 32]).to_string());
        std::fs::write(&file, other).expect("another past");
        table(&app, Visibility::Public).await;
        let failure = app.public_log.advance().await;
        assert!(matches!(&failure, Err(LogFailure::RolledBack { .. })), "{failure:?}");
        assert_eq!(signed(&app).await.0, before);
        std::fs::write(&file, state).expect("the true past");
        app.public_log.advance().await.expect("an entry");
        assert!(signed(&app).await.0.size > before.size);
    }
}
