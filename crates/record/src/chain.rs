//! The hash chain: the hash of an event covers the stored text of the event and the hash of the event before it.

use sha2::{Digest, Sha256};

/// 32 bytes of SHA-256.
pub type Hash = [u8; 32];

/// The hash that the first link of every chain covers.
pub const GENESIS: Hash = [0; 32];

/// The hash of an event: SHA-256 over the hash of the event before it and the stored text of the event.
pub fn chain(previous: Hash, text: &[u8]) -> Hash {
    Sha256::new().chain_update(previous).chain_update(text).finalize().into()
}
