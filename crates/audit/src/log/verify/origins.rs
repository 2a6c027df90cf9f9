//! The way from the log of the end of a game back to a former log, which has its start.

use estimation_tlog::{Checkpoint, KeyName};

use super::prover::{ProvenEntry, Prover, check_named};
use crate::log::outcome::{Findings, Problem};

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
