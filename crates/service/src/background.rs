//! Background jobs of a node.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval};

use crate::accounts::Accounts;
use crate::auth::sessions::Sessions;
use crate::auth::throttle::Throttle;
use crate::base::clock_watch::NodeClock;
use crate::games::Games;
use crate::identities::Identities;
use crate::mail::Mail;
use crate::moderation::Moderation;
use crate::notifications::Notifications;
use crate::people::People;
use crate::public_log::{PublicLog, Witness};
use crate::reactions::Reactions;
use crate::services::App;

/// How often the node polls the log for all watched games.
const POLL: Duration = Duration::from_secs(1);

/// How often the node checks for changed keys.
const KEYS: Duration = Duration::from_secs(4);

/// How often the clock is compared with the database server's.
const CLOCK: Duration = Duration::from_secs(2);

/// How often the node checks that the database accepts writes.
const WRITES: Duration = Duration::from_secs(2);

/// How often recorded metrics are collected.
const MEASURE: Duration = Duration::from_secs(5);

/// How often each step after the end of a game is done.
const ENDINGS: Duration = Duration::from_secs(1);

/// How often the public log grows, and how often witnesses are asked.
const LOG: Duration = Duration::from_secs(1);

/// How often matchmade tables are advanced.
const MATCH: Duration = Duration::from_secs(1);

/// How often seats of deleted accounts are searched.
const SEATS: Duration = Duration::from_secs(60);

/// How often the node looks which notices are due.
const NOTICES: Duration = Duration::from_millis(250);

/// How often the node looks whether what issuers publish is old.
const ISSUERS: Duration = Duration::from_secs(60);

/// How often the node looks for grants to revoke.
const GRANTS: Duration = Duration::from_secs(2);

/// How often the node looks for mails to send.
const MAILS: Duration = Duration::from_secs(1);

/// How often the node writes what players said.
const REACTIONS: Duration = Duration::from_millis(500);

/// How often the node looks for seats of suspended players.
const SUSPENSIONS: Duration = Duration::from_secs(2);

/// How often the node checks that the auditor access log has a signed end.
const ACCESS_LOG: Duration = Duration::from_secs(60);

/// The background jobs of a node; dropping this stops them.
pub struct Background(Vec<JoinHandle<()>>);

impl Drop for Background {
    fn drop(&mut self) {
        self.0.iter().for_each(JoinHandle::abort);
    }
}

/// Spawns a task that repeats some work of a service.
macro_rules! repeat {
    ($period:expr, $what:literal, $service:expr, $work:ident) => {{
        let service = Arc::clone(&$service);
        tokio::spawn(async move { every($period, || report($what, service.$work())).await })
    }};
}

impl App {
    /// Starts the background jobs on the caller's runtime.
    pub fn start_background(&self) -> Background {
        self.announcements.exchange(&self.database, &self.metrics);
        let measured = Arc::clone(&self.metrics);
        let written = self.database.clone();
        let jobs = vec![
            tokio::spawn(ask_witnesses(Arc::clone(&self.public_log))),
            tokio::spawn(async move {
                every(MEASURE, || {
                    measured.upkeep();
                    std::future::ready(())
                })
                .await;
            }),
            tokio::spawn(async move { every(WRITES, || written.check_writes()).await }),
            repeat!(POLL, "polling the log", self.streams, poll_log),
            repeat!(POLL, "polling sessions", self.sessions, poll),
            repeat!(POLL, "writing used generations", self.sessions, write_used_generations),
            repeat!(CLOCK, "comparing the clock", self.node_clock, compare),
            repeat!(KEYS, "polling the keys", self.keys, poll),
            repeat!(ENDINGS, "signing ended games", self.endings, sign),
            repeat!(ENDINGS, "logging ended games", self.endings, log),
            repeat!(ENDINGS, "counting ended games", self.endings, count),
            repeat!(ENDINGS, "packing", self.endings, pack_due),
            repeat!(LOG, "growing the public log", self.public_log, advance_reported),
            tokio::spawn(Arc::clone(&self.timers).run()),
            repeat!(POLL, "writing the heartbeat", self.nodes, tell),
            repeat!(MATCH, "advancing matchmade tables", self.matchmaking, advance_matchmade_tables),
            repeat!(SEATS, "freeing seats", self.accounts, free_forsaken_seats),
            repeat!(ACCESS_LOG, "beginning the access log", self.records, begin_access_log),
            repeat!(NOTICES, "finding due notices", self.notifications, find_due),
            repeat!(MAILS, "sending mails", self.mail, send_due),
            repeat!(REACTIONS, "writing reactions", self.reactions, write),
            repeat!(SUSPENSIONS, "freeing seats of suspended players", self.moderation, free_seats),
            repeat!(ISSUERS, "asking issuers", self.identities, refresh),
            repeat!(GRANTS, "revoking grants", self.identities, revoke_due),
            tokio::spawn(Arc::clone(&self.notifications).deliver()),
            tokio::spawn(take_over(Arc::clone(&self.notifications))),
            tokio::spawn(Sweeper::of(self).run(self.sweep_every)),
        ];
        Background(jobs)
    }
}

