//! Offline proofs that a log has an entry (`c2sp.org/tlog-proof@v1`).

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use thiserror::Error;

use super::checkpoint::{self, BadCheckpoint, Checkpoint};
use super::decimal::decimal;
use super::hash::Hash;
use super::key::VerifierKey;
use super::note::Note;
use super::proof::{BadProof, verify_inclusion};

const FIRST_LINE: &str = "c2sp.org/tlog-proof@v1";
/// The maximum number of hashes of an inclusion proof.
const MAX_PROOF: usize = 64;
/// The maximum length of a file that is read, in bytes.
const MAX_FILE: usize = 256 << 10;

/// A proof that a log has an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofFile {
    /// Data of the application, which the proof does not authenticate.
    pub extra: Option<Vec<u8>>,
    /// The index of the entry, from 0.
    pub index: u64,
    /// The inclusion proof.
    pub proof: Vec<Hash>,
    /// The signed checkpoint.
    pub checkpoint: Note,
}

/// The text is not a proof, or the proof is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadProofFile {
    /// The text does not have the form of a proof.
    #[error("not a proof of the form {FIRST_LINE}")]
    Form,
    /// The checkpoint in it is malformed, or another log's.
    #[error(transparent)]
    Checkpoint(#[from] BadCheckpoint),
    /// The inclusion proof is wrong.
    #[error(transparent)]
    Proof(#[from] BadProof),
}

impl ProofFile {
    /// Verifies that the log has a leaf, and returns the checkpoint that proves it. Cosignatures are left to the
    /// caller, who finds them in [`ProofFile::checkpoint`].
    ///
    /// # Errors
    /// The checkpoint is not signed by the log, or the leaf is not in it.
    pub fn verify(&self, leaf: Hash, log: &VerifierKey) -> Result<Checkpoint, BadProofFile> {
        checkpoint::verify(&self.checkpoint, log)?;
        self.verify_unsigned(leaf)
    }

    /// Verifies that the checkpoint has a leaf, without its signatures. Witnesses verify the log's signature, so their
    /// cosignature can replace it.
    ///
    /// # Errors
    /// The note is no checkpoint, or the leaf is not in it.
    pub fn verify_unsigned(&self, leaf: Hash) -> Result<Checkpoint, BadProofFile> {
        let checkpoint: Checkpoint = self.checkpoint.text().parse()?;
        verify_inclusion(leaf, self.index, checkpoint.size, &self.proof, checkpoint.root)?;
        Ok(checkpoint)
    }
}

impl fmt::Display for ProofFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{FIRST_LINE}")?;
        if let Some(extra) = &self.extra {
            writeln!(f, "extra {}", STANDARD.encode(extra))?;
        }
        writeln!(f, "index {}", self.index)?;
        self.proof.iter().try_for_each(|hash| writeln!(f, "{hash}"))?;
        write!(f, "\n{}", self.checkpoint)
    }
}

impl FromStr for ProofFile {
    type Err = BadProofFile;

    fn from_str(text: &str) -> Result<Self, BadProofFile> {
        if text.len() > MAX_FILE {
            return Err(BadProofFile::Form);
        }
        let (head, checkpoint) = text.split_once("\n\n").ok_or(BadProofFile::Form)?;
        let mut lines = head.split('\n').peekable();
        if lines.next() != Some(FIRST_LINE) {
            return Err(BadProofFile::Form);
        }
        let extra = match lines.next_if(|line| line.starts_with("extra ")) {
            Some(line) => Some(STANDARD.decode(&line["extra ".len()..]).map_err(|_| BadProofFile::Form)?),
            None => None,
        };
        let index = lines.next().and_then(|line| line.strip_prefix("index ")).and_then(decimal);
        let index = index.ok_or(BadProofFile::Form)?;
        let proof: Vec<Hash> =
            lines.map(str::parse).collect::<Result<_, _>>().map_err(|_| BadProofFile::Form)?;
        if proof.len() > MAX_PROOF {
            return Err(BadProofFile::Form);
        }
        let checkpoint: Note = checkpoint.parse().map_err(BadCheckpoint::Note)?;
        Ok(ProofFile { extra, index, proof, checkpoint })
    }
}
