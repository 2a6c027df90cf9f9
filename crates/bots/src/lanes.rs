//! Cards as bits in lanes: sixteen bits per suit, and within a lane the higher card has the higher bit.
//!
//! A test compares following and winning with the engine.

use estimation_engine::card::{Card, Rank, Trump};
use estimation_engine::card_set::CardSet;

/// A set of cards in lanes. Bit 16·s + r is the card of suit s with strength r: 0‥12 for 2‥A, and in the
/// trump's lane 13 and 14 for the black and the red joker. Bit 15 is the one joker without a suit.
pub(super) type Lanes = u64;

/// The number of suits.
pub(super) const SUITS: usize = 4;
/// The joker without a suit, under no trump (`nineteen` R12).
pub(super) const LOOSE_JOKER: u8 = 15;
/// No lane: no trump, or no card led.
pub(super) const NO_LANE: u8 = 4;

/// One lane in the lowest bits.
const LANE: u64 = 0x7FFF;

pub(super) const fn trump_lane(trump: Trump) -> u8 {
    match trump.suit() {
        Some(suit) => suit as u8,
        None => NO_LANE,
    }
}

/// All cards of a lane; none for [`NO_LANE`].
pub(super) const fn lane_mask(lane: u8) -> Lanes {
    if lane < NO_LANE { LANE << (16 * lane) } else { 0 }
}

/// The cards of one lane, shifted to the lowest bits.
pub(super) const fn lane_of(cards: Lanes, lane: usize) -> u64 {
    cards >> (16 * lane) & LANE
}

/// Converts a set of cards.
pub(super) fn to_lanes(set: CardSet, trump: Trump) -> Lanes {
    let bits = set.bits();
    let suits = (0..SUITS).fold(0, |lanes, suit| {
        lanes | (bits >> (suit * Rank::COUNT as usize) & ((1 << Rank::COUNT) - 1)) << (16 * suit)
    });
    (set & CardSet::JOKERS).iter().fold(suits, |lanes, joker| lanes | 1 << bit_of(joker, trump))
}

pub(super) fn bit_of(card: Card, trump: Trump) -> u8 {
    card.suit_under(trump).map_or(LOOSE_JOKER, |suit| 16 * suit as u8 + card.strength())
}

/// The card of a bit, if the set contains it.
pub(super) fn card_at(bit: u8, trump: Trump, among: CardSet) -> Option<Card> {
    among.iter().find(|&card| bit_of(card, trump) == bit)
}

/// The lane of a bit; [`NO_LANE`] for the joker without a suit.
pub(super) const fn lane_of_bit(bit: u8) -> u8 {
    if bit == LOOSE_JOKER { NO_LANE } else { bit / 16 }
}

/// A card's power in a trick: the highest wins. A card that neither follows nor trumps has power 0.
pub(super) const fn power(bit: u8, led: u8, trump: u8) -> u8 {
    let (lane, strength) = (lane_of_bit(bit), bit % 16);
    if lane == NO_LANE {
        64
    } else if lane == trump {
        32 + strength
    } else if lane == led {
        1 + strength
    } else {
        0
    }
}

/// The playable cards of a hand: the led lane if the hand has it, else all cards (C2).
pub(super) const fn playable(hand: Lanes, led: u8) -> Lanes {
    let following = hand & lane_mask(led);
    if following == 0 { hand } else { following }
}

/// The bits of a set, lowest first.
pub(super) fn bits(mut cards: Lanes) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        if cards == 0 {
            return None;
        }
        let bit = cards.trailing_zeros() as u8;
        cards &= cards - 1;
        Some(bit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use estimation_engine::seat::Seat;
    use estimation_engine::trick::{Play, Trick};

    #[test]
    fn following_and_winning_are_what_the_engine_says() {
        let mut state = 7_u64;
        let mut below = move |bound: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % bound
        };
        for round in 0..4_000 {
            let trump = Trump::ALL[round % 5];
            // Under no trump one joker was turned up, so at most one is left.
            let cards = if trump == Trump::NoTrump { 53 } else { 54 };
            let mut pack: Vec<Card> = (0..cards).filter_map(Card::from_index).collect();
            for i in (1..pack.len()).rev() {
                pack.swap(i, below(i + 1));
            }
            let hand: CardSet = pack.split_off(pack.len() - 1 - below(10)).into_iter().collect();
            let mut trick = Trick::led_by(Seat::new(0));
            for (seat, &card) in pack.iter().enumerate().take(below(5)) {
                trick.plays.push(Play { seat: Seat::new(seat as u8), card });
            }
            let led = trick.plays.first().map_or(NO_LANE, |play| lane_of_bit(bit_of(play.card, trump)));
            assert_eq!(playable(to_lanes(hand, trump), led), to_lanes(trick.playable(hand, trump), trump));
            let best =
                trick.plays.iter().max_by_key(|play| power(bit_of(play.card, trump), led, trump_lane(trump)));
            if let Some(best) = best {
                assert_eq!(Some(best.seat), trick.winner(trump), "{trick:?} under {trump:?}");
            }
        }
    }

    #[test]
    fn every_card_comes_back_from_its_lane() {
        for trump in Trump::ALL {
            for card in CardSet::FULL.iter().take(53) {
                assert_eq!(card_at(bit_of(card, trump), trump, CardSet::EMPTY.with(card)), Some(card));
            }
        }
    }
}