/// Finds the notices that a dead node has not written.
async fn take_over(notifications: Arc<Notifications>) {
    notifications.take_over().await;
}

/// Asks the witnesses, each in a task of its own: one that does not answer holds up no other.
async fn ask_witnesses(log: Arc<PublicLog>) {
    let mut asked: Vec<(Witness, Task<()>)> = Vec::new();
    every(LOG, || {
        let witnesses = log.witnesses();
        asked.retain(|(witness, _)| witnesses.contains(witness));
        for witness in witnesses.iter() {
            if asked.iter().all(|(known, _)| known != witness) {
                let (log, asking) = (Arc::clone(&log), witness.clone());
                let task = tokio::spawn(async move { every(LOG, || log.ask_witness(&asking)).await });
                asked.push((witness.clone(), Task(task)));
            }
        }
        std::future::ready(())
    })
    .await;
}

/// A task that ends when this is dropped.
struct Task<T>(JoinHandle<T>);

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Deletes expired data.
struct Sweeper {
    node_clock: Arc<NodeClock>,
    games: Arc<Games>,
    sessions: Arc<Sessions>,
    throttle: Arc<Throttle>,
    accounts: Arc<Accounts>,
    identities: Arc<Identities>,
    mail: Arc<Mail>,
    notifications: Arc<Notifications>,
    people: Arc<People>,
    reactions: Arc<Reactions>,
    moderation: Arc<Moderation>,
}

impl Sweeper {
    fn of(app: &App) -> Sweeper {
        Sweeper {
            node_clock: Arc::clone(&app.node_clock),
            games: Arc::clone(&app.games),
            sessions: Arc::clone(&app.sessions),
            throttle: Arc::clone(&app.throttle),
            accounts: Arc::clone(&app.accounts),
            identities: Arc::clone(&app.identities),
            mail: Arc::clone(&app.mail),
            notifications: Arc::clone(&app.notifications),
            people: Arc::clone(&app.people),
            reactions: Arc::clone(&app.reactions),
            moderation: Arc::clone(&app.moderation),
        }
    }

    async fn run(self, period: Duration) {
        every(period, || self.sweep()).await;
    }

    /// Sweeps only while the clock is trusted. One failing sweep does not block the others.
    async fn sweep(&self) {
        report("comparing clocks", self.node_clock.compare()).await;
        if !self.node_clock.is_trusted() {
            return;
        }
        report("sweeping requests", self.games.idempotency.sweep()).await;
        report("sweeping sessions", self.sessions.sweep()).await;
        report("sweeping attempts", self.throttle.sweep()).await;
        report("sweeping nonces", self.identities.sweep()).await;
        report("sweeping links of mails", self.mail.sweep()).await;
        report("sweeping changes of accounts", self.accounts.sweep_changes()).await;
        report("sweeping notices", self.notifications.sweep()).await;
        report("sweeping invitations", self.people.sweep()).await;
        report("sweeping reactions", self.reactions.sweep()).await;
        report("sweeping reports", self.moderation.sweep()).await;
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

/// Runs some work and logs its failure; the next run retries.
async fn report<T, E: Display>(what: &'static str, work: impl Future<Output = Result<T, E>>) {
    if let Err(error) = work.await {
        tracing::warn!(%error, "{what} failed");
    }
}
