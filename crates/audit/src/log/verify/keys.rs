//! Whose signature authenticates the checkpoint of a log: that of the log, by a pinned key or one of the bundle, or of a pinned
//! witness. And the record keys: those that the caller pinned, else those in the bundle.

use std::fs;
use std::path::Path;

use estimation_tlog::note::BadNote;
use estimation_tlog::{Checkpoint, Note, VerifierKey};

use super::VerifyFlags;
use crate::log::outcome::{Findings, Problem};
use crate::log::signatures::log_key;
use estimation_record::verify::{Proofs, Trust, Verdict};

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

/// The record keys that verify the end of a game and promises.
pub(super) struct RecordKeys {
    /// Without any key, signatures are not checked.
    pub(super) trust: Trust,
    /// Whether they came with the file.
    are_of_file: bool,
}

impl RecordKeys {
    /// The keys of `--jwks` and `--key`, else those of a bundle. A history alone has none. Signatures are not checked if they
    /// cannot be read.
    pub(super) fn of(flags: &VerifyFlags, proofs: Option<&Proofs>, findings: &mut Findings) -> RecordKeys {
        let Some(mut trust) = findings.keep(flags.record_keys.trust()) else {
            let mut trust = Trust::default();
            trust.unsigned = true;
            return RecordKeys { trust, are_of_file: false };
        };
        let is_pinned = !trust.unsigned;
        if let Some(proofs) = proofs.filter(|_| !is_pinned) {
            findings.rely_on_file();
            let added = serde_json::to_string(&proofs.jwks)
                .map_err(Problem::unchecked)
                .and_then(|jwks| trust.add_jwks(&jwks).map_err(Problem::unchecked));
            let added = added.map_err(|problem| problem.of(&"the record keys of the file"));
            trust.unsigned = findings.keep(added).is_none();
        } else if !is_pinned {
            findings.say("the signature of the history was not checked: neither --jwks nor --key");
            trust.unsigned = true;
        }
        RecordKeys { trust, are_of_file: !is_pinned && proofs.is_some() }
    }

    /// Verifies the signature over the end of a game.
    pub(super) fn check_end(&self, verdict: &Verdict, findings: &mut Findings) {
        match (verdict.signature_problem(&self.trust), &verdict.signature) {
            (Some(problem), _) if problem.is_inconclusive => {
                findings.problems.push(Problem::unchecked(problem.detail));
            }
            (Some(problem), _) => findings.problems.push(Problem::tampered(problem.detail)),
            (None, Some(signature)) => self.say_used(&signature.kid, findings),
            (None, None) => {}
        }
    }

    /// Says that a key verified a signature, if it came with the file.
    pub(super) fn say_used(&self, kid: &str, findings: &mut Findings) {
        if self.are_of_file && !self.trust.unsigned {
            findings.say_once(format_args!("a key of the file was used: the record key {kid}"));
        }
    }
}

/// The text of a file that the caller named.
pub(super) fn text(path: &Path) -> Result<String, Problem> {
    fs::read_to_string(path).map_err(|error| Problem::unchecked(format_args!("{}: {error}", path.display())))
}
