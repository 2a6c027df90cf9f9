//! What has happened: the facts of which the record is made.
//!
//! Kinds and fields are only ever added. Every command has one leading event that holds it whole; the
//! events after it are what the rules derive ([`Event::is_derived`]).

mod bodies;

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};

pub use self::bodies::{GameCreated, GameFinished, GameStarted, RoundDealt, RoundScored, Standing};
use super::card::{Card, Trump};
use super::chance::{ClientSeed, Hex};
use super::command::{Command, Position};
use super::player::{AccountId, BotLevel};
use super::seat::{BySeat, LobbySlot, Seat};

/// The events of one command, in order.
pub type Events = ArrayVec<Event, 16>;

/// Who may see that a game exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// Listed in the lobby, open to anybody.
    Public,
    /// Only for those who have the invitation.
    Private,
}

impl Visibility {
    /// The visibility as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Visibility::Public => "public",
            Visibility::Private => "private",
        }
    }
}

/// Why a game ended before its last round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AbandonReason {
    /// The host called it off before the start, or the last to sit there left.
    Cancelled,
    /// Everybody has left for good.
    Forfeited,
    /// Nothing happened for too long.
    Expired,
}

/// A fact of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// A table was opened; its host has place 0.
    GameCreated(Box<GameCreated>),
    /// Somebody sat down, or replaced the client seed of the place they have.
    PlayerJoined {
        /// The place taken.
        place: LobbySlot,
        /// Who sat down.
        account: AccountId,
        /// Their part in the shuffles, if they set one.
        client_seed: Option<ClientSeed>,
    },
    /// Somebody stood up, or was made to, before the start.
    PlayerLeft {
        /// The place left.
        place: LobbySlot,
        /// Who left it; none for a bot.
        account: Option<AccountId>,
    },
    /// The host put a bot at a place that was empty, or had a bot of another level.
    BotSeated {
        /// The place.
        place: LobbySlot,
        /// How well the bot plays.
        level: BotLevel,
    },
    /// The host passed the table on.
    HostChanged {
        /// The place of the new host.
        place: LobbySlot,
        /// The new host.
        account: AccountId,
    },
    /// The host started the game; places, players and seeds are frozen.
    GameStarted(Box<GameStarted>),
    /// Cards were drawn for the choice of seats (`plain`).
    SeatsDrawn {
        /// The card of each place.
        cards: BySeat<Card>,
    },
    /// A seat was chosen, or given to the last (`plain`).
    SeatChosen {
        /// Whose.
        place: LobbySlot,
        /// The seat.
        seat: Seat,
    },
    /// The pack was cut (`plain`).
    DeckCut {
        /// By whom.
        seat: Seat,
        /// How many cards went under the rest, 1‥51.
        position: u8,
    },
    /// The cards were dealt.
    RoundDealt(Box<RoundDealt>),
    /// A hand that lacks a suit stays.
    AvoidDeclared {
        /// Whose.
        seat: Seat,
    },
    /// A hand that lacks a suit had all cards dealt again.
    RedealCalled {
        /// Whose.
        seat: Seat,
    },
    /// A blind dash was declared (`kabooot`).
    BlindDashed {
        /// By whom.
        seat: Seat,
    },
    /// Somebody stays in the round when asked before the auction.
    AuctionEntered {
        /// Who.
        seat: Seat,
    },
    /// A bid was made.
    BidMade {
        /// By whom.
        seat: Seat,
        /// The tricks promised.
        tricks: u8,
        /// The trump named.
        trump: Trump,
    },
    /// Somebody passed.
    Passed {
        /// Who.
        seat: Seat,
    },
    /// A dash call was made.
    DashCalled {
        /// By whom.
        seat: Seat,
    },
    /// A bid stands, and the auction is over.
    AuctionWon {
        /// The bidder.
        seat: Seat,
        /// The bid.
        tricks: u8,
        /// What is trump.
        trump: Trump,
    },
    /// Nobody bid; the cards are dealt again.
    AuctionVoid {},
    /// Nobody bid; the round is spent (`squares`).
    RoundFolded {},
    /// An estimate was named.
    EstimateMade {
        /// By whom.
        seat: Seat,
        /// The estimate.
        tricks: u8,
        /// A trump named with it (`squares` R14).
        trump: Option<Trump>,
    },
    /// Trump was changed by an estimate (`squares` R14).
    TrumpChanged {
        /// By whom.
        seat: Seat,
        /// What is trump now.
        trump: Trump,
    },
    /// All calls are made.
    PlayBegan {
        /// Who leads the first trick.
        leader: Seat,
    },
    /// A card was played.
    CardPlayed {
        /// By whom.
        seat: Seat,
        /// The card.
        card: Card,
    },
    /// A trick is complete.
    TrickTaken {
        /// Who took it.
        seat: Seat,
    },
    /// The card just played broke the duty to follow suit, and the turn is void (`nineteen` R10).
    Revoked {
        /// By whom.
        seat: Seat,
        /// The card.
        card: Card,
        /// The penalty, twice the hand size.
        points: i32,
    },
    /// The turn of a player ran out; the clock acted for them.
    TurnTimedOut {
        /// Whose, as views number seats: before the seats are settled, the place.
        seat: Seat,
    },
    /// A bot begins to stand in for an absent player.
    StandInBegan {
        /// For whom, as views number seats.
        seat: Seat,
    },
    /// An absent player is back.
    StandInEnded {
        /// Who, as views number seats.
        seat: Seat,
    },
    /// A player left for good during play; a bot plays on.
    PlayerForfeited {
        /// Who, as views number seats.
        seat: Seat,
    },
    /// A round is over and scored.
    RoundScored(Box<RoundScored>),
    /// The last round is scored.
    GameFinished(Box<GameFinished>),
    /// The game ended before its last round.
    GameAbandoned {
        /// Why.
        reason: AbandonReason,
        /// The seed, revealed.
        server_seed: Hex<32>,
    },
}

