//! Reads the verified file: the history of one game, verified alone, and its proofs, whose form alone is checked.

use std::collections::HashMap;
use std::fmt::Display;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use estimation_record::verify::{Audit, Piece, Proofs, Report, Sink, Trust, Verdict, read};

use super::Head;
use crate::log::outcome::{Findings, Problem};

/// The largest file, in bytes. Histories have a few megabytes at most.
const LARGEST: u64 = 64 << 20;

/// A file whose history is right.
pub(super) struct VerifiedFile {
    pub(super) verdict: Verdict,
    /// The hashes of the events that the kept heads name.
    pub(super) hashes: HashMap<u64, String>,
    /// The proofs; none in a history.
    pub(super) proofs: Option<Proofs>,
}

/// Reads a file, and verifies the history in it, but for its signature. Proofs that cannot be read are a finding.
pub(super) fn read_file(
    path: &Path,
    heads: &[Head],
    findings: &mut Findings,
) -> Result<VerifiedFile, Problem> {
    let unreadable = |error: &dyn Display| Problem::unchecked(format_args!("{}: {error}", path.display()));
    let file = File::open(path).map_err(|error| unreadable(&error))?;
    let mut input = file.take(LARGEST + 1);
    // The keys come after the history.
    let mut trust = Trust::default();
    trust.unsigned = true;
    let mut reading = Reading::new(Audit::new(&trust), heads);
    read(BufReader::new(&mut input), &mut reading);
    if input.limit() == 0 {
        return Err(unreadable(&format_args!("longer than {LARGEST} bytes")));
    }
    let Reading { audit, hashes, proofs, unreadable: broken, .. } = reading;
    let verdict = audit.last().cloned();
    let report = audit.finish();
    if let (0, Some(finding)) = (report.games, report.findings.first()) {
        return Err(unreadable(&format_args!("not the history of a game: {finding}")));
    }
    if report.is_tampered() {
        return Err(Problem::tampered(first_finding(&report)));
    }
    let Some(verdict) = verdict.filter(|_| report.games == 1) else {
        return Err(unreadable(&"not the history of a game"));
    };
    // Proofs of the end say nothing about a part of a history.
    if !report.findings.is_empty() {
        return Err(Problem::unchecked(first_finding(&report)));
    }
    findings.problems.extend(broken.map(|detail| unreadable(&format_args!("the proofs: {detail}"))));
    let Verdict { game, events, deals, .. } = verdict;
    findings.say(format_args!("game {game}: {events} events and {deals} deals are right"));
    Ok(VerifiedFile { verdict, hashes, proofs })
}

/// The first finding, one that proves tampering if there is one, and how many more there are.
fn first_finding(report: &Report) -> String {
    let mut findings = report.findings.iter();
    let first = findings.clone().find(|finding| !finding.is_inconclusive).or_else(|| findings.next());
    let first = first.map(ToString::to_string).unwrap_or_default();
    let more = if report.wrong > 1 { format!(", and {} more", report.wrong - 1) } else { String::new() };
    format!("{first}{more}")
}

/// An audit that keeps the proofs and the hashes of some events.
struct Reading<'h, 't> {
    audit: Audit<'t>,
    heads: &'h [Head],
    hashes: HashMap<u64, String>,
    proofs: Option<Proofs>,
    /// Whether the last history has its end.
    has_end: bool,
    /// Why what follows the end cannot be read.
    unreadable: Option<String>,
}

impl<'h, 't> Reading<'h, 't> {
    fn new(audit: Audit<'t>, heads: &'h [Head]) -> Reading<'h, 't> {
        let (hashes, proofs, unreadable) = (HashMap::new(), None, None);
        Reading { audit, heads, hashes, proofs, has_end: false, unreadable }
    }
}

impl Sink for Reading<'_, '_> {
    fn piece(&mut self, piece: Piece) {
        match &piece {
            Piece::Header(_) => self.has_end = false,
            Piece::Event(line) if self.heads.iter().any(|head| head.seq == line.seq) => {
                self.hashes.insert(line.seq, line.hash.clone());
            }
            Piece::Event(_) => {}
            Piece::End(_) => self.has_end = true,
            Piece::Proofs(proofs) => self.proofs = Some(proofs.clone()),
        }
        self.audit.piece(piece);
    }

    fn unreadable(&mut self, detail: String) {
        match self.has_end {
            true => self.unreadable_proofs(detail),
            false => self.audit.unreadable(detail),
        }
    }

    /// They prove no change of the history.
    fn unreadable_proofs(&mut self, detail: String) {
        self.unreadable = Some(detail);
    }
}
