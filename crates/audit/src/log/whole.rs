//! Reads the whole log of a service for an audit of its games, and holds it against them.

use std::collections::BTreeSet;
use std::path::PathBuf;

use estimation_record::verify::{Audit, Finding, Rule, Trust};
use estimation_record::{LogEntry, RecordTime};
use estimation_tlog::checkpoint::open;
use estimation_tlog::{Checkpoint, Hash, TILE_WIDTH, VerifierKey};
use serde::Serialize;
use uuid::Uuid;

use super::client::Client;
use super::compare::compare;
use super::entries::{ReadEntry, bundle};
use super::former::FormerLog;
use super::opened::{Opened, OpenedEntry};
use super::outcome::{Findings, Problem};
use super::promise::KeptPromise;
use super::signatures::{cosigned_at, log_key, witness_key};

/// The public log as it was read.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct LogSummary {
    /// The log's origin.
    pub(crate) origin: String,
    /// The number of its entries.
    pub(crate) size: u64,
    /// The root hash of its tree, in base64 as in a checkpoint.
    pub(crate) root: String,
    /// The key that the service shows for the log. Only `watch` can pin it.
    pub(crate) key: String,
    /// The time of the service's own cosignature; null without one.
    pub(crate) cosigned_at: Option<RecordTime>,
    /// The games that are over in it: public ones, and those that the service opened for an auditor.
    pub(crate) games: u64,
    /// The entries of private games that the service did not open.
    pub(crate) sealed: u64,
}

/// A log, and what is wrong with it.
pub(crate) struct WholeLog {
    pub(super) summary: LogSummary,
    /// The leaf of each entry.
    pub(super) leaves: Vec<Hash>,
    /// The positions of sealed entries.
    pub(super) sealed: BTreeSet<u64>,
    /// The positions of entries that belong to no game.
    pub(super) others: BTreeSet<u64>,
    /// The entries of games that are not sealed, with their positions.
    entries: Vec<(u64, Uuid, LogEntry)>,
    former: FormerLog,
    problems: Vec<Problem>,
}

/// Reads a log, and verifies that its tiles and entries lead to its signed checkpoint.
pub(crate) fn read(client: &Client) -> Result<WholeLog, Problem> {
    let note = client.text_if_there("checkpoint")?;
    let note = note.ok_or_else(|| Problem::unchecked("the service has no log"))?;
    let keys = client.text("key")?;
    let mut lines = keys.lines();
    let key = log_key(lines.next().unwrap_or_default());
    let key: VerifierKey = key.map_err(|error| Problem::unchecked(format_args!("key: {error}")))?;
    let witnesses: Vec<VerifierKey> = lines.filter_map(|line| witness_key(line).ok()).collect();
    let damaged = |error| Problem::unchecked(format_args!("the checkpoint is damaged: {error}"));
    let (checkpoint, note) = open(&note, &key).map_err(damaged)?;
    compare(None, &checkpoint, &mut &*client)?;
    let mut findings = Findings::default();
    let time = cosigned_at(&note, &witnesses, &mut findings);
    let Checkpoint { origin, size, root } = checkpoint;
    let summary = LogSummary {
        origin: origin.as_str().to_owned(),
        size,
        root: root.to_string(),
        key: key.to_string(),
        cosigned_at: time.map(|time| RecordTime::of(time, None)),
        games: 0,
        sealed: 0,
    };
    let mut log = WholeLog {
        summary,
        leaves: Vec::new(),
        sealed: BTreeSet::new(),
        others: BTreeSet::new(),
        entries: Vec::new(),
        former: FormerLog::default(),
        problems: findings.problems,
    };
    for index in 0..size.div_ceil(u64::from(TILE_WIDTH)) {
        for (leaf, entry) in bundle(client, size, index)? {
            log.add(leaf, &entry);
        }
    }
    Ok(log)
}