impl Event {
    /// The event that records a command of play; none for a command from the wrong kind of position.
    ///
    /// [`Event::command`] is the inverse.
    pub fn from_command(position: Position, command: &Command) -> Option<Event> {
        let seat = match (position, *command) {
            (Position::Place(place), Command::ChooseSeat { seat }) => {
                return Some(Event::SeatChosen { place, seat });
            }
            (_, Command::Resume {}) => return Some(Event::StandInEnded { seat: position.number() }),
            (Position::Place(_), _) => return None,
            (Position::Seat(seat), _) => seat,
        };
        Some(match *command {
            Command::ChooseSeat { .. } | Command::Resume {} => return None,
            Command::Cut { position } => Event::DeckCut { seat, position },
            Command::Redeal {} => Event::RedealCalled { seat },
            Command::Avoid {} => Event::AvoidDeclared { seat },
            Command::EnterAuction {} => Event::AuctionEntered { seat },
            Command::BlindDash {} => Event::BlindDashed { seat },
            Command::Bid { tricks, trump } => Event::BidMade { seat, tricks, trump },
            Command::Pass {} => Event::Passed { seat },
            Command::DashCall {} => Event::DashCalled { seat },
            Command::Estimate { tricks, trump } => Event::EstimateMade { seat, tricks, trump },
            Command::Play { card } => Event::CardPlayed { seat, card },
        })
    }

    /// The command of play that the event records; none for derived events and events of the lobby.
    pub fn command(&self) -> Option<Command> {
        Some(match *self {
            Event::SeatChosen { seat, .. } => Command::ChooseSeat { seat },
            Event::DeckCut { position, .. } => Command::Cut { position },
            Event::RedealCalled { .. } => Command::Redeal {},
            Event::AvoidDeclared { .. } => Command::Avoid {},
            Event::AuctionEntered { .. } => Command::EnterAuction {},
            Event::BlindDashed { .. } => Command::BlindDash {},
            Event::BidMade { tricks, trump, .. } => Command::Bid { tricks, trump },
            Event::Passed { .. } => Command::Pass {},
            Event::DashCalled { .. } => Command::DashCall {},
            Event::EstimateMade { tricks, trump, .. } => Command::Estimate { tricks, trump },
            Event::CardPlayed { card, .. } => Command::Play { card },
            Event::StandInEnded { .. } => Command::Resume {},
            _ => return None,
        })
    }

    /// Whether the rules derive the event from those before it. All others lead a command.
    ///
    /// An avoid is derived in fast rounds, a seat is given to the last to choose, a stand-in ends where its
    /// player acts, and a game ends where everybody has left: those depend on the state, and here they count
    /// as leading.
    pub fn is_derived(&self) -> bool {
        matches!(
            self,
            Event::SeatsDrawn { .. }
                | Event::RoundDealt(_)
                | Event::AuctionWon { .. }
                | Event::AuctionVoid {}
                | Event::RoundFolded {}
                | Event::TrumpChanged { .. }
                | Event::PlayBegan { .. }
                | Event::TrickTaken { .. }
                | Event::Revoked { .. }
                | Event::TurnTimedOut { .. }
                | Event::StandInBegan { .. }
                | Event::RoundScored(_)
                | Event::GameFinished(_)
        )
    }

    /// Whether the event ends the game.
    pub fn ends_game(&self) -> bool {
        matches!(self, Event::GameFinished(_) | Event::GameAbandoned { .. })
    }

    /// Whether every seat, place and list of the event fits a table of `players`.
    pub fn fits_table(&self, players: u8) -> bool {
        let at = |seat: &Seat| seat.index() < usize::from(players);
        let chair = |place: &LobbySlot| place.index() < usize::from(players);
        match self {
            Event::GameCreated(created) => created.ruleset.players == players,
            Event::PlayerJoined { place, .. }
            | Event::PlayerLeft { place, .. }
            | Event::BotSeated { place, .. }
            | Event::HostChanged { place, .. } => chair(place),
            Event::GameStarted(started) => {
                started.players.players() == players && started.client_seeds.players() == players
            }
            Event::SeatsDrawn { cards } => cards.players() == players,
            Event::SeatChosen { place, seat } => chair(place) && at(seat),
            Event::RoundDealt(dealt) => dealt.hands.players() == players && at(&dealt.dealer),
            Event::DeckCut { seat, .. }
            | Event::AvoidDeclared { seat }
            | Event::RedealCalled { seat }
            | Event::BlindDashed { seat }
            | Event::AuctionEntered { seat }
            | Event::BidMade { seat, .. }
            | Event::Passed { seat }
            | Event::DashCalled { seat }
            | Event::AuctionWon { seat, .. }
            | Event::EstimateMade { seat, .. }
            | Event::TrumpChanged { seat, .. }
            | Event::PlayBegan { leader: seat }
            | Event::CardPlayed { seat, .. }
            | Event::TrickTaken { seat }
            | Event::TurnTimedOut { seat }
            | Event::StandInBegan { seat }
            | Event::StandInEnded { seat }
            | Event::PlayerForfeited { seat }
            | Event::Revoked { seat, .. } => at(seat),
            Event::RoundScored(scored) => scored.totals.players() == players,
            Event::GameFinished(finished) => finished.standings.players() == players,
            Event::AuctionVoid {} | Event::RoundFolded {} | Event::GameAbandoned { .. } => true,
        }
    }
}
