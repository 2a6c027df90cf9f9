//! The authenticated caller.

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::standing::Standing;
use super::tokens::Role;
use crate::auth::failure::AuthFailure;
use estimation_engine::player::AccountId;

/// The account and session of a valid access token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    pub account: AccountId,
    pub session: Uuid,
    pub role: Role,
    /// When the session began, in whole seconds.
    pub signed_in_at: Timestamp,
    /// What moderators allow the account. At most two seconds old.
    pub standing: Standing,
}

/// The maximum age of a sign-in for granting roles.
const RECENT: SignedDuration = SignedDuration::from_mins(5);

impl Caller {
    /// Refuses callers with another role.
    pub fn require(&self, role: Role) -> Result<(), AuthFailure> {
        if self.role == role { Ok(()) } else { Err(AuthFailure::RoleRequired { role }) }
    }

    /// Refuses callers who signed in more than 5 minutes ago. A refresh is no sign-in.
    pub fn require_recent_sign_in(&self, now: Timestamp) -> Result<(), AuthFailure> {
        if now.duration_since(self.signed_in_at) <= RECENT {
            Ok(())
        } else {
            Err(AuthFailure::SignInTooOld { max_age: RECENT.as_secs().unsigned_abs() })
        }
    }
}
