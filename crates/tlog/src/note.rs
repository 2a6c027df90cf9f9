//! Signed notes (`c2sp.org/signed-note`) and timestamped cosignatures (`c2sp.org/tlog-cosignature`).

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use thiserror::Error;

use super::key::{KeyName, KeyType, VerifierKey};

/// The maximum length of a note that is read, in bytes.
const MAX_NOTE: usize = 64 << 10;
/// The maximum number of signatures of a note that is read.
const MAX_SIGNATURES: usize = 100;

/// A text and the signature lines below it. Nothing is verified yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    text: String,
    signatures: Vec<SignatureLine>,
}

/// A signature line. As text, with its newline: `— name base64(key id ‖ signature)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureLine {
    name: KeyName,
    id: [u8; 4],
    signature: Vec<u8>,
}

/// A verified signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The time of a cosignature, in seconds since 1970; none for a signature of type 0x01.
    pub time: Option<u64>,
}

/// The text is not a signed note, or a signature in it is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadNote {
    /// The note is longer than 64 KiB or has more than 100 signatures.
    #[error("the note is too long")]
    TooLong,
    /// The note has a control character, or does not end with signature lines after an empty line.
    #[error("not a signed note")]
    Form,
    /// A line below the text is not a signature line.
    #[error("the line {0:?} is no signature line")]
    Line(String),
    /// The key's signature does not match the text.
    #[error("the signature of {0} does not match the text")]
    Signature(KeyName),
    /// The key has two signatures.
    #[error("{0} has signed the note twice")]
    Repeated(KeyName),
    /// The key has not signed the note.
    #[error("{0} has not signed the note")]
    Unsigned(KeyName),
}

impl Note {
    /// An unsigned note.
    ///
    /// # Errors
    /// The text does not end with a newline, or has other control characters.
    pub fn new(text: impl Into<String>) -> Result<Note, BadNote> {
        let text = text.into();
        if !text.ends_with('\n') || has_control(&text) {
            return Err(BadNote::Form);
        }
        Ok(Note { text, signatures: Vec::new() })
    }

    /// The signed text, with its last newline.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The signature lines.
    pub fn signatures(&self) -> &[SignatureLine] {
        &self.signatures
    }

    /// Adds a signature line.
    pub fn add(&mut self, line: SignatureLine) {
        self.signatures.push(line);
    }

    /// Verifies the signature of a key.
    ///
    /// # Errors
    /// The key has not signed the note, has signed it twice, or its signature is wrong.
    pub fn verify(&self, key: &VerifierKey) -> Result<Verified, BadNote> {
        let mut lines = self.signatures.iter().filter(|line| line.is_of(key));
        match (lines.next(), lines.next()) {
            (Some(line), None) => line.verify(key, &self.text),
            (None, _) => Err(BadNote::Unsigned(key.name().clone())),
            (Some(_), Some(_)) => Err(BadNote::Repeated(key.name().clone())),
        }
    }
}

impl SignatureLine {
    /// Signs a text. The closure gets the message and returns its Ed25519 signature.
    pub fn sign(key: &VerifierKey, text: &str, sign: impl FnOnce(&[u8]) -> [u8; 64]) -> SignatureLine {
        let signature = sign(text.as_bytes()).to_vec();
        SignatureLine { name: key.name().clone(), id: key.id(), signature }
    }

    /// Cosigns a checkpoint's text at a time, in seconds since 1970. The closure gets the message and returns
    /// its Ed25519 signature.
    pub fn cosign(
        key: &VerifierKey,
        text: &str,
        time: u64,
        sign: impl FnOnce(&[u8]) -> [u8; 64],
    ) -> SignatureLine {
        let mut signature = time.to_be_bytes().to_vec();
        signature.extend(sign(&cosigned(text, time)));
        SignatureLine { name: key.name().clone(), id: key.id(), signature }
    }

    /// The name of the key.
    pub fn name(&self) -> &KeyName {
        &self.name
    }

