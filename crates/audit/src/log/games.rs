//! The starts and ends of public games in a log that grows: held against each other, and against the histories of games
//! that are over.

use std::collections::{BTreeMap, BTreeSet};

use estimation_record::verify::{Audit, Conflict, Difference, GameBounds, LoggedGame, Trust, Verdict};
use estimation_record::{GameStart, LogEntry, RecordTime};
use estimation_tlog::Checkpoint;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::client::Client;
use super::entries::{ReadEntry, walk};
use super::outcome::{Findings, Problem};
use super::times::FormerLog;

/// The maximum number of games that are kept.
const MAX_GAMES: usize = 10_000;

/// The maximum number of problems of entries that are told.
const MAX_PROBLEMS: usize = 50;

/// What is kept of the games in a log.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KnownGames {
    /// The number of entries that were read, up to the first one of an unknown type: the following ones are read again.
    read: u64,
    former: FormerLog,
    /// At most [`MAX_GAMES`]. Those that were compared with their histories are forgotten first, running ones last.
    games: BTreeMap<Uuid, KnownGame>,
}

/// The start and the end of a game.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct KnownGame {
    entries: LoggedGame,
    /// Whether they were compared with the history.
    is_compared: bool,
    /// How many times the history could not be compared.
    failures: u32,
}

impl KnownGames {
    /// Reads the entries that were not read yet, and compares at most `limit` games that are over with their histories.
    ///
    /// # Errors
    /// The entries cannot be read, or are not those of the checkpoint. Then nothing is learned.
    pub(super) fn advance(
        &mut self,
        client: &Client,
        (shown, cosigned_at): (&Checkpoint, Option<RecordTime>),
        (limit, trust): (usize, &Trust),
        findings: &mut Findings,
    ) -> Result<(), Problem> {
        let (mut next, mut problems) = (self.clone(), Vec::new());
        let mut unknown = None;
        walk(client, self.read, shown, |index, _, entry| {
            if let ReadEntry::UnknownType(_) = entry {
                unknown.get_or_insert(index);
            }
            if let Some(entry) = entry.known() {
                next.former.take(index, entry, cosigned_at);
            }
            problems.extend(next.take(index, entry));
        })?;
        next.read = unknown.unwrap_or(shown.size);
        *self = next;
        let more = problems.len().saturating_sub(MAX_PROBLEMS);
        findings.problems.extend(problems.into_iter().take(MAX_PROBLEMS));
        if more > 0 {
            findings.say(format_args!("{more} more entries are wrong"));
        }
        self.compare(client, shown, (limit, trust), findings);
        self.forget(MAX_GAMES);
        Ok(())
    }

    /// Takes an entry. Returns what is wrong with it.
    fn take(&mut self, index: u64, entry: &ReadEntry) -> Option<Problem> {
        let entry = match entry.at(index) {
            Ok(entry) => entry,
            Err(problem) => return Some(problem),
        };
        // Far more than are kept, so that forgetting is rare.
        if self.games.len() > 2 * MAX_GAMES {
            self.forget(MAX_GAMES);
        }
        let (LogEntry::Start { game, .. } | LogEntry::End { game, .. }) = *entry else { return None };
        let conflict = self.games.entry(game).or_default().entries.take(index, entry)?;
        Some(Problem::tampered(match conflict {
            Conflict::SecondStart(other) => {
                format!("entry {index} is a second start of the game {game}, after entry {other}")
            }
            Conflict::SecondEnd(other) => {
                format!("entry {index} is a second end of the game {game}, after entry {other}")
            }
            Conflict::StartAfterEnd(end) => {
                format!("entry {index} is the start of the game {game}, whose end is entry {end}")
            }
            Conflict::EndTooEarly(start) => format!(
                "entry {index} is the end of the game {game}, and of a time before its start, entry {start}"
            ),
        }))
    }

