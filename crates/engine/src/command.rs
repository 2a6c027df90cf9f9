//! The commands of play, and the actors who send them.

use serde::{Deserialize, Serialize};

use super::card::{Card, Trump};
use super::seat::{Place, Seat};

crate::choices! {
    /// The kind of a command. More kinds are added over time: a client that does not know one need not offer it.
    pub enum CommandKind {
        /// Take a free seat, in the order of the drawn cards (`plain`).
        ChooseSeat = "choose_seat",
        /// Cut the pack: the first `position` cards go under the rest (`plain`).
        Cut = "cut",
        /// Request a new deal, with a hand that lacks a suit.
        Redeal = "redeal",
        /// Keep a hand that lacks a suit, and announce it.
        Avoid = "avoid",
        /// Decline a dash before the auction.
        EnterAuction = "enter_auction",
        /// Promise to take no tricks, before trump is known (`kabooot`).
        BlindDash = "blind_dash",
        /// Bid for the right to name trump.
        Bid = "bid",
        /// Leave the auction, to estimate later.
        Pass = "pass",
        /// Promise to take no tricks instead of bidding.
        DashCall = "dash_call",
        /// Name the number of tricks to take.
        Estimate = "estimate",
        /// Play a card to the trick.
        Play = "play",
        /// Take the seat back from the bot that stands in.
        Resume = "resume",
    }
}

/// The members of a command besides `type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CommandMembers {
    /// Those that it always has.
    pub members: &'static [&'static str],
    /// Those that it may have as well.
    pub perhaps: &'static [&'static str],
}

impl CommandKind {
    /// Every kind.
    pub const ALL: [CommandKind; 12] = [
        CommandKind::ChooseSeat,
        CommandKind::Cut,
        CommandKind::Redeal,
        CommandKind::Avoid,
        CommandKind::EnterAuction,
        CommandKind::BlindDash,
        CommandKind::Bid,
        CommandKind::Pass,
        CommandKind::DashCall,
        CommandKind::Estimate,
        CommandKind::Play,
        CommandKind::Resume,
    ];

    /// The members of a command of this kind.
    pub const fn members(self) -> CommandMembers {
        let (members, perhaps): (&[&str], &[&str]) = match self {
            CommandKind::ChooseSeat => (&["seat"], &[]),
            CommandKind::Cut => (&["position"], &[]),
            CommandKind::Bid => (&["tricks", "trump"], &[]),
            CommandKind::Estimate => (&["tricks"], &["trump"]),
            CommandKind::Play => (&["card"], &[]),
            CommandKind::Redeal
            | CommandKind::Avoid
            | CommandKind::EnterAuction
            | CommandKind::BlindDash
            | CommandKind::Pass
            | CommandKind::DashCall
            | CommandKind::Resume => (&[], &[]),
        };
        CommandMembers { members, perhaps }
    }
}

/// A command of play, as clients post it. Its published schema is one object, whose `type` says which of the other
/// members are present ([`CommandKind::members`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Take a free seat, in the order of the drawn cards (`plain`).
    ChooseSeat {
        /// The seat.
        seat: Seat,
    },
    /// Cut the pack: the first `position` cards go under the rest (`plain`).
    Cut {
        /// 1‥51.
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
        tricks: u8,
        /// A new trump, with 8 or more in a fast round of `squares`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
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
    Place(Place),
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
    pub place: Place,
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
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::choice::Choice;

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
    fn a_command_has_the_members_of_its_kind() {
        let value = |member: &str| match member {
            "trump" => json!("hearts"),
            "card" => json!("AS"),
            _ => json!(1),
        };
        let all = ["seat", "position", "tricks", "trump", "card"];
        let is_read =
            |command: &Map<String, Value>| serde_json::from_value::<Command>(command.clone().into()).is_ok();
        for kind in CommandKind::ALL {
            let CommandMembers { members, perhaps } = kind.members();
            let with = |names: &[&str]| -> Map<String, Value> {
                let given = names.iter().map(|name| ((*name).to_owned(), value(name)));
                [("type".to_owned(), json!(kind))].into_iter().chain(given).collect()
            };
            assert!(is_read(&with(members)) && is_read(&with(&[members, perhaps].concat())), "{kind:?}");
            for missing in members {
                let mut command = with(members);
                command.remove(*missing);
                assert!(!is_read(&command), "{kind:?} without {missing}");
            }
            for name in all.iter().filter(|name| !members.contains(name) && !perhaps.contains(name)) {
                assert!(!is_read(&with(&[members, &[*name]].concat())), "{kind:?} with {name}");
            }
        }
        assert_eq!(CommandKind::ALL.map(CommandKind::as_str), CommandKind::NAMES);
    }

    #[test]
    fn actors_read_back_as_they_were_written() {
        let seat = Seat::new(2);
        for (actor, text) in [
            (Actor::Server, r#""server""#),
            (Actor::at(Position::Place(Place::new(1))), r#"{"place":1}"#),
            (Actor::at(Position::Seat(seat)), r#"{"seat":2}"#),
            (Actor::Seat(AtSeat { seat, by: Some(By::Bot) }), r#"{"seat":2,"by":"bot"}"#),
        ] {
            assert_eq!(serde_json::to_string(&actor).unwrap(), text);
            assert_eq!(serde_json::from_str::<Actor>(text).unwrap(), actor);
        }
    }
}
