//! What a node does by itself while it serves: exchanging notices, looking at the log, sweeping.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval};

use super::accounts::Accounts;
use super::clock_watch::NodeClock;
use super::failure::Failure;
use super::games::Games;
use super::services::App;
use crate::auth::sessions::Sessions;
use crate::auth::throttle::Throttle;

/// How often a node looks at the log for all that is watched there.
const LOOK: Duration = Duration::from_secs(1);

/// How often a node looks whether its keys have changed.
const KEYS: Duration = Duration::from_secs(4);

/// How often logs of games that are over are packed, some of them.
const PACK: Duration = Duration::from_secs(1);

/// How often the clock is compared with the database server's.
const CLOCK: Duration = Duration::from_secs(2);

/// How often what was measured is taken in.
const MEASURE: Duration = Duration::from_secs(5);

/// How often what is over is put on the list of ended games.
const LIST: Duration = Duration::from_secs(1);

/// How often what is on that list is counted.
const COUNT: Duration = Duration::from_secs(1);

/// How often tables of strangers are looked at.
const MATCH: Duration = Duration::from_secs(1);

/// How often seats of accounts that are gone are looked for.
const SEATS: Duration = Duration::from_secs(60);

/// How often what is too old is swept away.
const SWEEP: Duration = Duration::from_secs(10 * 60);

/// The work in the background of a node; it ends when this is dropped.
pub struct Background(Vec<JoinHandle<()>>);

impl Drop for Background {
    fn drop(&mut self) {
        self.0.iter().for_each(JoinHandle::abort);
    }
}

/// Does some work of a service again and again, in a task of its own.
macro_rules! repeat {
    ($period:expr, $what:literal, $service:expr, $work:ident) => {{
        let service = Arc::clone(&$service);
        tokio::spawn(async move { every($period, || report($what, service.$work())).await })
    }};
}

impl App {
    /// Starts the work in the background, on the runtime of the caller.
    pub fn start_background(&self) -> Background {
        self.announcements.exchange(&self.database, &self.metrics);
        let measured = Arc::clone(&self.metrics);
        Background(vec![
            tokio::spawn(async move {
                every(MEASURE, || {
                    measured.upkeep();
                    std::future::ready(())
                })
                .await;
            }),
            repeat!(LOOK, "polling the log", self.streams, poll_log),
            repeat!(LOOK, "polling sessions", self.sessions, poll),
            repeat!(CLOCK, "comparing the clock", self.node_clock, compare),
            repeat!(KEYS, "polling the keys", self.keys, poll),
            repeat!(LIST, "listing ended games", self.transparency_log, list_ended),
            tokio::spawn(Arc::clone(&self.timers).run()),
            repeat!(LOOK, "writing presence", self.presence, tell),
            repeat!(COUNT, "counting ended games", self.players, count_ended),
            repeat!(MATCH, "advancing matchmade tables", self.matchmaking, advance_matchmade_tables),
            repeat!(PACK, "packing", self.packing, pack_due),
            repeat!(SEATS, "freeing seats", self.accounts, free_forsaken_seats),
            tokio::spawn(Sweeper::of(self).run()),
        ])
    }
}

/// What forgets what is too old to matter.
struct Sweeper {
    node_clock: Arc<NodeClock>,
    games: Arc<Games>,
    sessions: Arc<Sessions>,
    throttle: Arc<Throttle>,
    accounts: Arc<Accounts>,
}

impl Sweeper {
    fn of(app: &App) -> Sweeper {
        Sweeper {
            node_clock: Arc::clone(&app.node_clock),
            games: Arc::clone(&app.games),
            sessions: Arc::clone(&app.sessions),
            throttle: Arc::clone(&app.throttle),
            accounts: Arc::clone(&app.accounts),
        }
    }

    async fn run(self) {
        every(SWEEP, || self.sweep()).await;
    }

    /// Sweeps if the clock can be trusted to tell what is too old. What cannot be swept does not keep the rest.
    async fn sweep(&self) {
        report("comparing clocks", self.node_clock.compare()).await;
        if !self.node_clock.is_trusted() {
            return;
        }
        report("sweeping requests", self.games.idempotency.sweep()).await;
        report("sweeping sessions", self.sessions.sweep()).await;
        report("sweeping attempts", self.throttle.sweep()).await;
        report("sweeping guests", self.accounts.sweep_guests()).await;
    }
}

async fn every<F: Future<Output = ()>>(period: Duration, mut work: impl FnMut() -> F) {
    let mut ticks = interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        work().await;
    }
}

/// Does some work and logs why it failed, if it did; it will be tried again.
async fn report<T>(what: &'static str, work: impl Future<Output = Result<T, Failure>>) {
    if let Err(error) = work.await {
        tracing::warn!(%error, "{what} failed");
    }
}
