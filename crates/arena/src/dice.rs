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
    fn dice_repeat_themselves() {
        let shuffled = |seed, game| {
            let mut things: Vec<u8> = (0..20).collect();
            Dice::of([seed, game, 0, 0]).shuffle(&mut things);
            things
        };
        assert_eq!(shuffled(1, 2), shuffled(1, 2));
        assert_ne!(shuffled(1, 2), shuffled(1, 3));
        assert_ne!(shuffled(1, 2), shuffled(2, 2));
    }
}
