//! What an audit trusts: the public record keys, and what it accepts without proof.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signature, VerifyingKey};
use serde::Deserialize;
use serde_json::{Map, Value};
use thiserror::Error;
use uuid::Uuid;

use super::finding::{Finding, Rule};
use super::piece::SignatureLine;
use crate::Kid;
use crate::forms::Object;

/// What an audit trusts.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    keys: Vec<(String, VerifyingKey)>,
    /// Accept histories of running games, whose deals cannot be checked yet.
    pub running: bool,
    /// Accept missing keys: signatures are not checked.
    pub unsigned: bool,
}

/// What is wrong with a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureProblem {
    /// The problem, in one sentence.
    pub detail: String,
    /// Whether the signature could not be checked, because the signature or the key is missing.
    pub is_inconclusive: bool,
}

impl SignatureProblem {
    /// The finding about a signature of a game, or of the log at a position.
    pub(super) fn finding(self, game: Option<Uuid>, seq: Option<u64>) -> Finding {
        let SignatureProblem { detail, is_inconclusive } = self;
        Finding { is_inconclusive, ..Finding::new(game, seq, Rule::Signature, detail) }
    }

    pub(super) fn wrong(detail: String) -> SignatureProblem {
        SignatureProblem { detail, is_inconclusive: false }
    }
}

/// An unusable public key.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadKey {
    /// The text is not a JWK set.
    #[error("not a JWK set: {0}")]
    NotJwks(String),
    /// The bytes are not an Ed25519 key, or one with which forgeries are possible.
    #[error("{0:?} is no Ed25519 public key")]
    NotAKey(String),
    /// There is no record key in the set.
    #[error("the set has no record key")]
    NoRecordKey,
}

#[derive(Deserialize)]
struct KeySet {
    keys: Vec<Map<String, Value>>,
}

impl Trust {
    /// Adds the record keys of a JWK set (RFC 7517), as the service publishes it.
    pub fn add_jwks(&mut self, text: &str) -> Result<(), BadKey> {
        let Object::<KeySet>(set) =
            serde_json::from_str(text).map_err(|error| BadKey::NotJwks(error.to_string()))?;
        let before = self.keys.len();
        let is_record_key = |key: &&Map<String, Value>| {
            key.get("estimation:purpose").is_some_and(|purpose| purpose == "record")
        };
        for key in set.keys.iter().filter(is_record_key) {
            let x = key.get("x").and_then(Value::as_str).unwrap_or_default();
            let bytes = URL_SAFE_NO_PAD.decode(x).map_err(|_| BadKey::NotAKey(x.to_owned()))?;
            self.add(&bytes, x)?;
        }
        if self.keys.len() == before { Err(BadKey::NoRecordKey) } else { Ok(()) }
    }

    /// Adds a record key given as 64 hexadecimal digits.
    pub fn add_hex(&mut self, text: &str) -> Result<(), BadKey> {
        let bytes = hex::decode(text).map_err(|_| BadKey::NotAKey(text.to_owned()))?;
        self.add(&bytes, text)
    }

    /// Adds a record key.
    pub fn add_key(&mut self, key: VerifyingKey) {
        self.keys.push((Kid::of(&key).to_string(), key));
    }

    fn add(&mut self, bytes: &[u8], text: &str) -> Result<(), BadKey> {
        let bad = || BadKey::NotAKey(text.to_owned());
        let bytes: [u8; 32] = bytes.try_into().map_err(|_| bad())?;
        let key = VerifyingKey::from_bytes(&bytes).ok().filter(|key| !key.is_weak()).ok_or_else(bad)?;
        self.add_key(key);
        Ok(())
    }

    /// The ids of the keys, in the order in which they were added.
    pub fn kids(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().map(|(kid, _)| kid.as_str())
    }

    /// What is wrong with a signature over a statement, if anything.
    pub fn problem(&self, statement: &[u8], signature: &SignatureLine) -> Option<SignatureProblem> {
        if self.unsigned {
            return None;
        }
        let Some((_, key)) = self.keys.iter().find(|(kid, _)| *kid == signature.kid) else {
            let detail = match self.keys.is_empty() {
                true => "no record key was given to check the signature with".to_owned(),
                false => format!("the key {:?} is not one of the record keys", signature.kid),
            };
            return Some(SignatureProblem { detail, is_inconclusive: true });
        };
        let made = Signature::from_bytes(&signature.value.0);
        key.verify_strict(statement, &made).err().map(|_| {
            let kid = &signature.kid;
            SignatureProblem::wrong(format!(
                "the signature does not match this statement and the key {kid:?}"
            ))
        })
    }
}
