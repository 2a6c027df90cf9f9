//! Record keys sign the ends of games. They are never deleted, so that old records can always be verified.

use ed25519_dalek::{Signature, Signer, VerifyingKey};
use jiff::Timestamp;

use super::Kid;
use super::binding::BindingKeys;
use super::secret::{PUBLISHED_BEFORE_USE, Pair, Secret, later, signing};
use crate::base::entropy::{Entropy, draw};

/// A key that signs only records.
#[derive(Clone)]
pub struct RecordKey {
    pub(super) pair: Pair,
    pub(super) binding_keys: BindingKeys,
}

impl RecordKey {
    pub(super) fn new(pair: Pair) -> RecordKey {
        RecordKey { binding_keys: BindingKeys::of(&pair), pair }
    }

    pub fn kid(&self) -> &Kid {
        &self.pair.kid
    }

    /// When it was published. The first key signs from then on, a later one after [`PUBLISHED_BEFORE_USE`].
    pub fn created_at(&self) -> Timestamp {
        self.pair.created_at
    }

    /// When it stopped signing.
    pub fn retired_at(&self) -> Option<Timestamp> {
        self.pair.retired_at
    }

    pub fn verifying_key(&self) -> &VerifyingKey {
        &self.pair.public
    }

    /// Whether this key made an Ed25519 signature (RFC 8032), also before it retired.
    pub fn verify(&self, statement: &[u8], signature: &[u8; 64]) -> bool {
        self.verifying_key().verify_strict(statement, &Signature::from_bytes(signature)).is_ok()
    }
}

/// A signature over a record, with the id of its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordSignature {
    pub kid: Kid,
    /// The Ed25519 signature (RFC 8032).
    pub signature: [u8; 64],
}

/// All record keys ever used, oldest first; the newest signs.
#[derive(Clone)]
pub struct RecordKeys(pub(super) Vec<RecordKey>);

impl RecordKeys {
    pub(super) fn first(entropy: &dyn Entropy, now: Timestamp) -> RecordKeys {
        RecordKeys(vec![RecordKey::new(Pair::new(Secret::new(draw(entropy)), now, None))])
    }

    /// The key that signs now. `None` if every key is retired.
    pub(super) fn signing(&self, now: Timestamp) -> Option<&RecordKey> {
        signing(&self.0, |key| &key.pair, now)
    }

    /// Signs a statement, whose first line names its type. `None` if every key is retired.
    pub fn sign(&self, statement: &[u8], now: Timestamp) -> Option<RecordSignature> {
        let RecordKey { pair, .. } = self.signing(now)?;
        let signature = pair.signing_key().sign(statement).to_bytes();
        Some(RecordSignature { kid: pair.kid.clone(), signature })
    }

    /// The key with this id, retired or not.
    pub fn find(&self, kid: &str) -> Option<&RecordKey> {
        self.iter().find(|key| key.kid().as_str() == kid)
    }

    pub fn iter(&self) -> impl Iterator<Item = &RecordKey> {
        self.0.iter()
    }

    /// The keys after a rotation: the new key is published now, and the others retire when it starts to sign; none is
    /// dropped.
    pub(super) fn rotated(&self, entropy: &dyn Entropy, now: Timestamp) -> RecordKeys {
        let retirement = later(now, PUBLISHED_BEFORE_USE);
        let mut keys = self.0.clone();
        for key in &mut keys {
            key.pair.retired_at.get_or_insert(retirement);
        }
        keys.push(RecordKey::new(Pair::new(Secret::new(draw(entropy)), now, None)));
        RecordKeys(keys)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::entropy::SeededEntropy;

    #[test]
    fn a_retired_key_signs_no_more_and_verifies_for_ever() {
        let entropy = SeededEntropy::new(1);
        let [start, rotated, used] = [0, 1_000, 1_060].map(|second| Timestamp::from_second(second).unwrap());
        let keys = RecordKeys::first(&entropy, start);
        let old = keys.sign(b"statement", start).unwrap();
        let keys = keys.rotated(&entropy, rotated);
        // Until every node has the new key.
        assert_eq!(keys.sign(b"statement", rotated).unwrap().kid, old.kid);
        let new = keys.sign(b"statement", used).unwrap();
        assert_ne!(old.kid, new.kid);
        assert_eq!(keys.iter().map(RecordKey::retired_at).collect::<Vec<_>>(), [Some(used), None]);
        let verifies = |kid: &Kid, statement: &[u8], signed: &RecordSignature| {
            keys.find(kid.as_str()).is_some_and(|key| key.verify(statement, &signed.signature))
        };
        assert!(verifies(&old.kid, b"statement", &old) && verifies(&new.kid, b"statement", &new));
        assert!(!verifies(&old.kid, b"statemend", &old));
        assert!(!verifies(&new.kid, b"statement", &old));
        assert!(keys.find("unknown").is_none());
    }
}
