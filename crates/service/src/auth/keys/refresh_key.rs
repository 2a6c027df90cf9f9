//! The refresh key, which derives each refresh token's successor and the secrets of second steps, and hashes codes.

use super::secret::Secret;
use estimation_record::hmac::hmac_sha256;

#[derive(Clone)]
pub struct RefreshKey(pub(super) Secret);

impl RefreshKey {
    /// HMAC-SHA256 of a presented token under this key.
    pub(crate) fn mac(&self, token: &[u8]) -> [u8; 32] {
        hmac_sha256(self.0.expose(), token)
    }
}
