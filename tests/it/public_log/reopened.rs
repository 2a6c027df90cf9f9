//! A new log: it has the entries that no checkpoint of the former one has.

use estimation_engine::event::Visibility;
use estimation_service::public_log::{BegunLog, LogSettings, begin_again};
use estimation_store::public_log::EntryKind;

use super::{node, signed};
use crate::audit::keys;
use crate::audit::served::*;
use crate::prelude::*;

const SECOND: &str = "cards.example/second";
const THIRD: &str = "cards.example/third";

on_sqlite_first! {
    async fn entries_beyond_the_last_checkpoint_are_in_the_next_log(database: TestDatabase) {
        let app = service(&database).await;
        app.public_log.advance().await.expect("the empty log");
        let mut outsider = database.outsider();
        outsider.run("CREATE TABLE kept AS SELECT * FROM log_tree").expect("a copy");
        let mut games = Vec::new();
        for visibility in [Visibility::Public, Visibility::Private] {
            let (game, players) = finished(&app, visibility).await;
            games.push((game, players));
        }
        app.public_log.advance().await.expect("the starts");
        sign_and_log(&app).await;
        app.endings.count().await.expect("results");
        app.public_log.advance().await.expect("the ends");
        app.shutdown().await;
        // The log grew and was not signed again.
        outsider
            .run("UPDATE log_tree SET (signed_size, signed_at, note) = (SELECT signed_size, signed_at, note FROM kept)")
            .expect("an older checkpoint");

        let store = database.open();
        // The first name was a mistake.
        for (name, former, moved) in [(SECOND, LogSettings::default().origin, 4), (THIRD, SECOND.to_owned(), 0)] {
            let begun = begin_again(&store, &keys(), Timestamp::now(), name).await.expect("a new log");
            assert_eq!(begun, BegunLog { former, signed: 0, moved, left: 0 });
        }
        store.shutdown().await;
        assert_sound(&database);

        outsider.run("CREATE TABLE kept_queue AS SELECT * FROM log_queue; DELETE FROM log_queue").expect("none waits");
        let (_, report) = inspected(&database);
        let lost = report.to_string().matches("in none of its checkpoints, and the next log lacks it").count();
        assert_eq!(lost, 4, "{report:#}");
        let overriding = if database.backend() == Backend::Postgres { "OVERRIDING SYSTEM VALUE" } else { "" };
        outsider.run(&format!("INSERT INTO log_queue {overriding} SELECT * FROM kept_queue")).expect("they wait again");

        let app = node(&database, LogSettings { origin: THIRD.to_owned(), ..LogSettings::default() }).await;
        sign_starts(&app).await;
        assert_eq!(signed(&app).await.0.size, 5);
        for (game, _) in &games {
            let proof = app.public_log.proof(*game, EntryKind::End).await.expect("a look").expect("a proof");
            assert!(proof.contains(THIRD), "{proof}");
        }
        app.shutdown().await;
        assert_sound(&database);
    }

    /// A page of entries whose positions are also those of a start, an end and an adoption that cannot be read.
    async fn damaged_positions_hide_no_entry(database: TestDatabase) {
        let app = service(&database).await;
        app.public_log.advance().await.expect("the empty log");
        table(&app, Visibility::Public).await;
        let mut outsider = database.outsider();
        outsider.run("CREATE TABLE kept AS SELECT * FROM log_tree").expect("a copy");
        app.public_log.advance().await.expect("the start");
        app.shutdown().await;
        let last = 255;
        let others: Vec<String> = (1..last).map(|position| format!("(1, {position}, 'other')")).collect();
        let binding = outsider.bytes(&"07".repeat(41));
        for change in [
            "UPDATE log_tree SET (signed_size, signed_at, note) = (SELECT signed_size, signed_at, note FROM kept)".to_owned(),
            format!("INSERT INTO log_entries (log, position, entry) SELECT 1, {last}, entry FROM log_entries"),
            format!("UPDATE log_games SET start_position = {last}"),
            format!("INSERT INTO log_entries (log, position, entry) VALUES {}", others.join(", ")),
            format!("INSERT INTO log_games (game_id, start_entry, start_log, start_position, end_entry, end_log, end_position) \
                     SELECT 'no game ' || position, 'other', 1, position, 'other', 1, position FROM log_entries WHERE position < {last}"),
            format!("INSERT INTO adopted_heads (game_id, seq, binding, entry, logged, log, position) \
                     SELECT 'no game ' || position, 1, {binding}, 'other', 'other', 1, position FROM log_entries WHERE position < {last}"),
        ] {
            outsider.run(&change).expect(&change);
        }
        let store = database.open();
        let begun = begin_again(&store, &keys(), Timestamp::now(), SECOND).await.expect("a new log");
        assert_eq!((begun.moved, begun.left), (1, 254), "{begun:?}");
        store.shutdown().await;
    }

    /// No checkpoint of a former log will have it.
    async fn a_start_beyond_the_last_checkpoint_of_a_former_log_is_refused(database: TestDatabase) {
        let app = service(&database).await;
        let game = ended(&app, Visibility::Public).await;
        sign_starts(&app).await;
        app.shutdown().await;
        begin_log(&database, SECOND).await;
        let mut outsider = database.outsider();
        outsider.run("UPDATE log_games SET start_position = start_position + 7").expect("another position");

        let app = node(&database, LogSettings { origin: SECOND.to_owned(), ..LogSettings::default() }).await;
        assert_eq!(sign_and_log(&app).await, 0);
        let told = "detail LIKE '%no checkpoint of the former public log has the position of the start%'";
        assert_eq!(outsider.count(&format!("refused_games WHERE game_id = '{game}' AND {told}")), 1);
        outsider.run("UPDATE log_games SET start_position = start_position - 7").expect("the position");
        eventually("it is signed", async || sign_and_log(&app).await == 1).await;
    }
}
