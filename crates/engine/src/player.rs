//! Who sits at a table.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// An account, opaque to the rules: names live elsewhere, so that deleting an account touches no record.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AccountId(Arc<str>);

impl AccountId {
    /// The account with this id.
    pub fn new(id: impl Into<String>) -> AccountId {
        AccountId(id.into().into())
    }

    /// The id's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AccountId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for AccountId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A player: a person or a bot.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Player {
    /// A person.
    Human {
        /// Their account.
        account: AccountId,
    },
    /// A bot.
    Bot {
        /// How well it plays.
        level: BotLevel,
    },
}

/// How well a bot plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BotLevel {
    /// Lawful and simple.
    Easy,
    /// Counts cards and keeps to its call.
    Steady,
    /// Searches.
    Sharp,
}

impl Player {
    /// The account of a person.
    pub fn account(&self) -> Option<&AccountId> {
        match self {
            Player::Human { account } => Some(account),
            Player::Bot { .. } => None,
        }
    }
}
