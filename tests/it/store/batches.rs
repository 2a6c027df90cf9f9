//! Group commit: many units, few commits. A failing unit does not affect the others.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};
use std::task::{Context, Poll, Waker};

use estimation_store::accounts::{self, AccountKind, AccountRow};
use estimation_store::role::Role;
use estimation_store::{
    Append, AppendResult, BatchSize, Database, Effect, GameId, Server, SessionAuthority, Settings,
    StoreError, StoreObserver, UnitFailure, event_reads, games,
};
use tokio::sync::mpsc::unbounded_channel;
use tokio::task::unconstrained;

use super::samples::{Log, account_id, at, game_id, human, lobby_game, people, request, with};
use crate::prelude::*;

fn account(id: &str, username: &str) -> AccountRow {
    AccountRow {
        id: account_id(id),
        username: Some(username.to_owned()),
        username_key: Some(username.to_lowercase()),
        display_name: username.to_owned(),
        password_hash: Some("$argon2id$".to_owned()),
        kind: AccountKind::Full,
        role: Role::Player,
        created_at: at(1),
        updated_at: at(1),
        password_changes: 0,
    }
}

/// Holds the writer until all later units are queued, so that they form one batch. The first poll of `units` must queue
/// them all.
async fn behind_a_slow_unit<T>(store: &Database, units: impl Future<Output = T>) -> T {
    let (take, mut taken) = unbounded_channel();
    let (hold, held) = mpsc::channel::<()>();
    let slow = store.write(Server, move |_| {
        let _ = take.send(());
        let _ = held.recv();
        Ok::<_, StoreError>(())
    });
    let units = async {
        taken.recv().await.expect("the writer has the slow unit");
        // Without a budget, so that one poll reaches all units.
        let mut units = pin!(unconstrained(units));
        let first = poll_fn(|context| Poll::Ready(units.as_mut().poll(context))).await;
        drop(hold);
        match first {
            Poll::Ready(all) => all,
            Poll::Pending => units.await,
        }
    };
    let (slow, all) = tokio::join!(slow, units);
    slow.expect("the slow unit");
    all
}

/// What the writer did since it was opened.
#[derive(Default)]
pub(super) struct Recorder {
    commits: Mutex<Vec<BatchSize>>,
    taken: AtomicUsize,
    reruns: AtomicUsize,
    conflicts: AtomicUsize,
}

/// Totals of a [`Recorder`].
#[derive(Debug)]
pub(super) struct Recorded {
    pub commits: usize,
    pub units: usize,
    pub events: usize,
    pub reruns: usize,
    pub conflicts: usize,
}

impl StoreObserver for Recorder {
    fn taken(&self, _: Duration) {
        self.taken.fetch_add(1, Ordering::Relaxed);
    }

    fn committed(&self, batch: BatchSize) {
        self.commits.lock().expect("no panic").push(batch);
    }

    fn rerun(&self) {
        self.reruns.fetch_add(1, Ordering::Relaxed);
    }

    fn conflicts(&self, number: usize) {
        self.conflicts.fetch_add(number, Ordering::Relaxed);
    }
}

impl Recorder {
    pub(super) fn totals(&self) -> Recorded {
        let commits = self.commits.lock().expect("no panic");
        Recorded {
            commits: commits.len(),
            units: commits.iter().map(|batch| batch.units).sum(),
            events: commits.iter().map(|batch| batch.events).sum(),
            reruns: self.reruns.load(Ordering::Relaxed),
            conflicts: self.conflicts.load(Ordering::Relaxed),
        }
    }
}

/// Opens the database with a recorder of its writer.
pub(super) fn recorded(database: &TestDatabase) -> (Database, Arc<Recorder>) {
    let recorder = Arc::new(Recorder::default());
    let observer = Arc::clone(&recorder);
    (database.open_with(Settings { observer, ..Settings::default() }), recorder)
}

/// Thirty games with one event each, and the units that append the second.
async fn thirty(store: &Database) -> Vec<Append> {
    let mut logs: Vec<Log> = (0..30).map(|n| Log::new(&format!("honest-{n:02}"))).collect();
    for log in &mut logs {
        store.append(log.next(&["1"])).await.expect("a first event");
    }
    logs.iter_mut().map(|log| log.next(&["2", "3"])).collect()
}

