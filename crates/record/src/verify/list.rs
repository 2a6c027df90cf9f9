//! Checks the transparency log: its own chain, its checkpoint, and the games in it.

use std::collections::HashMap;

use jiff::SignedDuration;
use uuid::Uuid;

use super::finding::{Finding, Rule};
use super::piece::{ListedLine, SignatureLine, SignedCheckpoint};
use super::trust::{SignatureProblem, Trust};
use super::verifier::Verdict;
use crate::{GENESIS, ListedGame, LogHead, RecordTime};
use estimation_engine::chance::Hex;

/// How long an ended game may be missing from the log.
const LISTING_LIMIT: SignedDuration = SignedDuration::from_mins(1);

/// What identifies the end of a game.
#[derive(Clone, PartialEq, Eq)]
struct Known {
    events: u64,
    head: Hex<32>,
    signature: Option<SignatureLine>,
}

/// The log as far as it was read.
#[derive(Default)]
pub(super) struct List {
    begun: bool,
    /// The time for which the log was read completely.
    closed: Option<RecordTime>,
    /// The public log, which has the ends of later games, if the last checkpoint points into it.
    log: Option<LogHead>,
    position: u64,
    hash: [u8; 32],
    listed: HashMap<Uuid, Known>,
    /// The verified games, with their ends if they are over.
    seen: HashMap<Uuid, Option<Known>>,
    /// The games known to be over, with the time of their end.
    over: HashMap<Uuid, RecordTime>,
    /// The number of events and the last hash of games, as the public log has them; none if it was not read.
    logged: Option<HashMap<Uuid, (u64, Hex<32>)>>,
}

impl List {
    /// Processes the next entry.
    pub(super) fn line(&mut self, line: &ListedLine, findings: &mut Vec<Finding>) {
        let ListedLine { entry, hash } = line;
        let mut find = |detail: String| {
            let (game, seq) = (Some(entry.game), Some(entry.position));
            findings.push(Finding::new(game, seq, Rule::List, detail));
        };
        if !self.begun {
            (self.begun, self.hash) = (true, GENESIS);
        }
        let due = self.position.saturating_add(1);
        if entry.position != due {
            find(format!("expected position {due} of the list, found {}", entry.position));
        }
        self.position = entry.position;
        match entry.chained(self.hash) {
            Ok(computed) if computed == hash.0 => {}
            Ok(_) => find("the hash does not match this line and the previous hash".to_owned()),
            Err(error) => find(error.to_string()),
        }
        self.hash = hash.0;
        let ListedGame { game, events, head, .. } = *entry;
        let signature = Some(SignatureLine { kid: entry.kid.clone(), value: entry.signature });
        if self.listed.insert(game, Known { events, head, signature }).is_some() {
            find("the game is listed twice".to_owned());
        }
    }

    /// Processes a checkpoint, which ends the log.
    pub(super) fn checkpoint(
        &mut self,
        signed: &SignedCheckpoint,
        trust: &Trust,
        findings: &mut Vec<Finding>,
    ) {
        self.close(signed.checkpoint.at);
        self.log = signed.checkpoint.log.clone();
        let seq = Some(signed.checkpoint.games);
        let mut find = |detail: String| findings.push(Finding::new(None, seq, Rule::List, detail));
        if signed.checkpoint.games != self.listed.len() as u64 || signed.checkpoint.games != self.position {
            let (said, are) = (signed.checkpoint.games, self.listed.len());
            find(format!("the checkpoint counts {said} games, the list has {are}"));
        }
        if signed.checkpoint.head.0 != self.hash {
            find("the head of the checkpoint is not that of the list".to_owned());
        }
        let problem = match signed.checkpoint.statement() {
            Ok(statement) => trust.problem(&statement, &signed.signature),
            Err(error) => Some(SignatureProblem::wrong(error.to_string())),
        };
        findings.extend(problem.map(|problem| problem.finding(None, seq)));
    }

    /// Records that the log was read to its end at a time.
    pub(super) fn close(&mut self, at: RecordTime) {
        if !self.begun {
            (self.begun, self.hash) = (true, GENESIS);
        }
        self.closed = Some(at);
    }

