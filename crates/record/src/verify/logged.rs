//! Compares games with the entries that a public log has of them.

use std::collections::HashMap;

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::finding::{Finding, Rule};
use super::verifier::Verdict;
use crate::{GameStart, LogEntry, RecordTime};
use estimation_engine::hex::Hex;

/// How long the end of a game may be missing from the log.
const LIMIT: SignedDuration = SignedDuration::from_mins(1);

/// The start and the end of a game as its own log has them.
#[derive(Clone, Copy, Debug)]
pub struct GameBounds<'g> {
    /// The game.
    pub game: Uuid,
    /// None for a game that did not start.
    pub start: Option<&'g GameStart>,
    /// The number and the hash of the last event; none for a game that is not over.
    pub end: Option<(u64, Hex<32>)>,
}

/// How the entries of a game differ from its own log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The entry is another start.
    OtherStart,
    /// There is a start in the public log, and none in the game's own log.
    NotStarted,
    /// There is a start in the game's own log, and none in the public log.
    StartMissing,
    /// The entry is another end.
    OtherEnd,
    /// There is an end in the public log, and the game is not over.
    NotOver,
}

/// The entries of one game in a public log.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LoggedGame {
    /// The first start.
    pub start: Option<LoggedEntry>,
    /// The first end.
    pub end: Option<LoggedEntry>,
}

/// An entry with its position in the log.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LoggedEntry {
    /// The position.
    pub index: u64,
    /// The entry.
    pub entry: LogEntry,
}

/// A contradiction between two entries of a game, with the position of the one that was read first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// Another start came before it.
    SecondStart(u64),
    /// Another end came before it.
    SecondEnd(u64),
    /// The end is before the start in the log.
    StartAfterEnd(u64),
    /// The end has an earlier time than the start.
    EndTooEarly(u64),
}

impl GameBounds<'_> {
    /// Compares a game with the start and the end that a public log has of it.
    pub fn differences(
        &self,
        start: Option<&LogEntry>,
        end: Option<&LogEntry>,
    ) -> impl Iterator<Item = Difference> {
        let of_start = match (self.start, start) {
            (Some(own), Some(entry)) => (!own.is_stated_by(entry)).then_some(Difference::OtherStart),
            (Some(_), None) => Some(Difference::StartMissing),
            (None, Some(_)) => Some(Difference::NotStarted),
            (None, None) => None,
        };
        let of_end = end.and_then(|end| match (self.end, end) {
            (None, _) => Some(Difference::NotOver),
            (Some(own), LogEntry::End { game, events, head, .. })
                if (self.game, own) == (*game, (*events, *head)) =>
            {
                None
            }
            (Some(_), _) => Some(Difference::OtherEnd),
        });
        of_start.into_iter().chain(of_end)
    }
}

impl LoggedGame {
    /// Takes the next start or end of the game. Returns how it contradicts those before.
    pub fn take(&mut self, index: u64, entry: &LogEntry) -> Option<Conflict> {
        let logged = LoggedEntry { index, entry: entry.clone() };
        let LoggedGame { start, end } = self;
        match (entry, &start, &end) {
            (LogEntry::Start { .. }, Some(other), _) => {
                (other.entry != *entry).then_some(Conflict::SecondStart(other.index))
            }
            (LogEntry::Start { .. }, None, Some(end)) if end.index < index => {
                Some(Conflict::StartAfterEnd(end.index))
            }
            // Without an end, or read again after it was forgotten.
            (LogEntry::Start { .. }, None, _) => {
                *start = Some(logged);
                None
            }
            (LogEntry::End { .. }, _, Some(other)) => {
                (other.entry != *entry).then_some(Conflict::SecondEnd(other.index))
            }
            (LogEntry::End { .. }, _, None) => {
                *end = Some(logged);
                let start = start.as_ref().filter(|start| entry.at() < start.entry.at());
                start.map(|start| Conflict::EndTooEarly(start.index))
            }
            (LogEntry::Adopted { .. } | LogEntry::Sealed { .. } | LogEntry::Origin { .. }, ..) => None,
        }
    }

    /// Compares the entries with a game.
    pub fn differences(&self, game: &GameBounds<'_>) -> impl Iterator<Item = Difference> {
        let [start, end] = [&self.start, &self.end].map(|own| own.as_ref().map(|logged| &logged.entry));
        game.differences(start, end)
    }
}

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

/// The entries of all games, and the games, as far as they are known.
#[derive(Default)]
pub(super) struct LoggedGames {
    /// The time up to which the log was read; none if it was not read.
    closed: Option<RecordTime>,
    /// A former log has the entries up to this time.
    begun: Option<RecordTime>,
    /// The starts and ends in the log.
    logged: HashMap<Uuid, LoggedGame>,
    /// The adoptions in the log.
    adoptions: HashMap<Uuid, Vec<Adoption>>,
    /// The verified games.
    seen: HashMap<Uuid, StatedGame>,
    /// The games known to be over, with the time of their end.
    over: HashMap<Uuid, RecordTime>,
}

