//! A promise that a player kept: the log will have the start of a game.

use std::fs;
use std::path::Path;

use estimation_engine::hex::Hex;
use estimation_record::verify::{SignatureLine, SignatureProblem, Trust};
use estimation_record::{LogPromise, RecordTime};
use serde::Deserialize;
use serde_json::Value;

use super::outcome::Problem;

/// A promise, as views have it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Promise {
    origin: String,
    leaf: Hex<32>,
    by: RecordTime,
    signature: SignatureLine,
}

/// A promise from a file.
pub(crate) struct KeptPromise {
    /// The game, if the file is a whole view.
    pub(super) game: Option<String>,
    pub(super) origin: String,
    pub(super) leaf: Hex<32>,
    pub(super) by: RecordTime,
    /// The record key that signed it.
    pub(super) kid: String,
    /// What is wrong with its signature; nothing without keys.
    pub(super) signature_problem: Option<SignatureProblem>,
}

impl KeptPromise {
    /// Reads a view of a game, or its member `log`.
    pub(crate) fn read(path: &Path, trust: &Trust) -> Result<KeptPromise, Problem> {
        let unreadable = |detail: &dyn std::fmt::Display| {
            Problem::unchecked(format_args!("{}: no promise: {detail}", path.display()))
        };
        let text = fs::read_to_string(path).map_err(|error| unreadable(&error))?;
        let kept: Value = serde_json::from_str(&text).map_err(|error| unreadable(&error))?;
        let game = kept.get("id").and_then(Value::as_str).map(str::to_owned);
        let kept = kept.get("log").cloned().unwrap_or(kept);
        let promise: Promise = serde_json::from_value(kept).map_err(|error| unreadable(&error))?;
        let Promise { origin, leaf, by, signature } = promise;
        let statement = LogPromise { origin: &origin, leaf, by }.statement().map_err(Problem::unchecked)?;
        let signature_problem = trust.problem(&statement, &signature);
        Ok(KeptPromise { game, origin, leaf, by, kid: signature.kid, signature_problem })
    }

    /// Refuses a promise that no known key signed. Without keys nothing is known: returns false then.
    pub(super) fn require_signature(&self, path: &Path, trust: &Trust) -> Result<bool, Problem> {
        match &self.signature_problem {
            _ if trust.unsigned => Ok(false),
            None => Ok(true),
            Some(problem) => Err(Problem::unchecked(format_args!(
                "{}: not a promise of this service: {}",
                path.display(),
                problem.detail
            ))),
        }
    }
}
