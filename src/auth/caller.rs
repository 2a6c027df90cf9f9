//! The authenticated caller.

use uuid::Uuid;

use super::tokens::Role;
use crate::app::failure::Failure;
use crate::engine::player::AccountId;

/// The account and session of a valid access token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    pub account: AccountId,
    pub session: Uuid,
    pub role: Role,
}

impl Caller {
    /// Refuses callers with another role.
    pub fn require(&self, role: Role) -> Result<(), Failure> {
        if self.role == role { Ok(()) } else { Err(Failure::RoleRequired { role }) }
    }
}