/// Submits all units while the writer is busy. Returns their answers in the same order.
async fn in_one_batch(store: &Database, units: Vec<Append>) -> Vec<Result<AppendResult, StoreError>> {
    behind_a_slow_unit(store, join_all(units.into_iter().map(|unit| store.append(unit)))).await
}

type Refusal = UnitFailure<&'static str>;

on_both! {
    /// Whatever the error: what a unit wrote before it is rolled back, and units beside it in the batch are not.
    async fn a_refusal_after_a_write_leaves_nothing(database: TestDatabase) {
        let store = database.open();
        let writes = |id: &'static str, refusal: fn() -> Result<(), Refusal>| {
            store.write(Server, move |conn| {
                accounts::insert(conn, &account(id, id))?;
                refusal()
            })
        };
        let refused = || Err(UnitFailure::Refused("not allowed"));
        let own = || Err(UnitFailure::Store(StoreError::WaitsAlready));
        assert_eq!(writes("alone", refused).await, Err(UnitFailure::Refused("not allowed")));
        assert_eq!(writes("alone", own).await, Err(UnitFailure::Store(StoreError::WaitsAlready)));

        let mut log = Log::new("g");
        let append = with(log.next(&["1"]), [Effect::InsertGame(lobby_game("plain", "host")), Effect::SeatPlayer { place: 0, account: Some(account_id("nobody")), kind: "human".to_owned() }]);
        let units = async {
            tokio::join!(
                writes("first", || Ok(())),
                writes("second", refused),
                store.append(append),
                writes("third", own),
                writes("fourth", || Ok(())),
                store.write(Server, |conn| Ok::<_, Refusal>(accounts::insert(conn, &account("first", "again"))?)),
            )
        };
        let (first, second, append, third, fourth, twice) = behind_a_slow_unit(&store, units).await;
        assert_eq!((first, fourth), (Ok(()), Ok(())));
        assert_eq!((second, third), (Err(UnitFailure::Refused("not allowed")), Err(UnitFailure::Store(StoreError::WaitsAlready))));
        assert_eq!(append, Err(StoreError::NoAccount { account: account_id("nobody") }));
        assert_eq!(twice, Err(UnitFailure::Store(StoreError::UsernameTaken)));
        let mut outsider = database.outsider();
        assert_eq!(outsider.count("accounts WHERE id IN ('first', 'fourth')"), 2);
        let (written, events, games) = (outsider.count("accounts"), outsider.count("game_events"), outsider.count("games"));
        assert_eq!((written, events, games), (2, 0, 0));

        // Neither do a panic, the end of the session that an append is for, and a request whose key is taken.
        let panics = store.write(Server, |conn| -> Result<(), StoreError> {
            accounts::insert(conn, &account("fifth", "fifth"))?;
            panic!("as planned")
        });
        panics.await.expect_err("a panic");
        people(&store, ["ann"]).await;
        let table = || Effect::InsertGame(lobby_game("plain", "ann"));
        let mut others = ["refused", "taken", "first"].map(Log::new);
        let by = Some(SessionAuthority { session: "ended".to_owned(), authority: 0 });
        let refused = store.append(Append { by, ..with(others[0].next(&["1"]), [table()]) }).await;
        assert_eq!(refused, Err(StoreError::AuthorityChanged));
        let remembered = || Effect::RememberRequest(request("a key", "first"));
        store.append(with(others[2].next(&["1"]), [table(), remembered()])).await.expect("the first request");
        let taken = store.append(with(others[1].next(&["1"]), [table(), remembered()])).await;
        assert_eq!(taken, Err(StoreError::KeyTaken));
        let (written, events, games) = (outsider.count("accounts"), outsider.count("game_events"), outsider.count("games"));
        assert_eq!((written, events, games), (3, 1, 1));
    }

    /// Five hundred units for as many games take a few commits, and the observer sees each unit.
    async fn many_units_share_a_commit(database: TestDatabase) {
        let (store, recorder) = recorded(&database);
        let units = (0..500).map(|n| Log::new(&format!("g{n:03}")).next(&["1", "2"])).collect();
        for answer in in_one_batch(&store, units).await {
            answer.expect("appended");
        }
        let statistics = recorder.totals();
        assert_eq!((statistics.units, statistics.events, statistics.reruns), (501, 1_000, 0));
        assert!(statistics.commits < 50, "{statistics:?}");
        let seen = recorder.commits.lock().expect("no panic");
        assert_eq!(seen.len(), statistics.commits);
        assert!(seen.iter().all(|batch| batch.units <= 256), "{seen:?}");
        assert_eq!(seen.iter().map(|batch| batch.events).sum::<usize>(), 1_000);
    }

    async fn one_unit_per_game_in_a_batch(database: TestDatabase) {
        let (store, recorder) = recorded(&database);
        let mut log = Log::new("g");
        let units = (0..20).map(|n| log.next(&[&n.to_string()])).collect();
        for answer in in_one_batch(&store, units).await {
            answer.expect("appended");
        }
        let statistics = recorder.totals();
        assert_eq!((statistics.units, statistics.events, statistics.reruns), (21, 20, 0));
        assert!(statistics.commits >= 20, "{statistics:?}");
    }

    /// In one batch with a conflict, a duplicate, an error and a panic, all other units succeed.
    async fn a_unit_fails_alone(database: TestDatabase) {
        let (store, recorder) = recorded(&database);
        people(&store, ["ann", "bob"]).await;
        let (mut old, mut good, mut taken) = (Log::new("b-old"), Log::new("a-good"), Log::new("c-taken"));
        store.append(old.next(&["1"])).await.expect("an older game");
        let stale = old.rival(&["stale"]);
        store.append(old.next(&["2"])).await.expect("and its second event");
        store.append(with(taken.next(&["1"]), [human(0, "ann")])).await.expect("a seat");

        let (good, stale, seat, named, again, own, panics) = behind_a_slow_unit(&store, async {
            tokio::join!(
                store.append(good.next(&["1"])),
                store.append(stale),
                store.append(with(taken.rival(&["2"]), [human(0, "bob")])),
                store.write(Server, |conn| accounts::insert(conn, &account("1", "Ann"))),
                store.write(Server, |conn| accounts::insert(conn, &account("2", "ANN"))),
                store.write(Server, |conn| {
                    accounts::insert(conn, &account("3", "Zoe"))?;
                    Err::<(), _>(StoreError::NotFound)
                }),
                store.write(Server, |_| -> Result<(), StoreError> { panic!("as planned") }),
            )
        })
        .await;
        assert_eq!(good.expect("the good one").last_seq, 1);
        assert_eq!(stale, Err(StoreError::VersionConflict { game: game_id("b-old") }));
        assert_eq!(seat, Err(StoreError::PlaceTaken { game: game_id("c-taken"), place: 0 }));
        assert_eq!(named, Ok(()));
        assert_eq!(again, Err(StoreError::UsernameTaken));
        assert_eq!(own, Err(StoreError::NotFound));
        assert!(matches!(panics, Err(StoreError::Defect { .. })), "{panics:?}");
        assert!(recorder.totals().reruns >= 1);

        let (heads, zoe) = store
            .read(|conn| {
                Ok((event_reads::heads(conn, &["c-taken"].map(game_id))?, accounts::find(conn, &account_id("3"))?.is_some()))
            })
            .await
            .expect("a look");
        let heads: Vec<_> = heads.iter().map(|(game, head)| (*game, head.seq)).collect();
        assert_eq!(heads, [(game_id("c-taken"), 1)], "nothing of a failed unit stays");
        assert!(!zoe, "nothing of a failed unit stays");
    }

    /// Ten stale units share a batch with thirty valid ones: the thirty are written together.
    async fn a_conflict_fails_only_its_own_unit(database: TestDatabase) {
        let store = database.open();
        let mut units = thirty(&store).await;
        let mut noisy: Vec<Log> = (0..10).map(|n| Log::new(&format!("noisy-{n}"))).collect();
        for (n, log) in noisy.iter_mut().enumerate() {
            // Half of the units link to a missing event, half reuse a sequence number.
            store.append(log.next(&["1"])).await.expect("a first event");
            let mut stale = log.rival(&["rival", "and more"]);
            if n % 2 == 0 {
                stale.previous_hash = [9; 32];
            } else {
                store.append(log.next(&["2"])).await.expect("a second event");
            }
            units.insert(3 * n, stale);
        }
        // Another node wrote those events: this store has not cached them.
        drop(store);
        let (store, recorder) = recorded(&database);
        let answers = in_one_batch(&store, units).await;
        let written = answers.iter().filter(|answer| answer.is_ok()).count();
        let is_noisy = |game: &GameId| noisy.iter().any(|log| log.game == *game);
        let stale = answers.iter().filter(|answer| matches!(answer, Err(StoreError::VersionConflict { game }) if is_noisy(game)));
        assert_eq!((written, stale.count()), (30, 10));
        let statistics = recorder.totals();
        assert_eq!((statistics.reruns, statistics.events, statistics.units), (0, 60, 31), "{statistics:?}");
        assert!(statistics.commits <= 3, "{statistics:?}");
        for log in noisy {
            let head = store.read(move |conn| event_reads::head(conn, log.game)).await.expect("a look").expect("a head");
            assert_eq!((head.seq, head.hash), (log.seq, log.hash), "nothing of a stale unit stays");
        }
    }

    /// Twenty units were decided on the same state of a game: one is written, and no other enters a batch.
    async fn a_stale_unit_enters_no_batch(database: TestDatabase) {
        let (store, recorder) = recorded(&database);
        let mut log = Log::new("noisy");
        store.append(log.next(&["1"])).await.expect("a first event");
        let taken = recorder.taken.load(Ordering::Relaxed);
        let rivals = (0..20).map(|n| log.rival(&[&n.to_string()])).collect();
        let answers = in_one_batch(&store, rivals).await;
        assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
        let conflict = Err(StoreError::VersionConflict { game: game_id("noisy") });
        assert_eq!(answers.iter().filter(|answer| **answer == conflict).count(), 19);
        assert_eq!(recorder.taken.load(Ordering::Relaxed) - taken, 1);
        // A unit decided on the new state is written.
        let head = store.read(|conn| event_reads::head(conn, game_id("noisy"))).await.expect("a look").expect("a head");
        let anew = Log { game: log.game, seq: head.seq, hash: head.hash }.next(&["3"]);
        assert_eq!(store.append(anew).await.expect("a third event").last_seq, 3);
    }

    /// A duplicate key and a taken place are each found once, and the other units are written together.
    async fn a_failed_effect_fails_only_its_own_unit(database: TestDatabase) {
        let (store, recorder) = recorded(&database);
        let mut units = thirty(&store).await;
        for key in ["key-1", "key-2"] {
            let used = with(Log::new(key).next(&["1"]), [Effect::RememberRequest(request(key, "g"))]);
            store.append(used).await.expect("the first use");
            let again = with(Log::new(&format!("again-{key}")).next(&["1"]), [Effect::RememberRequest(request(key, "g"))]);
            units.insert(5, again);
        }
        for (at, name) in [(0, "a-seats"), (20, "z-seats")] {
            let bots = [Effect::SeatPlayer { place: 1, account: None, kind: "bot".to_owned() }; 1];
            let twice = [bots.clone(), bots].concat();
            units.insert(at, with(Log::new(name).next(&["1"]), twice));
        }
        let before = recorder.totals();
        let answers = in_one_batch(&store, units).await;
        assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 30);
        let keys = answers.iter().filter(|answer| **answer == Err(StoreError::KeyTaken)).count();
        let seats = answers.iter().filter(|answer| matches!(answer, Err(StoreError::PlaceTaken { .. }))).count();
        assert_eq!((keys, seats), (2, 2));
        let statistics = recorder.totals();
        assert!(statistics.commits - before.commits <= 3, "{before:?} {statistics:?}");
        assert_eq!(statistics.events - before.events, 60);
        let left = store.read(|conn| event_reads::heads(conn, &["again-key-1", "again-key-2", "a-seats", "z-seats"].map(game_id)));
        assert_eq!(left.await, Ok(Vec::new()), "nothing of a failed unit stays");
    }

    async fn effects_and_events_are_atomic(database: TestDatabase) {
        let store = database.open();
        people(&store, ["ann", "bob"]).await;
        let game = lobby_game("squares", "ann");
        let bad = with(Log::new("g").next(&["1"]), [
            Effect::InsertGame(game.clone()),
            human(0, "ann"),
            human(0, "bob"),
        ]);
        assert!(matches!(store.append(bad).await, Err(StoreError::PlaceTaken { .. })));
        let nothing = store
            .read(|conn| Ok((event_reads::head(conn, game_id("g"))?, games::find(conn, game_id("g"))?)))
            .await
            .expect("a look");
        assert_eq!(nothing, (None, None));
        let missing = with(Log::new("g").next(&["1"]), [Effect::UnseatPlayer { place: 3 }]);
        assert_eq!(store.append(missing).await, Err(StoreError::NotFound));
    }

    async fn shutdown_finishes_queued_units(database: TestDatabase) {
        let store = database.open();
        let units: Vec<_> = (0..100)
            .map(|n| {
                let (store, unit) = (store.clone(), Log::new(&format!("g{n}")).next(&["1"]));
                Box::pin(async move { store.append(unit).await })
            })
            .collect();
        // A future does nothing until it is polled. Polling queues the unit.
        let mut waiting = Vec::new();
        for mut unit in units {
            match unit.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Pending => waiting.push(unit),
                Poll::Ready(quick) => assert!(quick.is_ok(), "{quick:?}"),
            }
        }
        store.shutdown().await;
        for unit in waiting {
            unit.await.expect("appended before the end");
        }
        let late = store.append(Log::new("late").next(&["1"])).await;
        assert_eq!(late, Err(StoreError::ShuttingDown));
        store.ping().await.expect("reading goes on");
        store.shutdown().await;
    }

    async fn a_full_queue_refuses(database: TestDatabase) {
        let store = database.open_with(Settings { queue: 4, ..Settings::default() });
        let units = (0..64).map(|n| Log::new(&format!("g{n}")).next(&["1"])).collect();
        let answers = in_one_batch(&store, units).await;
        let refused = answers.iter().filter(|answer| **answer == Err(StoreError::Overloaded)).count();
        let written = answers.iter().filter(|answer| answer.is_ok()).count();
        assert_eq!((refused, written), (60, 4));
    }
}

