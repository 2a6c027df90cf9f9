//! The authenticated caller, and who called this node lately.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::restrictions::Restrictions;
use super::tokens::{Role, TokenBinding};
use crate::base::failure::Failure;
use estimation_engine::player::AccountId;

/// The account and session of a valid access token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    pub account: AccountId,
    pub session: Uuid,
    pub role: Role,
    /// When the session began, in whole seconds.
    pub signed_in_at: Timestamp,
    /// What the account may do with the session. At most two seconds old.
    pub restrictions: Restrictions,
}

/// The maximum age of a sign-in for granting roles.
const RECENT: SignedDuration = SignedDuration::from_mins(5);

impl Caller {
    /// The binding of the caller's token.
    pub(super) fn binding(&self) -> TokenBinding {
        let account = self.account.as_str().parse().unwrap_or_default();
        TokenBinding { account, session: self.session, role: self.role }
    }

    /// Refuses callers with another role, and those without the second step that the role needs.
    ///
    /// # Errors
    /// [`Failure::RoleRequired`], [`Failure::SecondStepRequired`].
    pub fn require(&self, role: Role) -> Result<(), Failure> {
        self.require_any(&[role])
    }

    /// Refuses callers with none of these roles, and those without the second step that the role needs. The refusal names
    /// the first.
    ///
    /// # Errors
    /// [`Failure::RoleRequired`], [`Failure::SecondStepRequired`].
    pub(crate) fn require_any(&self, roles: &[Role]) -> Result<(), Failure> {
        match roles.first() {
            Some(role) if !roles.contains(&self.role) => Err(Failure::RoleRequired { role: *role }),
            _ => self.restrictions.require_second_step(),
        }
    }

    /// As [`require_any`](Caller::require_any), for acts: the second step was passed within the last 15 minutes.
    ///
    /// # Errors
    /// [`Failure::RoleRequired`], [`Failure::SecondStepRequired`].
    pub(crate) fn require_any_now(&self, roles: &[Role], now: Timestamp) -> Result<(), Failure> {
        self.require_any(roles)?;
        self.restrictions.require_recent_second_step(now)
    }

    /// Refuses callers who signed in more than 5 minutes ago. A refresh is no sign-in.
    pub fn require_recent_sign_in(&self, now: Timestamp) -> Result<(), Failure> {
        if now.duration_since(self.signed_in_at) <= RECENT {
            Ok(())
        } else {
            Err(Failure::RecentSignInRequired { max_age: RECENT.as_secs().unsigned_abs() })
        }
    }
}

/// How long a call makes its account online.
const ONLINE: Duration = Duration::from_secs(15);

/// How long a call shows that a client with a stream still runs: the system of a suspended one goes on answering.
const AWAKE: Duration = Duration::from_secs(60);

/// The accounts that have called this node in the last minute.
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
