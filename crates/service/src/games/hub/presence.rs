//! Presence: whether a player is online, on any node.
//!
//! A player is online with an open stream or poll, and for a short time after any other call. A node knows
//! its own callers from memory. With several nodes, each writes its changes and a heartbeat to the database
//! every second. A dead node's players go offline with it.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use quick_cache::sync::Cache;
use uuid::Uuid;

use super::announcements::Announcements;
use crate::auth::recent_calls::RecentCalls;
use crate::base::entropy::SystemEntropy;
use crate::base::failure::Failure;
use crate::base::handles::Handles;
use crate::base::ids::new_id;
use estimation_engine::player::AccountId;
use estimation_store::{Database, presence};

/// How long data from other nodes is cached. With the heartbeat interval and the node timeout, presence is at
/// most five seconds old.
const FRESH: Duration = Duration::from_millis(1_500);

/// The most cached accounts of other nodes.
const KEPT: usize = 20_000;

pub(crate) struct Presence {
    database: Database,
    announcements: Arc<Announcements>,
    /// This node's id, new at every start.
    node: Uuid,
    calls: Arc<RecentCalls>,
    /// The accounts this node last reported as online.
    reported: Mutex<HashSet<AccountId>>,
    elsewhere: Cache<AccountId, (bool, Instant)>,
}

impl Presence {
    pub(crate) fn new(
        handles: &Handles,
        calls: Arc<RecentCalls>,
        announcements: &Arc<Announcements>,
    ) -> Presence {
        Presence {
            database: handles.database.clone(),
            announcements: Arc::clone(announcements),
            node: new_id(handles.clock.now(), &SystemEntropy),
            calls,
            reported: Mutex::default(),
            elsewhere: Cache::new(KEPT),
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
    pub(crate) async fn who_is_there(
        &self,
        accounts: impl IntoIterator<Item = &AccountId>,
    ) -> Result<Vec<AccountId>, Failure> {
        let (mut there, mut unknown) = (Vec::new(), Vec::new());
        for account in accounts {
            if self.calls.has(account) || self.announcements.hub.has_stream(account) {
                there.push(account.clone());
            } else if self.announcements.has_other_nodes() {
                match self.elsewhere.get(account) {
                    Some((true, as_of)) if as_of.elapsed() < FRESH => there.push(account.clone()),
                    Some((false, as_of)) if as_of.elapsed() < FRESH => {}
                    _ => unknown.push(account.clone()),
                }
            }
        }
        if !unknown.is_empty() {
            let as_of = Instant::now();
            let asked = unknown.clone();
            let found = self.database.read(move |conn| presence::connected(conn, &asked)).await?;
            for account in unknown {
                let is_there = found.contains(&account);
                self.elsewhere.insert(account.clone(), (is_there, as_of));
                if is_there {
                    there.push(account);
                }
            }
        }
        Ok(there)
    }

    /// Writes this node's heartbeat and its changes.
    pub(crate) async fn tell(&self) -> Result<(), Failure> {
        let mut here = self.calls.accounts();
        if !self.announcements.has_other_nodes() {
            return Ok(());
        }
        here.extend(self.announcements.hub.streaming());
        let reported = lock(&self.reported).clone();
        let names = |one: &HashSet<AccountId>, other: &HashSet<AccountId>| -> Vec<AccountId> {
            one.difference(other).cloned().collect()
        };
        let (came, went) = (names(&here, &reported), names(&reported, &here));
        let node = self.node.to_string();
        let known = self.database.write(move |conn| presence::heartbeat(conn, &node, &came, &went)).await?;
        // If other nodes considered this node dead, report all accounts again.
        *lock(&self.reported) = if known { here } else { HashSet::new() };
        Ok(())
    }
}
