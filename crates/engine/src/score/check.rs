//! Checks whether a round that a client entered is possible under a ruleset.

use serde::Serialize;
use thiserror::Error;

use super::{Call, CallKind, Course, Roles, RoundResult};
use crate::ruleset::schedule::RoundPlan;
use crate::ruleset::{AuctionKind, CarryLadder, Dash, Ruleset, Unbid};
use crate::seat::{BySeat, Seat, SeatSet};

/// Why a round is impossible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error, Serialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum ImpossibleRound {
    /// The game has no such round.
    #[error("the game has rounds 1 to {rounds}")]
    RoundOutOfRange {
        /// The number of rounds.
        rounds: u8,
    },
    /// The table has no such seat.
    #[error("the table has seats 0 to {last}")]
    SeatOutOfRange {
        /// The last seat.
        last: u8,
    },
    /// The number of calls or tricks is not the number of seats.
    #[error("calls and tricks are given for each of {players} seats")]
    CallsMissing {
        /// The number of players.
        players: u8,
    },
    /// The carry cannot have this value in this round.
    #[error("the carry cannot be {carry} in this round")]
    CarryImpossible {
        /// The given carry.
        carry: u32,
    },
    /// A player took more tricks than there are.
    #[error("seat {seat} cannot take more than {hand_size} tricks")]
    TricksOutOfRange {
        /// The player's seat.
        seat: Seat,
        /// The number of tricks.
        hand_size: u8,
    },
    /// The sum of the tricks is not the hand size.
    #[error("the tricks add up to {sum}, not {hand_size}")]
    TricksDoNotSum {
        /// The sum.
        sum: u8,
        /// The hand size.
        hand_size: u8,
    },
    /// The last estimate may not complete this total.
    #[error("the calls may not add up to {total}")]
    TotalBarred {
        /// The total that is not allowed.
        total: u8,
    },
    /// Too many zeros.
    #[error("a round holds at most {limit} zeros")]
    TooManyZeros {
        /// The limit.
        limit: u8,
    },
    /// Too many dash calls or blind dashes.
    #[error("a round holds at most {limit} of these")]
    TooManyDashCalls {
        /// The limit.
        limit: u8,
    },
    /// There are no dash calls in this round.
    #[error("there is no dash call in this round")]
    DashCallNotAllowed {
        /// The player's seat.
        seat: Seat,
    },
    /// There are no blind dashes in this round.
    #[error("there is no blind dash in this round")]
    BlindDashNotAllowed {
        /// The player's seat.
        seat: Seat,
    },
    /// A declared zero with another number.
    #[error("a dash call or blind dash is a call of 0")]
    DashCallNotZero {
        /// The player's seat.
        seat: Seat,
    },
    /// There is no auction in this round.
    #[error("there are no bids in this round")]
    BidNotAllowed {
        /// The player's seat.
        seat: Seat,
    },
    /// No player bid in a round with an auction.
    #[error("a round with an auction needs a bid")]
    NoBidder,
    /// More than one call is given as the winning bid.
    #[error("one bid wins the auction")]
    TwoBidders,
    /// The given bidder contradicts the calls.
    #[error("the calls make another bidder")]
    BidderDisagrees {
        /// The bidder by the calls.
        bidder: Option<Seat>,
    },
    /// A bid below the minimum.
    #[error("the lowest bid is {min}")]
    BidBelowMinimum {
        /// The minimum.
        min: u8,
    },
    /// A bid above 13.
    #[error("the highest bid is {max}")]
    BidOutOfRange {
        /// The maximum.
        max: u8,
    },
    /// An estimate above the bid.
    #[error("an estimate cannot exceed the bid of {bid}")]
    EstimateAboveBid {
        /// The player's seat.
        seat: Seat,
        /// The bid.
        bid: u8,
    },
    /// An estimate above the hand size.
    #[error("an estimate cannot exceed {hand_size}")]
    EstimateOutOfRange {
        /// The player's seat.
        seat: Seat,
        /// The number of tricks.
        hand_size: u8,
    },
    /// The ruleset has no folded rounds, or not here.
    #[error("this round cannot be folded")]
    FoldNotAllowed,
    /// A call other than a dash call in a folded round.
    #[error("a folded round has no bids or estimates")]
    CallsInFold,
    /// Revokes at a table that does not penalise them.
    #[error("revokes are charged in `nineteen` with `revokes: penalise` alone")]
    RevokesNotPenalised,
    /// Tricks in a folded round.
    #[error("a folded round is not played")]
    TricksInFold,
}

