//! The refresh key: what makes a refresh token's successor follow from it, and from nothing else.

use super::secret::Secret;
use estimation_record::hmac::hmac_sha256;

/// The secret from which the successors of refresh tokens are made.
#[derive(Clone)]
pub struct RefreshKey(pub(super) Secret);

impl RefreshKey {
    /// HMAC-SHA256 of a presented token under this key.
    pub(crate) fn mac(&self, token: &[u8]) -> [u8; 32] {
        hmac_sha256(self.0.expose(), token)
    }
}
