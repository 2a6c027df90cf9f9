//! Players: accounts and bots.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// An account id, opaque to the rules. Names are stored elsewhere, so that deleting an account changes no
/// record.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "sql", derive(diesel::expression::AsExpression, diesel::deserialize::FromSqlRow))]
#[cfg_attr(feature = "sql", diesel(sql_type = diesel::sql_types::Text))]
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

crate::choices! {
    /// Whether a player is a person or a bot.
    pub enum PlayerKind {
        /// A person.
        Human = "human",
        /// A bot.
        Bot = "bot",
    }
}

/// A player: human or bot.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Player {
    /// A human player.
    Human {
        /// The player's account.
        account: AccountId,
    },
    /// A bot.
    Bot {
        /// The bot's level.
        level: BotLevel,
    },
}

crate::choices! {
    /// The level of a bot.
    pub enum BotLevel {
        /// Plays simply and legally.
        Easy = "easy",
        /// Counts cards and keeps to its call.
        Steady = "steady",
        /// Searches sampled deals.
        Sharp = "sharp",
    }
}

impl Player {
    /// The account of a human player; none for a bot.
    pub fn account(&self) -> Option<&AccountId> {
        match self {
            Player::Human { account } => Some(account),
            Player::Bot { .. } => None,
        }
    }
}
