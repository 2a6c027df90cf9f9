//! `estimation-audit verify`: verifies a history, the proofs that the log has its start and its end, and what a player kept:
//! a promise and a head. Without network.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use clap::Args;
use estimation_record::verify::{Audit, Piece, Sink, Trust, Verdict, read};
use estimation_record::{LogEntry, Opening, RecordTime, canonical_json};
use estimation_tlog::checkpoint::BadCheckpoint;
use estimation_tlog::note::BadNote;
use estimation_tlog::{BadProofFile, Checkpoint, Hash, ProofFile, VerifierKey};
use jiff::SignedDuration;

use super::outcome::{Findings, Problem};
use super::promise::KeptPromise;
use super::signatures::{cosigned_at, log_key, witness_key};

/// How long after the checkpoint that has it an entry may be, for clocks that differ.
const MAX_AFTER: SignedDuration = SignedDuration::from_secs(60);

/// What to verify, and what to demand.
#[derive(Args, Clone, Debug)]
pub struct ProofFlags {
    /// The history of a game that is over.
    history: PathBuf,

    /// A proof that the log has the start or the end of the game, from `GET /v1/games/{id}/proof`. May be given more than
    /// once.
    #[arg(long, value_name = "FILE", required = true)]
    proof: Vec<PathBuf>,

    /// A promise that a player kept: a view of the game, or its member `log`. Needs the proof of the start.
    #[arg(long, value_name = "FILE")]
    promise: Vec<PathBuf>,

    /// A kept head: a number and a hash, as in `41-9f3c2a71b0d4e655`, of at least 16 digits. The history must
    /// have this event. May be given more than once.
    #[arg(long, value_name = "HEAD", value_parser = head)]
    head: Vec<Head>,

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
    let seq = seq.parse().ok().filter(|_| fits).ok_or(wrong)?;
    Ok(Head { seq, digits: digits.to_owned() })
}

/// An entry that a proof opens.
struct Proven {
    leaf: Hash,
    origin: String,
    is_start: bool,
}

pub(super) fn verify(flags: &ProofFlags) -> Result<Findings, Problem> {
    let mut findings = Findings::default();
    let trust = trust(flags, &mut findings)?;
    let History { verdict, hashes } = verified_history(flags, &trust, &mut findings)?;
    for Head { seq, digits } in &flags.head {
        match hashes.get(seq) {
            Some(hash) if hash.starts_with(digits) => {
                findings.say(format_args!("event {seq} is the one that was kept"))
            }
            _ => findings.problems.push(Problem::tampered(format_args!(
                "the history does not have event {seq} with the hash {digits}, which was kept"
            ))),
        }
    }
    let mut proven = Vec::new();
    for path in &flags.proof {
        proven.extend(proof(flags, path, &verdict, &mut findings)?);
    }
    if verdict.started.is_some() && !proven.iter().any(|entry| entry.is_start) {
        findings.say("the start in the log was not checked: no proof of it was given");
    }
    for path in &flags.promise {
        let start = proven.iter().find(|entry| entry.is_start);
        let checked = promise(path, &trust, &verdict, start, &mut findings);
        findings.keep(checked);
    }
    Ok(findings)
}

/// Verifies one proof against the history.
fn proof(
    flags: &ProofFlags,
    path: &Path,
    verdict: &Verdict,
    findings: &mut Findings,
) -> Result<Option<Proven>, Problem> {
    let file: ProofFile = text(path)?
        .parse()
        .map_err(|error| Problem::unchecked(format_args!("{}: {error}", path.display())))?;
    let Entry { logged, at, is_start } = opened(&file, verdict, findings)?;
    let leaf = Hash::leaf(logged.as_bytes());
    let checkpoint = contained(&file, leaf, flags.log_key.as_ref())?;
    findings.say(format_args!(
        "{}: entry {} of {}, root {}",
        checkpoint.origin, file.index, checkpoint.size, checkpoint.root
    ));
    if flags.log_key.is_none() {
        findings.say("the log's own signature was not checked, only that of the witnesses: no --log-key");
    }
    if let Some(key) = flags.witness.iter().find(|key| wrong(&file, key)) {
        findings.problems.push(Problem::tampered(format_args!("the cosignature of {} is wrong", key.name())));
        return Ok(None);
    }
    let latest = cosigned_at(&file.checkpoint, &flags.witness, findings);
    if let Some(cosigned) = latest
        && at.timestamp().duration_since(cosigned) > MAX_AFTER
    {
        let what = if is_start { "start" } else { "end" };
        findings.problems.push(Problem::tampered(format_args!(
            "the entry of the {what} is of {at}, later than the checkpoint that has it, which is of {cosigned}"
        )));
    }
    Ok(Some(Proven { leaf, origin: checkpoint.origin.as_str().to_owned(), is_start }))
}