/// What the history of a game states. All members are none for a game that cannot be checked.
#[derive(Default)]
struct StatedGame {
    start: Option<GameStart>,
    /// None for a game that is not over.
    end: Option<(u64, Hex<32>)>,
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

    /// Records an entry of a game, which is at a place in the log. Returns a finding for a second start or end.
    pub(super) fn take(&mut self, game: Uuid, entry: &LogEntry, place: &str) -> Option<Finding> {
        match *entry {
            LogEntry::End { at, .. } => self.ended(game, at),
            LogEntry::Adopted { events, head, .. } => {
                let adoption = Adoption { place: place.to_owned(), events, head };
                let known = self.adoptions.entry(game).or_default();
                if !known.contains(&adoption) {
                    known.push(adoption);
                }
            }
            LogEntry::Start { .. } | LogEntry::Sealed { .. } | LogEntry::Origin { .. } => {}
        }
        // Entries of several logs have no order.
        let detail = match self.logged.entry(game).or_default().take(0, entry)? {
            Conflict::SecondStart(_) => "the public log has two starts of the game",
            Conflict::SecondEnd(_) => "the public log has two ends of the game",
            Conflict::StartAfterEnd(_) | Conflict::EndTooEarly(_) => return None,
        };
        Some(Finding::new(Some(game), None, Rule::Log, detail))
    }

    /// The adoptions of a game in the log.
    pub(super) fn adoptions(&self, game: Uuid) -> Vec<Adoption> {
        self.adoptions.get(&game).cloned().unwrap_or_default()
    }

    /// Records a verified game.
    pub(super) fn verified(&mut self, verdict: &Verdict, findings: &mut Vec<Finding>) {
        if let Some(at) = verdict.at.filter(|_| verdict.over) {
            self.ended(verdict.game, at);
        }
        let seen = StatedGame { start: verdict.started.clone(), end: verdict.bounds().end };
        if self.seen.insert(verdict.game, seen).is_some() {
            let detail = "there are two histories of the game";
            findings.push(Finding::new(Some(verdict.game), None, Rule::Log, detail));
        }
    }

    /// Records that a game cannot be checked.
    pub(super) fn skip(&mut self, game: Uuid) {
        self.seen.entry(game).or_default();
    }

    /// Compares the log with the games. With `whole`, every game that is over in the log must have a history.
    pub(super) fn conclude(&self, whole: bool, findings: &mut Vec<Finding>) {
        let before = findings.len();
        let mut find = |game, detail: &str| findings.push(Finding::new(Some(game), None, Rule::Log, detail));
        for (&game, logged) in &self.logged {
            let has_end = logged.end.is_some();
            let Some(seen) = self.seen.get(&game) else {
                if whole && has_end {
                    find(game, "the game is in the public log, and its history is missing");
                }
                continue;
            };
            for difference in
                logged.differences(&GameBounds { game, start: seen.start.as_ref(), end: seen.end })
            {
                let start = seen.start.as_ref().map(GameStart::at);
                match difference {
                    Difference::OtherStart => {
                        find(game, "the public log has another start of the game than its history");
                    }
                    Difference::NotStarted if seen.end.is_some() => {
                        find(game, "the public log has a start of the game, and its history has none");
                    }
                    // A former log has it, which may not be served any more.
                    Difference::StartMissing
                        if has_end && self.begun.is_none_or(|begun| start > Some(begun)) =>
                    {
                        find(game, "the public log has the end of the game and lacks its start");
                    }
                    Difference::OtherEnd => {
                        find(game, "the public log has another end of the game than its history");
                    }
                    Difference::NotStarted | Difference::StartMissing | Difference::NotOver => {}
                }
            }
        }
        let has_end = |game: &Uuid| self.logged.get(game).is_some_and(|logged| logged.end.is_some());
        for (game, at) in self.over.iter().filter(|(game, _)| !has_end(game)) {
            let Some(closed) = self.closed else { continue };
            let is_late = closed.timestamp().duration_since(at.timestamp()) > LIMIT;
            if is_late && self.begun.is_none_or(|begun| *at > begun) {
                find(*game, "the game has been over for more than a minute and is not in the public log");
            }
        }
        // The maps have no order, and a report should.
        findings[before..].sort_by(|one, other| (one.game, &one.detail).cmp(&(other.game, &other.detail)));
    }

    /// Whether the log was read.
    pub(super) fn are_closed(&self) -> bool {
        self.closed.is_some()
    }
}
