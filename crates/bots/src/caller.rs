//! Calls before the play, chosen by the hand's worth.
//!
//! Used by `steady`, and for all players in the auctions that `sharp` simulates.

use super::certain::sure_tricks;
use super::lanes::{SUITS, lane_of, to_lanes, trump_lane};
use super::odds::Odds;
use super::weights::WEIGHTS;
use super::worth::Around;
use estimation_engine::card::Trump;
use estimation_engine::card_set::CardSet;
use estimation_engine::command::Command;
use estimation_engine::ruleset::{Dash, FirstLead, Ruleset, Scoring};

/// The probability from which a zero is declared before trump is known.
const SURE_ZERO: f32 = 0.62;
/// A hand that lacks a suit, is worth less than this and does not suit a zero, is dealt again.
const POOR: f32 = 3.0;

/// Whether a command is legal.
pub(super) type LegalityCheck<'a> = &'a dyn Fn(&Command) -> bool;

/// A player who must call, and what the player knows.
pub(super) struct Caller<'a> {
    pub rules: &'a Ruleset,
    pub hand: CardSet,
    /// The cards in play, without the indicator.
    pub deck: CardSet,
    /// Trump, once it is known.
    pub trump: Option<Trump>,
    /// The sum of the calls so far.
    pub said: u8,
    /// The number of players who call after this one.
    pub open: u8,
    /// Whether this hand leads the first trick, as far as that is known.
    pub leads: bool,
    /// The odds before the first card.
    pub odds: &'a Odds,
}