/// Verifies a promise that a player kept: its signature, and that the start of the history is what it promised.
fn promise(
    path: &Path,
    trust: &Trust,
    verdict: &Verdict,
    start: Option<&Proven>,
    findings: &mut Findings,
) -> Result<(), Problem> {
    let unreadable =
        |detail: &dyn std::fmt::Display| Problem::unchecked(format_args!("{}: {detail}", path.display()));
    let kept = KeptPromise::read(path, trust)?;
    if kept.game.as_ref().is_some_and(|of| *of != verdict.game.to_string()) {
        return Err(unreadable(&"a view of another game"));
    }
    let is_signed = kept.require_signature(path, trust)?;
    if !is_signed {
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
    if start.origin != origin {
        findings.say(format_args!("the start was promised for {origin}, and {} has it", start.origin));
    }
    findings.say(format_args!("the log has the start that was promised, by {by}"));
    Ok(())
}

/// The keys for the signature of the history and of promises.
fn trust(flags: &ProofFlags, findings: &mut Findings) -> Result<Trust, Problem> {
    let mut trust = Trust::default();
    if let Some(jwks) = &flags.jwks {
        trust.add_jwks(&text(jwks)?).map_err(Problem::unchecked)?;
    }
    flags.key.iter().try_for_each(|key| trust.add_hex(key)).map_err(Problem::unchecked)?;
    trust.unsigned = flags.jwks.is_none() && flags.key.is_empty();
    if trust.unsigned {
        findings.say("the signature of the history was not checked: neither --jwks nor --key");
    }
    Ok(trust)
}

/// A history that was verified, with the hashes of the kept heads.
struct History {
    verdict: Verdict,
    hashes: HashMap<u64, String>,
}

/// An audit that remembers the hashes of some events.
struct Remembering<'a, 't> {
    audit: &'a mut Audit<'t>,
    seqs: &'a [Head],
    hashes: HashMap<u64, String>,
}

impl Sink for Remembering<'_, '_> {
    fn piece(&mut self, piece: Piece) {
        if let Piece::Event(line) = &piece
            && self.seqs.iter().any(|head| head.seq == line.seq)
        {
            self.hashes.insert(line.seq, line.hash.clone());
        }
        self.audit.piece(piece);
    }

    fn unreadable(&mut self, detail: String) {
        self.audit.unreadable(detail);
    }
}

/// Verifies the history alone.
fn verified_history(flags: &ProofFlags, trust: &Trust, findings: &mut Findings) -> Result<History, Problem> {
    let unreadable = |error: &dyn std::fmt::Display| {
        Problem::unchecked(format_args!("{}: {error}", flags.history.display()))
    };
    let mut audit = Audit::new(trust);
    let file = File::open(&flags.history).map_err(|error| unreadable(&error))?;
    let mut reading = Remembering { audit: &mut audit, seqs: &flags.head, hashes: HashMap::new() };
    read(BufReader::new(file), &mut reading);
    let hashes = reading.hashes;
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
            Ok(History { verdict, hashes })
        }
        _ => Err(unreadable(&"not the history of a game")),
    }
}

/// An entry that fits the history.
struct Entry {
    /// The bytes of the log, sealed if the game was private.
    logged: String,
    at: RecordTime,
    is_start: bool,
}

/// The entry that a proof opens, which must be the start or the end of the history.
fn opened(file: &ProofFile, verdict: &Verdict, findings: &mut Findings) -> Result<Entry, Problem> {
    let malformed = || Problem::tampered("the extra data of the proof does not open an entry of the log");
    let extra = file.extra.as_deref().ok_or_else(malformed)?;
    let opening: Opening = serde_json::from_slice(extra).map_err(|_| malformed())?;
    if canonical_json(&opening).map_err(|_| malformed())?.as_bytes() != extra {
        return Err(malformed());
    }
    let entry: LogEntry = serde_json::from_str(&opening.entry).map_err(|_| malformed())?;
    if entry.text().map_err(|_| malformed())? != opening.entry {
        return Err(malformed());
    }
    let logged = opening.logged().map_err(Problem::unchecked)?;
    match entry {
        LogEntry::Start { at, .. } => {
            if !verdict.started.as_ref().is_some_and(|start| start.is_stated_by(&entry)) {
                return Err(Problem::tampered(format_args!(
                    "the proof is of another start than that of the history: it has {}",
                    opening.entry
                )));
            }
            findings.say(format_args!("the game began at {at}, as its entry in the log says"));
            Ok(Entry { logged, at, is_start: true })
        }
        LogEntry::End { at, .. } => {
            let Verdict { game, events, head, at: ended, .. } = *verdict;
            let ended = ended.ok_or_else(|| Problem::unchecked("the history has no event"))?;
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
            Ok(Entry { logged, at, is_start: false })
        }
        LogEntry::Sealed { .. } | LogEntry::Origin { .. } => Err(malformed()),
    }
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
