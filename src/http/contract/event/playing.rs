//! Events from the first card of a round to its score.

use crate::http::contract::declare::tagged;
use crate::http::contract::score::{Call, Lines};
use crate::http::contract::value::{Card, SeatNumber};

tagged! {
    /// All calls are made.
    pub struct PlayBeganEvent {
        r#type: "play_began",
        /// Who leads the first trick.
        pub leader: SeatNumber,
    }

    /// A card was played.
    pub struct CardPlayedEvent {
        r#type: "card_played",
        /// By whom.
        pub seat: SeatNumber,
        /// The card.
        pub card: Card,
    }

    /// A trick is complete.
    pub struct TrickTakenEvent {
        r#type: "trick_taken",
        /// Who took it.
        pub seat: SeatNumber,
    }

    /// The card just played broke the duty to follow suit, and the turn is void (`nineteen`).
    pub struct RevokedEvent {
        r#type: "revoked",
        /// By whom.
        pub seat: SeatNumber,
        /// The card.
        pub card: Card,
        /// The penalty, twice the hand size.
        #[schema(minimum = 2, maximum = 20)]
        pub points: i32,
    }

    /// A round is over and scored.
    pub struct RoundScoredEvent {
        r#type: "round_scored",
        /// The round.
        #[schema(minimum = 1, maximum = 19)]
        pub round: u8,
        /// What each seat was bound to; null in a folded round.
        #[schema(min_items = 2, max_items = 5)]
        pub calls: Vec<Option<Call>>,
        /// What each seat took.
        #[schema(min_items = 2, max_items = 5, minimum = 0, maximum = 13)]
        pub tricks: Vec<u8>,
        /// The bidder; null if there was none.
        #[schema(required)]
        pub bidder: Option<SeatNumber>,
        /// Those who estimated what the bidder called.
        #[schema(max_items = 3)]
        pub withs: Vec<SeatNumber>,
        /// The Risk; null where the ruleset names none.
        #[schema(required)]
        pub risk: Option<SeatNumber>,
        /// What multiplied the round.
        #[schema(minimum = 1, maximum = 262_144)]
        pub multiplier: u32,
        /// The carry into the next round.
        #[schema(minimum = 1, maximum = 262_144)]
        pub next_carry: u32,
        /// The points of the round, by seat.
        #[schema(min_items = 2, max_items = 5)]
        pub points: Vec<i32>,
        /// The totals after it, by seat.
        #[schema(min_items = 2, max_items = 5)]
        pub totals: Vec<i32>,
        /// What the points are made of, by seat.
        #[schema(min_items = 2, max_items = 5)]
        pub lines: Vec<Lines>,
    }
}
