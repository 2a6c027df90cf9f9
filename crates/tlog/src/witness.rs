//! The protocol between logs and witnesses (`c2sp.org/tlog-witness`), without the connection.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::decimal::decimal;
use super::hash::Hash;
use super::key::VerifierKey;
use super::note::{Note, SignatureLine};

/// The path of the request below the witness's URL.
pub const ADD_CHECKPOINT: &str = "add-checkpoint";
/// The content type of a 409.
pub const SIZE_TYPE: &str = "text/x.tlog.size";
/// The maximum number of hashes in a request.
const MAX_PROOF: usize = 63;

/// The body of `POST /add-checkpoint`. As text: the old size, the proof, an empty line, the checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddCheckpoint {
    /// The size of the latest checkpoint that the witness cosigned; 0 if there is none.
    pub old: u64,
    /// The consistency proof from the old size to the checkpoint; empty for old size 0.
    pub proof: Vec<Hash>,
    /// The checkpoint, signed by the log.
    pub checkpoint: Note,
}

/// The text is not the body of a request.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("not a request to add a checkpoint")]
pub struct BadRequest;

/// The answer of a witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// 200: the witness cosigned the checkpoint at a time, in seconds since 1970.
    Cosigned {
        /// The verified signature line.
        line: SignatureLine,
        /// The time of the cosignature.
        time: u64,
    },
    /// 409: the latest checkpoint that the witness cosigned has this size. Send a proof from there; if it is
    /// larger than the log, the log must not sign.
    Conflict {
        /// The size that the witness knows.
        size: u64,
    },
    /// 403: the witness does not accept the log's signature.
    Forbidden,
    /// 404: the witness does not know the log's origin.
    UnknownLog,
    /// 422: the consistency proof does not verify: the witness saw another history.
    Inconsistent,
    /// Another status, or an answer that does not verify. Nothing follows from it.
    Unusable(String),
}

impl Answer {
    /// Reads an answer to a request for a checkpoint's text.
    pub fn read(status: u16, content_type: &str, body: &str, text: &str, witness: &VerifierKey) -> Answer {
        match status {
            200 => cosigned(body, text, witness),
            403 => Answer::Forbidden,
            404 => Answer::UnknownLog,
            409 if content_type.split(';').next().is_some_and(|kind| kind.trim() == SIZE_TYPE) => {
                match body.strip_suffix('\n').and_then(decimal) {
                    Some(size) => Answer::Conflict { size },
                    None => Answer::Unusable("the answer 409 has no size".to_owned()),
                }
            }
            409 => Answer::Unusable(format!("the answer 409 is not of the type {SIZE_TYPE}")),
            422 => Answer::Inconsistent,
            other => Answer::Unusable(format!("the status {other}")),
        }
    }
}

/// Finds the witness's signature among the lines of an answer. Lines of other keys are ignored.
fn cosigned(body: &str, text: &str, witness: &VerifierKey) -> Answer {
    let mut found = None;
    for line in body.split_inclusive('\n') {
        let line: SignatureLine = match line.parse() {
            Ok(line) => line,
            Err(error) => return Answer::Unusable(format!("{error}")),
        };
        if !line.is_of(witness) {
            continue;
        }
        match line.verify(witness, text).map(|verified| verified.time) {
            Ok(Some(time)) if time > 0 => found = Some(Answer::Cosigned { line, time }),
            Ok(_) => return Answer::Unusable("the cosignature has no time".to_owned()),
            Err(error) => return Answer::Unusable(format!("{error}")),
        }
    }
    found.unwrap_or_else(|| Answer::Unusable(format!("no cosignature of {}", witness.name())))
}

impl fmt::Display for AddCheckpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "old {}", self.old)?;
        self.proof.iter().try_for_each(|hash| writeln!(f, "{hash}"))?;
        write!(f, "\n{}", self.checkpoint)
    }
}

impl FromStr for AddCheckpoint {
    type Err = BadRequest;

    fn from_str(text: &str) -> Result<Self, BadRequest> {
        let (head, checkpoint) = text.split_once("\n\n").ok_or(BadRequest)?;
        let mut lines = head.split('\n');
        let old =
            lines.next().and_then(|line| line.strip_prefix("old ")).and_then(decimal).ok_or(BadRequest)?;
        let proof: Vec<Hash> = lines.map(str::parse).collect::<Result<_, _>>().map_err(|_| BadRequest)?;
        let checkpoint = checkpoint.parse().map_err(|_| BadRequest)?;
        if proof.len() > MAX_PROOF { Err(BadRequest) } else { Ok(AddCheckpoint { old, proof, checkpoint }) }
    }
}
