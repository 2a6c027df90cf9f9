//! A spot: the choice of one card, judged by the hand it leaves. Used by `steady`, and for all players in the
//! playouts of `sharp`.

use super::lanes::{Lanes, NO_LANE, bits, lane_mask, lane_of, lane_of_bit, power};
use super::odds::{self, Odds};
use super::weights::WEIGHTS;
use super::worth::Around;

/// The situation of a player who must play a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    /// The cards held.
    pub hand: Lanes,
    /// The cards that others may hold.
    pub out: Lanes,
    /// The cards that later players may hold.
    pub later: Lanes,
    /// The cards of the trick so far.
    pub table: Lanes,
    /// The lane led; none for the leader.
    pub led: u8,
    /// The trump's lane.
    pub trump: u8,
    /// The power of the winning card; 0 for the leader.
    pub best: u8,
    /// The number of later players.
    pub after: u8,
    /// The number of later players who need tricks.
    pub eager: u8,
    /// The tricks the table needs beyond those left, by [`demand`]; negative for fewer.
    pub pressure: i8,
    /// The tricks needed to make the call; negative if there are too many.
    pub need: i8,
}

impl Spot {
    /// The sound card that leaves the hand closest to its need.
    pub(super) fn card(&self, odds: &Odds) -> u8 {
        let choices = self.sound();
        if choices & (choices - 1) == 0 {
            return choices.trailing_zeros() as u8;
        }
        let around = Around::new(self.trump, self.out, odds);
        let before = around.worth(self.hand);
        let left = self.hand.count_ones() - 1;
        // At a table that needs more tricks than are left, each hand takes fewer; never less than none.
        let pressed = WEIGHTS.pressure * f32::from(self.pressure);
        let tricks = |worth: f32| (worth - pressed).clamp(0.0, left as f32);
        let mut chosen = (choices.trailing_zeros() as u8, f32::INFINITY);
        for bit in bits(self.distinct(choices)) {
            let lane = usize::from(lane_of_bit(bit));
            let mut after = before;
            match after.lanes.get_mut(lane) {
                Some(worth) => *worth = around.lane_worth(self.hand & !(1 << bit), lane),
                None => after.joker = 0.0,
            }
            let more = f32::from(self.need) - tricks(after.total(self.trump, left));
            let wins = self.wins(bit, odds);
            let cost = wins * regret(more - 1.0) + (1.0 - wins) * regret(more);
            let cost = cost + WEIGHTS.rank * f32::from(bit % 16);
            if cost < chosen.1 {
                chosen = (bit, cost);
            }
        }
        chosen.0
    }

    /// The lowest card of each run without a gap that another player's card could fill.
    pub(super) fn distinct(&self, choices: Lanes) -> Lanes {
        let others = self.out | self.table;
        let mut kept = 0;
        let mut last: Option<u8> = None;
        for bit in bits(choices) {
            let same = last.is_some_and(|last| {
                lane_of_bit(last) == lane_of_bit(bit) && others & ((1 << bit) - (2 << last)) == 0
            });
            if !same {
                kept |= 1 << bit;
            }
            last = Some(bit);
        }
        kept
    }

    /// The probability that a card takes the trick.
    fn wins(&self, bit: u8, odds: &Odds) -> f32 {
        let lane = lane_of_bit(bit);
        let led = if self.led == NO_LANE && self.best == 0 { lane } else { self.led };
        let mine = power(bit, led, self.trump);
        if mine < self.best || mine == 0 {
            return 0.0;
        }
        if self.after == 0 || lane == NO_LANE {
            return 1.0;
        }
        let above = !0_u64 << bit << 1;
        let higher = (self.later & lane_mask(lane) & above).count_ones();
        let trumps = lane_of(self.later, usize::from(self.trump % 4)).count_ones();
        if lane == self.trump {
            // Only a player who is also out of the led suit can beat a trump that does not follow.
            let held = self.holds(higher, odds);
            if led == lane {
                return held;
            }
            let out_of = odds.is_short(lane_of(self.out, led.into()).count_ones(), 0);
            return 1.0 - (1.0 - held) * out_of.min(1.0);
        }
        let held = self.holds(higher, odds);
        if self.trump == NO_LANE || trumps == 0 {
            return held;
        }
        let out_of = odds.is_short(lane_of(self.later, led.into()).count_ones(), 0);
        let one = 1.0 - WEIGHTS.ruffed * out_of * (1.0 - odds.is_short(trumps, 0));
        held * odds::power(one, self.after.into())
    }

    /// The probability that a card stays the best of its suit while later players may hold `higher` cards.
    fn holds(&self, higher: u32, odds: &Odds) -> f32 {
        let sated = f32::from(self.after - self.eager) * WEIGHTS.sated;
        let played = odds.share * (f32::from(self.eager) * WEIGHTS.eager + sated);
        odds::power((1.0 - played).max(0.02), higher)
    }
}

/// What a player who needs `need` of the `left` tricks adds to the need of the table: at most half of them. A
/// player who called more does not have the cards for it.
pub(super) fn demand(need: i8, left: i8) -> i8 {
    need.clamp(0, (left + 1) / 2)
}

/// The cost of needing `more` tricks than the hand is worth.
fn regret(more: f32) -> f32 {
    let more = if more < 0.0 { WEIGHTS.surplus * more } else { more };
    more * more
}
