//! Hashes as rows hold them.

use sha2::{Digest, Sha256};

use super::error::StoreError;

/// 32 bytes of SHA-256.
pub type Hash = [u8; 32];

/// The hash of an event: SHA-256 over the hash before it and the event's stored text.
pub fn chain(previous: Hash, text: &[u8]) -> Hash {
    Sha256::new().chain_update(previous).chain_update(text).finalize().into()
}

/// A stored hash, whole.
pub(super) fn read(bytes: &[u8]) -> Result<Hash, StoreError> {
    bytes.try_into().map_err(|_| StoreError::Corrupt {
        detail: format!("a stored hash has {} bytes instead of 32", bytes.len()),
    })
}

/// A version as the database counts it.
pub(super) fn to_stored(seq: u64) -> Result<i64, StoreError> {
    i64::try_from(seq).map_err(|_| StoreError::Malformed { reason: "a sequence number beyond 63 bits" })
}

/// A version as everybody else counts it.
pub(super) fn from_stored(seq: i64) -> Result<u64, StoreError> {
    u64::try_from(seq).map_err(|_| StoreError::Corrupt { detail: format!("sequence number {seq}") })
}
