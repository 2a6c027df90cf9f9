//! Clocks that jump or are wrong: no player loses a turn because of them.

use std::sync::{Mutex, PoisonError};

use estimation_engine::player::BotLevel;
use estimation_engine::table::TableCommand;
use estimation_service::auth::caller::Caller;
use estimation_service::auth::restrictions::Restrictions;
use estimation_service::auth::tokens::Role;
use estimation_service::base::clock::{Clock, SystemClock};
use estimation_service::base::clock_watch::CLOCK_SKEW;
use estimation_service::base::entropy::SystemEntropy;
use estimation_service::games::NewTable;
use estimation_service::readiness::NotReady;
use estimation_service::services::AppSettings;
use estimation_store::{GameId, games};

use crate::audit::keys;
use crate::audit::served::new_table;
use crate::prelude::*;

/// The time limit of a turn in seconds: the minimum.
const TURN: u32 = 10;

struct WrongClock {
    by: Mutex<SignedDuration>,
    started: Instant,
}

impl WrongClock {
    fn by(seconds: i64) -> Arc<WrongClock> {
        let by = Mutex::new(SignedDuration::from_secs(seconds));
        Arc::new(WrongClock { by, started: Instant::now() })
    }

    fn step(&self, seconds: i64) {
        let mut by = self.by.lock().unwrap_or_else(PoisonError::into_inner);
        *by += SignedDuration::from_secs(seconds);
    }
}

impl Clock for WrongClock {
    fn now(&self) -> Timestamp {
        SystemClock.now() + *self.by.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn monotonic(&self) -> Duration {
        self.started.elapsed()
    }
}

fn node(database: &TestDatabase, clock: Arc<dyn Clock>) -> Arc<App> {
    let settings = AppSettings::unlimited(clock, Arc::new(SystemEntropy));
    let settings = AppSettings { clock_skew: Some(CLOCK_SKEW), ..settings };
    Arc::new(App::new(database.open(), keys(), settings))
}

async fn guest(app: &Arc<App>) -> Caller {
    let (account, session) = app.accounts.register_guest(None, None).await.expect("an account");
    Caller {
        account: account.id,
        session: session.session_id,
        role: Role::Player,
        signed_in_at: jiff::Timestamp::UNIX_EPOCH,
        restrictions: Restrictions::default(),
    }
}

/// A started game of two, with a bot or a person as the second player; and its host.
async fn game_of(app: &Arc<App>, bot: bool) -> (Caller, GameId) {
    let (noor, omar) = (guest(app).await, guest(app).await);
    let new = NewTable { players: Some(2), turn_seconds: Some(TURN), ..new_table("nineteen") };
    let id = app.games.create(&noor, new, None).await.expect("a table").value.id;
    let (second, command) = match bot {
        true => (&noor, TableCommand::SeatBot { place: 1, level: BotLevel::Easy }),
        false => (&omar, TableCommand::Join { place: None, commitment: None }),
    };
    app.games.at_table(second, id, &command, None, None).await.expect("a second player");
    app.games.at_table(&noor, id, &TableCommand::Start, None, None).await.expect("a start");
    (noor, id)
}

async fn log(app: &App, (noor, id): &(Caller, GameId)) -> Vec<Value> {
    let page = app.games.events(noor, *id, 0.into(), 100).await.expect("events");
    page.items.iter().map(|event| serde_json::to_value(event).expect("JSON")).collect()
}

fn at(event: &Value) -> Timestamp {
    event["at"].as_str().expect("a time").parse().expect("a time")
}

/// Waits for the default move of the turn that began with the last of these events. Returns the seconds from
/// the beginning of the turn, as recorded.
async fn default_move(app: &App, game: &(Caller, GameId), events: usize) -> f64 {
    let log =
        found("a default move", async || Some(log(app, game).await).filter(|log| log.len() > events)).await;
    assert_eq!(log[events]["actor"]["by"], "clock", "{}", log[events]);
    at(&log[events]).duration_since(at(&log[events - 1])).as_secs_f64()
}

fn figure(app: &App, name: &str) -> f64 {
    let text = app.metrics.render();
    let line = text.lines().find(|line| line.starts_with(&format!("{name} "))).expect(name);
    line.rsplit(' ').next().expect("a number").parse().expect("a number")
}

on_both! {
    #[ignore = "all: waits out deadlines of a node, a client or the database"]
    async fn a_jump_forward_is_added_to_running_turns(database: TestDatabase) {
        let clock = WrongClock::by(-90);
        let app = node(&database, clock.clone());
        let _background = app.start_background();
        // The node has read its clocks before the jump.
        let bots = game_of(&app, true).await;
        let events = log(&app, &bots).await.len();
        eventually("a bot's move", async || log(&app, &bots).await.len() > events).await;
        // Only now, so that the turn lasts longer than anything before the jump.
        let game = game_of(&app, false).await;
        clock.step(90);
        let before = log(&app, &game).await;
        let store = database.open();
        let due = at(before.last().expect("events")) + SignedDuration::from_secs(i64::from(TURN) + 90);
        let id = game.1;
        // The node delays the timer. Otherwise the turn would expire at once.
        eventually("the timer is put off", async || {
            if log(&app, &game).await.len() > before.len() {
                // The time of the move tells below whether it was put off.
                return true;
            }
            let row = store.read(move |conn| games::find(conn, id)).await.expect("a row").expect("a game");
            row.wake_at.is_some_and(|at| (at - due.as_millisecond()).abs() < 2_000)
        })
        .await;
        assert_eq!(figure(&app, "estimation_clock_jumps_total"), 1.0);
        let took = default_move(&app, &game, before.len()).await;
        assert!(took >= f64::from(TURN) + 89.0, "{took}");
        assert_eq!(app.readiness.check().await, Ok(None));
    }
}

/// A node whose clock is ahead of the server's plays for bots but not for persons, and is not ready.
#[ignore = "all: waits out deadlines of a node, a client or the database"]
#[tokio::test]
async fn a_node_with_a_wrong_clock_plays_for_no_person() {
    let database = TestDatabase::new(Backend::Postgres);
    let right = node(&database, Arc::new(SystemClock));
    let clock = WrongClock::by(90);
    let wrong = node(&database, clock.clone());
    let waiting = game_of(&right, false).await;
    let before = log(&right, &waiting).await.len();
    let background = wrong.start_background();
    eventually("the node is not ready", async || wrong.readiness.check().await == Err(NotReady::ClockSkewed))
        .await;
    let ahead = figure(&wrong, "estimation_clock_skew_seconds");
    assert!((80.0..100.0).contains(&ahead), "{ahead}");
    // Each time the node looks for bots to move, it finds the turn that has expired by its own clock.
    for _ in 0..3 {
        let bots = game_of(&right, true).await;
        let events = log(&right, &bots).await.len();
        eventually("a bot's move", async || log(&right, &bots).await.len() > events).await;
    }
    assert_eq!(log(&right, &waiting).await.len(), before);
    // With the right clock the node acts again, but not before the turn's deadline.
    clock.step(-90);
    eventually("the node is ready", async || wrong.readiness.check().await == Ok(None)).await;
    let took = default_move(&right, &waiting, before).await;
    assert!(took >= f64::from(TURN), "{took}");
    drop(background);
}
