//! Random bytes for keys, seeds, salts and ids. Only [`SystemEntropy`] asks the operating system.

pub use estimation_record::entropy::{Entropy, SeededEntropy, draw};

#[derive(Clone, Copy, Debug, Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    /// # Panics
    ///
    /// If the operating system has no entropy.
    #[expect(clippy::disallowed_methods, reason = "the one place that owns the system's entropy")]
    fn fill(&self, bytes: &mut [u8]) {
        if let Err(error) = getrandom::fill(bytes) {
            panic!("the operating system gives no entropy: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_gives_different_bytes_each_time() {
        assert_ne!(draw::<32>(&SystemEntropy), draw::<32>(&SystemEntropy));
    }
}
