//! `estimation-audit verify`: verifies a bundle, or a history with its proofs, and what a player kept: proofs, a promise and
//! a head. Without network.

mod entry;
mod file;
mod kept;
mod keys;
mod prover;

use std::path::{Path, PathBuf};

use clap::Args;
use jiff::{SignedDuration, Timestamp};

use estimation_record::verify::{Proofs, Verdict};

use self::entry::Kind;
use self::file::VerifiedFile;
use self::keys::{LogKeys, RecordKeys, text};
use self::prover::{ProvenEntry, Prover};
use super::outcome::{Findings, Problem};
use super::signatures::{RecordKeyFlags, log_key, witness_key};
use estimation_tlog::VerifierKey;

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
        say_start_time(&proven, &mut findings);
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
        let followed = prover::follow(&proofs.origins, origin, start.as_ref(), prover, findings);
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

/// How long after a start a cosignature shows that the log had it then.
const TIMELY: SignedDuration = SignedDuration::from_mins(2);

/// Says when the log had the start of a game that started, by the earliest of the checkpoints that have it and are cosigned.
fn say_start_time(proven: &[ProvenEntry], findings: &mut Findings) {
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

/// What to verify, and what to demand.
#[derive(Args, Clone, Debug)]
pub struct VerifyFlags {
    /// The bundle of a game, from `GET /v1/games/{id}/bundle`; or its history, with `--proof`.
    file: PathBuf,

    /// A proof that the log has the start or the end of the game, from `GET /v1/games/{id}/proof`: beside a bundle one that was
    /// kept, beside a history those of start and end. May be given more than once.
    #[arg(long, value_name = "FILE")]
    proof: Vec<PathBuf>,

    /// A promise that a player kept: a view of the game, or its member `log`. Needs a proof of the start.
    #[arg(long, value_name = "FILE")]
    promise: Vec<PathBuf>,

    /// A kept head: a number and a hash, as in `41-9f3c2a71b0d4e655`, of at least 16 digits. The history must
    /// have this event. May be given more than once.
    #[arg(long, value_name = "HEAD", value_parser = head)]
    head: Vec<Head>,

    /// The verifier key of a log, in place of the one in the bundle. May be given more than once, for logs with other names.
    #[arg(long, value_name = "VKEY", value_parser = log_key)]
    log_key: Vec<VerifierKey>,

    /// The verifier key of a witness that must have cosigned the checkpoint with the end. May be given more than once.
    #[arg(long, value_name = "VKEY", value_parser = witness_key)]
    witness: Vec<VerifierKey>,

    #[command(flatten)]
    record_keys: RecordKeyFlags,
}

/// A known event: its number, and the first digits of its hash.
#[derive(Clone, Debug)]
struct Head {
    seq: u64,
    digits: String,
}

fn head(text: &str) -> Result<Head, &'static str> {
    let wrong = "a number, a hyphen, and 16 to 64 hexadecimal digits";
    let (seq, digits) = text.split_once('-').ok_or(wrong)?;
    let fits = (16..=64).contains(&digits.len())
        && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let fits = fits && seq.bytes().all(|byte| byte.is_ascii_digit());
    let seq = seq.parse().ok().filter(|_| fits).ok_or(wrong)?;
    Ok(Head { seq, digits: digits.to_owned() })
}
