//! A promise that a player kept: the log will have the start of a game.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use estimation_engine::hex::Hex;
use estimation_record::verify::{SignatureLine, SignatureProblem, Trust};
use estimation_record::{LogPromise, RecordTime};
use estimation_tlog::{Checkpoint, Hash};
use serde::Deserialize;
use serde_json::Value;

use super::client::Client;
use super::entries::walk;
use super::outcome::{Findings, Problem};

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
        // The derived readers also take lists of the members.
        if !kept.get("signature").is_some_and(Value::is_object) {
            return Err(unreadable(&"not an object with a signature"));
        }
        let promise: Promise = serde_json::from_value(kept).map_err(|error| unreadable(&error))?;
        let Promise { origin, leaf, by, signature } = promise;
        let statement = LogPromise { origin: &origin, leaf, by }.statement().map_err(Problem::unchecked)?;
        let signature_problem = trust.problem(&statement, &signature);
        Ok(KeptPromise { game, origin, leaf, by, kid: signature.kid, signature_problem })
    }

    /// Reads a promise, whose signature must be checked.
    pub(super) fn signed(path: &Path, trust: &Trust) -> Result<KeptPromise, Problem> {
        let kept = KeptPromise::read(path, trust)?;
        if kept.require_signature(path, trust)? {
            return Ok(kept);
        }
        Err(Problem::unchecked(format_args!(
            "{}: the signature of the promise cannot be checked without keys",
            path.display()
        )))
    }

    /// Holds the promise against a log that was read, whose checkpoint was cosigned at a time.
    pub(super) fn is_kept_by(
        &self,
        path: &Path,
        (origin, cosigned_at): (&str, Option<RecordTime>),
        has: impl FnOnce(Hash) -> bool,
    ) -> Result<(), Problem> {
        let unchecked = |detail: &str| Problem::unchecked(format_args!("{}: {detail}", path.display()));
        if self.origin != origin {
            return Err(unchecked("the promise is of another log"));
        }
        if has(Hash(self.leaf.0)) {
            return Ok(());
        }
        match cosigned_at {
            Some(at) if at > self.by => Err(Problem::tampered(format_args!(
                "{}: the start was promised by {}, and the checkpoint of {at} lacks it",
                path.display(),
                self.by
            ))),
            _ => Err(unchecked("the log lacks the start, and its checkpoint is not later than was promised")),
        }
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

/// Holds promises against the entries of a log, whose checkpoint was cosigned at a time.
pub(super) fn check_promises(
    client: &Client,
    shown: &Checkpoint,
    cosigned_at: Option<RecordTime>,
    (paths, trust): (&[PathBuf], &Trust),
    findings: &mut Findings,
) -> Result<(), Problem> {
    let kept = paths.iter().map(|path| (path, KeptPromise::signed(path, trust)));
    let kept: Vec<_> = kept.filter_map(|(path, kept)| Some((path, findings.keep(kept)?))).collect();
    if kept.is_empty() {
        return Ok(());
    }
    let wanted: BTreeSet<[u8; 32]> = kept.iter().map(|(_, kept)| kept.leaf.0).collect();
    let mut found = BTreeSet::new();
    walk(client, 0, shown, |_, leaf, _| found.extend(wanted.get(&leaf.0).copied()))?;
    for (path, kept) in kept {
        let is_kept =
            kept.is_kept_by(path, (shown.origin.as_str(), cosigned_at), |leaf| found.contains(&leaf.0));
        findings.keep(is_kept);
    }
    Ok(())
}
