//! The hash chain: each event's hash covers its stored text and the previous event's hash.

use sha2::{Digest, Sha256};

/// 32 bytes of SHA-256.
pub type Hash = [u8; 32];

/// The previous hash of the first event of every chain.
pub const GENESIS: Hash = [0; 32];

/// An event's hash: SHA-256 over the previous event's hash and this event's stored text.
pub fn chain(previous: Hash, text: &[u8]) -> Hash {
    Sha256::new().chain_update(previous).chain_update(text).finalize().into()
}
