//! Who sits where, and who acted.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::declare::{names, tagged, union};
use super::term::{BotLevel, By};
use super::value::{AccountId, SeatNumber};

/// A seat of the game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SeatChair {
    /// The seat.
    pub seat: SeatNumber,
}

/// A place of the lobby.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaceChair {
    /// The place.
    pub place: SeatNumber,
}

/// Where somebody sits: at a place until the seats are settled, then at a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged, expecting = "expected a seat or a place")]
pub enum Chair {
    /// At a seat.
    Seat(SeatChair),
    /// At a place.
    Place(PlaceChair),
}

names! {
    /// The actor that sits nowhere.
    pub enum ServerActor {
        /// The rules themselves, or the service.
        Server = "server",
    }
}

/// Somebody who acted at a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SeatActor {
    /// The seat.
    pub seat: SeatNumber,
    /// Who acted for the player; absent if the player did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub by: Option<By>,
}

/// Somebody who acted at a place, before the seats were settled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaceActor {
    /// The place.
    pub place: SeatNumber,
    /// Who acted for the player; absent if the player did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub by: Option<By>,
}

/// Who acted, as the record names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged, expecting = "expected \"server\", a seat or a place")]
pub enum Actor {
    /// The rules themselves, or the service.
    Server(ServerActor),
    /// Somebody at a seat.
    Seat(SeatActor),
    /// Somebody at a place.
    Place(PlaceActor),
}

tagged! {
    /// A person who plays.
    pub struct HumanPlayer {
        kind: "human",
        /// Their account.
        pub account: AccountId,
    }

    /// A bot that plays.
    pub struct BotPlayer {
        kind: "bot",
        /// How well it plays.
        pub level: BotLevel,
    }
}

union! {
    /// A player as the record names it: a person or a bot.
    pub enum Player by "kind" {
        /// A person.
        Human(HumanPlayer),
        /// A bot.
        Bot(BotPlayer),
    }
}