#[tokio::test]
async fn sqlite_is_read_back_after_reopening() {
    let database = TestDatabase::new(Backend::Sqlite);
    let mut log = Log::new("g");
    let store = database.open();
    store.append(log.next(&["1"])).await.expect("an event");
    store.shutdown().await;
    drop(store);
    let store = database.open();
    store.append(log.next(&["2"])).await.expect("the log goes on");
}

/// Another node commits to a game of the batch while the insert runs: that unit is stale, and all others are
/// written together.
#[tokio::test]
async fn a_concurrent_commit_on_postgres_fails_only_its_own_unit() {
    let database = TestDatabase::new(Backend::Postgres);
    let (store, recorder) = recorded(&database);
    let mut units = thirty(&store).await;
    let mut log = Log::new("contended");
    store.append(log.next(&["1"])).await.expect("a first event");
    units.insert(7, log.rival(&["stale", "and more"]));
    let winner = log.next(&["2"]);
    let (mut node, mut watcher) = (database.outsider(), database.outsider());
    node.run(&format!(
        "BEGIN; INSERT INTO game_events (game_id, seq, hash, body) VALUES ('{}', {}, '\\x{}', '2')",
        winner.game,
        winner.first_seq(),
        hex::encode(winner.events[0].hash)
    ))
    .expect("an event");
    let before = recorder.totals();
    let answers = tokio::join!(in_one_batch(&store, units), async {
        eventually("the insert waits for the other node", async || {
            let waiting = "pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
            watcher.count(waiting) > 0
        })
        .await;
        node.run("COMMIT").expect("the other node commits");
    })
    .0;
    for (index, answer) in answers.into_iter().enumerate() {
        match index {
            7 => assert_eq!(answer, Err(StoreError::VersionConflict { game: log.game })),
            _ => assert!(answer.is_ok(), "{answer:?}"),
        }
    }
    let after = recorder.totals();
    assert_eq!((after.reruns - before.reruns, after.conflicts - before.conflicts), (1, 1));
    assert!(after.commits - before.commits <= 2, "the slow unit, and one batch: {before:?} {after:?}");
    let head =
        store.read(move |conn| event_reads::head(conn, log.game)).await.expect("a look").expect("a head");
    assert_eq!((head.seq, head.hash), (log.seq, log.hash));
}
