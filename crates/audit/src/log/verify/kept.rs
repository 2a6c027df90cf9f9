//! What a player kept of a game: heads and promises.

use std::collections::HashMap;
use std::path::Path;

use estimation_record::verify::Verdict;

use super::Head;
use super::keys::RecordKeys;
use super::prover::ProvenEntry;
use crate::log::outcome::{Findings, Problem};
use crate::log::promise::KeptPromise;

/// Compares a history with kept heads, by the hashes of its events.
pub(super) fn check_heads(heads: &[Head], hashes: &HashMap<u64, String>, findings: &mut Findings) {
    for Head { seq, digits } in heads {
        match hashes.get(seq) {
            Some(hash) if hash.starts_with(digits) => {
                findings.say(format_args!("event {seq} is the one that was kept"))
            }
            _ => findings.problems.push(Problem::tampered(format_args!(
                "the history does not have event {seq} with the hash {digits}, which was kept"
            ))),
        }
    }
}

/// Verifies a promise that a player kept: its signature, and that the start of the history is what it promised.
pub(super) fn check_promise(
    path: &Path,
    keys: &RecordKeys,
    verdict: &Verdict,
    start: Option<&ProvenEntry>,
    findings: &mut Findings,
) -> Result<(), Problem> {
    let unreadable =
        |detail: &dyn std::fmt::Display| Problem::unchecked(format_args!("{}: {detail}", path.display()));
    let kept = KeptPromise::read(path, &keys.trust)?;
    if kept.game.as_ref().is_some_and(|of| *of != verdict.game.to_string()) {
        return Err(unreadable(&"a view of another game"));
    }
    let is_signed = kept.require_signature(path, &keys.trust)?;
    if is_signed {
        keys.say_used(&kept.kid, findings);
    } else {
        findings.say("the signature of the promise was not checked: neither --jwks nor --key");
    }
    let KeptPromise { origin, leaf, by, .. } = kept;
    let Some(start) = start else {
        return Err(unreadable(&"it can be checked only with the proof of the start"));
    };
    if start.leaf.0 != leaf.0 {
        let detail = "the log has another start of the game than was promised";
        // Anybody could have made a promise whose signature was not checked.
        return Err(if is_signed { Problem::tampered(detail) } else { unreadable(&detail) });
    }
    if start.checkpoint.origin.as_str() != origin {
        let log = &start.checkpoint.origin;
        findings.say(format_args!("the start was promised for {origin}, and {log} has it"));
    }
    findings.say(format_args!("the log has the start that was promised, by {by}"));
    Ok(())
}
