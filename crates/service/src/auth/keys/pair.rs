//! An Ed25519 key pair with its id and dates, the base of token keys and record keys.

use ed25519_dalek::{SigningKey, VerifyingKey};
use estimation_record::Kid;
use jiff::{SignedDuration, Timestamp};

use super::secret::Secret;

/// How long a new key is published before it signs. By then every node and JWK set client has it.
pub const PUBLISHED_BEFORE_USE: SignedDuration = SignedDuration::from_mins(1);

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
    pub(super) fn is_active(&self, now: Timestamp) -> bool {
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
