//! A caller: somebody who must say something before the play, judged by what the hand is worth.
//!
//! The judgement of `steady`, and of everybody in the auctions that `sharp` imagines.

use super::lanes::{SUITS, lane_of, lay, trump_lane};
use super::odds::Odds;
use super::weights::WEIGHTS;
use super::worth::Around;
use estimation_engine::card::Trump;
use estimation_engine::card_set::CardSet;
use estimation_engine::command::Command;
use estimation_engine::ruleset::{Dash, Ruleset, Scoring};

/// From here on a zero is likely enough to be declared before trump is known.
const SURE_ZERO: f32 = 0.62;
/// A hand that lacks a suit and is worth less, and makes no zero, is dealt again.
const POOR: f32 = 3.0;

/// Whether a command may be posted.
pub(super) type Allowed<'a> = &'a dyn Fn(&Command) -> bool;

/// Somebody who must call, with what is known then.
pub(super) struct Caller<'a> {
    pub rules: &'a Ruleset,
    pub hand: CardSet,
    /// The cards in play, without one that was turned up.
    pub deck: CardSet,
    /// What is trump, once it is known.
    pub trump: Option<Trump>,
    /// The sum of the calls so far.
    pub said: u8,
    /// How many are still to call after this one.
    pub open: u8,
    /// Whether this hand leads the first trick, as far as that is known.
    pub leads: bool,
    /// The odds at the table before the first card.
    pub odds: &'a Odds,
}

impl Caller<'_> {
    /// About how many tricks the hand takes under a trump.
    pub(super) fn tricks(&self, trump: Trump) -> f32 {
        let unseen = self.deck & !self.hand;
        let lane = trump_lane(trump);
        let around = Around::new(lane, lay(unseen, trump), self.odds);
        let cards = u32::from(self.hand.len());
        // Who leads can lead a high card at once.
        let cards = if self.leads { cards + 1 } else { cards };
        around.worth(lay(self.hand, trump)).total(lane, cards)
    }

    /// The estimate closest to what the hand is worth; in `squares` with a better trump, if there is one.
    pub(super) fn estimate(&self, allowed: Allowed<'_>) -> Option<Command> {
        let size = self.hand.len();
        let present = self.trump.unwrap_or(Trump::NoTrump);
        let plain = (self.expected(present), None);
        let named = Trump::ALL
            .into_iter()
            .filter(|&trump| self.rules.fast_trump_change && trump != present)
            .map(|trump| (self.expected(trump) - 0.5, Some(trump)));
        let (worth, trump) = named
            .filter(|&(worth, trump)| {
                worth > plain.0 + 1.0 && allowed(&Command::Estimate { tricks: nearest(worth), trump })
            })
            .fold(plain, |best, other| if other.0 > best.0 { other } else { best });
        (0..=size)
            .map(|tricks| Command::Estimate { tricks, trump: trump.filter(|_| tricks == nearest(worth)) })
            .filter(|call| allowed(call))
            .min_by(|one, other| distance(one, worth).total_cmp(&distance(other, worth)))
    }

    /// What the hand takes, seeing what the others have called: a table that wants more tricks than there
    /// are leaves fewer.
    fn expected(&self, trump: Trump) -> f32 {
        let size = f32::from(self.hand.len());
        let worth = self.tricks(trump);
        let average = size / f32::from(self.rules.players);
        let wanted = f32::from(self.said) + worth + f32::from(self.open) * average;
        let worth = (worth - WEIGHTS.modesty + WEIGHTS.crowd * (size - wanted)).clamp(0.0, size);
        if worth < WEIGHTS.little { WEIGHTS.zero * worth } else { worth }
    }

    /// What to say in the auction: the highest bid the hand is good for, or nothing.
    pub(super) fn auction(&self, allowed: Allowed<'_>) -> Option<Command> {
        let bid = |tricks: u8, trump| Command::Bid { tricks, trump };
        let worth = Trump::ALL.map(|trump| (trump, self.tricks(trump)));
        let good = worth
            .iter()
            .map(|&(trump, worth)| (bid(nearest(worth - 0.5 + WEIGHTS.hope), trump), worth))
            .filter(|(call, _)| allowed(call))
            .max_by(|one, other| one.1.total_cmp(&other.1));
        let zero = self.zeros_pay() && self.zero_chance() >= SURE_ZERO;
        if zero && allowed(&Command::DashCall {}) {
            return Some(Command::DashCall {});
        }
        if let Some((call, _)) = good {
            return Some(call);
        }
        if allowed(&Command::Pass {}) {
            return Some(Command::Pass {});
        }
        // Somebody who must bid bids as low as possible, in the best suit.
        (1..=self.hand.len()).find_map(|tricks| {
            let open = worth.iter().filter(|&&(trump, _)| allowed(&bid(tricks, trump)));
            open.max_by(|one, other| one.1.total_cmp(&other.1)).map(|&(trump, _)| bid(tricks, trump))
        })
    }

    /// The answer to the question before the auction: a dash call on a sure zero, never a blind dash.
    pub(super) fn before_auction(&self, allowed: Allowed<'_>) -> Command {
        let dashes = self.rules.dash == Dash::Call && self.zeros_pay() && self.zero_chance() >= SURE_ZERO;
        if dashes && allowed(&Command::DashCall {}) { Command::DashCall {} } else { Command::EnterAuction {} }
    }

    /// What to do with a hand that lacks a suit.
    pub(super) fn void_check(&self) -> Command {
        let trumps = match self.trump {
            Some(trump) => [trump].to_vec(),
            None => Trump::ALL.to_vec(),
        };
        let best = trumps.into_iter().map(|trump| self.tricks(trump)).fold(0.0, f32::max);
        if best < POOR && self.zero_chance() < 0.4 { Command::Redeal {} } else { Command::Avoid {} }
    }

    /// Whether a declared zero is worth anything when it is made.
    fn zeros_pay(&self) -> bool {
        self.rules.scoring != Scoring::Difference
    }

    /// About how likely the hand takes nothing at all, whatever is trump.
    pub(super) fn zero_chance(&self) -> f32 {
        let unseen = lay(self.deck & !self.hand, Trump::NoTrump);
        let hand = lay(self.hand, Trump::NoTrump);
        let mut chance = 1.0;
        for lane in 0..SUITS {
            let out = lane_of(unseen, lane);
            let mut mine = lane_of(hand, lane);
            for used in USED {
                if mine == 0 {
                    break;
                }
                let bit = mine.trailing_zeros();
                mine &= mine - 1;
                let lower = (out & ((1 << bit) - 1)).count_ones() as f32;
                let share = lower / out.count_ones().max(1) as f32;
                chance *= 1.0 - used * share * share;
            }
        }
        chance
    }
}

/// How often the lowest card of a suit must be played, the second lowest, and so on.
const USED: [f32; 5] = [0.95, 0.75, 0.5, 0.25, 0.1];

/// The whole number closest to a worth.
fn nearest(worth: f32) -> u8 {
    (worth + 0.5).max(0.0) as u8
}

/// How far an estimate is from a worth.
fn distance(call: &Command, worth: f32) -> f32 {
    match *call {
        Command::Estimate { tricks, .. } => (f32::from(tricks) - worth).abs(),
        _ => f32::INFINITY,
    }
}
