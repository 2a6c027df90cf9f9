//! Dice: where a bot's choices come from, besides what it sees. The same seed always falls the same way.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A seeded generator (ChaCha with 8 rounds).
#[derive(Clone, Debug)]
pub struct Dice(ChaCha8Rng);

impl Dice {
    /// Dice from 256 bits, which the caller draws.
    pub fn from_seed(seed: [u8; 32]) -> Dice {
        Dice(ChaCha8Rng::from_seed(seed))
    }

    /// Dice from a number, for tests, benches and repeatable games.
    pub fn numbered(number: u64) -> Dice {
        Dice(ChaCha8Rng::seed_from_u64(number))
    }

    /// A number below a bound, each as likely as any other but for less than one in 2³² / `bound`; 0 for
    /// a bound of 0.
    pub(super) fn below(&mut self, bound: u32) -> u32 {
        ((u64::from(self.0.next_u32()) * u64::from(bound)) >> 32) as u32
    }

    /// Whether something of a chance (0‥1) happens.
    pub(super) fn happens(&mut self, chance: f32) -> bool {
        (self.0.next_u32() >> 8) as f32 * (1.0 / 16_777_216.0) < chance
    }
}
