//! Thirty-two secret bytes.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Deserializer, de};
use zeroize::Zeroizing;

/// A 256-bit secret, wiped on drop. It is parsed from base64url, and only [`Secret::encode`] writes it.
#[derive(Clone)]
pub(super) struct Secret(Zeroizing<[u8; 32]>);

impl Secret {
    pub(super) fn new(bytes: [u8; 32]) -> Secret {
        Secret(Zeroizing::new(bytes))
    }

    pub(super) fn expose(&self) -> &[u8; 32] {
        &self.0
    }

    /// The secret as base64url without padding.
    pub(super) fn encode(&self) -> Zeroizing<String> {
        Zeroizing::new(URL_SAFE_NO_PAD.encode(*self.0))
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Secret, D::Error> {
        struct SecretText;
        impl de::Visitor<'_> for SecretText {
            type Value = Secret;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("32 bytes as base64url without padding")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Secret, E> {
                let mut bytes = Zeroizing::new([0; 32]);
                match URL_SAFE_NO_PAD.decode_slice(text, &mut *bytes) {
                    Ok(32) => Ok(Secret(bytes)),
                    // Do not quote the text: it may be a key that lost a letter.
                    _ => Err(E::custom("not 32 bytes as base64url without padding")),
                }
            }
        }
        deserializer.deserialize_str(SecretText)
    }
}
