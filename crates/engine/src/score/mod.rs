//! Scoring of rounds, with the lines of each score.
//!
//! The score sheet, the calculator, the audit and the tests all use [`score`]. Its input is a finished round;
//! [`check`] checks whether such a round is possible.

mod check;
mod double_risk;
mod kabooot;
mod lines;
mod nineteen;
mod plain;
mod squares;

use serde::{Deserialize, Serialize};

pub use self::check::{ImpossibleRound, check, faults, setting_faults};
pub use self::lines::{Line, Lines, Reason};
use super::ruleset::schedule::RoundPlan;
use super::ruleset::{CarryLadder, Dash, RiskLadder, Ruleset, Scoring};
use super::seat::{BySeat, Seat, SeatSet};

crate::choices! {
    /// The kind of a call.
    pub enum CallKind {
        /// The winning bid of an auction.
        Bid = "bid",
        /// An estimate.
        Estimate = "estimate",
        /// A dash call: 0, declared before trump was known.
        DashCall = "dash_call",
        /// A blind dash: 0, declared before the auction (`kabooot`).
        BlindDash = "blind_dash",
    }
}

/// A call: the number of tricks a player is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The kind of the call.
    pub kind: CallKind,
    /// The tricks, 0‥13.
    pub tricks: u8,
}

impl Call {
    /// The zero that a ruleset lets players declare before trump is known.
    pub(crate) fn declared_zero(rules: &Ruleset) -> Call {
        let kind = match rules.dash {
            Dash::Blind => CallKind::BlindDash,
            Dash::Call | Dash::None => CallKind::DashCall,
        };
        Call { kind, tricks: 0 }
    }

    /// Whether the call was declared before trump was known and is 0.
    pub const fn is_declared_zero(self) -> bool {
        matches!(self.kind, CallKind::DashCall | CallKind::BlindDash)
    }

    /// Whether the call is made with this number of tricks: exactly the number called.
    pub const fn is_made_with(self, tricks: u8) -> bool {
        self.tricks == tricks
    }
}

/// A finished round, with everything its score depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundResult {
    /// The round's number, from 1.
    pub round: u8,
    /// The multiplier carried over from void rounds; 1 for none.
    pub carry: u32,
    /// The seat after the dealer.
    pub first_speaker: Seat,
    /// The course of the round.
    pub course: Course,
}

/// The course of a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Course {
    /// No player bid, and the round was not played (`squares`).
    Folded {
        /// The players who made a dash call.
        dashed: SeatSet,
    },
    /// The round was played.
    Played {
        /// The winner of the auction, in rounds with one.
        declarer: Option<Seat>,
        /// The call of each player.
        calls: BySeat<Call>,
        /// The tricks of each player.
        tricks: BySeat<u8>,
    },
}

impl RoundResult {
    /// Whether a seat made its call; none when the round was not played.
    pub fn made(&self, seat: Seat) -> Option<bool> {
        match &self.course {
            Course::Folded { .. } => None,
            Course::Played { calls, tricks, .. } => Some(calls[seat].is_made_with(tricks[seat])),
        }
    }
}

/// The score of a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RoundScore {
    /// The points of each seat.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<i32>, min_items = 2, max_items = 5))]
    pub points: BySeat<i32>,
    /// The winner of the auction, or the highest estimator of a fast round.
    pub bidder: Option<Seat>,
    /// The players who estimated the bidder's call.
    pub withs: SeatSet,
    /// The last estimator, if the ruleset names a Risk. Null also where it is unknown: in a fast round of the calculator
    /// without `first_speaker` and `dealer`, whose points do not depend on it.
    pub risk: Option<Seat>,
    /// The multiplier of the round, also when the round is void.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 262_144))]
    pub multiplier: u32,
    /// The carry for the next round.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 262_144))]
    pub next_carry: u32,
    /// The lines of each seat's points: the sum of the points times the product of the factors.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Lines>, min_items = 2, max_items = 5))]
    pub lines: BySeat<Lines>,
}

/// Scores a round. The round must be possible: see [`check`].
pub fn score(rules: &Ruleset, result: &RoundResult) -> RoundScore {
    let Course::Played { declarer, calls, tricks } = &result.course else {
        return void(rules, result, Roles::default(), Reason::Folded);
    };
    let roles = Roles::of(rules, result.round, result.first_speaker, *declarer, calls);
    let made = calls.iter().filter(|&(seat, call)| call.is_made_with(tricks[seat])).count();
    if rules.void_unmade && made == 0 {
        return void(rules, result, roles, Reason::NoWinner);
    }
    let total = calls.values().map(|call| call.tricks).sum();
    let kabooot = calls.iter().find(|&(seat, call)| call.tricks == 13 && tricks[seat] == 13);
    let multiplier = multiplier(rules, result.round, result.carry, roles.withs);
    let lines = calls.map(|seat, &call| {
        let player = Player {
            rules,
            round: result.round,
            hand_size: rules.hand_size(result.round),
            call,
            tricks: tricks[seat],
            bidder: roles.bidder == Some(seat),
            with: roles.withs.contains(seat),
            risk: roles.risk == Some(seat),
            total,
            only_winner: made == 1 && call.is_made_with(tricks[seat]),
            only_loser: made + 1 == usize::from(calls.players()) && !call.is_made_with(tricks[seat]),
            kabooot_by_other: kabooot.is_some_and(|(taker, _)| taker != seat),
        };
        let mut lines = match rules.scoring {
            Scoring::Penalty => nineteen::lines(&player),
            Scoring::Squares => squares::lines(&player),
            Scoring::RoundNumber => kabooot::lines(&player),
            Scoring::Difference => plain::lines(&player),
            Scoring::Roles => double_risk::lines(&player),
        };
        if multiplier != 1 {
            lines.factor(Reason::Multiplier, multiplier as i32);
        }
        lines
    });
    RoundScore {
        points: lines.map(|_, lines| lines.worth()),
        bidder: roles.bidder,
        withs: roles.withs,
        risk: roles.risk,
        multiplier,
        next_carry: 1,
        lines,
    }
}

