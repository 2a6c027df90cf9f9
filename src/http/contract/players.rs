//! Players as others see them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::declare::names;
use super::ruleset::RulesetId;
use super::value::{AccountId, Cursor, Time};

names! {
    /// What a player's account is.
    pub enum ProfileKind {
        /// It has credentials.
        Full = "full",
        /// It lives as long as its sessions.
        Guest = "guest",
        /// It has been erased; its games are still there.
        Deleted = "deleted",
    }
}

/// A player as anybody may see them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlayerProfile {
    /// The player's account.
    pub id: AccountId,
    /// The name they go by; a pseudonym once the account is erased.
    #[schema(min_length = 1, max_length = 40, example = "Noor")]
    pub display_name: String,
    /// What the account is.
    pub kind: ProfileKind,
    /// When the account was made; null once it is erased.
    #[schema(required)]
    pub since: Option<Time>,
}

/// A player by account and name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Person {
    /// Their account.
    pub id: AccountId,
    /// The name they go by.
    #[schema(min_length = 1, max_length = 40, example = "Noor")]
    pub name: String,
}

/// How strong a player is in a ruleset, in points. Everybody begins at a mean of 25 with a deviation of 8.333.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Rating {
    /// What players are ranked by: the mean less three deviations.
    #[schema(minimum = -1000000.0, maximum = 1000000.0, example = 15.72)]
    pub ordinal: f64,
    /// The estimate of the strength.
    #[schema(minimum = -1000000.0, maximum = 1000000.0, example = 28.41)]
    pub mean: f64,
    /// How uncertain the estimate is: one standard deviation.
    #[schema(minimum = 0.0, maximum = 1000.0, example = 4.23)]
    pub deviation: f64,
    /// How many rated games it rests on.
    #[schema(minimum = 1, maximum = 9_007_199_254_740_991_u64, example = 31)]
    pub games: u64,
}

/// What a player has reached in a ruleset. Finished games count, with bots and without; abandoned ones do not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RulesetStatistics {
    /// The ruleset.
    pub ruleset: RulesetId,
    /// How many games.
    #[schema(minimum = 1, maximum = 9_007_199_254_740_991_u64, example = 42)]
    pub games: u64,
    /// How many of them were won, alone or level with others.
    #[schema(minimum = 0, maximum = 9_007_199_254_740_991_u64, example = 13)]
    pub wins: u64,
    /// How many of them the player gave up. What became of those is in none of the figures below.
    #[schema(minimum = 0, maximum = 9_007_199_254_740_991_u64, example = 1)]
    pub forfeits: u64,
    /// How many rounds were played; a round that nobody bid for was not.
    #[schema(minimum = 0, maximum = 9_007_199_254_740_991_u64, example = 738)]
    pub rounds: u64,
    /// In how many of them the player took exactly as many tricks as called.
    #[schema(minimum = 0, maximum = 9_007_199_254_740_991_u64, example = 352)]
    pub rounds_made: u64,
    /// The average final total of the games that were not given up; null if there are none.
    #[schema(required, minimum = -2147483648.0, maximum = 2147483647.0, example = 87.5)]
    pub average_points: Option<f64>,
    /// How strong the player is; null without a rated game.
    #[schema(required)]
    pub rating: Option<Rating>,
}

/// What a player has reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlayerStatistics {
    /// Who.
    pub player: Person,
    /// The figures of each ruleset of which they finished a game.
    #[schema(max_items = 100)]
    pub rulesets: Vec<RulesetStatistics>,
}

/// A player on a leaderboard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RankedPlayer {
    /// The rank, from 1; those level share it.
    #[schema(minimum = 1, maximum = 9_007_199_254_740_991_u64, example = 1)]
    pub rank: u64,
    /// Who.
    pub player: Person,
    /// How strong they are.
    pub rating: Rating,
}

/// A page of a leaderboard, strongest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LeaderboardPage {
    /// The players.
    #[schema(max_items = 100)]
    pub items: Vec<RankedPlayer>,
    /// Where the next page begins; null at the end.
    #[schema(required)]
    pub next_cursor: Option<Cursor>,
}
