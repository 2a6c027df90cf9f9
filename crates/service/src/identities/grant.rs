//! Refresh tokens of issuers. The server keeps one to revoke the player's grant when the account is deleted, and for
//! nothing else.

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{ChaCha20Poly1305, Key, Nonce};
use zeroize::Zeroizing;

use crate::auth::keys::RefreshKey;
use crate::base::entropy::{Entropy, draw};

/// What the key is derived from.
const PURPOSE: &[u8] = b"estimation/identity-grant/v1";

const NONCE: usize = 12;

/// An issuer's refresh token. It cannot be printed.
#[derive(Clone)]
pub(super) struct GrantToken(pub(super) Zeroizing<String>);

impl GrantToken {
    /// Encrypts the token for the identity with this id; none only if the cipher fails.
    pub(super) fn seal(&self, key: &RefreshKey, identity: &str, entropy: &dyn Entropy) -> Option<Vec<u8>> {
        let nonce: [u8; NONCE] = draw(entropy);
        let payload = Payload { msg: self.0.as_bytes(), aad: identity.as_bytes() };
        let sealed = cipher(key).encrypt(&Nonce::from(nonce), payload).ok()?;
        Some([&nonce[..], &sealed].concat())
    }

    /// Decrypts the token of an identity; none if it was encrypted with another key, or for another identity.
    pub(super) fn open(key: &RefreshKey, identity: &str, sealed: &[u8]) -> Option<GrantToken> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE>()?;
        let payload = Payload { msg: sealed, aad: identity.as_bytes() };
        let text = Zeroizing::new(cipher(key).decrypt(&Nonce::from(*nonce), payload).ok()?);
        Some(GrantToken(Zeroizing::new(std::str::from_utf8(&text).ok()?.to_owned())))
    }
}

fn cipher(key: &RefreshKey) -> ChaCha20Poly1305 {
    let key = Zeroizing::new(key.mac(PURPOSE));
    ChaCha20Poly1305::new(&Key::from(*key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::keys::KeyRing;
    use crate::base::entropy::SeededEntropy;

    #[test]
    fn a_grant_opens_for_its_identity_alone() {
        let now = "2026-01-01T00:00:00Z".parse().unwrap();
        let [key, other] = [1, 2].map(|seed| KeyRing::create(&SeededEntropy::new(seed), now).refresh_key());
        let token = GrantToken(Zeroizing::new("a refresh token".to_owned()));
        let sealed = token.seal(&key, "one", &SeededEntropy::new(3)).unwrap();
        assert_eq!(*GrantToken::open(&key, "one", &sealed).unwrap().0, "a refresh token");
        assert!(!sealed.windows(7).any(|window| window == b"refresh"));
        assert!(GrantToken::open(&key, "two", &sealed).is_none());
        assert!(GrantToken::open(&other, "one", &sealed).is_none());
        assert!(GrantToken::open(&key, "one", &sealed[1..]).is_none());
        assert!(GrantToken::open(&key, "one", &[]).is_none());
    }
}
