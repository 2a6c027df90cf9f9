//! Events around the play: the table, the seats, the start and the end.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::http::contract::declare::tagged;
use crate::http::contract::person::Player;
use crate::http::contract::ruleset::Ruleset;
use crate::http::contract::term::{AbandonReason, BotLevel, Visibility};
use crate::http::contract::value::{AccountId, Card, ClientSeed, Commitment, SeatNumber, ServerSeed};

tagged! {
    /// A table was opened; its host has place 0.
    pub struct GameCreatedEvent {
        r#type: "game_created",
        /// The rules, whole.
        pub ruleset: Box<Ruleset>,
        /// Who opened the table.
        pub host: AccountId,
        /// The host's part in the shuffles; null if not set.
        #[schema(required)]
        pub client_seed: Option<ClientSeed>,
        /// Who may see it.
        pub visibility: Visibility,
        /// Whether people who do not sit there may watch.
        pub spectators: bool,
        /// Seconds a turn may take; null for no clock.
        #[schema(required, minimum = 10, maximum = 604_800)]
        pub turn_seconds: Option<u32>,
        /// How deals are made from the seeds.
        #[schema(min_length = 1, max_length = 64)]
        pub algorithm: String,
        /// SHA-256 of the server seed.
        pub commitment: Commitment,
    }

    /// Somebody sat down, or replaced the client seed of the place they have.
    pub struct PlayerJoinedEvent {
        r#type: "player_joined",
        /// The place taken.
        pub place: SeatNumber,
        /// Who sat down.
        pub account: AccountId,
        /// Their part in the shuffles; null if not set.
        #[schema(required)]
        pub client_seed: Option<ClientSeed>,
    }

    /// Somebody stood up, or was made to, before the start.
    pub struct PlayerLeftEvent {
        r#type: "player_left",
        /// The place left.
        pub place: SeatNumber,
        /// Who left it; null for a bot.
        #[schema(required)]
        pub account: Option<AccountId>,
    }

    /// The host put a bot at a place that was empty, or had a bot of another level.
    pub struct BotSeatedEvent {
        r#type: "bot_seated",
        /// The place.
        pub place: SeatNumber,
        /// How well the bot plays.
        pub level: BotLevel,
    }

    /// The host passed the table on.
    pub struct HostChangedEvent {
        r#type: "host_changed",
        /// The place of the new host.
        pub place: SeatNumber,
        /// The new host.
        pub account: AccountId,
    }

    /// The host started the game; places, players and seeds are frozen.
    pub struct GameStartedEvent {
        r#type: "game_started",
        /// Who sits at each place.
        #[schema(min_items = 2, max_items = 5)]
        pub players: Vec<Player>,
        /// The client seeds, by place; null for bots and where none was set.
        #[schema(min_items = 2, max_items = 5)]
        pub client_seeds: Vec<Option<ClientSeed>>,
    }

    /// Cards were drawn for the choice of seats (`plain`).
    pub struct SeatsDrawnEvent {
        r#type: "seats_drawn",
        /// The card of each place.
        #[schema(min_items = 2, max_items = 5)]
        pub cards: Vec<Card>,
    }

    /// A seat was chosen, or given to the last (`plain`).
    pub struct SeatChosenEvent {
        r#type: "seat_chosen",
        /// The place of the player.
        pub place: SeatNumber,
        /// The seat.
        pub seat: SeatNumber,
    }

    /// The last round is scored.
    pub struct GameFinishedEvent {
        r#type: "game_finished",
        /// The seats, in order of play, with their totals and ranks.
        #[schema(min_items = 2, max_items = 5)]
        pub standings: Vec<Standing>,
        /// The seed, revealed.
        pub server_seed: ServerSeed,
    }

    /// The game ended before its last round.
    pub struct GameAbandonedEvent {
        r#type: "game_abandoned",
        /// Why.
        pub reason: AbandonReason,
        /// The seed, revealed.
        pub server_seed: ServerSeed,
    }
}

/// How a seat ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Standing {
    /// The seat.
    pub seat: SeatNumber,
    /// The final total.
    pub total: i32,
    /// The place in the standings, from 1; those level share it.
    #[schema(minimum = 1, maximum = 5)]
    pub rank: u8,
}
