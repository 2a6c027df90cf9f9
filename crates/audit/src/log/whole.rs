//! Reads the whole log of a service for an audit of its games, and holds it against them.

use std::collections::{HashMap, HashSet};

use estimation_engine::chance::Hex;
use estimation_record::verify::{Audit, Finding, Rule};
use estimation_record::{LogEntry, LogHead, RecordTime};
use estimation_tlog::checkpoint::open;
use estimation_tlog::{Checkpoint, Hash, KeyName, TILE_WIDTH, VerifierKey};
use serde::Serialize;
use uuid::Uuid;

use super::client::Client;
use super::compare::compare;
use super::outcome::{Findings, Problem};
use super::signatures::{cosigned_at, log_key, witness_key};
use super::times::bundle;

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
    /// The ends of public games in it.
    pub(crate) games: u64,
}

/// The end of a public game in the log.
struct LoggedEnd {
    at: RecordTime,
    events: u64,
    head: Hex<32>,
}

/// A log, the ends in it, and what is wrong with it.
struct WholeLog {
    summary: LogSummary,
    ends: HashMap<Uuid, LoggedEnd>,
    problems: Vec<Problem>,
}

/// Reads the log of a service for an audit, if the service has one. `pointer` is the checkpoint in which the list of ended
/// games points into the log. Returns the log, and the public games that are over in it.
pub(crate) fn audit(
    client: &Client,
    pointer: Option<&LogHead>,
    audit: &mut Audit<'_>,
) -> (Option<LogSummary>, HashSet<Uuid>) {
    let found = |problem: &Problem| match problem {
        Problem::Tampered(detail) => Finding::new(None, None, Rule::List, detail),
        Problem::Unchecked(detail) => Finding::inconclusive(None, None, Rule::List, detail),
    };
    match read(client, pointer) {
        Ok(None) => (None, HashSet::new()),
        Ok(Some(WholeLog { summary, ends, problems })) => {
            audit.read_log();
            problems.iter().for_each(|problem| audit.find(found(problem)));
            let games = ends.keys().copied().collect();
            for (game, LoggedEnd { at, events, head }) in ends {
                audit.logged(game, at, events, head);
            }
            (Some(summary), games)
        }
        Err(problem) => {
            audit.find(found(&problem));
            (None, HashSet::new())
        }
    }
}

/// Reads a log; none if the service has none.
fn read(client: &Client, pointer: Option<&LogHead>) -> Result<Option<WholeLog>, Problem> {
    let Some(note) = client.text_if_there("checkpoint")? else {
        return match pointer {
            Some(LogHead { origin, size: 1.., .. }) => Err(Problem::unchecked(format_args!(
                "the list points into the log {origin}, and the service has no log"
            ))),
            _ => Ok(None),
        };
    };
    let keys = client.text("key")?;
    let mut lines = keys.lines();
    let key = log_key(lines.next().unwrap_or_default());
    let key: VerifierKey = key.map_err(|error| Problem::unchecked(format_args!("key: {error}")))?;
    let witnesses: Vec<VerifierKey> = lines.filter_map(|line| witness_key(line).ok()).collect();
    let damaged = |error| Problem::unchecked(format_args!("the checkpoint is damaged: {error}"));
    let (checkpoint, note) = open(&note, &key).map_err(damaged)?;
    let pointed = pointer.map(|pointer| pointed(pointer, &checkpoint)).transpose()?.flatten();
    compare(pointed.as_ref(), &checkpoint, &mut &*client)?;
    let mut findings = Findings::default();
    let time = cosigned_at(&note, &witnesses, &mut findings);
    let ends = ends(client, checkpoint.size, &mut findings)?;
    let Checkpoint { origin, size, root } = checkpoint;
    let summary = LogSummary {
        origin: origin.as_str().to_owned(),
        size,
        root: root.to_string(),
        key: key.to_string(),
        cosigned_at: time.map(|time| RecordTime::of(time, None)),
        games: ends.len() as u64,
    };
    Ok(Some(WholeLog { summary, ends, problems: findings.problems }))
}

/// The checkpoint to which the list of ended games points; none for one without entries.
fn pointed(pointer: &LogHead, shown: &Checkpoint) -> Result<Option<Checkpoint>, Problem> {
    let LogHead { origin, size, root } = pointer;
    if origin != shown.origin.as_str() {
        let shown = &shown.origin;
        return Err(Problem::unchecked(format_args!("the list points into the log {origin}, not {shown}")));
    }
    let origin = KeyName::new(origin.clone()).map_err(Problem::unchecked)?;
    Ok((*size > 0).then_some(Checkpoint { origin, size: *size, root: Hash(root.0) }))
}

/// The ends of public games. Two different ends of one game are tampering.
fn ends(client: &Client, size: u64, findings: &mut Findings) -> Result<HashMap<Uuid, LoggedEnd>, Problem> {
    let mut ends: HashMap<Uuid, LoggedEnd> = HashMap::new();
    for index in 0..size.div_ceil(u64::from(TILE_WIDTH)) {
        for entry in bundle(client, size, index)? {
            let LogEntry::End { game, at, events, head } = entry else { continue };
            if let Some(other) = ends.insert(game, LoggedEnd { at, events, head })
                && (other.events, other.head) != (events, head)
            {
                let detail = format_args!("the public log has two ends of the game {game}");
                findings.problems.push(Problem::tampered(detail));
            }
        }
    }
    Ok(ends)
}
