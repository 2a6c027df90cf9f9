//! The server seed: 256 secret bits that determine all deals of a game.

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::entropy::{Entropy, draw};
use crate::hmac::hmac_sha256;
use estimation_engine::hex::Hex;

/// A game's secret seed. Cannot be printed, compared or serialised, and is wiped when dropped.
#[derive(Clone)]
pub struct ServerSeed(Zeroizing<[u8; 32]>);

impl ServerSeed {
    /// A new random seed.
    pub fn draw(entropy: &dyn Entropy) -> ServerSeed {
        ServerSeed::from_bytes(draw(entropy))
    }

    /// A stored or revealed seed.
    pub fn from_bytes(bytes: [u8; 32]) -> ServerSeed {
        ServerSeed(Zeroizing::new(bytes))
    }

    /// The secret bytes, only for storing the seed.
    pub fn expose(&self) -> &[u8; 32] {
        &self.0
    }

    /// The commitment published when the game is created: SHA-256 of the seed.
    pub fn commitment(&self) -> Hex<32> {
        Hex(Sha256::digest(self.expose()).into())
    }

    /// Whether the commitment is to this seed.
    pub fn opens(&self, commitment: &Hex<32>) -> bool {
        self.commitment().0.ct_eq(&commitment.0).into()
    }

    /// The server seed of a game after some openings of client seeds failed: this seed itself before the first failure.
    /// Each failure makes the former commitment void, and its seed stays secret.
    #[must_use]
    pub fn after_openings(&self, failed: u32) -> ServerSeed {
        if failed == 0 {
            return self.clone();
        }
        let statement = [b"estimation/server-seed/".as_slice(), &failed.to_be_bytes()].concat();
        ServerSeed::from_bytes(hmac_sha256(self.expose(), &statement))
    }

    /// The seed's public form, for the end of the game.
    pub fn reveal(&self) -> Hex<32> {
        Hex(*self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_opens_its_own_commitment_only() {
        let seed = ServerSeed::from_bytes([0; 32]);
        // Computed with `sha256sum` from 32 zero bytes.
        let commitment = "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925";
        assert_eq!(seed.commitment().to_string(), commitment);
        assert!(seed.opens(&seed.commitment()));
        assert!(!ServerSeed::from_bytes([1; 32]).opens(&seed.commitment()));
        assert_eq!(seed.reveal(), Hex([0; 32]));
    }
}