impl WholeLog {
    fn add(&mut self, leaf: Hash, entry: &ReadEntry) {
        let position = self.leaves.len() as u64;
        self.leaves.push(leaf);
        let entry = match entry.at(position) {
            Ok(entry) => entry,
            Err(problem) => {
                self.others.insert(position);
                self.problems.push(problem);
                return;
            }
        };
        self.former.take(position, entry, self.summary.cosigned_at);
        match (entry, entry.game()) {
            (LogEntry::Sealed { .. }, _) => drop(self.sealed.insert(position)),
            (_, Some(game)) => self.entries.push((position, game, entry.clone())),
            (_, None) => drop(self.others.insert(position)),
        }
    }
}

/// The place of an entry, in words.
pub(super) fn place(origin: &str, position: u64) -> String {
    format!("entry {position} of {origin}")
}

/// Gives an audit the entries of games in a log that was read, also those that the service opened for an auditor. Returns the log, and
/// the games that are over in it.
pub(crate) fn audit(
    read: Result<WholeLog, Problem>,
    opened: Option<&[OpenedEntry]>,
    audit: &mut Audit<'_>,
) -> (Option<LogSummary>, Vec<Uuid>) {
    let mut log = read.map_err(|problem| audit.find(found(&problem))).ok();
    let mut games: BTreeSet<Uuid> = BTreeSet::new();
    if let Some(log) = &log {
        log.problems.iter().for_each(|problem| audit.find(found(problem)));
        for (position, game, entry) in &log.entries {
            take(audit, &mut games, *game, entry, &place(&log.summary.origin, *position));
        }
        if let Some(at) = log.summary.cosigned_at {
            audit.close_log(at);
        }
    }
    let mut former_end = log.as_ref().and_then(|log| log.former.end());
    let mut left = log.as_ref().map_or(0, |log| log.sealed.len());
    if let Some(entries) = opened {
        let opened = Opened::check(entries, log.as_ref(), audit);
        left = opened.unopened;
        former_end = former_end.map(|end| opened.first.map_or(end, |first| first.min(end)));
        for (game, entry, place) in &opened.entries {
            take(audit, &mut games, *game, entry, place);
        }
    }
    if let Some(end) = former_end {
        audit.begin_log(end);
    }
    if let Some(log) = &mut log {
        log.summary.games = games.len() as u64;
        log.summary.sealed = left as u64;
    }
    (log.map(|log| log.summary), games.into_iter().collect())
}

/// Gives an audit an entry of a game, and notes the games that are over.
fn take(audit: &mut Audit<'_>, games: &mut BTreeSet<Uuid>, game: Uuid, entry: &LogEntry, place: &str) {
    audit.logged(game, entry, place);
    if let LogEntry::End { .. } = entry {
        games.insert(game);
    }
}

/// Holds promises that players kept against a log: its checkpoint, later than a promise allows, must have the leaf.
pub(crate) fn check_promises(
    read: &Result<WholeLog, Problem>,
    paths: &[PathBuf],
    trust: &Trust,
    audit: &mut Audit<'_>,
) {
    for path in paths {
        let checked = KeptPromise::signed(path, trust).and_then(|kept| {
            let unread = || Problem::unchecked(format_args!("{}: the log was not read", path.display()));
            let log = read.as_ref().map_err(|_| unread())?;
            let shown = (log.summary.origin.as_str(), log.summary.cosigned_at);
            kept.is_kept_by(path, shown, |leaf| log.leaves.contains(&leaf))
        });
        if let Err(problem) = checked {
            audit.find(found(&problem));
        }
    }
}

/// A problem of the log as a finding.
fn found(problem: &Problem) -> Finding {
    match problem {
        Problem::Tampered(detail) => Finding::new(None, None, Rule::Log, detail),
        Problem::Unchecked(detail) | Problem::Uncosigned(detail) => {
            Finding::inconclusive(None, None, Rule::Log, detail)
        }
    }
}