impl Caller<'_> {
    /// The expected number of tricks under a trump.
    pub(super) fn tricks(&self, trump: Trump) -> f32 {
        let unseen = self.deck & !self.hand;
        let lane = trump_lane(trump);
        let around = Around::new(lane, to_lanes(unseen, trump), self.odds);
        let cards = u32::from(self.hand.len());
        // The leader can play a high card at once.
        let cards = if self.leads { cards + 1 } else { cards };
        around.worth(to_lanes(self.hand, trump)).total(lane, cards)
    }

    /// The tricks that the hand takes for any cards of the others.
    fn sure(&self, trump: Trump, leads: bool) -> u8 {
        let out = to_lanes(self.deck & !self.hand, trump);
        sure_tricks(to_lanes(self.hand, trump), out, trump_lane(trump), leads)
    }

    /// The sure tricks beyond a call, which is then missed for certain.
    pub(super) fn missing(&self, call: &Command) -> u8 {
        let (sure, called) = match *call {
            Command::Estimate { tricks, trump } => {
                let trump = trump.or(self.trump).unwrap_or(Trump::NoTrump);
                (self.sure(trump, self.leads), tricks)
            }
            Command::Bid { tricks, trump } => {
                let leads = self.leads || self.rules.first_lead == FirstLead::Declarer;
                (self.sure(trump, leads), tricks)
            }
            Command::DashCall {} | Command::BlindDash {} => {
                let named = Trump::ALL.into_iter().filter(|&trump| self.may_be_named(trump));
                (named.map(|trump| self.sure(trump, false)).min().unwrap_or(0), 0)
            }
            _ => (0, 0),
        };
        sure.saturating_sub(called)
    }

    fn may_be_named(&self, trump: Trump) -> bool {
        trump != Trump::NoTrump || self.rules.no_trump_bids
    }

    /// The estimate closest to the hand's worth and not below its sure tricks; in `squares` with a better
    /// trump if there is one.
    pub(super) fn estimate(&self, allowed: LegalityCheck<'_>) -> Option<Command> {
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
            .min_by(|one, other| {
                let missing = self.missing(one).cmp(&self.missing(other));
                missing.then(distance(one, worth).total_cmp(&distance(other, worth)))
            })
    }

    /// The expected tricks given the other calls: if the table needs more tricks than there are, each player
    /// gets fewer.
    fn expected(&self, trump: Trump) -> f32 {
        let size = f32::from(self.hand.len());
        let worth = self.tricks(trump);
        let average = size / f32::from(self.rules.players);
        let wanted = f32::from(self.said) + worth + f32::from(self.open) * average;
        let worth = (worth - WEIGHTS.modesty + WEIGHTS.crowd * (size - wanted)).clamp(0.0, size);
        if worth < WEIGHTS.little { WEIGHTS.zero * worth } else { worth }
    }

    /// The call in the auction: the highest bid the hand supports, or none.
    pub(super) fn auction(&self, allowed: LegalityCheck<'_>) -> Option<Command> {
        let bid = |tricks: u8, trump| Command::Bid { tricks, trump };
        let enough = |tricks: u8, trump| {
            let call = bid(tricks, trump);
            bid(tricks + self.missing(&call), trump)
        };
        let worth = Trump::ALL.map(|trump| (trump, self.tricks(trump)));
        let good = worth
            .iter()
            .map(|&(trump, worth)| (enough(nearest(worth - 0.5 + WEIGHTS.hope), trump), worth))
            .filter(|(call, _)| allowed(call))
            .max_by(|one, other| one.1.total_cmp(&other.1));
        if self.dashes() && allowed(&Command::DashCall {}) {
            return Some(Command::DashCall {});
        }
        if let Some((call, _)) = good {
            return Some(call);
        }
        if allowed(&Command::Pass {}) {
            return Some(Command::Pass {});
        }
        // A player who must bid makes the lowest bid in the best suit.
        let lowest = |legal: LegalityCheck<'_>| {
            (1..=self.hand.len()).find_map(|tricks| {
                let open = worth.iter().filter(|&&(trump, _)| legal(&bid(tricks, trump)));
                open.max_by(|one, other| one.1.total_cmp(&other.1)).map(|&(trump, _)| bid(tricks, trump))
            })
        };
        lowest(&|call| allowed(call) && self.missing(call) == 0).or_else(|| lowest(allowed))
    }

    /// Whether the hand is a sure zero, as far as that can be said before trump is known.
    fn dashes(&self) -> bool {
        self.zeros_pay() && self.zero_chance() >= SURE_ZERO && self.missing(&Command::DashCall {}) == 0
    }

    /// The call before the auction: a dash call with a sure zero, never a blind dash.
    pub(super) fn before_auction(&self, allowed: LegalityCheck<'_>) -> Command {
        let dashes = self.rules.dash == Dash::Call && self.dashes();
        if dashes && allowed(&Command::DashCall {}) { Command::DashCall {} } else { Command::EnterAuction {} }
    }

    /// The choice for a hand that lacks a suit.
    pub(super) fn void_check(&self) -> Command {
        let trumps = match self.trump {
            Some(trump) => [trump].to_vec(),
            None => Trump::ALL.to_vec(),
        };
        let best = trumps.into_iter().map(|trump| self.tricks(trump)).fold(0.0, f32::max);
        if best < POOR && self.zero_chance() < 0.4 { Command::Redeal {} } else { Command::Avoid {} }
    }

    /// Whether declared zeros score when they are made.
    fn zeros_pay(&self) -> bool {
        self.rules.scoring != Scoring::Difference
    }

    /// The approximate probability that the hand takes no trick, under any trump.
    pub(super) fn zero_chance(&self) -> f32 {
        let unseen = to_lanes(self.deck & !self.hand, Trump::NoTrump);
        let hand = to_lanes(self.hand, Trump::NoTrump);
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

/// The probability that the lowest card of a suit must be played, the second lowest, and so on.
const USED: [f32; 5] = [0.95, 0.75, 0.5, 0.25, 0.1];

/// The integer closest to a worth.
fn nearest(worth: f32) -> u8 {
    (worth + 0.5).max(0.0) as u8
}

/// The distance of an estimate from a worth.
fn distance(call: &Command, worth: f32) -> f32 {
    match *call {
        Command::Estimate { tricks, .. } => (f32::from(tricks) - worth).abs(),
        _ => f32::INFINITY,
    }
}
