//! `estimation-audit verify`: verifies a history and the proof that the log has its end, without network.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use clap::Args;
use estimation_record::verify::{Audit, Trust, Verdict, read};
use estimation_record::{LogEntry, Opening, RecordTime, canonical_json};
use estimation_tlog::checkpoint::BadCheckpoint;
use estimation_tlog::note::BadNote;
use estimation_tlog::{BadProofFile, Checkpoint, Hash, ProofFile, VerifierKey};
use jiff::SignedDuration;

use super::outcome::{Findings, Problem};
use super::signatures::{cosigned_at, log_key, witness_key};

/// How long after the checkpoint that has it an entry may be, for clocks that differ.
const MAX_AFTER: SignedDuration = SignedDuration::from_secs(60);

/// What to verify, and what to demand.
#[derive(Args, Clone, Debug)]
pub struct ProofFlags {
    /// The history of a game that is over.
    history: PathBuf,

    /// The proof that the log has the end of the game, from `GET /v1/games/{id}/proof`.
    #[arg(long, value_name = "FILE")]
    proof: PathBuf,

    /// The log's verifier key. May be missing if a witness is given, which has verified the log's signature.
    #[arg(long, value_name = "VKEY", value_parser = log_key, required_unless_present = "witness")]
    log_key: Option<VerifierKey>,

    /// The verifier key of a witness that must have cosigned the checkpoint. May be given more than once.
    #[arg(long, value_name = "VKEY", value_parser = witness_key)]
    witness: Vec<VerifierKey>,

    /// The service's JWK set with the record keys, to check the signature of the history as well.
    #[arg(long, env = "ESTIMATION_AUDIT_JWKS")]
    jwks: Option<PathBuf>,

    /// A record key as 64 hexadecimal digits, instead of `--jwks`. May be given more than once.
    #[arg(long)]
    key: Vec<String>,
}

pub(super) fn verify(flags: &ProofFlags) -> Result<Findings, Problem> {
    let mut findings = Findings::default();
    let verdict = verified_history(flags, &mut findings)?;
    let file: ProofFile = text(&flags.proof)?
        .parse()
        .map_err(|error| Problem::unchecked(format_args!("{}: {error}", flags.proof.display())))?;
    let (entry, at) = opened(&file, &verdict, &mut findings)?;
    let checkpoint = contained(&file, Hash::leaf(entry.as_bytes()), flags.log_key.as_ref())?;
    findings.say(format_args!(
        "{}: entry {} of {}, root {}",
        checkpoint.origin, file.index, checkpoint.size, checkpoint.root
    ));
    if flags.log_key.is_none() {
        findings.say("the log's own signature was not checked, only that of the witnesses: no --log-key");
    }
    if let Some(key) = flags.witness.iter().find(|key| wrong(&file, key)) {
        findings.problems.push(Problem::tampered(format_args!("the cosignature of {} is wrong", key.name())));
        return Ok(findings);
    }
    let latest = cosigned_at(&file.checkpoint, &flags.witness, &mut findings);
    if let Some(cosigned) = latest
        && at.timestamp().duration_since(cosigned) > MAX_AFTER
    {
        findings.problems.push(Problem::tampered(format_args!(
            "the entry of the end is of {at}, later than the checkpoint that has it, which is of {cosigned}"
        )));
    }
    Ok(findings)
}

/// Verifies the history alone.
fn verified_history(flags: &ProofFlags, findings: &mut Findings) -> Result<Verdict, Problem> {
    let unreadable = |error: &dyn std::fmt::Display| {
        Problem::unchecked(format_args!("{}: {error}", flags.history.display()))
    };
    let mut trust = Trust::default();
    if let Some(jwks) = &flags.jwks {
        trust.add_jwks(&text(jwks)?).map_err(Problem::unchecked)?;
    }
    flags.key.iter().try_for_each(|key| trust.add_hex(key)).map_err(Problem::unchecked)?;
    trust.unsigned = flags.jwks.is_none() && flags.key.is_empty();
    if trust.unsigned {
        findings.say("the signature of the history was not checked: neither --jwks nor --key");
    }
    let mut audit = Audit::new(&trust);
    let file = File::open(&flags.history).map_err(|error| unreadable(&error))?;
    read(BufReader::new(file), &mut audit);
    let verdict = audit.last().cloned();
    let report = audit.finish();
    if let (0, Some(finding)) = (report.games, report.findings.first()) {
        return Err(unreadable(&format_args!("not the history of a game: {finding}")));
    }
    if let Some(finding) = report.findings.first() {
        let more = if report.wrong > 1 { format!(", and {} more", report.wrong - 1) } else { String::new() };
        return Err(Problem::tampered(format_args!("{finding}{more}")));
    }
    match verdict {
        Some(verdict) if report.games == 1 => {
            let Verdict { game, events, deals, .. } = verdict;
            findings.say(format_args!("game {game}: {events} events and {deals} deals are right"));
            Ok(verdict)
        }
        _ => Err(unreadable(&"not the history of a game")),
    }
}

/// The bytes of the log's entry for the end of a history, sealed if the game was private, and its time.
fn opened(
    file: &ProofFile,
    verdict: &Verdict,
    findings: &mut Findings,
) -> Result<(String, RecordTime), Problem> {
    let Verdict { game, events, head, at, .. } = *verdict;
    let ended = at.ok_or_else(|| Problem::unchecked("the history has no event"))?;
    let malformed = || Problem::tampered("the extra data of the proof does not open an entry of the log");
    let extra = file.extra.as_deref().ok_or_else(malformed)?;
    let opening: Opening = serde_json::from_slice(extra).map_err(|_| malformed())?;
    if canonical_json(&opening).map_err(|_| malformed())?.as_bytes() != extra {
        return Err(malformed());
    }
    let Ok(LogEntry::End { at, .. }) = serde_json::from_str(&opening.entry) else { return Err(malformed()) };
    let end = LogEntry::End { game, at, events, head }.text().map_err(Problem::unchecked)?;
    if opening.entry != end {
        return Err(Problem::tampered(format_args!(
            "the proof is of another end: it has {}, the history {end}",
            opening.entry
        )));
    }
    if at < ended {
        return Err(Problem::tampered(format_args!(
            "the entry of the end is of {at}, and the game ends at {ended}"
        )));
    }
    findings.say(format_args!("the game ended at {ended}; its entry in the log is of {at}"));
    Ok((opening.logged().map_err(Problem::unchecked)?, at))
}

/// Verifies that the log's checkpoint contains a leaf.
fn contained(file: &ProofFile, leaf: Hash, log: Option<&VerifierKey>) -> Result<Checkpoint, Problem> {
    let verified = match log {
        Some(log) => file.verify(leaf, log),
        None => file.verify_unsigned(leaf),
    };
    verified.map_err(|error| match error {
        // Another log may have the game as well.
        BadProofFile::Checkpoint(
            BadCheckpoint::Origin { .. } | BadCheckpoint::Note(BadNote::Unsigned(_)),
        ) => Problem::unchecked(format_args!("the proof is not of the log with this key: {error}")),
        error => Problem::tampered(error),
    })
}

/// Whether a witness has a signature on the checkpoint that is not right.
fn wrong(file: &ProofFile, witness: &VerifierKey) -> bool {
    let note = &file.checkpoint;
    note.signatures().iter().any(|line| line.is_of(witness)) && note.verify(witness).is_err()
}

fn text(path: &Path) -> Result<String, Problem> {
    fs::read_to_string(path).map_err(|error| Problem::unchecked(format_args!("{}: {error}", path.display())))
}
