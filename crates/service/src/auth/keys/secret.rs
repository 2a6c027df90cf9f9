//! Thirty-two secret bytes, and what is made of them: key pairs and the refresh key.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{SigningKey, VerifyingKey};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Deserializer, de};
use zeroize::Zeroizing;

use estimation_record::Kid;
use estimation_record::hmac::hmac_sha256;

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

/// Derives each refresh token's successor and the secrets of second steps, and hashes codes.
#[derive(Clone)]
pub struct RefreshKey(pub(super) Secret);

impl RefreshKey {
    /// HMAC-SHA256 of a presented token under this key.
    pub(crate) fn mac(&self, token: &[u8]) -> [u8; 32] {
        hmac_sha256(self.0.expose(), token)
    }
}

/// How long a new key is published before it signs. By then every node and JWK set client has it.
pub const PUBLISHED_BEFORE_USE: SignedDuration = SignedDuration::from_mins(1);

/// An Ed25519 key pair with its id and dates, the base of token keys and record keys.
#[derive(Clone)]
pub(super) struct Pair {
    pub(super) kid: Kid,
    pub(super) public: VerifyingKey,
    pub(super) seed: Secret,
    pub(super) created_at: Timestamp,
    /// When the key stops signing; may be in the future.
    pub(super) retired_at: Option<Timestamp>,
}

impl Pair {
    pub(super) fn new(seed: Secret, created_at: Timestamp, retired_at: Option<Timestamp>) -> Pair {
        let public = SigningKey::from_bytes(seed.expose()).verifying_key();
        Pair { kid: Kid::of(&public), public, seed, created_at, retired_at }
    }

    pub(super) fn signing_key(&self) -> SigningKey {
        SigningKey::from_bytes(self.seed.expose())
    }

    /// Whether the key may still sign.
    fn is_active(&self, now: Timestamp) -> bool {
        self.retired_at.is_none_or(|retired_at| now < retired_at)
    }
}

/// The key of a set, oldest first, that signs now: the newest unretired one published for [`PUBLISHED_BEFORE_USE`]. Without
/// one, as on the first run, the oldest unretired key.
pub(super) fn signing<K>(keys: &[K], pair: impl Fn(&K) -> &Pair, now: Timestamp) -> Option<&K> {
    let mut active = keys.iter().filter(|key| pair(key).is_active(now));
    let oldest = active.clone().next();
    active.rfind(|key| later(pair(key).created_at, PUBLISHED_BEFORE_USE) <= now).or(oldest)
}

pub(super) fn later(time: Timestamp, by: SignedDuration) -> Timestamp {
    time.checked_add(by).unwrap_or(Timestamp::MAX)
}
