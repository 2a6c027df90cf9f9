//! A keyed hash over stored bytes, by which a node can tell what a node has written.

use estimation_record::KID_TAG;

use super::StoreError;

/// The length of a binding.
const LENGTH: usize = KID_TAG + 32;

/// A keyed hash as it is stored: the tag of its key's id, then HMAC-SHA256.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Binding([u8; LENGTH]);

impl Binding {
    pub fn new(key: [u8; KID_TAG], mac: [u8; 32]) -> Binding {
        let mut bytes = [0; LENGTH];
        bytes[..KID_TAG].copy_from_slice(&key);
        bytes[KID_TAG..].copy_from_slice(&mac);
        Binding(bytes)
    }

    /// The tag of the key's id.
    pub fn key(&self) -> [u8; KID_TAG] {
        let mut key = [0; KID_TAG];
        key.copy_from_slice(&self.0[..KID_TAG]);
        key
    }

    /// The HMAC-SHA256.
    pub fn mac(&self) -> &[u8] {
        &self.0[KID_TAG..]
    }

    /// The bytes as stored.
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Reads a stored binding.
    pub(super) fn read(bytes: &[u8]) -> Result<Binding, StoreError> {
        bytes.try_into().map(Binding).map_err(|_| StoreError::Corrupt {
            detail: format!("a stored binding has {} bytes instead of {LENGTH}", bytes.len()),
        })
    }
}
