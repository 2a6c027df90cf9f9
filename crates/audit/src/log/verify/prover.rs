//! Verifies one proof after another against the history, their checkpoints against each other, and the way from the log of the
//! end of a game back to a former log, which has its start.

use estimation_record::RecordTime;
use estimation_record::verify::Verdict;
use estimation_tlog::{Checkpoint, Hash, KeyName, Note, ProofFile};
use jiff::{SignedDuration, Timestamp};

use super::entry::{self, Entry, Kind};
use super::keys::{LogKeys, Signer};
use crate::log::outcome::{Findings, Problem};
use crate::log::signatures::cosigned_at;

/// How long after the checkpoint that has it an entry may be, for clocks that differ.
const MAX_AFTER: SignedDuration = SignedDuration::from_secs(60);

/// An entry of the game that a checkpoint has.
pub(super) struct ProvenEntry {
    pub(super) leaf: Hash,
    pub(super) kind: Kind,
    pub(super) at: RecordTime,
    pub(super) checkpoint: Checkpoint,
    pub(super) note: Note,
    /// The newest cosignature of the pinned witnesses, once it was checked.
    pub(super) cosigned: Option<Timestamp>,
}

/// Verifies proofs.
pub(super) struct Prover<'a> {
    verdict: &'a Verdict,
    keys: LogKeys<'a>,
    /// The checkpoints that were authenticated.
    seen: Vec<Checkpoint>,
}

impl<'a> Prover<'a> {
    pub(super) fn new(verdict: &'a Verdict, keys: LogKeys<'a>) -> Prover<'a> {
        Prover { verdict, keys, seen: Vec::new() }
    }

    /// Verifies that a checkpoint has an entry of the game. Its signatures are left.
    pub(super) fn prove(&self, text: &str, findings: &mut Findings) -> Result<ProvenEntry, Problem> {
        let file = parsed(text)?;
        let Entry { leaf, at, kind } = entry::of_game(&file, self.verdict, findings)?;
        let checkpoint = file.verify_unsigned(leaf).map_err(Problem::tampered)?;
        findings.say_once(format_args!(
            "{}: entry {} of {}, root {}",
            checkpoint.origin, file.index, checkpoint.size, checkpoint.root
        ));
        Ok(ProvenEntry { leaf, kind, at, checkpoint, note: file.checkpoint, cosigned: None })
    }

    /// Verifies the signature of a checkpoint, and that it does not contradict another one. `is_named` if a later log
    /// begins with it.
    pub(super) fn authenticate(
        &mut self,
        checkpoint: &Checkpoint,
        note: &Note,
        is_named: bool,
        findings: &mut Findings,
    ) -> Result<Signer, Problem> {
        let signer = match is_named {
            true => self.keys.former_signer(checkpoint, note)?,
            false => self.keys.signer(checkpoint, note)?,
        };
        let Checkpoint { origin, size, root } = checkpoint;
        let is_fork = |seen: &&Checkpoint| seen.origin == *origin && seen.size == *size && seen.root != *root;
        if let Some(other) = self.seen.iter().find(is_fork) {
            return Err(Problem::tampered(format_args!(
                "the log forked: {origin} has two roots for {size} entries, {} and {root}",
                other.root
            )));
        }
        self.seen.push(checkpoint.clone());
        match &signer {
            Signer::File(key) => {
                findings.say_once(format_args!("a key of the file was used: the log key {key}"));
            }
            Signer::Witness => findings.say_once(
                "the log's own signature was not checked, only that of the witnesses: no --log-key",
            ),
            Signer::LaterLog => findings.say_once(format_args!(
                "the signature of {origin} was not checked: its key is not known, and the next log continues it"
            )),
            Signer::Pinned => {}
        }
        Ok(signer)
    }

    /// Verifies the signature of a checkpoint of the log of the end. The result relies on the file if only a key of it
    /// does, unless the checkpoint was authenticated before.
    pub(super) fn authenticate_own(
        &mut self,
        checkpoint: &Checkpoint,
        note: &Note,
        findings: &mut Findings,
    ) -> Result<(), Problem> {
        let is_known = self.seen.contains(checkpoint);
        if let Signer::File(_) = self.authenticate(checkpoint, note, false, findings)?
            && !is_known
        {
            findings.rely_on_file();
        }
        Ok(())
    }

    /// Verifies the cosignatures of the pinned witnesses, and compares the time of the entry with them. Returns the witnesses
    /// that did not cosign.
    pub(super) fn check_cosignatures(
        &self,
        proven: &mut ProvenEntry,
        findings: &mut Findings,
    ) -> Result<Vec<KeyName>, Problem> {
        self.keys.refuse_wrong_cosignatures(&proven.note)?;
        let (with, without): (Vec<_>, Vec<_>) =
            self.keys.witnesses().cloned().partition(|witness| proven.note.verify(witness).is_ok());
        proven.cosigned = cosigned_at(&proven.note, &with, findings);
        let ProvenEntry { at, kind, .. } = *proven;
        if let Some(cosigned) = proven.cosigned
            && at.timestamp().duration_since(cosigned) > MAX_AFTER
        {
            let what = kind.as_str();
            return Err(Problem::tampered(format_args!(
                "the entry of the {what} is of {at}, later than the checkpoint that has it, which is of {cosigned}"
            )));
        }
        Ok(without.iter().map(|witness| witness.name().clone()).collect())
    }

    /// Verifies the proof of the first entry of a log. Returns its checkpoint, and the last one of the log before it.
    pub(super) fn prove_origin(
        &mut self,
        text: &str,
        log: &KeyName,
        named: Option<&Checkpoint>,
        findings: &mut Findings,
    ) -> Result<Checkpoint, Problem> {
        let file = parsed(text)?;
        let (leaf, continued) = entry::origin(&file)?;
        let checkpoint = file.verify_unsigned(leaf).map_err(Problem::tampered)?;
        if checkpoint.origin != *log || file.index != 0 {
            let (index, Checkpoint { origin, .. }) = (file.index, checkpoint);
            return Err(Problem::unchecked(format_args!(
                "the origins lead to the first entry of {log}, and the next one is entry {index} of {origin}"
            )));
        }
        match named {
            Some(named) => {
                check_named(&checkpoint, named)?;
                self.authenticate(&checkpoint, &file.checkpoint, true, findings)?;
            }
            // The first one is in the log of the end.
            None => self.authenticate_own(&checkpoint, &file.checkpoint, findings)?,
        }
        self.keys.refuse_wrong_cosignatures(&file.checkpoint)?;
        let former = checkpoint_of(&continued)?;
        findings.say(format_args!("{log} continues {} entries of {}", former.size, former.origin));
        Ok(former)
    }
}

