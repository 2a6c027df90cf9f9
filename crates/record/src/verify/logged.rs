//! Compares games with their starts and ends in the public log.

use std::collections::HashMap;

use jiff::SignedDuration;
use uuid::Uuid;

use super::finding::{Finding, Rule};
use super::verifier::Verdict;
use crate::{GameStart, LogEntry, RecordTime};
use estimation_engine::hex::Hex;

/// How long the end of a game may be missing from the log.
const LIMIT: SignedDuration = SignedDuration::from_mins(1);

/// What identifies the end of a game: the number of events and the last hash.
type End = (u64, Hex<32>);

/// An adoption of a game in the public log: the history must have this event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adoption {
    /// Where the entry is, as in "entry 7 of cards.example/log".
    pub place: String,
    /// The number of the event.
    pub events: u64,
    /// Its hash.
    pub head: Hex<32>,
}

/// The starts and ends as far as they are known.
#[derive(Default)]
pub(super) struct LoggedGames {
    /// The time up to which the log was read; none if it was not read.
    closed: Option<RecordTime>,
    /// A former log has the entries up to this time.
    begun: Option<RecordTime>,
    /// The starts in the log.
    starts: HashMap<Uuid, LogEntry>,
    /// The ends in the log.
    ends: HashMap<Uuid, End>,
    /// The adoptions in the log.
    adoptions: HashMap<Uuid, Vec<Adoption>>,
    /// The verified games.
    seen: HashMap<Uuid, Seen>,
    /// The games known to be over, with the time of their end.
    over: HashMap<Uuid, RecordTime>,
}

/// What the history of a game states. All members are none for a game that cannot be checked.
#[derive(Default)]
struct Seen {
    start: Option<GameStart>,
    /// None for a game that is not over.
    end: Option<End>,
}

impl LoggedGames {
    /// Records that the log was read as it was at a time.
    pub(super) fn close(&mut self, at: RecordTime) {
        self.closed = Some(at);
    }

    /// Records that a former log has the entries up to a time.
    pub(super) fn begin(&mut self, at: RecordTime) {
        self.begun = Some(at);
    }

    /// Records that a game is known to be over since a time.
    pub(super) fn ended(&mut self, game: Uuid, at: RecordTime) {
        self.over.insert(game, at);
    }

    /// Records the start of a game in the log.
    pub(super) fn logged_start(&mut self, game: Uuid, start: LogEntry, findings: &mut Vec<Finding>) {
        if self.starts.insert(game, start.clone()).is_some_and(|other| other != start) {
            let detail = "the public log has two starts of the game";
            findings.push(Finding::new(Some(game), None, Rule::Log, detail));
        }
    }

    /// Records the end of a game in the log.
    pub(super) fn logged_end(
        &mut self,
        game: Uuid,
        at: RecordTime,
        (events, head): End,
        findings: &mut Vec<Finding>,
    ) {
        self.ended(game, at);
        if self.ends.insert(game, (events, head)).is_some_and(|other| other != (events, head)) {
            let detail = "the public log has two ends of the game";
            findings.push(Finding::new(Some(game), None, Rule::Log, detail));
        }
    }

    /// Records the adoption of a game in the log.
    pub(super) fn adopted(&mut self, game: Uuid, adoption: Adoption) {
        let known = self.adoptions.entry(game).or_default();
        if !known.contains(&adoption) {
            known.push(adoption);
        }
    }

    /// The adoptions of a game in the log.
    pub(super) fn adoptions(&self, game: Uuid) -> Vec<Adoption> {
        self.adoptions.get(&game).cloned().unwrap_or_default()
    }

    /// Records a verified game.
    pub(super) fn verified(&mut self, verdict: &Verdict, findings: &mut Vec<Finding>) {
        let Verdict { game, events, head, .. } = *verdict;
        if let Some(at) = verdict.at.filter(|_| verdict.over) {
            self.ended(game, at);
        }
        let seen = Seen { start: verdict.started.clone(), end: verdict.over.then_some((events, head)) };
        if self.seen.insert(game, seen).is_some() {
            let detail = "there are two histories of the game";
            findings.push(Finding::new(Some(game), None, Rule::Log, detail));
        }
    }

    /// Records that a game cannot be checked.
    pub(super) fn skip(&mut self, game: Uuid) {
        self.seen.entry(game).or_default();
    }

    /// Compares the log with the games. With `whole`, every game that is over in the log must have a history.
    pub(super) fn conclude(&self, whole: bool, findings: &mut Vec<Finding>) {
        let before = findings.len();
        self.conclude_starts(findings);
        self.conclude_ends(whole, findings);
        // The maps have no order, and a report should.
        findings[before..].sort_by(|one, other| (one.game, &one.detail).cmp(&(other.game, &other.detail)));
    }

    fn conclude_starts(&self, findings: &mut Vec<Finding>) {
        let mut find = |game, detail: &str| findings.push(Finding::new(Some(game), None, Rule::Log, detail));
        for (game, seen) in &self.seen {
            match (&seen.start, self.starts.get(game)) {
                (Some(start), Some(entry)) if !start.is_stated_by(entry) => {
                    find(*game, "the public log has another start of the game than its history");
                }
                (None, Some(_)) if seen.end.is_some() => {
                    find(*game, "the public log has a start of the game, and its history has none");
                }
                // A former log has it, which may not be served any more.
                (Some(start), None)
                    if self.ends.contains_key(game) && self.begun.is_none_or(|begun| start.at() > begun) =>
                {
                    find(*game, "the public log has the end of the game and lacks its start");
                }
                _ => {}
            }
        }
    }

    fn conclude_ends(&self, whole: bool, findings: &mut Vec<Finding>) {
        let mut find = |game, detail: &str| findings.push(Finding::new(Some(game), None, Rule::Log, detail));
        for (game, end) in &self.ends {
            match self.seen.get(game) {
                Some(Seen { end: Some(seen), .. }) if seen != end => {
                    find(*game, "the public log has another end of the game than its history");
                }
                None if whole => find(*game, "the game is in the public log, and its history is missing"),
                _ => {}
            }
        }
        for (game, at) in self.over.iter().filter(|(game, _)| !self.ends.contains_key(*game)) {
            let Some(closed) = self.closed else { continue };
            let is_late = closed.timestamp().duration_since(at.timestamp()) > LIMIT;
            if is_late && self.begun.is_none_or(|begun| *at > begun) {
                find(*game, "the game has been over for more than a minute and is not in the public log");
            }
        }
    }

    /// Whether the log was read.
    pub(super) fn are_closed(&self) -> bool {
        self.closed.is_some()
    }
}