    /// Records that a game is known to be over since a time.
    pub(super) fn ended(&mut self, game: Uuid, at: RecordTime) {
        self.over.insert(game, at);
    }

    /// The checkpoint of the public log into which the list points.
    pub(super) fn log_head(&self) -> Option<&LogHead> {
        self.log.as_ref()
    }

    /// Records that the public log was read.
    pub(super) fn read_log(&mut self) {
        self.logged.get_or_insert_default();
    }

    /// Records the end of a game in the public log.
    pub(super) fn logged(&mut self, game: Uuid, at: RecordTime, events: u64, head: Hex<32>) {
        self.ended(game, at);
        self.logged.get_or_insert_default().insert(game, (events, head));
    }

    /// Records a verified game.
    pub(super) fn verified(&mut self, verdict: &Verdict, findings: &mut Vec<Finding>) {
        let Verdict { game, events, head, .. } = *verdict;
        let known = verdict.over.then(|| Known { events, head, signature: verdict.signature.clone() });
        if let Some(at) = verdict.at.filter(|_| verdict.over) {
            self.ended(game, at);
        }
        if self.seen.insert(game, known).is_some() {
            let detail = "there are two histories of the game".to_owned();
            findings.push(Finding::new(Some(game), None, Rule::List, detail));
        }
    }

    /// Records that a game cannot be checked.
    pub(super) fn skip(&mut self, game: Uuid) {
        self.seen.entry(game).or_default();
    }

    /// Compares the log with the games. With `whole`, every game of the log, and of the public log that continues it,
    /// must have a history.
    pub(super) fn conclude(&self, whole: bool, findings: &mut Vec<Finding>) {
        if !self.begun {
            return;
        }
        let before = findings.len();
        let Some(closed) = self.closed else {
            let detail = "the list has no checkpoint: games may be missing at its end";
            return findings.push(Finding::inconclusive(None, None, Rule::List, detail));
        };
        let mut find = |game, detail: &str| findings.push(Finding::new(game, None, Rule::List, detail));
        for (game, known) in &self.seen {
            if let (Some(listed), Some(known)) = (self.listed.get(game), known)
                && listed != known
            {
                find(Some(*game), "the list has a different end of the game");
            }
        }
        for (game, end) in self.logged.iter().flatten() {
            let same = |known: &Known| (known.events, known.head) == *end;
            if !self.listed.get(game).is_none_or(same) {
                find(Some(*game), "the public log has another end of the game than the list");
            }
            if !self.seen.get(game).and_then(Option::as_ref).is_none_or(same) {
                find(Some(*game), "the public log has another end of the game than its history");
            }
        }
        for (game, at) in &self.over {
            let since = closed.timestamp().duration_since(at.timestamp());
            if since <= LISTING_LIMIT || self.listed.contains_key(game) {
                continue;
            }
            match &self.logged {
                _ if self.log.is_none() => {
                    find(Some(*game), "the game has been over for more than a minute and is not on the list");
                }
                Some(logged) if !logged.contains_key(game) => {
                    let detail = "the game has been over for more than a minute and is not in the public log";
                    find(Some(*game), detail);
                }
                _ => {}
            }
        }
        for game in self.logged.iter().flatten().map(|(game, _)| game) {
            if whole && self.log.is_some() && !self.seen.contains_key(game) {
                find(Some(*game), "the game is in the public log, and its history is missing");
            }
        }
        for game in self.listed.keys().filter(|game| whole && !self.seen.contains_key(game)) {
            find(Some(*game), "the game is on the list, and its history is missing");
        }
        // The maps have no order, and a report should.
        findings[before..].sort_by(|one, other| (one.game, &one.detail).cmp(&(other.game, &other.detail)));
    }

    /// The number of entries.
    pub(super) fn len(&self) -> usize {
        self.listed.len()
    }

    /// The last hash.
    pub(super) fn head(&self) -> Hex<32> {
        Hex(self.hash)
    }

    /// The time up to which the log was read completely.
    pub(super) fn read_at(&self) -> Option<RecordTime> {
        self.closed
    }

    /// Whether a log was read at all.
    pub(super) fn is_there(&self) -> bool {
        self.begun
    }
}
