//! Roles of accounts.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::columns::text_enums;
use estimation_engine::choice::Choice;

estimation_engine::choices! {
    /// The permissions of an account besides playing.
    pub enum Role {
        /// No further permissions.
        Player = "player",
        /// May read the records of all games.
        Auditor = "auditor",
        /// May act on players, decide reports, and read the records of games that are over as an auditor.
        Moderator = "moderator",
        /// May act on accounts, grant roles, list audit accesses, and look after the service.
        Admin = "admin",
    }
}

text_enums!(Role);

impl Role {
    pub const ALL: [Role; 4] = [Role::Player, Role::Auditor, Role::Moderator, Role::Admin];
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a role is player, auditor, moderator or admin")]
pub struct UnknownRole;

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(text: &str) -> Result<Role, UnknownRole> {
        Role::from_name(text).ok_or(UnknownRole)
    }
}
