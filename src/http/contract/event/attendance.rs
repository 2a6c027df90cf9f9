//! Events of players who are absent. Seats are numbered as views list them: before they are settled, by place.

use crate::http::contract::declare::tagged;
use crate::http::contract::value::SeatNumber;

tagged! {
    /// The turn of a player ran out; the clock acted for them.
    pub struct TurnTimedOutEvent {
        r#type: "turn_timed_out",
        /// Whose.
        pub seat: SeatNumber,
    }

    /// A bot begins to stand in for an absent player, until they act again or resume.
    pub struct StandInBeganEvent {
        r#type: "stand_in_began",
        /// For whom.
        pub seat: SeatNumber,
    }

    /// An absent player is back.
    pub struct StandInEndedEvent {
        r#type: "stand_in_ended",
        /// Who.
        pub seat: SeatNumber,
    }

    /// A player left for good during play; a bot plays on.
    pub struct PlayerForfeitedEvent {
        r#type: "player_forfeited",
        /// Who.
        pub seat: SeatNumber,
    }
}
