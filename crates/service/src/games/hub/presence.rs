//! Presence: whether a player is online, on any node.
//!
//! A player is online with an open stream or poll, and for a short time after any other call. A node knows
//! its own callers from memory. With several nodes, each writes its changes and a heartbeat to the database
//! every second. A dead node's players go offline with it.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use quick_cache::sync::Cache;

use super::Announcements;
use crate::auth::caller::RecentCalls;
use crate::base::clock::Clock;
use crate::base::entropy::SystemEntropy;
use crate::base::failure::Failure;
use crate::base::ids::new_id;
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_store::presence::{self, HeartbeatReply, NodeRow, Use};
use estimation_store::{Database, Id, Server, games};

/// How long data from other nodes is cached. With the heartbeat interval and the node timeout, presence is at
/// most five seconds old.
const FRESH: Duration = Duration::from_millis(1_500);

/// The most cached accounts of other nodes.
const KEPT: usize = 20_000;

pub(crate) struct Presence {
    database: Database,
    announcements: Arc<Announcements>,
    /// This node's id, new at every start.
    node: Id,
    calls: Arc<RecentCalls>,
    /// What this node last reported of its accounts.
    reported: Mutex<HashMap<AccountId, Use>>,
    elsewhere: Cache<AccountId, (Use, Instant)>,
    /// The dead nodes at the last heartbeat.
    dead_nodes: Mutex<HashSet<Id>>,
    claims: Claims,
    started_at: RecordTime,
    /// The newest format of games that every live node knows.
    common_format: AtomicI32,
    /// Whether there are games in a format that this node does not know.
    has_newer_games: AtomicBool,
}

/// What a node says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claims {
    /// The version of the program.
    pub version: String,
    /// The newest format of games that it knows.
    pub format: i32,
}

/// The newest format of games that this version knows. Give it another number when nodes without a change cannot play or
/// verify a game that a node with it opened.
pub const NEWEST_FORMAT: i32 = 1;

impl Default for Claims {
    fn default() -> Claims {
        Claims { version: env!("CARGO_PKG_VERSION").to_owned(), format: NEWEST_FORMAT }
    }
}

/// How a node works at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeState {
    /// `ready`, or why the node is not.
    pub(crate) state: &'static str,
    /// How long the oldest change waits to be written.
    pub(crate) waits: Duration,
}

impl Presence {
    pub(crate) fn new(
        database: Database,
        clock: &dyn Clock,
        calls: Arc<RecentCalls>,
        announcements: &Arc<Announcements>,
        claims: Claims,
    ) -> Presence {
        // Until the first heartbeat no other node is known.
        let alone = if database.is_shared() { games::FIRST_FORMAT } else { claims.format };
        Presence {
            database,
            announcements: Arc::clone(announcements),
            node: Id(new_id(clock.now(), &SystemEntropy)),
            calls,
            reported: Mutex::default(),
            elsewhere: Cache::new(KEPT),
            dead_nodes: Mutex::default(),
            claims,
            started_at: clock.now().into(),
            common_format: AtomicI32::new(alone),
            has_newer_games: AtomicBool::new(false),
        }
    }

    /// The format of a game that is opened now.
    pub(crate) fn format_to_write(&self) -> i32 {
        self.common_format.load(Ordering::Relaxed)
    }

    /// Whether there are games in a format that this node does not know. Then nodes of a newer version sign, count and pack
    /// all games: this one would take what it does not know for damaged.
    pub(crate) fn has_newer_games(&self) -> bool {
        self.has_newer_games.load(Ordering::Relaxed)
    }

    /// The newest format of games that this node knows.
    pub(crate) fn known_format(&self) -> i32 {
        self.claims.format
    }

    /// What this node says of itself.
    pub(crate) fn row(&self, NodeState { state, waits }: NodeState) -> NodeRow {
        NodeRow {
            id: self.node,
            seen_at: 0,
            version: self.claims.version.clone(),
            format: self.claims.format,
            started_at: self.started_at,
            state: state.to_owned(),
            waits: i64::try_from(waits.as_millis()).unwrap_or(i64::MAX),
        }
    }

