//! A whole audit: any number of histories, and the list of ended games if there is one, piece by piece.

use serde::Serialize;
use uuid::Uuid;

use super::finding::{Finding, Rule};
use super::list::List;
use super::piece::{Header, Piece};
use super::trust::Trust;
use super::verifier::{Verdict, Verifier};
use crate::RecordTime;

/// No more than this is kept of all findings.
const MOST_FINDINGS: usize = 1_000;

/// What an audit came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// How many histories were read.
    pub games: u64,
    /// How many events they have.
    pub events: u64,
    /// How many deals were checked against the seeds.
    pub deals: u64,
    /// How many games the list has; none where no list was read.
    pub listed: Option<u64>,
    /// How many things are wrong.
    pub wrong: u64,
    /// What is wrong: all of it, or the first thousand.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Whether something was read and all of it is well.
    pub fn is_well(&self) -> bool {
        self.wrong == 0 && (self.games > 0 || self.listed.is_some())
    }

    /// Adds a finding.
    pub fn find(&mut self, finding: Finding) {
        self.wrong += 1;
        if self.findings.len() < MOST_FINDINGS {
            self.findings.push(finding);
        }
    }
}

/// An audit under way.
pub struct Audit<'t> {
    trust: &'t Trust,
    current: Option<Verifier<'t>>,
    list: List,
    report: Report,
    /// Whether every game of the list should have a history here.
    pub whole: bool,
}

impl<'t> Audit<'t> {
    /// Begins an audit.
    pub fn new(trust: &'t Trust) -> Audit<'t> {
        Audit { trust, current: None, list: List::default(), report: Report::default(), whole: false }
    }

    /// Takes the next piece.
    pub fn piece(&mut self, piece: Piece) {
        match piece {
            Piece::Header(header) => self.header(header),
            Piece::Event(line) => match &mut self.current {
                Some(verifier) => verifier.event(&line),
                None => self.misplaced(Some(line.seq), "an event stands outside of a history"),
            },
            Piece::End(end) => match self.current.take() {
                Some(verifier) => self.verified(verifier.end(&end)),
                None => self.misplaced(None, "an end stands outside of a history"),
            },
            Piece::Listed(line) => {
                let mut findings = Vec::new();
                self.list.line(&line, &mut findings);
                self.take_over(findings);
            }
            Piece::Checkpoint(signed) => {
                let mut findings = Vec::new();
                self.list.checkpoint(&signed, self.trust, &mut findings);
                self.take_over(findings);
            }
        }
    }

    /// Takes note that what comes next cannot be read: the history under way breaks off there.
    pub fn unreadable(&mut self, detail: impl Into<String>) {
        let (detail, current) = (detail.into(), self.current.take());
        let finding = |game, seq| Finding { game, seq, rule: Rule::Form, detail };
        match current {
            Some(verifier) => {
                self.report.find(finding(Some(verifier.game_id()), Some(verifier.seq().saturating_add(1))));
                self.verified(verifier.cut_off());
            }
            None => self.report.find(finding(None, None)),
        }
    }

    /// Adds the verdict on a history that was verified elsewhere.
    pub fn verified(&mut self, verdict: Verdict) {
        self.report.games += 1;
        self.report.events += verdict.events;
        self.report.deals += verdict.deals as u64;
        let mut findings = verdict.findings.clone();
        self.list.verified(&verdict, &mut findings);
        self.take_over(findings);
    }

    /// Takes note that a game is over since a time, by somebody else's word.
    pub fn ended(&mut self, game: Uuid, at: RecordTime) {
        self.list.ended(game, at);
    }

    /// Takes note that the list was read to its end, as it stood at a time, where there is no checkpoint.
    pub fn close_list(&mut self, at: RecordTime) {
        self.list.close(at);
    }

    /// Adds a finding of somebody who knows more.
    pub fn find(&mut self, finding: Finding) {
        self.report.find(finding);
    }

    /// Concludes the audit.
    pub fn finish(mut self) -> Report {
        if let Some(verifier) = self.current.take() {
            self.verified(verifier.cut_off());
        }
        let mut findings = Vec::new();
        self.list.conclude(self.whole, &mut findings);
        self.take_over(findings);
        self.report.listed = self.list.is_there().then(|| self.list.len() as u64);
        self.report
    }

    fn header(&mut self, header: Header) {
        if let Some(verifier) = self.current.take() {
            self.verified(verifier.cut_off());
        }
        self.current = Some(Verifier::new(self.trust, header));
    }

    fn misplaced(&mut self, seq: Option<u64>, detail: &str) {
        self.report.find(Finding { game: None, seq, rule: Rule::Form, detail: detail.to_owned() });
    }

    fn take_over(&mut self, findings: Vec<Finding>) {
        findings.into_iter().for_each(|finding| self.report.find(finding));
    }
}
