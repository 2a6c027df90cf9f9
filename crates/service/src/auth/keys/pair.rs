//! An Ed25519 key pair with its id and dates, the base of token keys and record keys.

use ed25519_dalek::{SigningKey, VerifyingKey};
use estimation_record::Kid;
use jiff::Timestamp;

use super::secret::Secret;

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
