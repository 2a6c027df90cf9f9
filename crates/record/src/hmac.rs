//! HMAC-SHA256 (RFC 2104) with a 32-byte key, so that it cannot fail.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

/// HMAC-SHA256 of a message.
pub fn hmac_sha256(key: &[u8; 32], message: &[u8]) -> [u8; 32] {
    // HMAC pads a short key with zeros. Padding here makes the key length a constant.
    let mut block = Zeroizing::new([0; 64]);
    block[..32].copy_from_slice(key);
    let mut mac = <Hmac<Sha256> as KeyInit>::new((&*block).into());
    mac.update(message);
    mac.finalize().into_bytes().into()
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
    }
}
