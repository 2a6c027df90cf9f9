//! The authenticated caller.

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