fn parsed(text: &str) -> Result<ProofFile, Problem> {
    text.parse().map_err(Problem::unchecked)
}

/// The checkpoint in the first entry of a log.
fn checkpoint_of(note: &str) -> Result<Checkpoint, Problem> {
    let unnamed = |error: &dyn std::fmt::Display| {
        Problem::unchecked(format_args!(
            "the first entry of a log names no checkpoint of the one before it: {error}"
        ))
    };
    let note: Note = note.parse().map_err(|error| unnamed(&error))?;
    note.text().parse().map_err(|error| unnamed(&error))
}

/// Checks that a log has the size and the root that the log after it names.
pub(super) fn check_named(checkpoint: &Checkpoint, named: &Checkpoint) -> Result<(), Problem> {
    if checkpoint == named {
        return Ok(());
    }
    let Checkpoint { origin, size, root } = named;
    Err(Problem::tampered(format_args!(
        "the next log continues {size} entries of {origin} with the root {root}, and the proof is in {} with the root {}",
        checkpoint.size, checkpoint.root
    )))
}

/// Follows the first entries of logs, each of which names the last checkpoint of the log before it, from the log of the end to
/// the checkpoint with the start. Without a start there are none.
pub(super) fn follow(
    origins: &[String],
    end: &KeyName,
    start: Option<&ProvenEntry>,
    prover: &mut Prover<'_>,
    findings: &mut Findings,
) -> Result<(), Problem> {
    let wanted = start.map_or(end, |start| &start.checkpoint.origin);
    let mut log = end.clone();
    let mut named: Option<Checkpoint> = None;
    for text in origins {
        if log == *wanted {
            return Err(Problem::unchecked(format_args!("the origins lead beyond {wanted}")));
        }
        let former = prover.prove_origin(text, &log, named.as_ref(), findings)?;
        log = former.origin.clone();
        named = Some(former);
    }
    if log != *wanted {
        return Err(Problem::unchecked(format_args!(
            "the origins lead to {log}, and the start is in {wanted}"
        )));
    }
    match (&named, start) {
        (Some(named), Some(start)) => check_named(&start.checkpoint, named),
        _ => Ok(()),
    }
}
