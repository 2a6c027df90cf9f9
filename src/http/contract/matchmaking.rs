//! Waiting to be seated with strangers.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::declare::names;
use super::ruleset::RulesetSummary;
use super::value::{GameId, Time};

names! {
    /// Whether somebody waits to be seated with strangers.
    pub enum WaitingStatus {
        /// They have asked for nothing, have left, or the game is over.
        Idle = "idle",
        /// They have a seat, and others are still to come.
        Waiting = "waiting",
        /// The table is full: the game has started, or is about to.
        Seated = "seated",
    }
}

/// What somebody waits for. All but the status is null for who does not wait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Waiting {
    /// Whether they wait.
    pub status: WaitingStatus,
    /// The game in which they have a seat.
    #[schema(required)]
    pub game: Option<GameId>,
    /// The rules it is played by.
    #[schema(required)]
    pub ruleset: Option<RulesetSummary>,
    /// How many seats the table has.
    #[schema(required, minimum = 2, maximum = 5, example = 4)]
    pub players: Option<u8>,
    /// How many of them are taken.
    #[schema(required, minimum = 1, maximum = 5, example = 2)]
    pub taken: Option<u8>,
    /// Since when they wait.
    #[schema(required)]
    pub since: Option<Time>,
    /// When bots take the seats that are empty by then, as it stands now: the latest time of all who wait at
    /// the table. Null if bots do not come, or there is nothing to wait for.
    #[schema(required)]
    pub deadline: Option<Time>,
}
