//! Whose signature authenticates the checkpoint of a log: that of the log, by a pinned key or one of the bundle, or of a pinned
//! witness.

use estimation_tlog::note::BadNote;
use estimation_tlog::{Checkpoint, Note, VerifierKey};

use super::flags::VerifyFlags;
use crate::log::outcome::Problem;
use crate::log::signatures::log_key;

/// The keys of logs and witnesses.
pub(super) struct LogKeys<'f> {
    pinned: &'f [VerifierKey],
    witnesses: &'f [VerifierKey],
    /// Those of logs in the bundle.
    of_file: Vec<VerifierKey>,
}

/// Whose signature authenticates a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Signer {
    /// The log, by a pinned key.
    Pinned,
    /// A pinned witness, who has verified the log's signature.
    Witness,
    /// The log, by this key of the bundle.
    File(Box<VerifierKey>),
    /// A later log, which begins with the checkpoint. No key of the log is known.
    LaterLog,
}

impl<'f> LogKeys<'f> {
    /// The keys of the flags, and those of a bundle. What is no key of a log is left out.
    pub(super) fn new(flags: &'f VerifyFlags, of_file: &[String]) -> LogKeys<'f> {
        let of_file = of_file.iter().filter_map(|key| log_key(key).ok()).collect();
        LogKeys { pinned: &flags.log_key, witnesses: &flags.witness, of_file }
    }

    /// The keys of the pinned witnesses.
    pub(super) fn witnesses(&self) -> impl Iterator<Item = &VerifierKey> {
        self.witnesses.iter()
    }

    /// Verifies the signature that authenticates a checkpoint. The cosignature of a pinned witness replaces the log's
    /// signature if no key of the log is pinned.
    pub(super) fn signer(&self, checkpoint: &Checkpoint, note: &Note) -> Result<Signer, Problem> {
        if let Some(key) = named(self.pinned, checkpoint, note) {
            return signed(note, key).map(|()| Signer::Pinned);
        }
        if self.witnesses.iter().any(|witness| note.verify(witness).is_ok()) {
            return Ok(Signer::Witness);
        }
        if let Some(key) = named(&self.of_file, checkpoint, note) {
            return signed(note, key).map(|()| Signer::File(Box::new(key.clone())));
        }
        let origin = &checkpoint.origin;
        Err(match (self.pinned.first(), self.witnesses.first()) {
            (Some(key), _) => Problem::unchecked(format_args!(
                "the proof is not of the log with this key: it is of {origin}, not {}",
                key.name()
            )),
            (None, Some(witness)) => Problem::unchecked(format_args!(
                "{} has not signed the note, and no key of the log {origin} is known",
                witness.name()
            )),
            (None, None) => Problem::unchecked(format_args!("no key of the log {origin} is known")),
        })
    }

    /// Verifies the signature of a log whose checkpoint a later log names, if a key of it is known.
    pub(super) fn former_signer(&self, checkpoint: &Checkpoint, note: &Note) -> Result<Signer, Problem> {
        match (named(self.pinned, checkpoint, note), named(&self.of_file, checkpoint, note)) {
            (Some(key), _) => signed(note, key).map(|()| Signer::Pinned),
            (None, Some(key)) => signed(note, key).map(|()| Signer::File(Box::new(key.clone()))),
            (None, None) => Ok(Signer::LaterLog),
        }
    }

    /// Refuses a signature of a pinned witness that is there and not right.
    pub(super) fn refuse_wrong_cosignatures(&self, note: &Note) -> Result<(), Problem> {
        let is_wrong = |witness: &&VerifierKey| {
            note.signatures().iter().any(|line| line.is_of(witness)) && note.verify(witness).is_err()
        };
        match self.witnesses.iter().find(is_wrong) {
            Some(witness) => {
                Err(Problem::tampered(format_args!("the cosignature of {} is wrong", witness.name())))
            }
            None => Ok(()),
        }
    }
}

/// The key with the name of a checkpoint's log; of several the one that signed.
fn named<'k>(keys: &'k [VerifierKey], checkpoint: &Checkpoint, note: &Note) -> Option<&'k VerifierKey> {
    let mut named = keys.iter().filter(|key| *key.name() == checkpoint.origin);
    let first = named.clone().next();
    named.find(|key| note.signatures().iter().any(|line| line.is_of(key))).or(first)
}

fn signed(note: &Note, key: &VerifierKey) -> Result<(), Problem> {
    match note.verify(key) {
        Ok(_) => Ok(()),
        // Another log may have this name.
        Err(error @ BadNote::Unsigned(_)) => {
            Err(Problem::unchecked(format_args!("the proof is not of the log with this key: {error}")))
        }
        Err(error) => Err(Problem::tampered(error)),
    }
}
