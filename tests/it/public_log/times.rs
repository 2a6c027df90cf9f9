//! The times of entries: in a log they never go back, whatever the clocks of the nodes say.

use estimation_engine::event::Visibility;
use estimation_engine::table::TableCommand;
use estimation_record::{LogEntry, RecordTime};
use estimation_service::base::clock::{Clock, ManualClock};
use estimation_service::base::failure::Failure;
use estimation_service::public_log::LogSettings;
use estimation_service::public_log::failure::LogFailure;
use estimation_store::public_log::{EntryKind, enqueue};
use estimation_store::{Binding, Connection, Server, StoreError};

use super::{node_at, signed, whole};
use crate::audit::served::*;
use crate::prelude::*;

/// A node whose clock is ahead of 2026-01-01 12:00 by some seconds.
async fn ahead(database: &TestDatabase, seconds: i64) -> (Arc<App>, Arc<ManualClock>) {
    let noon: Timestamp = "2026-01-01T12:00:00Z".parse().expect("a time");
    let clock = ManualClock::at(noon + SignedDuration::from_secs(seconds));
    let clock = Arc::new(clock);
    (node_at(database, LogSettings::default(), Arc::clone(&clock) as _).await, clock)
}

/// Signs all waiting entries. Returns the times of the log's entries.
async fn times(app: &App) -> Vec<RecordTime> {
    sign_starts(app).await;
    let (checkpoint, _) = signed(app).await;
    let (_, entries) = whole(app, checkpoint.size).await;
    let at = |entry: &String| match serde_json::from_str(entry).expect("an entry") {
        LogEntry::Start { at, .. } | LogEntry::End { at, .. } => at,
        other => panic!("{other:?}"),
    };
    entries.iter().map(at).collect()
}

/// Tries to start a game.
async fn try_table(app: &Arc<App>) -> Result<(), Failure> {
    let (game, players) = table_with(app, Visibility::Public, [1, 2, 3, 4], false).await;
    app.games.at_table(&players[0], game, &TableCommand::Start, None, None).await.map(drop)
}

on_both! {
    /// One changed row would give all later checkpoints and promises its time.
    async fn a_stored_time_ahead_of_the_clock_stops_the_log(database: TestDatabase) {
        let (app, clock) = ahead(&database, 0).await;
        table(&app, Visibility::Public).await;
        assert_eq!(times(&app).await.len(), 1);
        let mut outsider = database.outsider();
        outsider.run("CREATE TABLE kept AS SELECT * FROM log_tree").expect("a copy");
        let now = clock.now().as_millisecond();
        let before = signed(&app).await.0;
        for column in ["entered_at", "signed_at"] {
            outsider.run(&format!("UPDATE log_tree SET {column} = {}", now + 61_000)).expect("another time");
            let failure = app.public_log.advance().await;
            assert!(matches!(&failure, Err(LogFailure::TimeAhead { .. })), "{column}: {failure:?}");
            assert_eq!(app.public_log.refusal().expect("a reason").reason, "time-ahead");
            if column == "entered_at" {
                // No game starts at this time.
                let refused = try_table(&app).await;
                assert!(matches!(&refused, Err(Failure::GameBusy)), "{refused:?}");
            }
            assert_eq!(signed(&app).await.0, before);
            outsider.run(&format!("UPDATE log_tree SET {column} = (SELECT {column} FROM kept)")).expect("the true time");
        }
        // A smaller one moves no checkpoint.
        outsider.run(&format!("UPDATE log_tree SET signed_at = {}", now + 59_000)).expect("another time");
        table(&app, Visibility::Public).await;
        app.public_log.advance().await.expect("a checkpoint");
        let (checkpoint, note) = signed(&app).await;
        assert_eq!(checkpoint.size, 2);
        let cosigner = app.public_log.verifiers().await.expect("keys").expect("a log").cosigner;
        let time = note.verify(&cosigner).expect("a cosignature").time.expect("a time");
        assert_eq!(i64::try_from(time).expect("a time"), now / 1000);
        assert_eq!(app.public_log.refusal(), None);
    }

    /// While a transaction adds to the queue, none gives entries their positions.
    async fn the_log_does_not_grow_beside_a_transaction_that_adds_an_entry(database: TestDatabase) {
        let (app, _) = ahead(&database, 0).await;
        app.public_log.advance().await.expect("the empty log");
        table(&app, Visibility::Public).await;
        let store = database.open();
        let (entered, mut enter) = tokio::sync::mpsc::unbounded_channel();
        let (leave, left) = std::sync::mpsc::channel::<()>();
        let adding = tokio::spawn({
            let store = store.clone();
            async move {
                let add = move |conn: &mut Connection| {
                    enqueue(conn, None, EntryKind::Other, i64::MAX, "{}", &Binding::new([0; 9], [0; 32]))?;
                    let _ = entered.send(());
                    left.recv().map_err(|error| StoreError::Defect { detail: error.to_string() })
                };
                store.write(Server, add).await
            }
        });
        enter.recv().await.expect("the transaction is open");
        if database.backend() == crate::databases::Backend::Postgres {
            app.public_log.advance().await.expect("nothing to do");
            assert_eq!(signed(&app).await.0.size, 0);
        }
        leave.send(()).expect("the transaction goes on");
        adding.await.expect("no panic").expect("an entry");
        app.public_log.advance().await.expect("the start");
        // The other entry is of no game.
        assert_eq!(signed(&app).await.0.size, 1);
        assert_eq!(database.outsider().count("log_queue WHERE refused_at IS NOT NULL"), 1);
    }
}

