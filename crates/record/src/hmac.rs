//! HMAC-SHA256 (RFC 2104) with a 32-byte key, so that it cannot fail.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

/// A key whose share of the computation is done: half the cost of a short message.
#[derive(Clone)]
pub struct HmacKey(Hmac<Sha256>);

impl HmacKey {
    /// Prepares a key.
    pub fn new(key: &[u8; 32]) -> HmacKey {
        // HMAC pads a short key with zeros. Padding here makes the key length a constant.
        let mut block = Zeroizing::new([0; 64]);
        block[..32].copy_from_slice(key);
        HmacKey(<Hmac<Sha256> as KeyInit>::new((&*block).into()))
    }

    /// HMAC-SHA256 of a message.
    pub fn mac(&self, message: &[u8]) -> [u8; 32] {
        self.0.clone().chain_update(message).finalize().into_bytes().into()
    }

    /// Whether `mac` is that of the message, in constant time.
    pub fn is_mac_of(&self, message: &[u8], mac: &[u8]) -> bool {
        self.0.clone().chain_update(message).verify_slice(mac).is_ok()
    }
}

/// HMAC-SHA256 of a message.
pub fn hmac_sha256(key: &[u8; 32], message: &[u8]) -> [u8; 32] {
    HmacKey::new(key).mac(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed in Python: `hmac.new(bytes(range(32)), b"what do ya want for nothing?",
    /// "sha256").hexdigest()`.
    #[test]
    fn agrees_with_another_implementation() {
        let key = std::array::from_fn(|i| i as u8);
        assert_eq!(
            hex::encode(hmac_sha256(&key, b"what do ya want for nothing?")),
            "099805f4ac310786968565c098db515cc50862b420ae31e20238312344bed36a"
        );
        let (key, message) = (HmacKey::new(&key), b"what do ya want for nothing?");
        assert!(key.is_mac_of(message, &key.mac(message)));
        assert!(!key.is_mac_of(message, &key.mac(b"other")) && !key.is_mac_of(message, &[]));
    }
}
