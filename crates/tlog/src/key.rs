//! Verifier keys: whose signature to expect (`c2sp.org/signed-note`, "Verifier keys").

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, VerifyingKey};
use sha2::{Digest, Sha256};
use thiserror::Error;

/// The name of a key: not empty, without spaces, control characters and `+`. A log's name is its origin.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyName(String);

/// What a key signs, as the type byte of its signatures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyType {
    /// 0x01: Ed25519 over the note's text.
    Ed25519,
    /// 0x04: Ed25519 over `cosignature/v1`, a time, and the checkpoint's text.
    Cosignature,
}

/// A public key with its name and type. As text: `name+hex8+base64`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifierKey {
    name: KeyName,
    kind: KeyType,
    public: VerifyingKey,
}

/// The text is not a usable verifier key.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadKey {
    /// The name is empty, or has a space, a control character or `+`.
    #[error("{0:?} is no name for a key")]
    Name(String),
    /// The text does not have the form `name+hex8+base64`.
    #[error("a verifier key has the form name+hex8+base64")]
    Form,
    /// The type is neither 0x01 nor 0x04.
    #[error("the type {0:#04x} of the key is not supported")]
    Type(u8),
    /// The bytes are not a safe Ed25519 key.
    #[error("the bytes are not an Ed25519 public key")]
    NotAKey,
    /// The key id is not that of the name and key.
    #[error("the key id does not match the name and key")]
    Id,
}

impl KeyName {
    /// Checks a name.
    ///
    /// # Errors
    /// [`BadKey::Name`]
    pub fn new(name: impl Into<String>) -> Result<KeyName, BadKey> {
        let name = name.into();
        let bad = |c: char| c.is_whitespace() || c.is_control() || c == '+';
        if name.is_empty() || name.contains(bad) { Err(BadKey::Name(name)) } else { Ok(KeyName(name)) }
    }

    /// The name's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for KeyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for KeyName {
    type Err = BadKey;

    fn from_str(text: &str) -> Result<Self, BadKey> {
        KeyName::new(text)
    }
}

impl KeyType {
    fn byte(self) -> u8 {
        match self {
            KeyType::Ed25519 => 0x01,
            KeyType::Cosignature => 0x04,
        }
    }
}

impl VerifierKey {
    /// A key from its parts.
    ///
    /// # Errors
    /// [`BadKey::NotAKey`] for bytes that are no key, or a key with which forgeries are possible.
    pub fn new(name: KeyName, kind: KeyType, public: &[u8; 32]) -> Result<VerifierKey, BadKey> {
        let public = VerifyingKey::from_bytes(public).map_err(|_| BadKey::NotAKey)?;
        if public.is_weak() {
            return Err(BadKey::NotAKey);
        }
        Ok(VerifierKey { name, kind, public })
    }

    /// The name.
    pub fn name(&self) -> &KeyName {
        &self.name
    }

    /// The type of its signatures.
    pub fn kind(&self) -> KeyType {
        self.kind
    }

    /// The public key.
    pub fn public(&self) -> &[u8; 32] {
        self.public.as_bytes()
    }

    /// The key id: the first four bytes of SHA-256(name ‖ 0x0A ‖ type ‖ public key).
    pub fn id(&self) -> [u8; 4] {
        let hash: [u8; 32] = Sha256::new()
            .chain_update(self.name.as_str())
            .chain_update([b'\n', self.kind.byte()])
            .chain_update(self.public.as_bytes())
            .finalize()
            .into();
        let [a, b, c, d, ..] = hash;
        [a, b, c, d]
    }

    /// Whether a signature over a message is this key's.
    pub(crate) fn accepts(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        self.public.verify_strict(message, &Signature::from_bytes(signature)).is_ok()
    }
}

impl fmt::Display for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = vec![self.kind.byte()];
        bytes.extend(self.public.as_bytes());
        write!(f, "{}+{}+{}", self.name, hex::encode(self.id()), STANDARD.encode(bytes))
    }
}

impl FromStr for VerifierKey {
    type Err = BadKey;

    fn from_str(text: &str) -> Result<Self, BadKey> {
        // Base64 has `+` as well, so only the first two separate.
        let mut parts = text.splitn(3, '+');
        let (Some(name), Some(id), Some(key)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(BadKey::Form);
        };
        let name = KeyName::new(name)?;
        let bytes = STANDARD.decode(key).map_err(|_| BadKey::Form)?;
        let (kind, public) = bytes.split_first().ok_or(BadKey::Form)?;
        let kind = match kind {
            0x01 => KeyType::Ed25519,
            0x04 => KeyType::Cosignature,
            other => return Err(BadKey::Type(*other)),
        };
        let key = VerifierKey::new(name, kind, public.try_into().map_err(|_| BadKey::NotAKey)?)?;
        if hex::encode(key.id()) == id { Ok(key) } else { Err(BadKey::Id) }
    }
}
