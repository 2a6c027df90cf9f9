//! The commands of play, and the actors who send them.

use serde::{Deserialize, Serialize};

use super::card::{Card, Trump};
use super::seat::{LobbySlot, Seat};

/// A command of play, as clients post it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum Command {
    /// Take a free seat, in the order of the drawn cards (`plain`).
    ChooseSeat {
        /// The seat.
        seat: Seat,
    },
    /// Cut the pack: the first `position` cards go under the rest (`plain`).
    Cut {
        /// 1‥51.
        #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 51))]
        position: u8,
    },
    /// Request a new deal, with a hand that lacks a suit.
    Redeal {},
    /// Keep a hand that lacks a suit, and announce it.
    Avoid {},
    /// Decline a dash before the auction.
    EnterAuction {},
    /// Promise to take no tricks, before trump is known (`kabooot`).
    BlindDash {},
    /// Bid for the right to name trump.
    Bid {
        /// The tricks promised, up to 13.
        #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 13))]
        tricks: u8,
        /// The trump named.
        trump: Trump,
    },
    /// Leave the auction, to estimate later.
    Pass {},
    /// Promise to take no tricks instead of bidding.
    DashCall {},
    /// Name the number of tricks to take.
    Estimate {
        /// The tricks, 0‥13.
        #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 13))]
        tricks: u8,
        /// A new trump, with 8 or more in a fast round of `squares`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "schema", schema(nullable = false))]
        trump: Option<Trump>,
    },
    /// Play a card to the trick.
    Play {
        /// A card from the player's hand.
        card: Card,
    },
    /// Take the seat back from the bot that stands in.
    Resume {},
}

/// A player's position: a place until the seats are settled, then a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Position {
    /// A place of the lobby.
    Place(LobbySlot),
    /// A seat of the game.
    Seat(Seat),
}

impl Position {
    /// The number of the place or seat, as views list them.
    pub const fn number(self) -> Seat {
        match self {
            Position::Place(place) => place.as_seat(),
            Position::Seat(seat) => seat,
        }
    }
}

/// The actor of a command, as the record names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// The rules, or the service.
    Server,
    /// A player at a place, before the seats are settled.
    #[serde(untagged)]
    Place(AtPlace),
    /// A player at a seat.
    #[serde(untagged)]
    Seat(AtSeat),
}

/// An actor at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AtPlace {
    /// The place.
    pub place: LobbySlot,
    /// Who acted instead of the player; none if the player acted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<By>,
}

/// An actor at a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AtSeat {
    /// The seat.
    pub seat: Seat,
    /// Who acted instead of the player; none if the player acted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<By>,
}

crate::choices! {
    /// Who acted instead of a player.
    pub enum By {
        /// A bot in the seat or a stand-in.
        Bot = "bot",
        /// The clock, because the turn timed out.
        Clock = "clock",
    }
}

impl Actor {
    /// A player acting in person.
    pub const fn at(position: Position) -> Actor {
        match position {
            Position::Place(place) => Actor::Place(AtPlace { place, by: None }),
            Position::Seat(seat) => Actor::Seat(AtSeat { seat, by: None }),
        }
    }

    /// A bot or the clock that acts for the player of a position.
    pub const fn acting(by: By, position: Position) -> Actor {
        match position {
            Position::Place(place) => Actor::Place(AtPlace { place, by: Some(by) }),
            Position::Seat(seat) => Actor::Seat(AtSeat { seat, by: Some(by) }),
        }
    }

    /// Who acted instead of the player; none if the player acted.
    pub const fn by(self) -> Option<By> {
        match self {
            Actor::Server => None,
            Actor::Place(at) => at.by,
            Actor::Seat(at) => at.by,
        }
    }

    /// The actor's position; none for the server.
    pub const fn position(self) -> Option<Position> {
        match self {
            Actor::Server => None,
            Actor::Place(at) => Some(Position::Place(at.place)),
            Actor::Seat(at) => Some(Position::Seat(at.seat)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_with_an_unknown_type_or_field_is_refused() {
        let read = |text: &str| serde_json::from_str::<Command>(text).ok();
        assert_eq!(read(r#"{"type":"pass"}"#), Some(Command::Pass {}));
        assert_eq!(read(r#"{"type":"pass","tricks":3}"#), None);
        assert_eq!(read(r#"{"type":"play","card":"AS","seat":1}"#), None);
        assert_eq!(read(r#"{"type":"play"}"#), None);
        assert_eq!(read(r#"{"type":"fold"}"#), None);
    }

    #[test]
    fn actors_read_back_as_they_were_written() {
        let seat = Seat::new(2);
        for (actor, text) in [
            (Actor::Server, r#""server""#),
            (Actor::at(Position::Place(LobbySlot::new(1))), r#"{"place":1}"#),
            (Actor::at(Position::Seat(seat)), r#"{"seat":2}"#),
            (Actor::Seat(AtSeat { seat, by: Some(By::Bot) }), r#"{"seat":2,"by":"bot"}"#),
        ] {
            assert_eq!(serde_json::to_string(&actor).unwrap(), text);
            assert_eq!(serde_json::from_str::<Actor>(text).unwrap(), actor);
        }
    }
}