/// The score of a void round: no points, and the carry grows (`squares` R12).
fn void(rules: &Ruleset, result: &RoundResult, roles: Roles, reason: Reason) -> RoundScore {
    RoundScore {
        points: BySeat::splat(rules.players, 0),
        bidder: roles.bidder,
        withs: roles.withs,
        risk: roles.risk,
        multiplier: multiplier(rules, result.round, result.carry, roles.withs),
        next_carry: grown(rules.carry_ladder, result.carry),
        lines: BySeat::splat(rules.players, Lines::single(reason, 0)),
    }
}

/// The carry after one more void round (`squares` R12).
pub(crate) fn grown(ladder: CarryLadder, carry: u32) -> u32 {
    match ladder {
        CarryLadder::Add => carry + 1,
        CarryLadder::Double => carry * 2,
        CarryLadder::Flat => 2,
    }
}

/// The multiplier of a round: the carry, and in `squares` the doublings of round 13 of a full game and of two
/// Withs (R11).
pub(crate) fn multiplier(rules: &Ruleset, round: u8, carry: u32, withs: SeatSet) -> u32 {
    match rules.scoring {
        Scoring::Squares => carry * squares::doublings(rules, round, withs),
        _ => carry,
    }
}

/// The roles in a round that affect scores.
#[derive(Clone, Copy, Default)]
pub(crate) struct Roles {
    pub(crate) bidder: Option<Seat>,
    pub(crate) withs: SeatSet,
    pub(crate) risk: Option<Seat>,
}

impl Roles {
    /// Derives the roles from the calls. The bidder of a fast round is the first to reach the highest
    /// estimate; the Risk is the last estimator (`squares` R6).
    pub(crate) fn of(
        rules: &Ruleset,
        round: u8,
        first_speaker: Seat,
        declarer: Option<Seat>,
        calls: &BySeat<Call>,
    ) -> Roles {
        let fast = matches!(rules.round_plan(round), RoundPlan::Fast(_));
        let dashed = calls.iter().filter(|(_, call)| call.is_declared_zero()).map(|(seat, _)| seat).collect();
        let estimators = rules.estimators(first_speaker, declarer, dashed);
        let bidder = match declarer {
            None if fast && rules.fast_bidder => {
                let highest = calls.values().map(|call| call.tricks).max().filter(|&highest| highest > 0);
                estimators.iter().copied().find(|&seat| Some(calls[seat].tricks) == highest)
            }
            declarer => declarer,
        };
        let withs = match bidder {
            Some(bidder) if (if fast { rules.fast_withs } else { rules.withs }) => calls
                .iter()
                .filter(|&(seat, call)| seat != bidder && call.tricks == calls[bidder].tricks)
                .map(|(seat, _)| seat)
                .collect(),
            _ => SeatSet::EMPTY,
        };
        let risk = estimators.last().copied().filter(|_| rules.names_risk());
        Roles { bidder, withs, risk }
    }
}

/// One player's round, as input of the formulas.
struct Player<'a> {
    rules: &'a Ruleset,
    round: u8,
    hand_size: u8,
    call: Call,
    tricks: u8,
    bidder: bool,
    with: bool,
    risk: bool,
    /// T, the total of the calls.
    total: u8,
    only_winner: bool,
    only_loser: bool,
    kabooot_by_other: bool,
}

impl Player<'_> {
    fn made(&self) -> bool {
        self.call.is_made_with(self.tricks)
    }

    /// |call − tricks|
    fn difference(&self) -> i32 {
        i32::from(self.tricks.abs_diff(self.call.tricks))
    }

    /// Whether T > 13. Where this matters, T is never 13.
    fn over(&self) -> bool {
        self.total > 13
    }

    /// An estimate of 0.
    fn is_dash(&self) -> bool {
        self.call.kind == CallKind::Estimate && self.call.tricks == 0
    }

    /// Whether a losing With pays like the bidder (option `with_penalty`).
    fn with_pays(&self) -> bool {
        self.with && self.rules.with_penalty
    }

    /// The Risk's level, 0‥`top`: one step per two tricks by which the total misses 13 (`squares` R7).
    fn risk_level(&self, top: u8) -> i32 {
        let d = self.total.abs_diff(13);
        let steps = match self.rules.risk_ladder {
            RiskLadder::FromOne => d.div_ceil(2),
            RiskLadder::FromTwo => d / 2,
        };
        i32::from(steps.min(top))
    }
}
