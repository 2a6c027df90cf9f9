//! Conversions of hashes and versions to and from database columns.

pub use estimation_record::{Hash, chain};

use super::error::StoreError;

/// Reads a stored hash.
pub(super) fn read(bytes: &[u8]) -> Result<Hash, StoreError> {
    bytes.try_into().map_err(|_| StoreError::Corrupt {
        detail: format!("a stored hash has {} bytes instead of 32", bytes.len()),
    })
}

/// A version as the database column holds it.
pub(super) fn to_stored(seq: u64) -> Result<i64, StoreError> {
    i64::try_from(seq).map_err(|_| StoreError::Malformed { reason: "a sequence number beyond 63 bits" })
}

/// A version from its database column.
pub(super) fn from_stored(seq: i64) -> Result<u64, StoreError> {
    u64::try_from(seq).map_err(|_| StoreError::Corrupt { detail: format!("sequence number {seq}") })
}