on_sqlite_first! {
    async fn a_node_whose_clock_is_behind_repeats_a_start_with_a_later_time(database: TestDatabase) {
        let (early, _) = ahead(&database, 0).await;
        let (late, _) = ahead(&database, 5).await;
        table(&late, Visibility::Public).await;
        let first = times(&late).await;
        let (game, players) = table(&early, Visibility::Public).await;
        let all = times(&early).await;
        assert_eq!((all.len(), &all[..1]), (2, &first[..]));
        assert!(all.is_sorted(), "{all:?}");
        // The entry has the time of the event.
        let view = early.games.view(&players[0], game).await.expect("a view");
        let by = view.log.expect("a promise").by;
        assert_eq!(by, all[1].plus(SignedDuration::from_mins(1)));
    }

    async fn waiting_entries_are_taken_in_order_of_their_times(database: TestDatabase) {
        let (late, _) = ahead(&database, 5).await;
        let (early, _) = ahead(&database, 0).await;
        table(&late, Visibility::Public).await;
        table(&early, Visibility::Public).await;
        let all = times(&early).await;
        assert!(all.len() == 2 && all.is_sorted(), "{all:?}");
    }

    async fn the_end_of_a_game_that_waited_for_its_verification_does_not_go_back(database: TestDatabase) {
        let (app, clock) = ahead(&database, 0).await;
        ended(&app, Visibility::Public).await;
        clock.advance(SignedDuration::from_secs(5));
        table(&app, Visibility::Public).await;
        assert_eq!(times(&app).await.len(), 2);
        clock.advance(SignedDuration::from_secs(5));
        assert_eq!(sign_and_log(&app).await, 1);
        let all = times(&app).await;
        assert!(all.len() == 3 && all.is_sorted(), "{all:?}");
    }

    async fn an_entry_of_a_time_before_the_last_is_refused(database: TestDatabase) {
        let (app, _) = ahead(&database, 0).await;
        table(&app, Visibility::Public).await;
        let last = times(&app).await[0].timestamp().as_millisecond();
        let store = database.open();
        let add = |at: i64| store.write(Server, move |conn: &mut Connection| enqueue(conn, None, EntryKind::Other, at, "{}", &Binding::new([0; 9], [0; 32])));
        assert_eq!(add(last - 1).await, Err(StoreError::LogTimePassed { latest: last }));
        assert_eq!(add(last).await, Ok(()));
    }

    /// A node whose clock is wrong holds up none of the others.
    async fn an_entry_ahead_of_the_clock_waits(database: TestDatabase) {
        let (early, clock) = ahead(&database, 0).await;
        let (late, _) = ahead(&database, 90).await;
        table(&late, Visibility::Public).await;
        table(&early, Visibility::Public).await;
        assert_eq!(times(&early).await.len(), 1);
        clock.advance(SignedDuration::from_secs(40));
        assert_eq!(times(&early).await.len(), 2);
    }

    /// A checkpoint that is later than the promise, and lacks the start, would look like a dropped game.
    async fn no_checkpoint_lacks_a_start_that_is_overdue(database: TestDatabase) {
        let (app, clock) = ahead(&database, 0).await;
        app.public_log.advance().await.expect("the empty log");
        table(&app, Visibility::Public).await;
        clock.advance(SignedDuration::from_secs(60));
        assert!(app.public_log.sign_checkpoint().await.expect("in time"), "the promise is kept until then");
        clock.advance(SignedDuration::from_secs(61));
        let failure = app.public_log.sign_checkpoint().await;
        assert!(matches!(&failure, Err(LogFailure::StartOverdue { .. })), "{failure:?}");
        let status = app.public_log.status().await.expect("a look").expect("a log");
        // Whether a node runs is not in the database.
        assert_eq!((status.refusal, status.overdue_start.is_some()), (None, true));
        app.public_log.advance().await.expect("a checkpoint with the start");
        assert_eq!(signed(&app).await.0.size, 1);
        let status = app.public_log.status().await.expect("a look").expect("a log");
        assert_eq!((status.refusal, status.overdue_start), (None, None));
    }

    /// Nor does the first checkpoint.
    async fn the_first_checkpoint_has_a_start_that_waited(database: TestDatabase) {
        let (app, clock) = ahead(&database, 0).await;
        table(&app, Visibility::Public).await;
        clock.advance(SignedDuration::from_secs(61));
        app.public_log.advance().await.expect("a checkpoint");
        assert_eq!(signed(&app).await.0.size, 1);
    }
}
