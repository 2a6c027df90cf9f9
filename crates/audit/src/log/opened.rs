//! The entries of games that a service opens for an auditor, compared with its public log.

use estimation_engine::hex::Hex;
use estimation_record::verify::{Audit, Finding, Rule};
use estimation_record::{LogEntry, Opening, RecordTime};
use estimation_tlog::Hash;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::whole::{WholeLog, place};

/// An entry of a game in the public log, opened.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct OpenedEntry {
    /// The name of the log.
    origin: String,
    /// The position of the entry in this log.
    index: u64,
    game: Uuid,
    /// The bytes of the entry.
    entry: String,
    /// The salt of a sealed entry.
    salt: Option<Hex<32>>,
}

/// What follows from opened entries.
pub(super) struct OpenedEntries {
    /// The entries of games with their places, those in former logs too.
    pub(super) entries: Vec<(Uuid, LogEntry, String)>,
    /// The time of the first one in this log.
    pub(super) first: Option<RecordTime>,
    /// The number of sealed entries that were not opened.
    pub(super) unopened: usize,
}

impl OpenedEntries {
    /// Compares opened entries with the log, if it was read. Each must be the entry at its position, and no entry of a game
    /// may be missing. Entries of former logs, which the service does not serve, and those after the end of the log that
    /// was read are not compared.
    pub(super) fn check(
        entries: &[OpenedEntry],
        log: Option<&WholeLog>,
        audit: &mut Audit<'_>,
    ) -> OpenedEntries {
        let mut is_open = vec![false; log.map_or(0, |log| log.leaves.len())];
        let mut of_games = Vec::new();
        let mut first: Option<(u64, RecordTime)> = None;
        for opened in entries {
            let OpenedEntry { origin, index, game, .. } = opened;
            let mut find = |detail: &str| {
                let detail =
                    format!("{}, which the service opens for auditors, {detail}", place(origin, *index));
                audit.find(Finding::new(Some(*game), None, Rule::Log, detail));
            };
            let entry = serde_json::from_str::<LogEntry>(&opened.entry);
            if let Some(log) = log.filter(|log| log.summary.origin == *origin) {
                let Some(place) = usize::try_from(*index).ok().filter(|place| *place < is_open.len()) else {
                    continue;
                };
                is_open[place] = true;
                if opened.leaf() != Some(log.leaves[place]) {
                    find("is another one in the public log");
                    continue;
                }
                let timed = entry.as_ref().ok().and_then(LogEntry::at).map(|at| (*index, at));
                first = first.into_iter().chain(timed).min();
            }
            match entry {
                Ok(entry) if entry.game() == Some(*game) => {
                    of_games.push((*game, entry, place(origin, *index)));
                }
                _ => find("is not an entry of the game"),
            }
        }
        let mut unopened = 0;
        for (position, _) in (0..).zip(&is_open).filter(|(_, is_open)| !**is_open) {
            if log.is_some_and(|log| log.others.contains(&position)) {
                continue;
            }
            unopened += usize::from(log.is_some_and(|log| log.sealed.contains(&position)));
            let detail = format!("the service does not open entry {position} of the public log for auditors");
            audit.find(Finding::new(None, None, Rule::Log, detail));
        }
        OpenedEntries { entries: of_games, first: first.map(|(_, at)| at), unopened }
    }
}

impl OpenedEntry {
    /// The leaf hash of the bytes that the log has; none for an entry that is not canonical.
    fn leaf(&self) -> Option<Hash> {
        let opening = Opening { entry: self.entry.clone(), salt: self.salt };
        opening.logged().ok().map(|logged| Hash::leaf(logged.as_bytes()))
    }
}