/// Checks whether a round is possible. `bidder` is the bidder the caller expects, if any.
///
/// # Errors
/// The first reason of [`faults`].
pub fn check(
    rules: &Ruleset,
    result: &RoundResult,
    bidder: Option<Option<Seat>>,
) -> Result<(), ImpossibleRound> {
    faults(rules, result, bidder).into_iter().next().map_or(Ok(()), Err)
}

/// Every reason why a round is impossible, without reasons that only follow from others. `bidder` is the
/// bidder the caller expects, if any.
pub fn faults(rules: &Ruleset, result: &RoundResult, bidder: Option<Option<Seat>>) -> Vec<ImpossibleRound> {
    let mut found = setting_faults(rules, result.round, result.carry);
    if !(1..=rules.rounds()).contains(&result.round) {
        return found;
    }
    let last = rules.players - 1;
    let outside = |seat: Seat| seat.index() > usize::from(last);
    if outside(result.first_speaker) || bidder.flatten().is_some_and(outside) {
        found.push(ImpossibleRound::SeatOutOfRange { last });
        return found;
    }
    let plan = rules.round_plan(result.round);
    let (declarer, calls, tricks) = match &result.course {
        Course::Played { declarer, calls, tricks } => (declarer, calls, tricks),
        Course::Folded { dashed } => {
            found.extend(folded(rules, plan, *dashed).err());
            found.extend(agrees(None, bidder).err());
            return found;
        }
    };
    if calls.players() != rules.players || tricks.players() != rules.players {
        found.push(ImpossibleRound::CallsMissing { players: rules.players });
        return found;
    }
    let before = found.len();
    found.extend(bids(rules, plan, calls).err());
    declared(rules, plan, calls, &mut found);
    numbers(rules, plan, result.round, calls, &mut found);
    // The bidder and the sums are checked only when all calls are valid.
    if found.len() == before {
        let roles = Roles::of(rules, result.round, result.first_speaker, *declarer, calls);
        found.extend(agrees(roles.bidder, bidder).err());
        found.extend(together(rules, result.round, calls).err());
    }
    taken(rules.hand_size(result.round), tricks, &mut found);
    found
}

/// The reasons against a round's number and carry.
pub fn setting_faults(rules: &Ruleset, round: u8, carry: u32) -> Vec<ImpossibleRound> {
    let rounds = rules.rounds();
    if (1..=rounds).contains(&round) {
        self::carry(rules, round, carry).err().into_iter().collect()
    } else {
        vec![ImpossibleRound::RoundOutOfRange { rounds }]
    }
}

/// Checks that the given bidder is the one by the calls.
fn agrees(found: Option<Seat>, given: Option<Option<Seat>>) -> Result<(), ImpossibleRound> {
    match given {
        Some(given) if given != found => Err(ImpossibleRound::BidderDisagrees { bidder: found }),
        _ => Ok(()),
    }
}

/// Only the auction rounds of `squares` can fold (R2).
fn folded(rules: &Ruleset, plan: RoundPlan, dashed: SeatSet) -> Result<(), ImpossibleRound> {
    if rules.unbid != Unbid::Fold || plan != RoundPlan::Auction {
        return Err(ImpossibleRound::FoldNotAllowed);
    }
    if dashed.len() > rules.dash_limit {
        return Err(ImpossibleRound::TooManyDashCalls { limit: rules.dash_limit });
    }
    Ok(())
}

/// The carry grows only where rounds can be void, and by at most one step per round.
fn carry(rules: &Ruleset, round: u8, carry: u32) -> Result<(), ImpossibleRound> {
    let before = u32::from(round - 1);
    let possible = match rules.carry_ladder {
        _ if carry == 1 => true,
        _ if !rules.void_unmade => false,
        CarryLadder::Add => (1..=before + 1).contains(&carry),
        CarryLadder::Double => carry.is_power_of_two() && carry.trailing_zeros() <= before,
        CarryLadder::Flat => carry == 2 && before > 0,
    };
    if possible { Ok(()) } else { Err(ImpossibleRound::CarryImpossible { carry }) }
}

