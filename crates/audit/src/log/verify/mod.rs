//! `estimation-audit verify`: verifies a bundle, or a history with its proofs, and what a player kept: proofs, a promise and
//! a head. Without network.

mod entry;
mod file;
mod flags;
mod kept;
mod log_keys;
mod origins;
mod prover;
mod record_keys;
mod start_time;

use std::path::Path;

use estimation_record::verify::{Proofs, Verdict};

use self::entry::Kind;
use self::file::VerifiedFile;
pub use self::flags::VerifyFlags;
use self::log_keys::LogKeys;
use self::prover::{ProvenEntry, Prover};
use self::record_keys::{RecordKeys, text};
use super::outcome::{Findings, Problem};

pub(super) fn verify(flags: &VerifyFlags) -> Result<Findings, Problem> {
    let mut findings = Findings::default();
    let VerifiedFile { verdict, hashes, proofs } = file::read_file(&flags.file, &flags.head, &mut findings)?;
    let keys = RecordKeys::of(flags, proofs.as_ref(), &mut findings);
    keys.check_end(&verdict, &mut findings);
    kept::check_heads(&flags.head, &hashes, &mut findings);
    let of_file = proofs.as_ref().map_or(&[][..], |proofs| &proofs.log_keys);
    let mut prover = Prover::new(&verdict, LogKeys::new(flags, of_file));
    let mut proven = Vec::new();
    if let Some(proofs) = &proofs {
        proven = of_bundle(proofs, &verdict, &mut prover, &mut findings);
    } else if flags.proof.is_empty() {
        findings.problems.push(Problem::unchecked("the file has no proofs, and no --proof was given"));
    }
    for path in &flags.proof {
        let kept = kept_proof(path, proofs.is_some(), &mut prover, &mut findings);
        proven.extend(findings.keep(kept.map_err(|problem| problem.of(&path.display()))));
    }
    if verdict.started.is_some() {
        start_time::say(&proven, &mut findings);
    }
    for path in &flags.promise {
        let start = proven.iter().find(|entry| entry.kind == Kind::Start);
        let checked = kept::check_promise(path, &keys, &verdict, start, &mut findings);
        findings.keep(checked);
    }
    Ok(findings)
}

/// Verifies the proofs of a bundle.
fn of_bundle(
    proofs: &Proofs,
    verdict: &Verdict,
    prover: &mut Prover<'_>,
    findings: &mut Findings,
) -> Vec<ProvenEntry> {
    if proofs.start.is_some() != verdict.started.is_some() {
        let detail =
            "the proofs are not those of this game: it has a start, or its proof is there, and not both";
        findings.problems.push(Problem::unchecked(detail));
        return Vec::new();
    }
    let end = of_kind(&proofs.end, Kind::End, prover, findings);
    let start = proofs.start.as_ref().and_then(|text| of_kind(text, Kind::Start, prover, findings));
    let end = end.map(|mut end| {
        let authenticated = prover.authenticate_own(&end.checkpoint, &end.note, findings);
        if findings.keep(authenticated).is_some() {
            let without = prover.check_cosignatures(&mut end, findings);
            let without = findings.keep(without).unwrap_or_default();
            findings.problems.extend(without.iter().map(Problem::uncosigned));
        }
        end
    });
    let start = start.map(|mut start| {
        let is_former = end.as_ref().is_some_and(|end| end.checkpoint.origin != start.checkpoint.origin);
        let authenticated = match is_former {
            true => prover.authenticate(&start.checkpoint, &start.note, true, findings).map(drop),
            false => prover.authenticate_own(&start.checkpoint, &start.note, findings),
        };
        if findings.keep(authenticated).is_some() {
            let without = prover.check_cosignatures(&mut start, findings);
            findings.keep(without);
        }
        start
    });
    if let Some(end) = &end
        && start.is_some() == proofs.start.is_some()
    {
        let origin = &end.checkpoint.origin;
        let followed = origins::follow(&proofs.origins, origin, start.as_ref(), prover, findings);
        findings.keep(followed);
    }
    end.into_iter().chain(start).collect()
}

/// Verifies that a checkpoint has the start or the end of the game.
fn of_kind(text: &str, kind: Kind, prover: &Prover<'_>, findings: &mut Findings) -> Option<ProvenEntry> {
    let what = kind.as_str();
    let proven = prover.prove(text, findings).and_then(|entry| match entry.kind == kind {
        true => Ok(entry),
        false => Err(Problem::tampered(format_args!("it is of the {} of the game", entry.kind.as_str()))),
    });
    findings.keep(proven.map_err(|problem| problem.of(&format_args!("the proof of the {what}"))))
}

/// Verifies a proof of `--proof`. Without a bundle, each pinned witness must have cosigned it.
fn kept_proof(
    path: &Path,
    is_beside_bundle: bool,
    prover: &mut Prover<'_>,
    findings: &mut Findings,
) -> Result<ProvenEntry, Problem> {
    let mut proven = prover.prove(&text(path)?, findings)?;
    prover.authenticate(&proven.checkpoint, &proven.note, false, findings)?;
    let without = prover.check_cosignatures(&mut proven, findings)?;
    match without.first().filter(|_| !is_beside_bundle) {
        Some(witness) => Err(Problem::unchecked(format_args!("{witness} has not signed the note"))),
        None => Ok(proven),
    }
}
