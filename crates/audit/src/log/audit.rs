//! Holds the whole log of a service against its games, and against the promises that players kept.

use std::collections::BTreeSet;
use std::path::PathBuf;

use estimation_record::LogEntry;
use estimation_record::verify::{Audit, Finding, Rule, Trust};
use uuid::Uuid;

use super::opened::{OpenedEntries, OpenedEntry};
use super::outcome::Problem;
use super::promise::KeptPromise;
use super::whole::{LogSummary, WholeLog, place};

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
        let opened = OpenedEntries::check(entries, log.as_ref(), audit);
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
