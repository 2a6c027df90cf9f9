//! A round under way: what was dealt, what was said, and the phase it is in.

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};

use super::card::{Card, Trump};
use super::card_set::CardSet;
use super::chance::DealNumber;
use super::command::Command;
use super::ruleset::{RoundKind, Ruleset};
use super::score::{Call, CallKind, Course, RoundResult};
use super::seat::{BySeat, MAX_PLAYERS, Seat, SeatSet};
use super::trick::Trick;

/// A deal that is due or done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deal {
    /// Which deal of which round.
    pub number: DealNumber,
    /// Who deals.
    pub dealer: Seat,
    /// What void rounds before it have made of the multiplier; 1 for none.
    pub carry: u32,
}

impl Deal {
    /// The deal that follows in the same round, by `dealer`.
    #[must_use]
    pub fn again(self, dealer: Seat) -> Deal {
        let DealNumber { round, attempt } = self.number;
        Deal { number: DealNumber { round, attempt: attempt + 1 }, dealer, carry: self.carry }
    }
}

/// A round that has been dealt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    /// The deal it is played with.
    pub deal: Deal,
    /// The cards each hand was dealt.
    pub hand_size: u8,
    /// How trump is found.
    pub opening: Opening,
    /// The cards still in each hand.
    pub hands: BySeat<CardSet>,
    /// Who has announced the lack of a suit.
    pub avoided: SeatSet,
    /// What has been said before and in the auction, in order.
    pub spoken: ArrayVec<Spoken, 80>,
    /// What the round waits for.
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

    /// Trump, where it is known before anybody speaks. A joker turned up means no trump (`nineteen` R12).
    pub fn trump(self) -> Option<Trump> {
        match self {
            Opening::Indicator { card } => Some(card.suit().map_or(Trump::NoTrump, Trump::from)),
            Opening::Auction => None,
            Opening::Fast { trump } => Some(trump),
        }
    }
}

/// Something said by somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spoken {
    /// Who.
    pub seat: Seat,
    /// What.
    pub call: Command,
}

/// What a round waits for. Each phase holds its own data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// A hand that lacks a suit is to choose redeal or avoid, or to be announced by the server.
    VoidCheck {
        /// Whose.
        seat: Seat,
    },
    /// Everybody in turn is asked for a dash before the auction.
    BlindDash {
        /// Who is asked.
        seat: Seat,
        /// Who declared one.
        dashed: SeatSet,
    },
    /// Trump is being bid for.
    Auction(Auction),
    /// Estimates are being made.
    Estimates(Estimates),
    /// Cards are being played.
    Play(CardPlay),
    /// Nobody bid, and the round is spent.
    Folded {
        /// Who had made a dash call.
        dashed: SeatSet,
    },
}

/// A standing bid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bid {
    /// Who made it.
    pub seat: Seat,
    /// The tricks promised.
    pub tricks: u8,
    /// The trump named.
    pub trump: Trump,
}

impl Bid {
    /// What bids are compared by: the number, then the suit's rank.
    pub const fn height(self) -> (u8, Trump) {
        (self.tricks, self.trump)
    }
}

/// An auction under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Auction {
    /// Whose turn it is; nobody's once it is over.
    pub seat: Option<Seat>,
    /// Who may still speak: neither passed nor declared zero (nor, with single calls, spoken).
    pub live: SeatSet,
    /// Who has spoken in it.
    pub spoken: SeatSet,
    /// Who declared zero, in it or before it.
    pub dashed: SeatSet,
    /// The highest bid so far.
    pub standing: Option<Bid>,
}

/// Estimates under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Estimates {
    /// What is trump now.
    pub trump: Trump,
    /// The bid that won the auction, if there was one.
    pub declarer: Option<Bid>,
    /// Who declared zero beforehand.
    pub dashed: SeatSet,
    /// Who estimates, in their order.
    pub order: ArrayVec<Seat, MAX_PLAYERS>,
    /// The estimates so far, in that order.
    pub made: ArrayVec<u8, MAX_PLAYERS>,
    /// The last trump change, as what the next must beat (`squares` R14).
    pub changed: Option<(u8, Trump)>,
    /// A trump named with the last estimate and not announced yet.
    pub named: Option<Trump>,
}

impl Estimates {
    /// Whose turn it is; nobody's once all are made.
    pub fn seat(&self) -> Option<Seat> {
        self.order.get(self.made.len()).copied()
    }

    /// The estimate of a seat, if it has made one.
    pub fn of(&self, seat: Seat) -> Option<u8> {
        self.order.iter().zip(&self.made).find(|&(&other, _)| other == seat).map(|(_, &tricks)| tricks)
    }

    /// The call each player is bound to, once all estimates are made.
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

    /// How many zeros stand so far, of whatever kind.
    pub fn zeros(&self) -> u8 {
        self.dashed.len() + self.made.iter().filter(|&&tricks| tricks == 0).count() as u8
    }
}

/// Card play under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardPlay {
    /// What is trump.
    pub trump: Trump,
    /// Who won the auction, if there was one.
    pub declarer: Option<Seat>,
    /// What each player is bound to.
    pub calls: BySeat<Call>,
    /// The trick on the table.
    pub trick: Trick,
    /// The one before it.
    pub last_trick: Option<Trick>,
    /// How many each has taken.
    pub taken: BySeat<u8>,
    /// What play has shown of each hand.
    pub seen: BySeat<Seen>,
}

/// What the play of a round has shown everybody of one hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// The cards its player has played.
    pub played: CardSet,
    /// The cards it is known not to hold any more: the suits its player did not follow.
    pub lacks: CardSet,
}

impl Round {
    /// The seat that speaks first: after the dealer.
    pub fn first_speaker(&self) -> Seat {
        self.deal.dealer.after(1, self.hands.players())
    }

    /// Trump, if it is known yet.
    pub fn trump(&self) -> Option<Trump> {
        match &self.phase {
            Phase::Estimates(estimates) => Some(estimates.trump),
            Phase::Play(play) => Some(play.trump),
            _ => self.opening.trump(),
        }
    }

    /// The finished round, as [`score`](super::score::score) takes it.
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

    /// The next hand, in order of play, that lacks a suit: from the first speaker, or after `seat`.
    pub fn next_void(&self, seat: Option<Seat>) -> Option<Seat> {
        let players = self.hands.players();
        let first = self.first_speaker();
        let from = seat.map_or(0, |seat| seat.before(first.index() as u8, players).index() as u8 + 1);
        (from..players).map(|step| first.after(step, players)).find(|&seat| self.hands[seat].lacks_a_suit())
    }
}
