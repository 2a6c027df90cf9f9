//! The state of a round: the deal, the calls, and the current phase.

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};

use super::card::{Card, Trump};
use super::card_set::CardSet;
use super::command::Command;
use super::ruleset::{RoundKind, Ruleset};
use super::score::{Call, CallKind, Course, RoundResult};
use super::seat::{BySeat, MAX_PLAYERS, Seat, SeatSet};
use super::trick::Trick;

/// Identifies a shuffle: the `attempt`-th deal (from 1) of a round (from 1). The draw for seats is round 0,
/// attempt 1 (common rules, C8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DealNumber {
    /// The round, 1‥19; 0 for the draw for seats.
    pub round: u8,
    /// The deal within the round, from 1: a redeal is the next attempt.
    pub attempt: u32,
}

impl DealNumber {
    /// The draw for seats (`plain`).
    pub const DRAW: DealNumber = DealNumber { round: 0, attempt: 1 };
}

/// A deal, past or next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deal {
    /// The round and attempt.
    pub number: DealNumber,
    /// The dealer.
    pub dealer: Seat,
    /// The multiplier carried over from void rounds; 1 for none.
    pub carry: u32,
}

impl Deal {
    /// The next deal of the same round, by `dealer`.
    #[must_use]
    pub fn again(self, dealer: Seat) -> Deal {
        let DealNumber { round, attempt } = self.number;
        Deal { number: DealNumber { round, attempt: attempt + 1 }, dealer, carry: self.carry }
    }
}

/// A round that has been dealt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    /// The deal of the round.
    pub deal: Deal,
    /// The number of cards dealt to each hand.
    pub hand_size: u8,
    /// How trump is found.
    pub opening: Opening,
    /// The cards still in each hand.
    pub hands: BySeat<CardSet>,
    /// The players who announced the lack of a suit.
    pub avoided: SeatSet,
    /// The calls before and in the auction, in order.
    pub spoken: ArrayVec<Spoken, 80>,
    /// The current phase.
    pub phase: Phase,
}

/// How trump is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opening {
    /// By a card turned up (`nineteen`).
    Indicator {
        /// The card.
        card: Card,
    },
    /// By an auction.
    Auction,
    /// It is fixed by the round's number.
    Fast {
        /// What it is.
        trump: Trump,
    },
}

impl Opening {
    /// The kind of round it makes.
    pub const fn kind(self) -> RoundKind {
        match self {
            Opening::Indicator { .. } => RoundKind::Indicator,
            Opening::Auction => RoundKind::Auction,
            Opening::Fast { .. } => RoundKind::Fast,
        }
    }

    /// Trump, if it is known before the calls. A joker as indicator means no trump (`nineteen` R12).
    pub fn trump(self) -> Option<Trump> {
        match self {
            Opening::Indicator { card } => Some(card.suit().map_or(Trump::NoTrump, Trump::from)),
            Opening::Auction => None,
            Opening::Fast { trump } => Some(trump),
        }
    }
}

/// A call before or in the auction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spoken {
    /// The player's seat.
    pub seat: Seat,
    /// The call.
    pub call: Command,
}

/// The phase of a round, with its data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// A player whose hand lacks a suit chooses redeal or avoid, or the server announces it.
    VoidCheck {
        /// The player's seat.
        seat: Seat,
    },
    /// Each player in turn may declare a dash before the auction.
    BlindDash {
        /// The player whose turn it is.
        seat: Seat,
        /// The players who declared a dash.
        dashed: SeatSet,
    },
    /// Players bid for trump.
    Auction(Auction),
    /// Players estimate.
    Estimates(Estimates),
    /// Players play cards.
    Play(CardPlay),
    /// No player bid, and the round is not played.
    Folded {
        /// The players who made a dash call.
        dashed: SeatSet,
    },
}

/// A bid in an auction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bid {
    /// The bidder's seat.
    pub seat: Seat,
    /// The tricks promised.
    pub tricks: u8,
    /// The trump named.
    pub trump: Trump,
}

impl Bid {
    /// The height of a bid: its number, then its suit's rank.
    pub const fn height(self) -> (u8, Trump) {
        (self.tricks, self.trump)
    }
}

/// The state of an auction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Auction {
    /// The player whose turn it is; none once the auction is over.
    pub seat: Option<Seat>,
    /// The players who may still speak: they neither passed nor declared zero (nor, with single calls,
    /// spoke).
    pub live: SeatSet,
    /// The players who have spoken in it.
    pub spoken: SeatSet,
    /// The players who declared zero, in it or before it.
    pub dashed: SeatSet,
    /// The highest bid so far.
    pub standing: Option<Bid>,
}

