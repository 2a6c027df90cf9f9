//! What a node does by itself while it serves: exchanging notices, looking at the log, sweeping.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval};
use uuid::Uuid;

use super::hub::Polled;
use crate::app::failure::Failure;
use crate::app::ids::first_id;
use crate::app::state::App;
use crate::engine::player::AccountId;
use crate::store::{Notice, account_games, events, players};

/// How often a node looks at the log for all that is watched there.
const LOOK: Duration = Duration::from_secs(1);

/// How far back a look at the log looks for seats and invitations: further than a commit can take, and than
/// the clocks of nodes differ.
const LATELY: Duration = Duration::from_secs(60);

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

impl App {
    /// Starts the work in the background, on the runtime of the caller.
    pub fn start_background(self: &Arc<App>) -> Background {
        let (hub, metrics) = (Arc::clone(&self.hub), Arc::clone(&self.metrics));
        let board = self.database.exchange_notices(move |Notice { game, seq, accounts }| {
            metrics.notice_heard();
            if let Ok(game) = game.parse() {
                hub.moved(game, seq);
                let accounts: Vec<AccountId> = accounts.into_iter().map(AccountId::new).collect();
                hub.concerns(game, seq, &accounts);
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
        let clock = Arc::clone(self);
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
                every(LOOK, || report("looking at the log", looking.poll_log())).await;
            }),
            tokio::spawn(async move {
                every(LOOK, || report("looking at sessions", sessions.poll_sessions())).await;
            }),
            tokio::spawn(async move {
                every(CLOCK, || report("comparing the clock", clock.compare_clock())).await;
            }),
            tokio::spawn(async move {
                every(KEYS, || report("looking at the keys", keys.poll_keys())).await;
            }),
            tokio::spawn(async move {
                every(LIST, || report("listing ended games", listing.list_ended())).await;
            }),
            tokio::spawn(Arc::clone(self).run_due_timers()),
            tokio::spawn(async move {
                every(LOOK, || report("telling who is here", presence.tell_presence())).await;
            }),
            tokio::spawn(async move {
                every(COUNT, || report("counting ended games", counting.count_ended())).await;
            }),
            tokio::spawn(async move {
                every(MATCH, || {
                    report("looking at tables of strangers", matching.advance_matchmade_tables())
                })
                .await;
            }),
            tokio::spawn(async move {
                every(PACK, || report("packing", packing.pack_what_is_due())).await;
            }),
            tokio::spawn(async move {
                every(SEATS, || report("freeing seats", seats.free_forsaken_seats())).await;
            }),
            tokio::spawn(async move {
                every(SWEEP, || sweeping.sweep()).await;
            }),
        ])
    }

    async fn pack_what_is_due(&self) -> Result<(), Failure> {
        if let Some(over_for) = self.pack_after {
            self.pack(over_for).await?;
        }
        Ok(())
    }

    /// Forgets what is too old to matter, if the clock can be trusted to tell. What cannot be swept does not keep the
    /// rest.
    async fn sweep(self: &Arc<App>) {
        report("comparing clocks", self.compare_clock()).await;
        if !self.may_act_by_clock() {
            return;
        }
        report("sweeping requests", self.sweep_requests()).await;
        report("sweeping sessions", self.sweep_sessions()).await;
        report("sweeping attempts", self.sweep_attempts()).await;
        report("sweeping guests", self.sweep_guests()).await;
    }

    /// Tells this node and the others that a game has moved on. Those it concerns may not have known of it.
    pub(in crate::app) fn announce<'a>(
        &self,
        game: Uuid,
        version: u64,
        concerned: impl IntoIterator<Item = &'a AccountId, IntoIter: Clone>,
    ) {
        let concerned = concerned.into_iter();
        self.hub.moved(game, version);
        self.hub.concerns(game, version, concerned.clone());
        if let Some(board) = self.notices.get() {
            let accounts = concerned.map(ToString::to_string).collect();
            board.post(Notice { game: game.to_string(), seq: version, accounts });
        }
    }

    /// One look at the log for what is watched here, so that a hint that was lost costs a second: at the heads of
    /// games, and at who was seated or invited lately. What it costs does not depend on how many tables an
    /// account has.
    async fn poll_log(&self) -> Result<(), Failure> {
        let asked = Instant::now();
        let Polled { games, accounts } = self.hub.to_poll(asked);
        if !games.is_empty() {
            let ids: Vec<String> = games.keys().map(Uuid::to_string).collect();
            let read = self.database.read(move |conn| {
                let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
                events::heads(conn, &ids)
            });
            for (game, head) in read.await? {
                let Ok(game) = game.parse() else { continue };
                if self.hub.looked_at(game, head, games.get(&game).copied().unwrap_or_default()) {
                    tracing::warn!(%game, version = head.seq, "a log has lost events that were known here");
                    self.cache.forget(&game, u64::MAX);
                }
            }
        }
        if !accounts.is_empty() {
            let since_last = self.hub.last_look().map_or(Duration::ZERO, |last| asked.duration_since(last));
            self.poll_seats(accounts, LATELY.saturating_add(since_last)).await?;
        }
        self.hub.looked(asked);
        Ok(())
    }

    /// Finds accounts that were seated somewhere, or invited, in a span of time that ends now.
    async fn poll_seats(&self, accounts: Vec<AccountId>, span: Duration) -> Result<(), Failure> {
        let span = SignedDuration::try_from(span).unwrap_or(SignedDuration::MAX);
        let first = first_id(self.now().checked_sub(span).unwrap_or(Timestamp::UNIX_EPOCH)).to_string();
        let watched: HashSet<String> = accounts.iter().map(ToString::to_string).collect();
        let found = self.database.read(move |conn| {
            let asked: Vec<&str> = watched.iter().map(String::as_str).collect();
            let span = i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
            let mut found = players::recently_seated(conn, &asked, span)?;
            let rematches = account_games::rematches_since(conn, &first)?;
            let former: Vec<&str> = rematches.iter().map(|rematch| rematch.of.as_str()).collect();
            for player in players::of_games(conn, &former)? {
                let Some(account) = player.account_id.filter(|account| watched.contains(account)) else {
                    continue;
                };
                let theirs = rematches.iter().filter(|rematch| rematch.of == player.game_id);
                found.extend(theirs.map(|rematch| (account.clone(), rematch.id.clone())));
            }
            let tables: BTreeSet<&str> = found.iter().map(|(_, game)| game.as_str()).collect();
            let heads = events::heads(conn, &tables.into_iter().collect::<Vec<_>>())?;
            Ok((found, heads.into_iter().collect::<HashMap<_, _>>()))
        });
        let (found, heads) = found.await?;
        for (account, game) in found {
            if let (Some(head), Ok(game)) = (heads.get(&game), game.parse()) {
                self.hub.concerns(game, head.seq, [&AccountId::new(account)]);
            }
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
