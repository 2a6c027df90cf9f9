//! The whole log of a service, read and verified for an audit of its games.

use std::collections::BTreeSet;

use estimation_record::{LogEntry, RecordTime};
use estimation_tlog::checkpoint::open;
use estimation_tlog::{Checkpoint, Hash, TILE_WIDTH, VerifierKey};
use serde::Serialize;
use uuid::Uuid;

use super::client::Client;
use super::compare::compare;
use super::entries::{ReadEntry, bundle};
use super::outcome::{Findings, Problem};
use super::signatures::{cosigned_at, log_key, witness_key};
use super::times::FormerLog;

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
    pub(super) entries: Vec<(u64, Uuid, LogEntry)>,
    pub(super) former: FormerLog,
    pub(super) problems: Vec<Problem>,
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
