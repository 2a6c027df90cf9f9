//! An audit of any number of histories, and of their starts and ends in the public log if given, piece by piece.

use serde::Serialize;
use uuid::Uuid;

use super::finding::{Finding, Rule};
use super::logged::{Adoption, LoggedGames};
use super::piece::{Header, Piece};
use super::read::Sink;
use super::seeds::SeedCounts;
use super::trust::Trust;
use super::verifier::{Verdict, Verifier};
use crate::{LogEntry, RecordTime};

/// The maximum number of findings that are kept.
const MAX_FINDINGS: usize = 1_000;

/// The result of an audit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The number of histories.
    pub games: u64,
    /// The number of their events.
    pub events: u64,
    /// The number of deals checked against the seeds.
    pub deals: u64,
    /// How the players contributed to the shuffles.
    pub client_seeds: SeedCounts,
    /// The number of games that were not checked.
    pub skipped: u64,
    /// The games that were not checked; at most the first thousand.
    pub unchecked: Vec<Unchecked>,
    /// The number of findings.
    pub wrong: u64,
    /// The findings; at most the first thousand.
    pub findings: Vec<Finding>,
    /// Whether the public log was read.
    #[serde(skip)]
    pub has_log: bool,
}

/// A game that was not checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unchecked {
    /// The game.
    pub game: Uuid,
    /// Why, in one sentence.
    pub reason: String,
}

impl Report {
    /// Whether a finding proves that something was changed, omitted or invented.
    pub fn is_tampered(&self) -> bool {
        self.wrong > self.findings.len() as u64 || self.findings.iter().any(|found| !found.is_inconclusive)
    }

    /// Whether something was read and there are no findings.
    pub fn is_well(&self) -> bool {
        self.wrong == 0 && (self.games > 0 || self.has_log)
    }

    /// Adds a finding.
    pub fn find(&mut self, finding: Finding) {
        self.wrong += 1;
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(finding);
        }
    }
}

/// A running audit.
pub struct Audit<'t> {
    trust: &'t Trust,
    current: Option<Verifier<'t>>,
    log: LoggedGames,
    report: Report,
    last: Option<Verdict>,
    /// Whether every game that is over in the public log should have a history here.
    pub whole: bool,
}

impl<'t> Audit<'t> {
    /// Starts an audit.
    pub fn new(trust: &'t Trust) -> Audit<'t> {
        Audit {
            trust,
            current: None,
            log: LoggedGames::default(),
            report: Report::default(),
            last: None,
            whole: false,
        }
    }

    /// Processes the next piece.
    pub fn piece(&mut self, piece: Piece) {
        match piece {
            Piece::Header(header) => self.header(header),
            Piece::Event(line) => match &mut self.current {
                Some(verifier) => verifier.event(&line),
                None => self.misplaced(Some(line.seq), "an event is outside of a history"),
            },
            Piece::End(end) => match self.current.take() {
                Some(verifier) => self.verified(verifier.end(&end)),
                None => self.misplaced(None, "an end is outside of a history"),
            },
            // They are about the public log; nothing in the history depends on them.
            Piece::Proofs(_) => {}
        }
    }

    /// Adds the verdict on a history that was verified elsewhere.
    pub fn verified(&mut self, verdict: Verdict) {
        self.report.games += 1;
        self.report.events += verdict.events;
        self.report.deals += verdict.deals as u64;
        self.report.client_seeds.add(&verdict.seeds);
        let mut findings = verdict.findings.clone();
        self.log.verified(&verdict, &mut findings);
        self.take_over(findings);
        self.last = Some(verdict);
    }

    /// The verdict on the last complete history.
    pub fn last(&self) -> Option<&Verdict> {
        self.last.as_ref()
    }

    /// Records that a game cannot be checked. It is not missing from the histories then.
    pub fn skip(&mut self, game: Uuid, reason: impl Into<String>) {
        self.log.skip(game);
        self.report.skipped += 1;
        if self.report.unchecked.len() < MAX_FINDINGS {
            self.report.unchecked.push(Unchecked { game, reason: reason.into() });
        }
    }

    /// Records that, according to the service, a game is over since a time.
    pub fn ended(&mut self, game: Uuid, at: RecordTime) {
        self.log.ended(game, at);
    }

    /// Records an entry of a game in the public log; an adoption before the game's history is verified. `place` says where
    /// it is, as in "entry 7 of cards.example/log".
    pub fn logged(&mut self, game: Uuid, entry: &LogEntry, place: &str) {
        if let Some(finding) = self.log.take(game, entry, place) {
            self.report.find(finding);
        }
    }

    /// The adoptions of a game in the public log, for a history that is verified elsewhere.
    pub fn adoptions(&self, game: Uuid) -> Vec<Adoption> {
        self.log.adoptions(game)
    }

    /// Records that the public log was read as it was at a time.
    pub fn close_log(&mut self, at: RecordTime) {
        self.log.close(at);
    }

    /// Records that a former public log has the entries up to a time.
    pub fn begin_log(&mut self, at: RecordTime) {
        self.log.begin(at);
    }

    /// Adds a finding from outside the histories.
    pub fn find(&mut self, finding: Finding) {
        self.report.find(finding);
    }

    /// Finishes the audit.
    pub fn finish(mut self) -> Report {
        if let Some(verifier) = self.current.take() {
            self.verified(verifier.cut_off());
        }
        let mut findings = Vec::new();
        self.log.conclude(self.whole, &mut findings);
        self.take_over(findings);
        self.report.has_log = self.log.are_closed();
        self.report
    }

    fn header(&mut self, header: Header) {
        if let Some(verifier) = self.current.take() {
            self.verified(verifier.cut_off());
        }
        let adoptions = self.log.adoptions(header.game);
        self.current = Some(Verifier::new(self.trust, header).with_adoptions(adoptions));
    }

    fn misplaced(&mut self, seq: Option<u64>, detail: &str) {
        self.report.find(Finding::new(None, seq, Rule::Form, detail));
    }

    fn take_over(&mut self, findings: Vec<Finding>) {
        findings.into_iter().for_each(|finding| self.report.find(finding));
    }
}

impl Sink for Audit<'_> {
    fn piece(&mut self, piece: Piece) {
        self.piece(piece);
    }

    fn unreadable(&mut self, detail: String) {
        let current = self.current.take();
        let finding = |game, seq| Finding::new(game, seq, Rule::Form, detail);
        match current {
            Some(verifier) => {
                self.report.find(finding(Some(verifier.game_id()), Some(verifier.seq().saturating_add(1))));
                self.verified(verifier.cut_off());
            }
            None => self.report.find(finding(None, None)),
        }
    }
}
