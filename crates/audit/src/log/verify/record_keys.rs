//! The record keys: those that the caller pinned, else those in the bundle.

use std::fs;
use std::path::Path;

use estimation_record::verify::{Proofs, Trust, Verdict};

use super::flags::VerifyFlags;
use crate::log::outcome::{Findings, Problem};

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
