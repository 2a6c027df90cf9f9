//! When the log had the start of a game. Only the cosignatures of pinned witnesses show it.

use jiff::{SignedDuration, Timestamp};

use super::entry::Kind;
use super::prover::ProvenEntry;
use crate::log::outcome::Findings;

/// How long after a start a cosignature shows that the log had it then.
const TIMELY: SignedDuration = SignedDuration::from_mins(2);

/// Says when the log had the start of a game that started, by the earliest of the checkpoints that have it and are cosigned.
pub(super) fn say(proven: &[ProvenEntry], findings: &mut Findings) {
    let starts = || proven.iter().filter(|entry| entry.kind == Kind::Start);
    let Some(at) = starts().map(|start| start.at).next() else {
        findings.say("the start in the log was not checked: no proof of it was given");
        return;
    };
    let cosigned: Option<Timestamp> = starts().filter_map(|start| start.cosigned).min();
    match cosigned {
        Some(cosigned) if cosigned.duration_since(at.timestamp()) <= TIMELY => {
            findings.say(format_args!("the log had the start by {cosigned}, as witnesses say"));
        }
        _ => findings.say(
            "when the log had the start is the service's word: no early cosignature of a pinned witness",
        ),
    }
}
