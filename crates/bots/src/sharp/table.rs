//! A fast table for playouts: plays a round from any card to its end.
//!
//! Allocates nothing. All players play like `steady`, with the same counting of cards and of suits not
//! followed.

use super::super::lanes::{LOOSE_JOKER, Lanes, NO_LANE, lane_mask, lane_of_bit, power};
use super::super::odds::RoundOdds;
use super::super::spot::{Spot, demand};
use estimation_engine::seat::MAX_PLAYERS;

/// A round in play, with all cards known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table {
    /// The number of players.
    pub players: u8,
    /// The trump's lane.
    pub trump: u8,
    /// The cards in each hand.
    pub hands: [Lanes; MAX_PLAYERS],
    /// The cards not played yet, including undealt ones.
    pub left: Lanes,
    /// The cards that each hand may hold by the play so far.
    pub may: [Lanes; MAX_PLAYERS],
    /// The tricks that each player still needs; negative for too many.
    pub need: [i8; MAX_PLAYERS],
    /// The tricks that each player has taken.
    pub taken: [u8; MAX_PLAYERS],
    /// The player to act.
    pub turn: u8,
    /// The number of cards in the trick.
    pub trick_size: u8,
    /// The cards of the trick.
    pub trick: Lanes,
    /// The lane led.
    pub led: u8,
    /// The power of the winning card.
    pub best: u8,
    /// The player of the winning card.
    pub winner: u8,
}

impl Table {
    /// The turn of the player to act, as a spot.
    pub(super) fn spot(&self) -> Spot {
        let me = usize::from(self.turn);
        let out = self.left & !self.hands[me];
        let left = self.hands[me].count_ones() as i8;
        let after = self.players - 1 - self.trick_size;
        let (mut may, mut eager) = (0, 0);
        let mut seat = self.turn;
        for _ in 0..after {
            seat = self.next(seat);
            may |= self.may[usize::from(seat)];
            eager += u8::from(self.need[usize::from(seat)] > 0);
        }
        Spot {
            hand: self.hands[me],
            out,
            later: out & may,
            table: self.trick,
            led: self.led,
            trump: self.trump,
            best: self.best,
            after,
            eager,
            pressure: self.need.iter().map(|&need| demand(need, left)).sum::<i8>() - left,
            need: self.need[me],
        }
    }

    fn next(&self, seat: u8) -> u8 {
        if seat + 1 == self.players { 0 } else { seat + 1 }
    }

    /// Plays a card for the player to act.
    pub(super) fn play(&mut self, bit: u8) {
        let card = 1 << bit;
        let me = usize::from(self.turn);
        self.hands[me] &= !card;
        self.left &= !card;
        if self.trick_size == 0 {
            self.led = lane_of_bit(bit);
        } else if self.led != NO_LANE && lane_mask(self.led) & card == 0 {
            self.may[me] &= !lane_mask(self.led);
        }
        let power = power(bit, self.led, self.trump);
        if self.trick_size == 0 || power > self.best {
            (self.best, self.winner) = (power, self.turn);
        }
        self.trick |= card;
        self.trick_size += 1;
        if self.trick_size == self.players {
            let winner = usize::from(self.winner);
            self.taken[winner] += 1;
            self.need[winner] -= 1;
            (self.turn, self.trick_size, self.trick, self.led, self.best) = (self.winner, 0, 0, NO_LANE, 0);
        } else {
            self.turn = self.next(self.turn);
        }
    }

    /// Plays the round to its end.
    pub(super) fn finish(&mut self, odds: &RoundOdds) {
        loop {
            let hand = self.hands[usize::from(self.turn)];
            if hand == 0 {
                return;
            }
            let bit = if hand & (hand - 1) == 0 {
                hand.trailing_zeros() as u8
            } else {
                self.spot().card(odds.at(hand.count_ones()))
            };
            self.play(bit);
        }
    }
}

/// All possible cards.
pub(super) const ANY: Lanes = lane_mask(0) | lane_mask(1) | lane_mask(2) | lane_mask(3) | 1 << LOOSE_JOKER;
