//! The log and its witnesses.

use std::sync::atomic::Ordering;

use estimation_engine::event::Visibility;
use estimation_service::base::clock::ManualClock;
use estimation_service::public_log::failure::LogFailure;
use estimation_service::public_log::{DEFAULT_ORIGIN, LogSettings};
use estimation_tlog::{Checkpoint, Hash};

use super::witness::TestWitness;
use super::{node, node_at, signed};
use crate::audit::served::*;
use crate::prelude::*;

async fn ask_witnesses(app: &App) {
    for witness in app.public_log.witnesses().iter() {
        app.public_log.ask_witness(witness).await;
    }
}

on_sqlite_first! {
    async fn checkpoints_are_cosigned_and_a_silent_witness_delays_none(database: TestDatabase) {
        let (first, second) = (TestWitness::start("first.example/w"), TestWitness::start("second.example/ww"));
        let log = LogSettings { witnesses: vec![first.setting(), second.setting()], ..LogSettings::default() };
        let app = node(&database, log).await;
        let advance = async || {
            app.public_log.advance().await.expect("a checkpoint");
            ask_witnesses(&app).await;
        };
        advance().await;
        table(&app, Visibility::Public).await;
        advance().await;
        let (checkpoint, note) = signed(&app).await;
        assert_eq!(checkpoint.size, 1);
        for witness in [&first, &second] {
            assert_eq!(note.verify(&witness.verifier()).expect("a cosignature").time, Some(1_790_000_000));
        }
        second.silent.store(true, Ordering::Relaxed);
        table(&app, Visibility::Public).await;
        advance().await;
        let (checkpoint, note) = signed(&app).await;
        assert_eq!(checkpoint.size, 2);
        assert!(note.verify(&first.verifier()).is_ok() && note.verify(&second.verifier()).is_err());
        // It catches up from the last checkpoint that it saw.
        second.silent.store(false, Ordering::Relaxed);
        advance().await;
        assert!(signed(&app).await.1.verify(&second.verifier()).is_ok());
    }

    /// Those who demand a recent cosignature get one of a log that does not grow as well.
    async fn a_witness_cosigns_an_unchanged_log_every_five_minutes(database: TestDatabase) {
        let witness = TestWitness::start("first.example/w");
        let log = LogSettings { witnesses: vec![witness.setting()], ..LogSettings::default() };
        let clock = Arc::new(ManualClock::at(Timestamp::UNIX_EPOCH));
        let app = node_at(&database, log, clock.clone()).await;
        app.public_log.advance().await.expect("a checkpoint");
        for cosigned in 1..4 {
            for _ in 0..3 {
                ask_witnesses(&app).await;
                assert_eq!(witness.cosigned.load(Ordering::Relaxed), cosigned);
                clock.advance(SignedDuration::from_secs(100));
            }
        }
    }

    async fn a_log_that_a_witness_has_seen_larger_is_not_signed(database: TestDatabase) {
        let witness = TestWitness::start("first.example/w");
        let log = LogSettings { witnesses: vec![witness.setting()], ..LogSettings::default() };
        let app = node(&database, log.clone()).await;
        for _ in 0..2 {
            app.public_log.advance().await.expect("a checkpoint");
            ask_witnesses(&app).await;
            table(&app, Visibility::Public).await;
        }
        app.shutdown().await;
        // The database lost its end; the witness did not.
        let larger = witness.seen.lock().expect("the state").clone().map(|seen| Checkpoint { size: 7, ..seen });
        *witness.seen.lock().expect("the state") = larger;
        let before = {
            let app = node(&database, log.clone()).await;
            signed(&app).await.0
        };
        let app = node(&database, log).await;
        let failure = app.public_log.advance().await;
        assert!(matches!(&failure, Err(LogFailure::RolledBack { detail }) if detail.contains("has seen 7")), "{failure:?}");
        assert_eq!(signed(&app).await.0, before);
    }

    async fn a_witness_that_contradicted_a_new_log_is_asked_again(database: TestDatabase) {
        let witness = TestWitness::start("first.example/w");
        let origin = DEFAULT_ORIGIN.parse().expect("a name");
        let other = Checkpoint { origin, size: 7, root: Hash::empty_root() };
        *witness.seen.lock().expect("the state") = Some(other);
        let log = LogSettings { witnesses: vec![witness.setting()], ..LogSettings::default() };
        let app = node(&database, log).await;
        for _ in 0..2 {
            ask_witnesses(&app).await;
            let failure = app.public_log.advance().await;
            assert!(matches!(&failure, Err(LogFailure::RolledBack { detail }) if detail.contains("has seen 7")), "{failure:?}");
        }
        // The operator of the witness has removed the other log of this name.
        *witness.seen.lock().expect("the state") = None;
        ask_witnesses(&app).await;
        app.public_log.advance().await.expect("a checkpoint");
        assert_eq!(signed(&app).await.0.size, 0);
    }

    async fn nothing_is_signed_before_a_witness_has_answered_once(database: TestDatabase) {
        let witness = TestWitness::start("first.example/w");
        let log = LogSettings { witnesses: vec![witness.setting()], ..LogSettings::default() };
        let app = node(&database, log.clone()).await;
        app.public_log.advance().await.expect("a checkpoint");
        table(&app, Visibility::Public).await;
        witness.silent.store(true, Ordering::Relaxed);
        let app = node(&database, log).await;
        assert!(matches!(app.public_log.advance().await, Err(LogFailure::Unconfirmed { .. })));
        assert_eq!(signed(&app).await.0.size, 0);
        witness.silent.store(false, Ordering::Relaxed);
        app.public_log.advance().await.expect("a checkpoint");
        assert_eq!(signed(&app).await.0.size, 1);
    }

    async fn a_witness_that_does_not_answer_holds_up_no_other(database: TestDatabase) {
        let (first, second) = (TestWitness::start("first.example/w"), TestWitness::start("second.example/ww"));
        first.hanging.store(true, Ordering::Relaxed);
        let log = LogSettings { witnesses: vec![first.setting(), second.setting()], ..LogSettings::default() };
        let app = node(&database, log).await;
        let jobs = app.start_background();
        eventually("a cosignature", async || second.cosigned.load(Ordering::Relaxed) > 0).await;
        assert_eq!(first.given_up.load(Ordering::Relaxed), 0);
        drop(jobs);
        app.shutdown().await;
    }
}