    /// The time that a cosignature (type 0x04) claims, in seconds since 1970. Nothing is verified.
    pub fn claimed_time(&self) -> Option<u64> {
        Some(self.cosignature()?.0)
    }

    /// Whether the line has the name and id of a key.
    pub fn is_of(&self, key: &VerifierKey) -> bool {
        self.name == *key.name() && self.id == key.id()
    }

    /// Verifies the line against a text.
    ///
    /// # Errors
    /// [`BadNote::Unsigned`] if the line is another key's, [`BadNote::Signature`] if it is wrong.
    pub fn verify(&self, key: &VerifierKey, text: &str) -> Result<Verified, BadNote> {
        if !self.is_of(key) {
            return Err(BadNote::Unsigned(key.name().clone()));
        }
        let verified = match key.kind() {
            KeyType::Ed25519 => self
                .signature
                .as_slice()
                .try_into()
                .is_ok_and(|signature| key.accepts(text.as_bytes(), signature))
                .then_some(Verified { time: None }),
            KeyType::Cosignature => self.cosignature().and_then(|(time, signature)| {
                key.accepts(&cosigned(text, time), signature).then_some(Verified { time: Some(time) })
            }),
        };
        verified.ok_or_else(|| BadNote::Signature(key.name().clone()))
    }

    fn cosignature(&self) -> Option<(u64, &[u8; 64])> {
        let (time, signature) = self.signature.split_first_chunk()?;
        let time = u64::from_be_bytes(*time);
        // The specification limits times to 63 bits.
        (i64::try_from(time).is_ok()).then_some((time, signature.try_into().ok()?))
    }
}

/// The message of a cosignature.
fn cosigned(text: &str, time: u64) -> Vec<u8> {
    format!("cosignature/v1\ntime {time}\n{text}").into_bytes()
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.text)?;
        self.signatures.iter().try_for_each(|line| write!(f, "{line}"))
    }
}

impl fmt::Display for SignatureLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = self.id.to_vec();
        bytes.extend(&self.signature);
        writeln!(f, "— {} {}", self.name, STANDARD.encode(bytes))
    }
}

impl FromStr for Note {
    type Err = BadNote;

    fn from_str(note: &str) -> Result<Self, BadNote> {
        if note.len() > MAX_NOTE {
            return Err(BadNote::TooLong);
        }
        // The text may have empty lines: the last one separates.
        let (text, _) = note.rsplit_once("\n\n").ok_or(BadNote::Form)?;
        let (text, lines) = note.split_at(text.len() + 1);
        let mut note = Note::new(text)?;
        for line in lines[1..].split_inclusive('\n') {
            if note.signatures.len() == MAX_SIGNATURES {
                return Err(BadNote::TooLong);
            }
            note.add(line.parse()?);
        }
        if note.signatures.is_empty() { Err(BadNote::Form) } else { Ok(note) }
    }
}

impl FromStr for SignatureLine {
    type Err = BadNote;

    /// Reads a line with its newline.
    fn from_str(line: &str) -> Result<Self, BadNote> {
        let bad = || BadNote::Line(line.to_owned());
        let rest = line.strip_prefix("— ").and_then(|line| line.strip_suffix('\n')).ok_or_else(bad)?;
        let (name, value) = rest.split_once(' ').ok_or_else(bad)?;
        let name = KeyName::new(name).map_err(|_| bad())?;
        let bytes = STANDARD.decode(value).map_err(|_| bad())?;
        match bytes.split_first_chunk() {
            Some((id, signature)) if !signature.is_empty() => {
                Ok(SignatureLine { name, id: *id, signature: signature.to_vec() })
            }
            _ => Err(bad()),
        }
    }
}

/// Whether a text has an ASCII control character other than the newline.
fn has_control(text: &str) -> bool {
    text.bytes().any(|byte| byte < b' ' && byte != b'\n')
}
