//! Odds: the probability that another player holds a card, or lacks a suit.
//!
//! They depend only on the number of other players and the share of the unseen cards in a player's hand, so
//! they are tabulated.

use super::weights::WEIGHTS;

/// The number of rounds of one suit to look ahead.
const ROUNDS: usize = 6;
/// The maximum number of cards of one suit, including jokers, plus one for none.
const CARDS: usize = 16;

/// The odds at a table.
#[derive(Clone, Debug)]
pub(super) struct Odds {
    /// The number of other players.
    others: u32,
    /// By the number of unseen cards of a suit: the probability that one other player has at most so many of
    /// them.
    short: [[f32; ROUNDS]; CARDS],
    /// By the number of unseen higher cards: the probability that a card of a side suit wins.
    pub top: [f32; CARDS],
    /// By the number of unseen higher trumps: the probability that a trump wins.
    pub trump_top: [f32; CARDS],
    /// The probability that one other player holds a given unseen card.
    pub share: f32,
}

impl Odds {
    /// The odds with `others` players who each hold `held` cards, and `undealt` cards that are in no hand.
    pub(super) fn new(others: u8, held: u8, undealt: u8) -> Odds {
        let in_hands = f32::from(others) * f32::from(held);
        let density = in_hands / (in_hands + f32::from(undealt)).max(1.0);
        let share = density / f32::from(others).max(1.0);
        Odds {
            others: others.into(),
            short: std::array::from_fn(|cards| at_most(cards as i32, share)),
            top: std::array::from_fn(|higher| between(&WEIGHTS.top, higher as f32 * density)),
            trump_top: std::array::from_fn(|higher| between(&WEIGHTS.trump_top, higher as f32 * density)),
            share,
        }
    }

    /// The probability that one other player has at most `rounds` of `cards` unseen cards of a suit.
    pub(super) fn is_short(&self, cards: u32, rounds: usize) -> f32 {
        self.short[cards as usize % CARDS][rounds.min(ROUNDS - 1)]
    }

    /// The probability that an event of probability `one` happens for all other players.
    pub(super) fn for_all(&self, one: f32) -> f32 {
        power(one, self.others)
    }
}

/// The odds of a round, by the number of cards in each hand.
#[derive(Clone, Debug)]
pub(super) struct RoundOdds(Vec<Odds>);

impl RoundOdds {
    /// The odds of a round with hands of `size` cards and `undealt` unseen cards.
    pub(super) fn new(others: u8, size: u8, undealt: u8) -> RoundOdds {
        // If all cards are dealt, the odds do not change during the round.
        let sizes = if undealt == 0 { size.min(1) } else { size };
        RoundOdds((1..=sizes.max(1)).map(|held| Odds::new(others, held, undealt)).collect())
    }

    /// The odds while each hand holds this many cards.
    pub(super) fn at(&self, held: u32) -> &Odds {
        &self.0[(held.max(1) as usize).min(self.0.len()) - 1]
    }
}

/// An integer power, faster than the general one.
pub(super) fn power(base: f32, exponent: u32) -> f32 {
    (0..exponent).fold(1.0, |product, _| product * base)
}

/// The probabilities of at most 0, 1, 2 … of `cards` cards, each with probability `chance` (binomial).
fn at_most(cards: i32, chance: f32) -> [f32; ROUNDS] {
    let chance = chance.min(0.999);
    let mut exactly = (1.0 - chance).powi(cards);
    let mut sum = 0.0;
    std::array::from_fn(|count| {
        sum += exactly;
        let count = count as i32;
        exactly *= (cards - count).max(0) as f32 / (count + 1) as f32 * chance / (1.0 - chance);
        f32::min(sum, 1.0)
    })
}

/// The interpolated value of a table.
fn between(table: &[f32; 8], place: f32) -> f32 {
    let (below, part) = (place as usize, place.fract());
    let at = |index: usize| table[index.min(table.len() - 1)];
    at(below) * (1.0 - part) + at(below + 1) * part
}