    /// Compares games that are over with their histories: those that failed least first, and of these those without a start.
    fn compare(
        &mut self,
        client: &Client,
        shown: &Checkpoint,
        (limit, trust): (usize, &Trust),
        findings: &mut Findings,
    ) {
        let over = self.games.iter().filter(|(_, known)| !known.is_compared);
        let mut due: Vec<(u32, bool, u64, Uuid)> = over
            .filter_map(|(game, known)| {
                let LoggedGame { start, end } = &known.entries;
                Some((known.failures, start.is_some(), end.as_ref()?.index, *game))
            })
            .collect();
        due.sort_unstable();
        let left = due.split_off(limit.min(due.len()));
        let failed = left.iter().filter(|(failures, ..)| *failures > 0).count();
        if failed > 0 {
            findings.problems.push(Problem::unchecked(format_args!(
                "the histories of {failed} games were not compared, after they failed before"
            )));
        }
        let (mut compared, mut without_start) = (0, Vec::new());
        for (.., game) in due {
            let verdict = findings.keep(history(client, game, trust));
            let Some(known) = self.games.get_mut(&game) else { continue };
            let Some(verdict) = verdict else {
                known.failures = known.failures.saturating_add(1);
                continue;
            };
            compared += 1;
            let differences: Vec<Difference> = known.entries.differences(&verdict.bounds()).collect();
            findings
                .problems
                .extend(differences.iter().filter_map(|difference| known.problem(game, *difference)));
            match verdict.started {
                Some(start) if differences.contains(&Difference::StartMissing) => {
                    without_start.push((game, start));
                }
                _ => known.is_compared = true,
            }
        }
        if !without_start.is_empty() {
            let found = self.find_starts(client, shown, without_start, findings);
            findings.keep(found);
        }
        if compared > 0 || !left.is_empty() {
            findings.say(format_args!(
                "{compared} games were compared with their histories; {} more are over, and wait for the next watch",
                left.len()
            ));
        }
    }

    /// Looks for starts that are not known, because they were forgotten, in the whole log.
    fn find_starts(
        &mut self,
        client: &Client,
        shown: &Checkpoint,
        wanted: Vec<(Uuid, GameStart)>,
        findings: &mut Findings,
    ) -> Result<(), Problem> {
        let games: BTreeSet<Uuid> = wanted.iter().map(|(game, _)| *game).collect();
        let (mut found, mut problems) = (KnownGames::default(), Vec::new());
        walk(client, 0, shown, |index, _, entry| {
            let is_wanted = match entry.known() {
                Some(LogEntry::Start { game, .. } | LogEntry::End { game, .. }) => games.contains(game),
                _ => false,
            };
            if is_wanted {
                problems.extend(found.take(index, entry));
            }
        })?;
        findings.problems.extend(problems);
        for (game, start) in wanted {
            let Some(known) = self.games.get_mut(&game) else { continue };
            let Some(end) = &known.entries.end else { continue };
            let logged = found.games.remove(&game).and_then(|found| found.entries.start);
            known.is_compared = true;
            match logged {
                Some(logged) => {
                    let bounds = GameBounds { game, start: Some(&start), end: None };
                    let differs = bounds.differences(Some(&logged.entry), None).next();
                    known.entries.start = Some(logged);
                    findings.problems.extend(differs.and_then(|difference| known.problem(game, difference)));
                }
                None if self.former.end().is_some_and(|end| start.at() <= end) => {
                    findings.say(format_args!(
                        "the start of the game {game} should be in the former log, which is not read"
                    ));
                }
                None => findings.problems.push(Problem::tampered(format_args!(
                    "entry {} is the end of the game {game}, whose history has a start, and the log has none",
                    end.index
                ))),
            }
        }
        Ok(())
    }

    /// Forgets games until so many are left.
    fn forget(&mut self, limit: usize) {
        let excess = self.games.len().saturating_sub(limit);
        if excess == 0 {
            return;
        }
        let rank = |known: &KnownGame| {
            let LoggedGame { start, end } = &known.entries;
            let index = end.as_ref().or(start.as_ref()).map(|logged| logged.index);
            (end.is_none(), !known.is_compared, index)
        };
        let mut order: Vec<_> = self.games.iter().map(|(game, known)| (rank(known), *game)).collect();
        order.sort_unstable();
        for (_, game) in order.into_iter().take(excess) {
            self.games.remove(&game);
        }
    }
}

impl KnownGame {
    /// The problem of an entry that is not that of the history.
    fn problem(&self, game: Uuid, difference: Difference) -> Option<Problem> {
        let (entry, what) = match difference {
            Difference::OtherStart | Difference::NotStarted => (self.entries.start.as_ref()?, "start"),
            Difference::OtherEnd => (self.entries.end.as_ref()?, "end"),
            Difference::StartMissing | Difference::NotOver => return None,
        };
        let index = entry.index;
        Some(Problem::tampered(format_args!(
            "entry {index} is another {what} of the game {game} than its history has"
        )))
    }
}

/// Verifies the history of a game that is over.
fn history(client: &Client, game: Uuid, trust: &Trust) -> Result<Verdict, Problem> {
    let mut audit = Audit::new(trust);
    client.history(game, &mut audit)?;
    let verdict = audit.last().cloned().filter(|verdict| verdict.game == game && verdict.over);
    match (audit.finish().findings.first(), verdict) {
        (None, Some(verdict)) => Ok(verdict),
        (Some(finding), _) => {
            Err(Problem::unchecked(format_args!("the history of the game {game} does not verify: {finding}")))
        }
        (None, None) => {
            Err(Problem::unchecked(format_args!("the service shows no history of the game {game}")))
        }
    }
}