    /// The account's last stream closed: earlier calls no longer count.
    pub(crate) fn hung_up(&self, account: &AccountId) {
        self.calls.forget(account);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Presence {
    /// Which of the given accounts are online.
    pub(crate) async fn online_among(
        &self,
        accounts: impl IntoIterator<Item = &AccountId>,
    ) -> Result<Vec<AccountId>, Failure> {
        self.who(accounts, |used| used.is_online).await
    }

    /// Which of the given accounts have a stream or poll, and a client that is not suspended: it called in the last minute.
    pub(crate) async fn who_follows(
        &self,
        accounts: impl IntoIterator<Item = &AccountId>,
    ) -> Result<Vec<AccountId>, Failure> {
        self.who(accounts, |used| used.is_streaming && used.has_called).await
    }

    /// The accounts that use the nodes in some way.
    async fn who(
        &self,
        accounts: impl IntoIterator<Item = &AccountId>,
        is_meant: impl Fn(Use) -> bool,
    ) -> Result<Vec<AccountId>, Failure> {
        let (mut meant, mut unknown) = (Vec::new(), Vec::new());
        for account in accounts {
            let here = self.here(account);
            if is_meant(here) {
                meant.push(account.clone());
            } else if self.announcements.has_other_nodes() {
                match self.elsewhere.get(account) {
                    Some((there, as_of)) if as_of.elapsed() < FRESH => {
                        meant.extend(Some(account.clone()).filter(|_| is_meant(here.and(there))));
                    }
                    _ => unknown.push((account.clone(), here)),
                }
            }
        }
        if !unknown.is_empty() {
            let as_of = Instant::now();
            let asked: Vec<AccountId> = unknown.iter().map(|(account, _)| account.clone()).collect();
            let mut found: HashMap<AccountId, Use> = HashMap::new();
            for (account, used) in self.database.read(move |conn| presence::uses(conn, &asked)).await? {
                let known = found.entry(account).or_default();
                *known = known.and(used);
            }
            for (account, here) in unknown {
                let there = found.get(&account).copied().unwrap_or_default();
                self.elsewhere.insert(account.clone(), (there, as_of));
                meant.extend(Some(account).filter(|_| is_meant(here.and(there))));
            }
        }
        Ok(meant)
    }

    /// How an account uses this node.
    fn here(&self, account: &AccountId) -> Use {
        let (is_online, has_called) = self.calls.of(account);
        let is_streaming = self.announcements.hub.has_stream(account);
        Use { is_online: is_online || is_streaming, is_streaming, has_called }
    }

    /// How all accounts use this node.
    fn all_here(&self) -> HashMap<AccountId, Use> {
        let called = |is_online| Use { is_online, is_streaming: false, has_called: true };
        let mut here: HashMap<AccountId, Use> = self
            .calls
            .accounts()
            .into_iter()
            .map(|(account, is_online)| (account, called(is_online)))
            .collect();
        for account in self.announcements.hub.streaming() {
            let used = here.entry(account).or_default();
            (used.is_online, used.is_streaming) = (true, true);
        }
        here
    }

    /// Whether a node died since this was last asked.
    pub(crate) fn lost_a_node(&self, known: &mut HashSet<Id>) -> bool {
        let dead = lock(&self.dead_nodes).clone();
        let has_lost = !dead.is_subset(known);
        *known = dead;
        has_lost
    }

    /// Takes back what this node wrote of itself, before it stops.
    pub(crate) async fn leave(&self) -> Result<(), Failure> {
        let node = self.node;
        Ok(self.database.write(Server, move |conn| presence::leave(conn, node)).await?)
    }

    /// Writes this node's heartbeat and its changes.
    pub(crate) async fn tell(&self, state: NodeState) -> Result<(), Failure> {
        let here = self.all_here();
        if !self.announcements.has_other_nodes() {
            return Ok(());
        }
        let (changed, went) = {
            let reported = lock(&self.reported);
            let changed = here.iter().filter(|(account, used)| reported.get(account) != Some(used));
            let went = reported.keys().filter(|account| !here.contains_key(account));
            (
                changed.map(|(account, used)| (account.clone(), *used)).collect::<Vec<_>>(),
                went.cloned().collect::<Vec<_>>(),
            )
        };
        let node = self.row(state);
        let heard = self
            .database
            .write(Server, move |conn| presence::heartbeat(conn, &node, &changed, &went))
            .await?;
        let HeartbeatReply { is_known, dead_nodes, common_format, newest_format } = heard;
        let has_newer = newest_format > self.claims.format;
        if has_newer && !self.has_newer_games.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                newest_format,
                "there are games of a newer version: its nodes take all games through their ends"
            );
        }
        let format = common_format.min(self.claims.format);
        if self.common_format.swap(format, Ordering::Relaxed) != format {
            tracing::info!(format, "the format of new games");
        }
        // If other nodes considered this node dead, report all accounts again.
        *lock(&self.reported) = if is_known { here } else { HashMap::new() };
        *lock(&self.dead_nodes) = dead_nodes.into_iter().collect();
        Ok(())
    }
}