fn bids(rules: &Ruleset, plan: RoundPlan, calls: &BySeat<Call>) -> Result<(), ImpossibleRound> {
    let mut bids = calls.iter().filter(|(_, call)| call.kind == CallKind::Bid);
    let first = bids.next();
    if plan != RoundPlan::Auction || rules.auction == AuctionKind::None {
        return first.map_or(Ok(()), |(seat, _)| Err(ImpossibleRound::BidNotAllowed { seat }));
    }
    let (_, bid) = first.ok_or(ImpossibleRound::NoBidder)?;
    if bids.next().is_some() {
        return Err(ImpossibleRound::TwoBidders);
    }
    if bid.tricks > 13 {
        return Err(ImpossibleRound::BidOutOfRange { max: 13 });
    }
    if bid.tricks < rules.minimum_bid {
        return Err(ImpossibleRound::BidBelowMinimum { min: rules.minimum_bid });
    }
    Ok(())
}

fn declared(rules: &Ruleset, plan: RoundPlan, calls: &BySeat<Call>, found: &mut Vec<ImpossibleRound>) {
    let dash = rules.dash_in(plan);
    found.extend(calls.iter().filter_map(|(seat, call)| match call.kind {
        CallKind::DashCall if dash != Dash::Call => Some(ImpossibleRound::DashCallNotAllowed { seat }),
        CallKind::BlindDash if dash != Dash::Blind => Some(ImpossibleRound::BlindDashNotAllowed { seat }),
        CallKind::DashCall | CallKind::BlindDash if call.tricks != 0 => {
            Some(ImpossibleRound::DashCallNotZero { seat })
        }
        _ => None,
    }));
    let declared = calls.values().filter(|call| call.is_declared_zero()).count();
    if declared > usize::from(rules.dash_limit) && dash != Dash::None {
        found.push(ImpossibleRound::TooManyDashCalls { limit: rules.dash_limit });
    }
}

fn numbers(
    rules: &Ruleset,
    plan: RoundPlan,
    round: u8,
    calls: &BySeat<Call>,
    found: &mut Vec<ImpossibleRound>,
) {
    let hand_size = rules.hand_size(round);
    let bid = calls.values().find(|call| call.kind == CallKind::Bid).map(|call| call.tricks);
    let bid = bid.filter(|_| plan == RoundPlan::Auction);
    found.extend(calls.iter().filter_map(|(seat, call)| match bid {
        // Errors of the bid are reported for the bid itself.
        Some(_) if call.kind == CallKind::Bid => None,
        _ if call.tricks > hand_size => Some(ImpossibleRound::EstimateOutOfRange { seat, hand_size }),
        Some(bid) if call.tricks > bid => Some(ImpossibleRound::EstimateAboveBid { seat, bid }),
        _ => None,
    }));
}

/// Checks the calls together: the number of zeros, and the total.
fn together(rules: &Ruleset, round: u8, calls: &BySeat<Call>) -> Result<(), ImpossibleRound> {
    let zeros = calls.values().filter(|call| call.tricks == 0).count();
    if let Some(limit) = rules.zero_limit.filter(|&limit| zeros > usize::from(limit)) {
        return Err(ImpossibleRound::TooManyZeros { limit });
    }
    let hand_size = rules.hand_size(round);
    let total = calls.values().map(|call| u32::from(call.tricks)).sum::<u32>();
    if rules.forbid_thirteen && total == u32::from(hand_size) {
        return Err(ImpossibleRound::TotalBarred { total: hand_size });
    }
    Ok(())
}

fn taken(hand_size: u8, tricks: &BySeat<u8>, found: &mut Vec<ImpossibleRound>) {
    let before = found.len();
    let too_many = tricks.iter().filter(|&(_, &taken)| taken > hand_size);
    found.extend(too_many.map(|(seat, _)| ImpossibleRound::TricksOutOfRange { seat, hand_size }));
    let sum = tricks.values().map(|&taken| u32::from(taken)).sum::<u32>();
    if found.len() == before && sum != u32::from(hand_size) {
        // Each is at most the hand size, so the sum is small.
        found.push(ImpossibleRound::TricksDoNotSum { sum: sum as u8, hand_size });
    }
}
