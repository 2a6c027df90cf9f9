//! Legality: the only statement of which commands are allowed.
//!
//! [`legal`] returns the allowed commands as a compact set. [`decide`](super::decide::decide) checks
//! membership, and the view lists the members. The only accepted command that is not listed is a penalised
//! revoke (`nineteen` R10).

use super::card::Trump;
use super::card_set::CardSet;
use super::command::{Command, Position};
use super::game::{Game, Stage};
use super::round::{Auction, Estimates, Phase, Round};
use super::ruleset::{AuctionKind, Dash, DashCallTiming, Ruleset, schedule::RoundPlan};
use super::seat::{Seat, SeatSet};

/// The highest bid or estimate.
const ALL_TRICKS: u8 = 13;
/// The lowest estimate that may name a trump in fast rounds (`squares` R14).
const TRUMP_CHANGE_FROM: u8 = 8;
/// The allowed cuts: at least one card on each side (`plain`).
const CUTS: std::ops::RangeInclusive<u8> = 1..=51;

/// The set of commands a player may post now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Legal {
    /// No command.
    Nothing,
    /// A seat to choose.
    Seats(SeatSet),
    /// A cut.
    Cut,
    /// Redeal or avoid.
    VoidCheck,
    /// A dash before the auction, or declining it.
    BeforeAuction {
        /// The kind of dash that may be declared, if any.
        dash: Option<Dash>,
    },
    /// A call in the auction.
    Auction(AuctionCalls),
    /// An estimate.
    Estimates(EstimateCalls),
    /// A card.
    Cards(CardSet),
}

/// The calls that an auction allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuctionCalls {
    /// What a bid must beat.
    pub above: Option<(u8, Trump)>,
    /// The lowest bid.
    pub from: u8,
    /// The highest bid.
    pub to: u8,
    /// Whether a bid may name no trump.
    pub no_trump: bool,
    /// Whether passing is allowed.
    pub pass: bool,
    /// Whether a dash call is allowed.
    pub dash_call: bool,
}

/// The allowed estimates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EstimateCalls {
    /// The lowest estimate.
    pub from: u8,
    /// The highest estimate.
    pub to: u8,
    /// The estimate that the last estimator may not make, because it completes the total.
    pub barred: Option<u8>,
    /// Whether a high estimate may name a trump, and what it must beat.
    pub trump: Option<Option<(u8, Trump)>>,
}

/// The commands that a position may post now.
pub fn legal(game: &Game, position: Position) -> Legal {
    if game.to_act() != Some(position) {
        return Legal::Nothing;
    }
    match &game.stage {
        Stage::Choosing(choice) => Legal::Seats(choice.free().collect()),
        Stage::Dealing { .. } => Legal::Cut,
        Stage::Round(round) => legal_in_round(game.rules(), round, position.number()),
        Stage::Lobby | Stage::Opening { .. } | Stage::Drawing | Stage::Finishing | Stage::Over(_) => {
            Legal::Nothing
        }
    }
}

/// The same as a list, with the resume command, which a player with a stand-in may post until the game is over.
pub fn legal_commands(game: &Game, position: Position) -> Vec<Command> {
    let resume = game.may_resume(position).then_some(Command::Resume {});
    legal(game, position).iter().chain(resume).collect()
}

/// The commands of the seat to act.
fn legal_in_round(rules: &Ruleset, round: &Round, seat: Seat) -> Legal {
    match &round.phase {
        Phase::VoidCheck { .. } => Legal::VoidCheck,
        Phase::BlindDash { dashed, .. } => {
            Legal::BeforeAuction { dash: (dashed.len() < rules.dash_limit).then_some(rules.dash) }
        }
        Phase::Auction(auction) => Legal::Auction(auction_calls(rules, auction, seat)),
        Phase::Estimates(estimates) => Legal::Estimates(estimate_calls(rules, round, estimates)),
        Phase::Play(play) => Legal::Cards(play.trick.playable(round.hands[seat], play.trump)),
        Phase::Folded { .. } => Legal::Nothing,
    }
}

