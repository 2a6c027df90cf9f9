//! Record keys sign the ends of games. They are never deleted, so that old records can always be verified.

use ed25519_dalek::{Signature, Signer, VerifyingKey};
use jiff::Timestamp;

use super::Kid;
use super::pair::Pair;
use super::secret::Secret;
use crate::base::entropy::{Entropy, draw};

/// A key that signs only records.
#[derive(Clone)]
pub struct RecordKey(pub(super) Pair);

impl RecordKey {
    pub fn kid(&self) -> &Kid {
        &self.0.kid
    }

    /// When it came into use.
    pub fn created_at(&self) -> Timestamp {
        self.0.created_at
    }

    /// When it stopped signing.
    pub fn retired_at(&self) -> Option<Timestamp> {
        self.0.retired_at
    }

    pub fn verifying_key(&self) -> &VerifyingKey {
        &self.0.public
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
        RecordKeys(vec![RecordKey(Pair::new(Secret::new(draw(entropy)), now, None))])
    }

    /// Signs a statement, whose first line names its type. `None` if every key is retired.
    pub fn sign(&self, statement: &[u8], now: Timestamp) -> Option<RecordSignature> {
        let RecordKey(pair) = self.0.iter().rfind(|key| key.0.is_active(now))?;
        let signature = pair.signing_key().sign(statement).to_bytes();
        Some(RecordSignature { kid: pair.kid.clone(), signature })
    }

    /// Whether one of these keys, retired or not, made the signature.
    pub fn verify(&self, statement: &[u8], signature: &RecordSignature) -> bool {
        let bytes = Signature::from_bytes(&signature.signature);
        self.iter()
            .find(|key| *key.kid() == signature.kid)
            .is_some_and(|key| key.verifying_key().verify_strict(statement, &bytes).is_ok())
    }

    pub fn iter(&self) -> impl Iterator<Item = &RecordKey> {
        self.0.iter()
    }

    /// The keys after a rotation: a new key signs from now on; none is dropped.
    pub(super) fn rotated(&self, entropy: &dyn Entropy, now: Timestamp) -> RecordKeys {
        let mut keys = self.0.clone();
        for RecordKey(pair) in &mut keys {
            pair.retired_at.get_or_insert(now);
        }
        keys.push(RecordKey(Pair::new(Secret::new(draw(entropy)), now, None)));
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
        let [start, later] = [0, 1_000_000].map(|second| Timestamp::from_second(second).unwrap());
        let keys = RecordKeys::first(&entropy, start);
        let old = keys.sign(b"statement", start).unwrap();
        let keys = keys.rotated(&entropy, later);
        let new = keys.sign(b"statement", later).unwrap();
        assert_ne!(old.kid, new.kid);
        assert_eq!(keys.iter().map(RecordKey::retired_at).collect::<Vec<_>>(), [Some(later), None]);
        assert!(keys.verify(b"statement", &old) && keys.verify(b"statement", &new));
        assert!(!keys.verify(b"statemend", &old));
        assert!(!keys.verify(b"statement", &RecordSignature { kid: new.kid, ..old }));
    }
}
