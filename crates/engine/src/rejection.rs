//! Rejections of commands, with the data a client needs to act on them.

use serde::Serialize;
use thiserror::Error;

use super::card::{Card, Suit, Trump};
use super::command::{Command, Position};
use super::game::{Game, GameStatus, PhaseKind, Stage};
use super::hex::Hex;
use super::legal::{Legal, legal};
use super::round::Phase;
use super::ruleset::Dash;
use super::seat::{Place, Seat};

/// A bid: a number of tricks and a trump.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TrumpBid {
    /// The number of tricks.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 13))]
    pub tricks: u8,
    /// The trump.
    pub trump: Trump,
}

/// A rejection of a command. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Rejection {
    /// The game is not being played.
    #[error("the game is not being played")]
    NotPlaying {
        /// The game's status.
        status: GameStatus,
    },
    /// The game is past the lobby.
    #[error("the game is not in the lobby any more")]
    NotInLobby {
        /// The game's status.
        status: GameStatus,
    },
    /// The caller does not sit at the table.
    #[error("you do not sit at this table")]
    NotSeated,
    /// The caller sits at the table already.
    #[error("you sit at this table already")]
    AlreadySeated {
        /// The caller's place.
        place: Place,
    },
    /// Another player has the seat.
    #[error("that seat is taken")]
    SeatTaken {
        /// The seat or place.
        seat: u8,
    },
    /// The table has no such seat.
    #[error("the table has no such seat")]
    NoSuchSeat {
        /// The requested seat.
        seat: u8,
        /// The number of seats.
        players: u8,
    },
    /// Every seat is taken.
    #[error("every seat is taken")]
    GameFull {
        /// The number of seats.
        players: u8,
    },
    /// The game cannot start before every seat is taken.
    #[error("not every seat is taken")]
    EmptySeats {
        /// The empty places.
        places: Vec<Place>,
    },
    /// Some players must commit to a client seed again, or go without one, before the game can start.
    #[error("some players must commit to a seed again, or go without one")]
    SeedsVoid {
        /// Their places.
        places: Vec<Place>,
    },
    /// The players open their client seeds, and nothing else may be done.
    #[error("the players are opening their seeds")]
    SeedsOpening {
        /// The places whose seed is not open.
        places: Vec<Place>,
    },
    /// Another place has the commitment to a client seed, or the table had it before an opening that failed.
    #[error("this commitment is known at the table already: commit to a new random seed")]
    SeedCommitmentKnown,
    /// No seed of the caller is to be opened now.
    #[error("no seed of yours is to be opened now")]
    NoSeedToOpen,
    /// The seed is not the one that the caller committed to.
    #[error("the seed is not the one that you committed to")]
    SeedDoesNotMatch {
        /// The commitment.
        commitment: Hex<32>,
    },
    /// Only the host may do that.
    #[error("only the host may do that")]
    NotHost,
    /// No bot stands in for the caller.
    #[error("no bot stands in for you")]
    NotStoodIn,
    /// No person sits there.
    #[error("no person sits there")]
    NoPersonThere {
        /// The place.
        place: Place,
    },
    /// A hint is only for a game that started with one person.
    #[error("the game started with several people")]
    SeveralPeople,
    /// It is another player's turn.
    #[error("it is not your turn")]
    NotYourTurn {
        /// The position that must act.
        to_act: Option<Position>,
    },
    /// The command belongs to another phase.
    #[error("that cannot be done in this phase")]
    WrongPhase {
        /// What the game waits for.
        phase: PhaseKind,
    },
    /// The pack cannot be cut there.
    #[error("the pack is cut at a position from 1 to 51")]
    CutOutOfRange,
    /// The round's limit for such zeros is reached (`squares` R4, `kabooot` R3, `plain` R4).
    #[error("no more than {limit} may declare that in a round")]
    DashLimit {
        /// The limit.
        limit: u8,
    },
    /// A dash call replaces the first call, and is only allowed at its time (`squares` R4).
    #[error("a dash call cannot be made now")]
    DashCallNotNow,
    /// Three zeros and a bid of 13 would leave no total but 13.
    #[error("the total could not avoid 13 any more")]
    ThirteenUnavoidable,
    /// There is no passing in this auction (`plain` R3).
    #[error("there is no passing in this auction")]
    NoPassing,
    /// The bid's number is out of range.
    #[error("a bid is a number from {min} to {max}")]
    BidOutOfRange {
        /// The lowest.
        min: u8,
        /// The highest.
        max: u8,
    },
    /// The bid does not beat the one that stands.
    #[error("the bid does not beat the standing one")]
    BidTooLow {
        /// The number that stands.
        tricks: u8,
        /// The trump that stands.
        trump: Trump,
    },
    /// No trump may not be bid here (`plain` R5).
    #[error("no trump may not be bid")]
    NoTrumpBarred,
    /// The estimate is out of range.
    #[error("an estimate is a number from {min} to {max}")]
    EstimateOutOfRange {
        /// The lowest.
        min: u8,
        /// The highest.
        max: u8,
    },
    /// The round's limit for zeros is reached (`kabooot` R3, `double-risk` R5).
    #[error("a round holds at most {limit} zeros")]
    ZeroLimit {
        /// The limit.
        limit: u8,
    },
    /// The last estimate may not complete the total.
    #[error("the last to estimate may not bring the total to {total}")]
    TotalBarred {
        /// The estimate that is not allowed.
        barred: u8,
        /// The total it would complete.
        total: u8,
    },
    /// Trump cannot be changed with this estimate (`squares` R14).
    #[error("trump cannot be changed with this estimate")]
    TrumpChangeBarred {
        /// The height that a change must beat, if there was one.
        changed: Option<TrumpBid>,
    },
    /// The card is not in the caller's hand.
    #[error("you do not hold that card")]
    CardNotHeld {
        /// The card.
        card: Card,
    },
    /// The led suit must be followed (C2).
    #[error("the led suit must be followed")]
    MustFollowSuit {
        /// The led suit.
        led: Suit,
    },
}

