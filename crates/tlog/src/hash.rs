//! Hashes of Merkle trees (RFC 6962, section 2.1).

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use thiserror::Error;

/// The hash of a leaf, of an inner node, or of a tree. Its text form is standard base64 with padding.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hash(pub [u8; 32]);

/// The text is not the base64 of 32 bytes.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("not the base64 of a SHA-256 hash")]
pub struct BadHash;

impl Hash {
    /// The number of bytes.
    pub const LENGTH: usize = 32;

    /// The hash of an entry as a leaf: SHA-256(0x00 ‖ entry).
    pub fn leaf(entry: &[u8]) -> Hash {
        Hash(Sha256::new().chain_update([0]).chain_update(entry).finalize().into())
    }

    /// The hash of an inner node: SHA-256(0x01 ‖ left ‖ right).
    pub fn node(left: Hash, right: Hash) -> Hash {
        Hash(Sha256::new().chain_update([1]).chain_update(left.0).chain_update(right.0).finalize().into())
    }

    /// The root of the tree without leaves: SHA-256 of nothing.
    pub fn empty_root() -> Hash {
        Hash(Sha256::digest([]).into())
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&STANDARD.encode(self.0))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({})", hex::encode(self.0))
    }
}

impl FromStr for Hash {
    type Err = BadHash;

    fn from_str(text: &str) -> Result<Self, BadHash> {
        let bytes = STANDARD.decode(text).map_err(|_| BadHash)?;
        Ok(Hash(bytes.try_into().map_err(|_| BadHash)?))
    }
}