fn auction_calls(rules: &Ruleset, auction: &Auction, seat: Seat) -> AuctionCalls {
    let ascending = rules.auction == AuctionKind::Ascending;
    let dashed = auction.dashed.len();
    // When every other player is bound to 0, a bid of 13 makes a total of 13 unavoidable.
    let others_dashed = rules.forbid_thirteen && dashed == rules.players - 1;
    let would_close = rules.forbid_thirteen
        && dashed + 1 == rules.players - 1
        && auction.standing.is_some_and(|bid| bid.tricks == ALL_TRICKS);
    AuctionCalls {
        above: auction.standing.filter(|_| ascending).map(|bid| bid.height()),
        from: rules.minimum_bid,
        to: if others_dashed { ALL_TRICKS - 1 } else { ALL_TRICKS },
        no_trump: rules.no_trump_bids,
        pass: rules.allow_pass,
        dash_call: dash_call_open(rules, auction, seat) && !would_close,
    }
}

/// Whether timing and number allow a dash call (`squares` R4).
fn dash_call_open(rules: &Ruleset, auction: &Auction, seat: Seat) -> bool {
    rules.dash == Dash::Call
        && rules.dash_call_timing == DashCallTiming::InAuction
        && !auction.spoken.contains(seat)
        && auction.dashed.len() < rules.dash_limit
        && rules.zero_limit.is_none_or(|limit| auction.dashed.len() < limit)
}

fn estimate_calls(rules: &Ruleset, round: &Round, estimates: &Estimates) -> EstimateCalls {
    let to = estimates.declarer.map_or(round.hand_size, |bid| bid.tricks);
    let zeros_left = rules.zero_limit.is_none_or(|limit| estimates.zeros() < limit);
    let last = estimates.made.len() + 1 == estimates.order.len();
    let fast = matches!(rules.round_plan(round.deal.number.round), RoundPlan::Fast(_));
    EstimateCalls {
        from: if zeros_left { 0 } else { 1 },
        to,
        barred: if last && rules.forbid_thirteen {
            round.hand_size.checked_sub(estimates.total()).filter(|&barred| barred <= to)
        } else {
            None
        },
        trump: (fast && rules.fast_trump_change).then_some(estimates.changed),
    }
}

impl AuctionCalls {
    /// Whether a bid may be made.
    pub fn allows_bid(&self, tricks: u8, trump: Trump) -> bool {
        (self.from..=self.to).contains(&tricks)
            && (self.no_trump || trump != Trump::NoTrump)
            && self.above.is_none_or(|above| (tricks, trump) > above)
    }

    /// The calls besides bids.
    fn others(&self) -> impl Iterator<Item = Command> {
        let pass = self.pass.then_some(Command::Pass {});
        let dash_call = self.dash_call.then_some(Command::DashCall {});
        [pass, dash_call].into_iter().flatten()
    }

    /// The bids in order of height as numbers: tricks times denominations, plus denomination.
    fn bids(&self) -> std::ops::Range<usize> {
        let denominations = self.denominations();
        let height = |tricks: u8, trump: usize| usize::from(tricks) * denominations + trump;
        let beaten = |(tricks, trump): (u8, Trump)| height(tricks, (trump as usize + 1).min(denominations));
        let lowest = height(self.from, 0);
        self.above.map_or(lowest, |above| lowest.max(beaten(above)))..height(self.to + 1, 0)
    }

    /// The number of denominations that may be named, lowest first.
    fn denominations(&self) -> usize {
        if self.no_trump { Trump::ALL.len() } else { Trump::ALL.len() - 1 }
    }

    fn nth(&self, n: usize) -> Option<Command> {
        let others = self.others().count();
        if n < others {
            return self.others().nth(n);
        }
        let bid = self.bids().nth(n - others)?;
        let denominations = self.denominations();
        Some(Command::Bid { tricks: (bid / denominations) as u8, trump: Trump::ALL[bid % denominations] })
    }
}

impl EstimateCalls {
    /// Whether a number of tricks is allowed.
    pub fn allows(&self, tricks: u8) -> bool {
        (self.from..=self.to).contains(&tricks) && self.barred != Some(tricks)
    }

