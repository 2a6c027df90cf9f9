//! Seeded random numbers of the players and the shuffles.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A random generator.
pub(crate) struct Dice(ChaCha8Rng);

/// A seed made of four numbers.
pub(crate) fn seed(numbers: [u64; 4]) -> [u8; 32] {
    let mut seed = [0; 32];
    for (bytes, number) in seed.chunks_exact_mut(8).zip(numbers) {
        bytes.copy_from_slice(&number.to_le_bytes());
    }
    seed
}

impl Dice {
    /// A generator whose numbers follow from these.
    pub(crate) fn of(numbers: [u64; 4]) -> Dice {
        Dice(ChaCha8Rng::from_seed(seed(numbers)))
    }

    pub(crate) fn number(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `sides`; 0 for no sides.
    pub(crate) fn below(&mut self, sides: usize) -> usize {
        ((u128::from(self.number()) * sides as u128) >> 64) as usize
    }

    /// True with this probability.
    pub(crate) fn happens(&mut self, probability: f64) -> bool {
        // 53 bits, the precision of a number between 0 and 1.
        ((self.number() >> 11) as f64) < probability * (1_u64 << 53) as f64
    }

    /// A random element.
    pub(crate) fn pick<'a, T>(&mut self, things: &'a [T]) -> Option<&'a T> {
        things.get(self.below(things.len()))
    }

    pub(crate) fn shuffle<T>(&mut self, things: &mut [T]) {
        for i in (1..things.len()).rev() {
            things.swap(i, ((u64::from(self.0.next_u32()) * (i as u64 + 1)) >> 32) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dice_repeat_themselves_and_stay_in_bounds() {
        let roll = |seed, game| {
            let mut dice = Dice::of([seed, game, 0, 0]);
            (0..20).map(|_| dice.below(6)).collect::<Vec<_>>()
        };
        assert_eq!(roll(1, 2), roll(1, 2));
        assert_ne!(roll(1, 2), roll(1, 3));
        assert_ne!(roll(1, 2), roll(2, 2));
        assert!(roll(5, 5).iter().all(|&number| number < 6));
        assert_eq!(Dice::of([1; 4]).below(0), 0);
    }

    #[test]
    fn probability_one_always_happens_and_zero_never() {
        let mut dice = Dice::of([1; 4]);
        assert!((0..1000).all(|_| dice.happens(1.0)));
        assert!((0..1000).all(|_| !dice.happens(0.0)));
    }
}
