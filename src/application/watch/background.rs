//! What a node does by itself while it serves: exchanging notices, looking at the log, sweeping.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval};
use uuid::Uuid;

use crate::application::app::App;
use crate::application::failure::Failure;
use crate::engine::player::AccountId;
use crate::store::games::{self, OpenTables};
use crate::store::{Notice, events};

/// How often a node looks at the log for all that is watched there.
const LOOK: Duration = Duration::from_secs(1);

/// How often a node looks whether its keys have changed.
const KEYS: Duration = Duration::from_secs(4);

/// How often logs of games that are over are packed, some of them.
const PACK: Duration = Duration::from_secs(1);

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

impl App {
    /// Starts the work in the background, on the runtime of the caller.
    pub fn start_background(self: &Arc<App>) -> Background {
        let (hub, metrics) = (Arc::clone(&self.hub), Arc::clone(&self.metrics));
        let board = self.database.exchange_notices(move |Notice { game, seq }| {
            metrics.notice_heard();
            if let Ok(game) = game.parse() {
                hub.moved(game, seq);
            }
        });
        if let Some(board) = board {
            // A second start would only replace a board by its like.
            let _ = self.notices.set(board);
        }
        let looking = Arc::clone(self);
        let sessions = Arc::clone(self);
        let keys = Arc::clone(self);
        let sweeping = Arc::clone(self);
        let seats = Arc::clone(self);
        let listing = Arc::clone(self);
        let presence = Arc::clone(self);
        let counting = Arc::clone(self);
        let matching = Arc::clone(self);
        let packing = Arc::clone(self);
        let measured = Arc::clone(&self.metrics);
        Background(vec![
            tokio::spawn(async move {
                every(MEASURE, || {
                    measured.upkeep();
                    std::future::ready(())
                })
                .await;
            }),
            tokio::spawn(async move {
                every(LOOK, || report("looking at the log", looking.look_at_log())).await;
            }),
            tokio::spawn(async move {
                every(LOOK, || report("looking at sessions", sessions.look_at_sessions())).await;
            }),
            tokio::spawn(async move {
                every(KEYS, || report("looking at the keys", keys.look_at_keys())).await;
            }),
            tokio::spawn(async move {
                every(LIST, || report("listing ended games", listing.list_ended())).await;
            }),
            tokio::spawn(Arc::clone(self).do_duties()),
            tokio::spawn(async move {
                every(LOOK, || report("telling who is here", presence.tell_presence())).await;
            }),
            tokio::spawn(async move {
                every(COUNT, || report("counting ended games", counting.count_ended())).await;
            }),
            tokio::spawn(async move {
                every(MATCH, || report("looking at tables of strangers", matching.look_at_strangers())).await;
            }),
            tokio::spawn(async move {
                every(PACK, || report("packing", packing.pack_what_is_due())).await;
            }),
            tokio::spawn(async move {
                every(SEATS, || report("freeing seats", seats.free_forsaken_seats())).await;
            }),
            tokio::spawn(async move {
                every(SWEEP, || report("sweeping", sweeping.sweep())).await;
            }),
        ])
    }

    async fn pack_what_is_due(&self) -> Result<(), Failure> {
        if let Some(over_for) = self.pack_after {
            self.pack(over_for).await?;
        }
        Ok(())
    }

    /// Forgets what is too old to matter.
    async fn sweep(&self) -> Result<(), Failure> {
        self.sweep_requests().await?;
        self.sweep_sessions().await?;
        self.sweep_attempts().await?;
        self.sweep_guests().await
    }

    /// Tells this node and the others that a game has moved on.
    pub(in crate::application) fn announce(&self, game: Uuid, version: u64) {
        self.hub.moved(game, version);
        if let Some(board) = self.notices.get() {
            board.post(Notice { game: game.to_string(), seq: version });
        }
    }

    /// One look at the log for every game that is watched here, and one at who sits where for every account.
    async fn look_at_log(&self) -> Result<(), Failure> {
        let (watched, accounts) = self.hub.watched();
        if !watched.is_empty() {
            let ids: Vec<String> = watched.iter().map(|(game, _)| game.to_string()).collect();
            let read = self.database.read(move |conn| {
                let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
                events::heads(conn, &ids)
            });
            for (game, head) in read.await? {
                if let Ok(game) = game.parse() {
                    self.hub.moved(game, head.seq);
                }
            }
        }
        if !accounts.is_empty() {
            self.look_at_tables(accounts).await?;
        }
        Ok(())
    }

    /// Wakes accounts that sit at other tables than at the last look.
    async fn look_at_tables(&self, accounts: Vec<AccountId>) -> Result<(), Failure> {
        let ids: Vec<String> = accounts.iter().map(ToString::to_string).collect();
        let read = self.database.read(move |conn| {
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            games::open_tables(conn, &ids)
        });
        let mut tables: HashMap<String, OpenTables> = read.await?.into_iter().collect();
        for account in accounts {
            let seen = tables.remove(account.as_str()).unwrap_or_default();
            self.hub.seen_at(&account, seen);
        }
        Ok(())
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
