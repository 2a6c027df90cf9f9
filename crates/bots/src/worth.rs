//! The worth of a hand: the expected number of tricks, given the unseen cards.

use super::lanes::{LOOSE_JOKER, Lanes, NO_LANE, SUITS, lane_of};
use super::odds::Odds;
use super::weights::WEIGHTS;

/// A hand's expected tricks by suit, for one trump and one set of unseen cards.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worth {
    /// The tricks of each lane.
    pub lanes: [f32; SUITS],
    /// The tricks of a joker without a suit.
    pub joker: f32,
}

/// The cards around a hand.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    /// The trump's lane.
    trump: u8,
    /// The cards that others may hold.
    out: Lanes,
    /// The odds at the table.
    odds: &'a Odds,
    /// The probability that one other player can and will trump a suit he lacks.
    ruffing: f32,
}

impl<'a> Around<'a> {
    /// The surroundings of a hand under a trump lane, with the cards others may hold.
    pub(super) fn new(trump: u8, out: Lanes, odds: &'a Odds) -> Around<'a> {
        let trumps = if trump == NO_LANE { 0 } else { lane_of(out, trump.into()).count_ones() };
        let ruffing = WEIGHTS.ruffs * (1.0 - odds.is_short(trumps, 0));
        Around { trump, out, odds, ruffing: if trumps == 0 { 0.0 } else { ruffing } }
    }

    pub(super) fn worth(&self, hand: Lanes) -> Worth {
        let lanes = std::array::from_fn(|lane| self.lane_worth(hand, lane));
        Worth { lanes, joker: if hand & (1 << LOOSE_JOKER) == 0 { 0.0 } else { WEIGHTS.joker } }
    }

    pub(super) fn lane_worth(&self, hand: Lanes, lane: usize) -> f32 {
        let mine = lane_of(hand, lane);
        if mine == 0 {
            0.0
        } else if lane == usize::from(self.trump) {
            self.trumps(hand, mine)
        } else {
            self.side(mine, lane_of(self.out, lane))
        }
    }

    /// A side suit: its high cards, unless they are trumped, and the cards that outlast the others'.
    fn side(&self, mut mine: u64, out: u64) -> f32 {
        let unseen = out.count_ones();
        let mut below = mine.count_ones() as usize;
        let mut worth = 0.0;
        for index in 0.. {
            let bit = 63 - mine.leading_zeros();
            mine &= !(1 << bit);
            below -= 1;
            let higher = (out >> bit).count_ones() as usize;
            let unguarded = if higher > below { WEIGHTS.unguarded } else { 1.0 };
            let unruffed =
                self.odds.for_all(1.0 - self.ruffing * self.odds.is_short(unseen, index + higher.min(2)));
            let high = self.odds.top[higher.min(15)] * unguarded * unruffed;
            let outliving = if higher > 0 && index >= 2 {
                WEIGHTS.outlives * self.odds.for_all(self.odds.is_short(unseen, index)) * (1.0 - self.ruffing)
            } else {
                0.0
            };
            worth += high.max(outliving);
            if mine == 0 {
                return worth;
            }
        }
        worth
    }

    /// The trumps: high ones, long ones, and low ones that can trump short suits.
    fn trumps(&self, hand: Lanes, mut mine: u64) -> f32 {
        let out = lane_of(self.out, self.trump.into());
        let unseen = out.count_ones();
        let shortness: f32 = (0..SUITS)
            .filter(|&lane| lane != usize::from(self.trump))
            .filter_map(|lane| WEIGHTS.short.get(lane_of(hand, lane).count_ones() as usize))
            .sum();
        let mut worth = 0.0;
        for index in 0.. {
            let bit = 63 - mine.leading_zeros();
            mine &= !(1 << bit);
            let higher = (out >> bit).count_ones() as usize;
            let mut wins = self.odds.trump_top[higher.min(15)];
            wins += (1.0 - wins) * self.odds.for_all(self.odds.is_short(unseen, index));
            wins += (1.0 - wins) * shortness.min(WEIGHTS.most_short);
            worth += wins;
            if mine == 0 {
                return worth;
            }
        }
        worth
    }
}

impl Worth {
    /// The tricks of a hand of `cards` cards: in a short hand, a side suit may never be led.
    pub(super) fn total(&self, trump: u8, cards: u32) -> f32 {
        let led = match cards {
            0 => 0.0,
            cards => WEIGHTS.led.get(cards as usize - 1).copied().unwrap_or(1.0),
        };
        let sum: f32 = self.lanes.iter().sum();
        let trumps = self.lanes.get(usize::from(trump)).copied().unwrap_or(0.0);
        (sum - trumps) * led + trumps + self.joker
    }
}
