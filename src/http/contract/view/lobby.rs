//! Games in lists.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Host;
use crate::http::contract::ruleset::RulesetSummary;
use crate::http::contract::term::{GameStatus, Visibility};
use crate::http::contract::value::{Cursor, GameId, Time};

/// A game as lists show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GameSummary {
    /// The game.
    pub id: GameId,
    /// Where it stands.
    pub status: GameStatus,
    /// The rules it is played by.
    pub ruleset: RulesetSummary,
    /// Who runs the table.
    pub host: Host,
    /// Who may see that it exists.
    pub visibility: Visibility,
    /// How many seats the table has.
    #[schema(minimum = 2, maximum = 5)]
    pub players: u8,
    /// How many of them are taken.
    #[schema(minimum = 0, maximum = 5)]
    pub taken: u8,
    /// When the table was opened.
    pub created_at: Time,
    /// When its last event happened.
    pub updated_at: Time,
}

/// A page of games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GamePage {
    /// The games.
    #[schema(max_items = 100)]
    pub items: Vec<GameSummary>,
    /// Where the next page begins; null at the end.
    #[schema(required)]
    pub next_cursor: Option<Cursor>,
}
