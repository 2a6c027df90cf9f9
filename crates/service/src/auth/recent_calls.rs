//! The accounts that have called this node in the last minute.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use estimation_engine::player::AccountId;

/// How long a call makes its account online.
const ONLINE: Duration = Duration::from_secs(15);

/// How long a call shows that a client with a stream still runs: the system of a suspended one goes on answering.
const AWAKE: Duration = Duration::from_secs(60);

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

    /// Whether an account is online by its calls, and whether it called in the last minute.
    pub(crate) fn of(&self, account: &AccountId) -> (bool, bool) {
        self.lock().get(account).map_or((false, false), |last| count(*last))
    }

    /// The accounts that called in the last minute, and whether that makes them online.
    pub(crate) fn accounts(&self) -> HashMap<AccountId, bool> {
        let mut calls = self.lock();
        calls.retain(|_, last| last.elapsed() < AWAKE);
        calls.iter().map(|(account, last)| (account.clone(), count(*last).0)).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AccountId, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a call of this time counts for.
fn count(last: Instant) -> (bool, bool) {
    let elapsed = last.elapsed();
    (elapsed < ONLINE, elapsed < AWAKE)
}
