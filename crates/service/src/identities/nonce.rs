//! Nonces of ID tokens. A nonce shows by itself that the server gave it out, and when, so nothing is stored before it is
//! used.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::auth::keys::RefreshKey;
use crate::base::entropy::{Entropy, draw};
use crate::base::failure::milliseconds;
use estimation_store::Hash;

/// How long a nonce is valid.
pub(super) const LIFETIME: SignedDuration = SignedDuration::from_mins(10);

/// What is hashed before a nonce.
const PURPOSE: &[u8] = b"estimation/oidc-nonce/v1/";

/// End offsets of the parts: the issue time in seconds, the random bytes, the MAC.
const ISSUED: usize = 8;
const DRAWN: usize = ISSUED + 16;
const LENGTH: usize = DRAWN + 16;

/// A nonce of this server that has not expired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Nonce {
    text: String,
    /// In milliseconds since 1970.
    pub(super) expires_at: i64,
}

/// A new nonce.
pub(super) fn draw_nonce(key: &RefreshKey, now: Timestamp, entropy: &dyn Entropy) -> String {
    let mut bytes = [0; LENGTH];
    bytes[..ISSUED].copy_from_slice(&now.as_second().to_be_bytes());
    bytes[ISSUED..DRAWN].copy_from_slice(&draw::<16>(entropy));
    let mac = mac(key, &bytes[..DRAWN]);
    bytes[DRAWN..].copy_from_slice(&mac);
    URL_SAFE_NO_PAD.encode(bytes)
}

impl Nonce {
    /// Reads a nonce; none if the server did not give it out, or it has expired.
    pub(super) fn read(key: &RefreshKey, text: &str, now: Timestamp) -> Option<Nonce> {
        let mut bytes = [0; LENGTH];
        let length = URL_SAFE_NO_PAD.decode_slice(text, &mut bytes).ok()?;
        if length != LENGTH || !bool::from(mac(key, &bytes[..DRAWN]).ct_eq(&bytes[DRAWN..])) {
            return None;
        }
        let issued = Timestamp::from_second(i64::from_be_bytes(*bytes.first_chunk()?)).ok()?;
        let expires_at = issued.checked_add(LIFETIME).ok()?;
        (now < expires_at).then(|| Nonce { text: text.to_owned(), expires_at: milliseconds(expires_at) })
    }

    /// Whether the claim of a token is this nonce, or its SHA-256 in hex: Apple's apps send that.
    pub(super) fn is(&self, claim: &str) -> bool {
        claim == self.text || claim == hex::encode(self.hash())
    }

    /// What is stored of a used nonce.
    pub(super) fn hash(&self) -> Hash {
        Sha256::digest(&self.text).into()
    }
}

fn mac(key: &RefreshKey, text: &[u8]) -> [u8; LENGTH - DRAWN] {
    let mut mac = [0; LENGTH - DRAWN];
    mac.copy_from_slice(&key.mac(&[PURPOSE, text].concat())[..LENGTH - DRAWN]);
    mac
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::keys::KeyRing;
    use crate::base::entropy::SeededEntropy;

    #[test]
    fn only_own_nonces_are_read_and_for_ten_minutes() {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let [own, other] = [1, 2].map(|seed| KeyRing::create(&SeededEntropy::new(seed), now).refresh_key());
        let text = draw_nonce(&own, now, &SeededEntropy::new(3));
        assert_eq!(text.len(), 54);
        let after = |seconds| now.checked_add(SignedDuration::from_secs(seconds)).unwrap();
        let nonce = Nonce::read(&own, &text, after(599)).unwrap();
        assert!(nonce.is(&text) && nonce.is(&hex::encode(Sha256::digest(&text))));
        assert!(!nonce.is("") && !nonce.is(&text[1..]) && !nonce.is(&hex::encode(&text)));
        assert_eq!(Nonce::read(&own, &text, after(600)), None);
        assert_eq!(Nonce::read(&other, &text, now), None);
        for at in 0..text.len() {
            let mut wrong = text.clone().into_bytes();
            wrong[at] = if wrong[at] == b'A' { b'B' } else { b'A' };
            assert_eq!(Nonce::read(&own, &String::from_utf8(wrong).unwrap(), now), None, "{at}");
        }
        for wrong in ["", "A", &text[1..], &format!("{text}A"), &format!("{text}=")] {
            assert_eq!(Nonce::read(&own, wrong, now), None, "{wrong}");
        }
    }
}