    /// Whether a trump may be named with this estimate (`squares` R14).
    pub fn allows_trump(&self, tricks: u8, trump: Trump) -> bool {
        tricks >= TRUMP_CHANGE_FROM
            && self.trump.is_some_and(|changed| changed.is_none_or(|changed| (tricks, trump) > changed))
    }

    fn iter(&self) -> impl Iterator<Item = Command> {
        let numbers = (self.from..=self.to).filter(|&tricks| self.allows(tricks));
        numbers.flat_map(move |tricks| {
            let named = Trump::ALL.into_iter().filter(move |&trump| self.allows_trump(tricks, trump));
            std::iter::once(None).chain(named.map(Some)).map(move |trump| Command::Estimate { tricks, trump })
        })
    }
}

impl Legal {
    /// Whether a command is in the set.
    pub fn contains(&self, command: &Command) -> bool {
        match (*self, *command) {
            (Legal::Seats(free), Command::ChooseSeat { seat }) => free.contains(seat),
            (Legal::Cut, Command::Cut { position }) => CUTS.contains(&position),
            (Legal::VoidCheck, Command::Redeal {} | Command::Avoid {}) => true,
            (Legal::BeforeAuction { .. }, Command::EnterAuction {}) => true,
            (Legal::BeforeAuction { dash }, Command::BlindDash {}) => dash == Some(Dash::Blind),
            (Legal::BeforeAuction { dash }, Command::DashCall {}) => dash == Some(Dash::Call),
            (Legal::Auction(calls), Command::Bid { tricks, trump }) => calls.allows_bid(tricks, trump),
            (Legal::Auction(calls), Command::Pass {}) => calls.pass,
            (Legal::Auction(calls), Command::DashCall {}) => calls.dash_call,
            (Legal::Estimates(calls), Command::Estimate { tricks, trump }) => {
                calls.allows(tricks) && trump.is_none_or(|trump| calls.allows_trump(tricks, trump))
            }
            (Legal::Cards(cards), Command::Play { card }) => cards.contains(card),
            _ => false,
        }
    }

    /// The number of commands in the set.
    pub fn len(&self) -> usize {
        match self {
            Legal::Nothing => 0,
            Legal::Seats(free) => free.len().into(),
            Legal::Cut => CUTS.count(),
            Legal::VoidCheck => 2,
            Legal::BeforeAuction { dash } => 1 + usize::from(dash.is_some()),
            Legal::Auction(calls) => calls.others().count() + calls.bids().len(),
            Legal::Estimates(calls) => calls.iter().count(),
            Legal::Cards(cards) => cards.len().into(),
        }
    }

    /// Whether nothing may be posted.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The n-th command of the set, from 0, lowest numbers first.
    pub fn nth(&self, n: usize) -> Option<Command> {
        match self {
            Legal::Nothing => None,
            Legal::Seats(free) => free.iter().nth(n).map(|seat| Command::ChooseSeat { seat }),
            Legal::Cut => {
                let position = u8::try_from(n).ok()?.checked_add(*CUTS.start())?;
                CUTS.contains(&position).then_some(Command::Cut { position })
            }
            Legal::VoidCheck => [Command::Redeal {}, Command::Avoid {}].get(n).copied(),
            Legal::BeforeAuction { dash } => match (n, dash) {
                (0, _) => Some(Command::EnterAuction {}),
                (1, Some(Dash::Blind)) => Some(Command::BlindDash {}),
                (1, Some(Dash::Call)) => Some(Command::DashCall {}),
                _ => None,
            },
            Legal::Auction(calls) => calls.nth(n),
            Legal::Estimates(calls) => calls.iter().nth(n),
            Legal::Cards(cards) => cards.iter().nth(n).map(|card| Command::Play { card }),
        }
    }

    /// The commands of the set, lowest numbers first.
    pub fn iter(&self) -> impl Iterator<Item = Command> {
        (0..self.len()).filter_map(|n| self.nth(n))
    }

    /// Calls `give` with each command of the set, lowest numbers first.
    pub fn for_each(&self, give: impl FnMut(Command)) {
        self.iter().for_each(give);
    }
}