/// The state of the estimates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Estimates {
    /// The current trump.
    pub trump: Trump,
    /// The bid that won the auction, if any.
    pub declarer: Option<Bid>,
    /// The players who declared zero beforehand.
    pub dashed: SeatSet,
    /// The estimators in order.
    pub order: ArrayVec<Seat, MAX_PLAYERS>,
    /// The estimates so far, in that order.
    pub made: ArrayVec<u8, MAX_PLAYERS>,
    /// The height of the last trump change, which the next must beat (`squares` R14).
    pub changed: Option<(u8, Trump)>,
    /// A trump named with the last estimate and not yet announced.
    pub named: Option<Trump>,
}

impl Estimates {
    /// The player whose turn it is; none once all estimates are made.
    pub fn seat(&self) -> Option<Seat> {
        self.order.get(self.made.len()).copied()
    }

    /// The estimate of a seat, if it has made one.
    pub fn of(&self, seat: Seat) -> Option<u8> {
        self.order.iter().zip(&self.made).find(|&(&other, _)| other == seat).map(|(_, &tricks)| tricks)
    }

    /// The call of each player, once all estimates are made.
    pub(super) fn calls(&self, rules: &Ruleset) -> BySeat<Call> {
        BySeat::from_fn(rules.players, |seat| match (self.declarer, self.of(seat)) {
            (Some(bid), _) if bid.seat == seat => Call { kind: CallKind::Bid, tricks: bid.tricks },
            (_, Some(tricks)) => Call { kind: CallKind::Estimate, tricks },
            (_, None) => Call::declared_zero(rules),
        })
    }

    /// The sum of all calls so far.
    pub fn total(&self) -> u8 {
        self.made.iter().sum::<u8>() + self.declarer.map_or(0, |bid| bid.tricks)
    }

    /// The number of zeros so far, of any kind.
    pub fn zeros(&self) -> u8 {
        self.dashed.len() + self.made.iter().filter(|&&tricks| tricks == 0).count() as u8
    }
}

/// The state of card play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardPlay {
    /// The trump.
    pub trump: Trump,
    /// The winner of the auction, if any.
    pub declarer: Option<Seat>,
    /// The call of each player.
    pub calls: BySeat<Call>,
    /// The trick on the table.
    pub trick: Trick,
    /// The previous trick.
    pub last_trick: Option<Trick>,
    /// The number of tricks each player has taken.
    pub taken: BySeat<u8>,
    /// What the play has shown of each hand.
    pub seen: BySeat<Seen>,
}

/// What the play has shown publicly of one hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// The cards its player has played.
    pub played: CardSet,
    /// The cards it certainly does not hold: the suits its player did not follow.
    pub lacks: CardSet,
}

impl Round {
    /// The seat that speaks first: the one after the dealer.
    pub fn first_speaker(&self) -> Seat {
        self.deal.dealer.after(1, self.hands.players())
    }

    /// Trump, if it is known.
    pub fn trump(&self) -> Option<Trump> {
        match &self.phase {
            Phase::Estimates(estimates) => Some(estimates.trump),
            Phase::Play(play) => Some(play.trump),
            _ => self.opening.trump(),
        }
    }

    /// The finished round, as input of [`score`](super::score::score).
    pub(super) fn result(&self) -> RoundResult {
        RoundResult {
            round: self.deal.number.round,
            carry: self.deal.carry,
            first_speaker: self.first_speaker(),
            course: match &self.phase {
                Phase::Play(play) => Course::Played {
                    declarer: play.declarer,
                    calls: play.calls.clone(),
                    tricks: play.taken.clone(),
                },
                Phase::Folded { dashed } => Course::Folded { dashed: *dashed },
                _ => Course::Folded { dashed: SeatSet::EMPTY },
            },
        }
    }

    /// The next hand that lacks a suit, in order of play: from the first speaker, or after `seat`.
    pub fn next_void(&self, seat: Option<Seat>) -> Option<Seat> {
        let players = self.hands.players();
        let first = self.first_speaker();
        let from = seat.map_or(0, |seat| seat.before(first.index() as u8, players).index() as u8 + 1);
        (from..players).map(|step| first.after(step, players)).find(|&seat| self.hands[seat].lacks_a_suit())
    }
}
