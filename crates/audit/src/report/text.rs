//! The report for people at a terminal: findings, what was not checked, keys, and the verdict in the last line.

use super::AuditReport;
use crate::log::LogSummary;
use estimation_command::{Failed, terminal};
use estimation_record::verify::SeedCounts;

/// Games that were not checked and are printed one by one.
const MAX_UNCHECKED: usize = 20;

pub(super) fn print(report: &AuditReport) -> Result<(), Failed> {
    let AuditReport { report: found, keys, notes, outcome, .. } = report;
    for finding in &found.findings {
        terminal::print_line(finding)?;
    }
    more(found.wrong, found.findings.len())?;
    for unchecked in found.unchecked.iter().take(MAX_UNCHECKED) {
        terminal::print_line(format_args!("game {}: not checked: {}", unchecked.game, unchecked.reason))?;
    }
    more(found.skipped, found.unchecked.len().min(MAX_UNCHECKED))?;
    for note in notes {
        terminal::print_line(note)?;
    }
    for key in keys {
        let own = if key.pinned {
            ""
        } else {
            ": the service's own key, which proves only that it agrees with itself"
        };
        terminal::print_line(format_args!("key {} from {}{own}", key.kid, key.from))?;
    }
    if report.unsigned {
        terminal::print_line("signatures were not checked (--unsigned)")?;
    }
    if let Some(LogSummary { origin, size, root, cosigned_at, games, sealed, .. }) = &report.log {
        let at = cosigned_at.map(|at| format!(" at {at}")).unwrap_or_default();
        terminal::print_line(format_args!(
            "the public log {origin} has {size} entries{at} with the root {root}, and the ends of {}",
            counted(*games, "game")
        ))?;
        if *sealed > 0 {
            terminal::print_line(format_args!(
                "{sealed} entries of private games are sealed: an auditor's token opens them"
            ))?;
        }
    }
    if found.client_seeds != SeedCounts::default() {
        terminal::print_line(format_args!("client seeds: {}", client_seeds(&found.client_seeds)))?;
    }
    let (games, events) = (counted(found.games, "game"), counted(found.events, "event"));
    let deals = counted(found.deals, "deal");
    let skipped = (found.skipped > 0).then(|| format!(", {} not checked", counted(found.skipped, "game")));
    let skipped = skipped.unwrap_or_default();
    terminal::print_line(format_args!("{games} with {events} and {deals}{skipped}: {}", outcome.in_words()))
}

fn more(all: u64, told: usize) -> Result<(), Failed> {
    match all.saturating_sub(told as u64) {
        0 => Ok(()),
        more => terminal::print_line(format_args!("… and {more} more")),
    }
}

/// How the players contributed to the shuffles.
pub(super) fn client_seeds(seeds: &SeedCounts) -> String {
    let SeedCounts { committed, without } = *seeds;
    let without = counted(without, "player");
    format!("{committed} committed, {without} without")
}

pub(crate) fn counted(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
