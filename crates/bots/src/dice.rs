//! Dice: a seeded random generator for the bots. The same seed gives the same numbers.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A random generator (ChaCha with 8 rounds).
#[derive(Clone, Debug)]
pub struct Dice(ChaCha8Rng);

impl Dice {
    /// Dice from a 256-bit seed.
    pub fn from_seed(seed: [u8; 32]) -> Dice {
        Dice(ChaCha8Rng::from_seed(seed))
    }

    /// Dice from a number, for tests, benchmarks and repeatable games.
    pub fn numbered(number: u64) -> Dice {
        Dice(ChaCha8Rng::seed_from_u64(number))
    }

    /// A number below a bound, uniform up to a bias of less than one in 2³² / `bound`; 0 for a bound of 0.
    pub(super) fn below(&mut self, bound: u32) -> u32 {
        ((u64::from(self.0.next_u32()) * u64::from(bound)) >> 32) as u32
    }

    /// True with this probability (0‥1).
    pub(super) fn happens(&mut self, chance: f32) -> bool {
        (self.0.next_u32() >> 8) as f32 * (1.0 / 16_777_216.0) < chance
    }
}
