//! The hash chain: each event's hash covers the stored text of the event and, through the hash before it,
//! everything that went before.

use sha2::{Digest, Sha256};

/// What the first event's hash links to.
pub const GENESIS: [u8; 32] = [0; 32];

/// The hash of an event: SHA-256 over the hash before it and the event's stored text.
pub fn chain(previous: [u8; 32], text: &[u8]) -> [u8; 32] {
    Sha256::new().chain_update(previous).chain_update(text).finalize().into()
}
