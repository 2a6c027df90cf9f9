//! Proofs that a caller may do what only roles may.
//!
//! A function that is for a role takes one of these types. Only the check of the caller makes them, and for the command line
//! `operator`.

use std::ops::Deref;

use jiff::Timestamp;

use super::authority::{CallerAuthority, RequiredAuthority};
use super::caller::Caller;
use super::tokens::Role;
use crate::base::failure::Failure;
use estimation_engine::player::AccountId;

/// A proof that follows from a caller.
pub trait Permission: Sized {
    /// Checks the caller.
    ///
    /// # Errors
    /// [`Failure::RoleRequired`], [`Failure::SecondStepRequired`], [`Failure::Suspended`],
    /// [`Failure::RecentSignInRequired`].
    fn of(caller: Caller, now: Timestamp) -> Result<Self, Failure>;
}

/// The roles that see the desk. A refusal names the first.
const STAFF: [Role; 3] = [Role::Moderator, Role::Admin, Role::Auditor];

/// The roles that moderate.
const MODERATORS: [Role; 2] = [Role::Moderator, Role::Admin];

/// A moderator, an admin or an auditor.
#[derive(Clone, Debug)]
pub struct Staff(Caller);

/// A moderator, an admin, or the operator at the command line.
#[derive(Clone, Debug)]
pub struct Moderator(Option<Caller>);

/// A [`Moderator`] who may act: the second step was passed within the last 15 minutes.
#[derive(Clone, Debug)]
pub struct ActingModerator(Moderator);

#[derive(Clone, Debug)]
pub struct Admin(());

/// An admin who signed in, and passed the second step, just now.
#[derive(Clone, Debug)]
pub struct ActingAdmin(Caller);

impl Permission for Staff {
    fn of(caller: Caller, now: Timestamp) -> Result<Staff, Failure> {
        caller.require_any(&STAFF)?;
        caller.restrictions.require_playing(now)?;
        Ok(Staff(caller))
    }
}

impl Permission for Moderator {
    fn of(caller: Caller, now: Timestamp) -> Result<Moderator, Failure> {
        caller.require_any(&MODERATORS)?;
        caller.restrictions.require_playing(now)?;
        Ok(Moderator(Some(caller)))
    }
}

impl Permission for ActingModerator {
    fn of(caller: Caller, now: Timestamp) -> Result<ActingModerator, Failure> {
        caller.require_any_now(&MODERATORS, now)?;
        caller.restrictions.require_playing(now)?;
        Ok(ActingModerator(Moderator(Some(caller))))
    }
}

impl Permission for Admin {
    fn of(caller: Caller, _: Timestamp) -> Result<Admin, Failure> {
        caller.require(Role::Admin)?;
        Ok(Admin(()))
    }
}

impl Permission for ActingAdmin {
    fn of(caller: Caller, now: Timestamp) -> Result<ActingAdmin, Failure> {
        caller.require_any_now(&[Role::Admin], now)?;
        caller.require_recent_sign_in(now)?;
        Ok(ActingAdmin(caller))
    }
}

impl Staff {
    pub(crate) fn role(&self) -> Role {
        self.0.role
    }
}

impl Moderator {
    /// The operator, who may do what admins may.
    pub fn operator() -> Moderator {
        Moderator(None)
    }

    /// The account; `None` for the operator.
    pub(crate) fn account(&self) -> Option<&AccountId> {
        self.0.as_ref().map(|caller| &caller.account)
    }

    pub(crate) fn is(&self, account: &AccountId) -> bool {
        self.account() == Some(account)
    }

    /// Whether it has the rights of an admin.
    pub(crate) fn is_admin(&self) -> bool {
        self.0.as_ref().is_none_or(|caller| caller.role == Role::Admin)
    }

    /// Whether it may not act on an account, and not see reports about it: its own, and for moderators one with a role.
    pub(crate) fn is_barred_from(&self, account: &AccountId, has_role: bool) -> bool {
        self.is(account) || (has_role && !self.is_admin())
    }
}

impl ActingModerator {
    /// The operator, who may do what admins may.
    pub fn operator() -> ActingModerator {
        ActingModerator(Moderator::operator())
    }

    /// The authority for a write; `None` for the operator.
    pub(crate) fn authority(&self, now: Timestamp) -> Option<CallerAuthority> {
        self.0.0.as_ref().map(|caller| caller.authority(RequiredAuthority::Acting, now))
    }
}

impl Deref for ActingModerator {
    type Target = Moderator;

    fn deref(&self) -> &Moderator {
        &self.0
    }
}

impl ActingAdmin {
    pub(crate) fn caller(&self) -> &Caller {
        &self.0
    }
}
