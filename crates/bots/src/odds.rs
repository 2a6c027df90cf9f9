//! Odds: how likely it is that somebody has a card, or is out of a suit, when nobody can say for sure.
//!
//! They depend on two numbers alone: how many others there are, and what share of the unseen cards is in
//! somebody's hand. So they are tabulated beforehand.

use super::weights::WEIGHTS;

/// The most rounds of one suit that are looked ahead.
const ROUNDS: usize = 6;
/// The most cards of one suit, jokers included, and one more for none.
const CARDS: usize = 16;

/// The odds at a table.
#[derive(Clone, Debug)]
pub(super) struct Odds {
    /// How many others sit there.
    others: u32,
    /// By the number of unseen cards of a suit: how likely one other player has at most so many of them.
    short: [[f32; ROUNDS]; CARDS],
    /// By the number of unseen higher cards: how often a side suit's card wins.
    pub top: [f32; CARDS],
    /// By the number of unseen higher trumps: how often a trump wins.
    pub trump_top: [f32; CARDS],
    /// How likely one other player holds a card that is not in sight.
    pub share: f32,
}

impl Odds {
    /// The odds at a table with so many others, each holding `held` cards, where `undealt` cards are in
    /// nobody's hand.
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

    /// How likely one other player has at most `rounds` of `cards` unseen cards of a suit.
    pub(super) fn is_short(&self, cards: u32, rounds: usize) -> f32 {
        self.short[cards as usize % CARDS][rounds.min(ROUNDS - 1)]
    }

    /// How likely something holds for each of the others.
    pub(super) fn for_all(&self, one: f32) -> f32 {
        power(one, self.others)
    }
}

/// The odds of a round, by the number of cards each hand holds.
#[derive(Clone, Debug)]
pub(super) struct RoundOdds(Vec<Odds>);

impl RoundOdds {
    /// The odds of a round that is dealt in hands of `size` and leaves `undealt` cards that nobody sees.
    pub(super) fn new(others: u8, size: u8, undealt: u8) -> RoundOdds {
        // With every card in a hand the odds stay what they are.
        let sizes = if undealt == 0 { size.min(1) } else { size };
        RoundOdds((1..=sizes.max(1)).map(|held| Odds::new(others, held, undealt)).collect())
    }

    /// The odds while each hand holds so many cards.
    pub(super) fn at(&self, held: u32) -> &Odds {
        &self.0[(held.max(1) as usize).min(self.0.len()) - 1]
    }
}

/// A small power, without the call that the general one is.
pub(super) fn power(base: f32, exponent: u32) -> f32 {
    (0..exponent).fold(1.0, |product, _| product * base)
}

/// How likely at most 0, 1, 2 … of so many cards lie where each lies with a chance (binomially).
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

/// The value of a table between two of its places.
fn between(table: &[f32; 8], place: f32) -> f32 {
    let (below, part) = (place as usize, place.fract());
    let at = |index: usize| table[index.min(table.len() - 1)];
    at(below) * (1.0 - part) + at(below + 1) * part
}
