//! Encrypts a key ring, so that the shared database cannot reveal it.
//!
//! Uses ChaCha20-Poly1305 with a key that argon2id derives from the secret and a salt. Each encryption has a
//! fresh salt and nonce.

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{ChaCha20Poly1305, Key, Nonce};
use zeroize::Zeroizing;

use super::{KeyError, KeyRing};
use crate::auth::passwords;
use crate::base::entropy::{Entropy, draw};

/// The format's magic bytes and version.
const FORM: &[u8; 4] = b"EKR1";
const PURPOSE: &[u8] = b"estimation/key-ring/v1";
const SALT: usize = 16;
const NONCE: usize = 12;

/// The minimum length of a secret, in characters.
const SHORTEST: usize = 32;

/// The secret that encrypts key rings. It cannot be printed.
#[derive(Clone)]
pub struct KeysSecret(Zeroizing<String>);

impl KeysSecret {
    /// Validates the secret from the configuration.
    pub fn read(text: String) -> Result<KeysSecret, KeyError> {
        let secret = KeysSecret(Zeroizing::new(text));
        if secret.0.chars().count() < SHORTEST {
            return Err(KeyError::SecretTooShort { least: SHORTEST });
        }
        Ok(secret)
    }

    /// Encrypts a ring. As slow as hashing a password.
    pub(crate) fn seal(&self, ring: &KeyRing, entropy: &dyn Entropy) -> Result<Vec<u8>, KeyError> {
        let (salt, nonce): ([u8; SALT], [u8; NONCE]) = (draw(entropy), draw(entropy));
        let text = ring.to_json().map_err(|_| KeyError::NotSealed)?;
        let payload = Payload { msg: &text, aad: PURPOSE };
        let sealed = self
            .cipher(&salt)
            .and_then(|cipher| cipher.encrypt(&Nonce::from(nonce), payload).ok())
            .ok_or(KeyError::NotSealed)?;
        Ok([&FORM[..], &salt, &nonce, &sealed].concat())
    }

    /// Decrypts a ring. As slow as hashing a password.
    pub(crate) fn open(&self, sealed: &[u8]) -> Result<KeyRing, KeyError> {
        let parts = || {
            let (salt, rest) = sealed.strip_prefix(FORM)?.split_first_chunk::<SALT>()?;
            let (nonce, text) = rest.split_first_chunk::<NONCE>()?;
            let payload = Payload { msg: text, aad: PURPOSE };
            self.cipher(salt)?.decrypt(&Nonce::from(*nonce), payload).ok()
        };
        let text = Zeroizing::new(parts().ok_or(KeyError::WrongSecret)?);
        let text = std::str::from_utf8(&text).map_err(|_| KeyError::WrongSecret)?;
        KeyRing::from_json(text)
    }

    fn cipher(&self, salt: &[u8; SALT]) -> Option<ChaCha20Poly1305> {
        let key = passwords::derive_key(self.0.as_bytes(), salt)?;
        Some(ChaCha20Poly1305::new(&Key::from(*key)))
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::base::entropy::SeededEntropy;

    fn secret(text: &str) -> KeysSecret {
        KeysSecret::read(text.repeat(32)).ok().unwrap()
    }

    #[test]
    fn a_ring_is_opened_with_its_own_secret_only() {
        let now = Timestamp::UNIX_EPOCH;
        let entropy = SeededEntropy::new(1);
        let ring = KeyRing::create(&entropy, now);
        let sealed = secret("a").seal(&ring, &entropy).unwrap();
        assert_eq!(secret("a").open(&sealed).unwrap().jwks(now), ring.jwks(now));
        assert!(matches!(secret("b").open(&sealed), Err(KeyError::WrongSecret)));
        assert_ne!(sealed, secret("a").seal(&ring, &entropy).unwrap());
        for spot in [0, 5, 25, sealed.len() - 1] {
            let mut damaged = sealed.clone();
            damaged[spot] ^= 1;
            assert!(matches!(secret("a").open(&damaged), Err(KeyError::WrongSecret)), "{spot}");
        }
        assert!(matches!(secret("a").open(&sealed[..30]), Err(KeyError::WrongSecret)));
    }

    #[test]
    fn a_secret_is_long() {
        assert!(matches!(KeysSecret::read("x".repeat(31)), Err(KeyError::SecretTooShort { least: 32 })));
    }
}