/// The reason why a command is not legal.
pub(super) fn explain(game: &Game, position: Position, command: &Command) -> Rejection {
    let status = game.status();
    if status != GameStatus::Playing {
        return Rejection::NotPlaying { status };
    }
    if matches!(command, Command::Resume {}) {
        return Rejection::NotStoodIn;
    }
    let to_act = game.to_act();
    let Some(phase) = game.phase().filter(|_| to_act == Some(position)) else {
        return Rejection::NotYourTurn { to_act };
    };
    let rules = game.rules();
    match (legal(game, position), *command) {
        (Legal::Seats(_), Command::ChooseSeat { seat }) => seat_refused(seat, rules.players),
        (Legal::Cut, Command::Cut { .. }) => Rejection::CutOutOfRange,
        (Legal::BeforeAuction { .. }, Command::BlindDash {}) if rules.dash == Dash::Blind => {
            Rejection::DashLimit { limit: rules.dash_limit }
        }
        (Legal::BeforeAuction { .. }, Command::DashCall {}) if rules.dash == Dash::Call => {
            Rejection::DashLimit { limit: rules.dash_limit }
        }
        (Legal::Auction(calls), Command::Bid { tricks, trump }) => {
            if tricks == 13 && calls.to < 13 {
                Rejection::ThirteenUnavoidable
            } else if !(calls.from..=calls.to).contains(&tricks) {
                Rejection::BidOutOfRange { min: calls.from, max: calls.to }
            } else if let Some((tricks, trump)) = calls.above.filter(|&above| (tricks, trump) <= above) {
                Rejection::BidTooLow { tricks, trump }
            } else {
                Rejection::NoTrumpBarred
            }
        }
        (Legal::Auction(_), Command::Pass {}) => Rejection::NoPassing,
        (Legal::Auction(_), Command::DashCall {}) => dash_call_refused(game, position),
        (Legal::Estimates(calls), Command::Estimate { tricks, .. }) => {
            if tricks == 0 && calls.from > 0 {
                Rejection::ZeroLimit { limit: rules.zero_limit.unwrap_or(0) }
            } else if !(calls.from..=calls.to).contains(&tricks) {
                Rejection::EstimateOutOfRange { min: calls.from, max: calls.to }
            } else if calls.barred == Some(tricks) {
                let round = game.sheet.rounds.len() as u8 + 1;
                Rejection::TotalBarred { barred: tricks, total: rules.hand_size(round) }
            } else {
                let changed = calls.trump.flatten().map(|(tricks, trump)| TrumpBid { tricks, trump });
                Rejection::TrumpChangeBarred { changed }
            }
        }
        (Legal::Cards(_), Command::Play { card }) => card_refused(game, position, card),
        _ => Rejection::WrongPhase { phase },
    }
}

fn seat_refused(seat: Seat, players: u8) -> Rejection {
    let index = seat.index() as u8;
    if index < players {
        Rejection::SeatTaken { seat: index }
    } else {
        Rejection::NoSuchSeat { seat: index, players }
    }
}

fn dash_call_refused(game: &Game, position: Position) -> Rejection {
    let rules = game.rules();
    if let (Stage::Round(round), Position::Seat(seat)) = (&game.stage, position)
        && let Phase::Auction(auction) = &round.phase
        && rules.dash == Dash::Call
        && !auction.spoken.contains(seat)
        && !rules.asks_before_auction()
    {
        return if auction.dashed.len() >= rules.dash_limit {
            Rejection::DashLimit { limit: rules.dash_limit }
        } else {
            Rejection::ThirteenUnavoidable
        };
    }
    Rejection::DashCallNotNow
}

fn card_refused(game: &Game, position: Position, card: Card) -> Rejection {
    if let (Stage::Round(round), Position::Seat(seat)) = (&game.stage, position)
        && let Phase::Play(play) = &round.phase
        && round.hands[seat].contains(card)
        && let Some(led) = play.trick.led_suit(play.trump)
    {
        return Rejection::MustFollowSuit { led };
    }
    Rejection::CardNotHeld { card }
}
