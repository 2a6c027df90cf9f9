//! The players' random numbers, determined by the seed and the game's number.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A player's random numbers.
pub(super) struct Dice(ChaCha8Rng);

impl Dice {
    /// The random numbers of a game.
    pub(super) fn of(seed: u64, game: u64) -> Dice {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&game.to_le_bytes());
        Dice(ChaCha8Rng::from_seed(key))
    }

    /// A number below `sides`; 0 for no sides.
    pub(super) fn below(&mut self, sides: usize) -> usize {
        ((u128::from(self.0.next_u64()) * sides as u128) >> 64) as usize
    }

    /// True with this probability.
    pub(super) fn happens(&mut self, probability: f64) -> bool {
        // 53 bits, the precision of a number between 0 and 1.
        ((self.0.next_u64() >> 11) as f64) < probability * (1_u64 << 53) as f64
    }

    /// A random element.
    pub(super) fn pick<'a, T>(&mut self, things: &'a [T]) -> Option<&'a T> {
        things.get(self.below(things.len()))
    }

    /// Sixteen bytes in hexadecimal.
    pub(super) fn hex(&mut self) -> String {
        format!("{:016x}{:016x}", self.0.next_u64(), self.0.next_u64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dice_repeat_themselves_and_stay_in_bounds() {
        let roll = |seed, game| {
            let mut dice = Dice::of(seed, game);
            (0..20).map(|_| dice.below(6)).collect::<Vec<_>>()
        };
        assert_eq!(roll(1, 2), roll(1, 2));
        assert_ne!(roll(1, 2), roll(1, 3));
        assert_ne!(roll(1, 2), roll(2, 2));
        assert!(roll(5, 5).iter().all(|&number| number < 6));
        assert_eq!(Dice::of(1, 1).below(0), 0);
    }

    #[test]
    fn probability_one_always_happens_and_zero_never() {
        let mut dice = Dice::of(1, 1);
        assert!((0..1000).all(|_| dice.happens(1.0)));
        assert!((0..1000).all(|_| !dice.happens(0.0)));
    }
}
