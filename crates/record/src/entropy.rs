//! Entropy: a trait for random bytes, implemented by the caller.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use estimation_engine::card::Card;
use estimation_engine::round::DealNumber;

/// A source of random bytes.
pub trait Entropy: Send + Sync {
    /// Fills a buffer with unpredictable bytes.
    fn fill(&self, bytes: &mut [u8]);

    /// For tests: the cards on top of the pack of a deal, from the top down. Real entropy returns none; a
    /// game with a stacked pack fails an audit.
    fn stacked(&self, _deal: DealNumber) -> Option<&[Card]> {
        None
    }
}

/// `N` random bytes.
pub fn draw<const N: usize>(entropy: &dyn Entropy) -> [u8; N] {
    let mut bytes = [0; N];
    entropy.fill(&mut bytes);
    bytes
}

/// A test double: reproducible entropy from a seed, with packs that can be stacked.
pub struct SeededEntropy {
    stream: Mutex<ChaCha20Rng>,
    stacked: HashMap<DealNumber, Vec<Card>>,
}

impl SeededEntropy {
    /// Entropy from a seed: the same seed gives the same bytes in the same order.
    pub fn new(seed: u64) -> SeededEntropy {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        SeededEntropy { stream: Mutex::new(ChaCha20Rng::from_seed(key)), stacked: HashMap::new() }
    }

    /// Puts cards on top of the pack of a deal, in every game.
    #[must_use]
    pub fn stack(mut self, deal: DealNumber, top: impl IntoIterator<Item = Card>) -> SeededEntropy {
        self.stacked.insert(deal, top.into_iter().collect());
        self
    }
}

impl Entropy for SeededEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner).fill_bytes(bytes);
    }

    fn stacked(&self, deal: DealNumber) -> Option<&[Card]> {
        self.stacked.get(&deal).map(Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeded_entropy_repeats_itself() {
        let (one, same, other) = (SeededEntropy::new(7), SeededEntropy::new(7), SeededEntropy::new(8));
        let first: [u8; 16] = draw(&one);
        assert_eq!(first, draw(&same));
        assert_ne!(first, draw::<16>(&one));
        assert_ne!(first, draw::<16>(&other));
    }
}
