//! The accounts that have called this node in the last seconds.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use estimation_engine::player::AccountId;

/// How long a call counts.
const CALL_COUNTS: Duration = Duration::from_secs(15);

#[derive(Default)]
pub(crate) struct RecentCalls(Mutex<HashMap<AccountId, Instant>>);

impl RecentCalls {
    pub(super) fn record(&self, account: &AccountId) {
        let now = Instant::now();
        let mut calls = self.lock();
        match calls.get_mut(account) {
            Some(last) => *last = now,
            None => drop(calls.insert(account.clone(), now)),
        }
    }

    /// Earlier calls of the account no longer count.
    pub(crate) fn forget(&self, account: &AccountId) {
        self.lock().remove(account);
    }

    pub(crate) fn has(&self, account: &AccountId) -> bool {
        self.lock().get(account).is_some_and(|last| last.elapsed() < CALL_COUNTS)
    }

    pub(crate) fn accounts(&self) -> HashSet<AccountId> {
        let mut calls = self.lock();
        calls.retain(|_, last| last.elapsed() < CALL_COUNTS);
        calls.keys().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AccountId, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
