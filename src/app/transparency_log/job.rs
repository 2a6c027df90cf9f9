//! The job that signs ended games and appends them to the transparency log. Any node may run or stop it at any moment:
//! it selects ended games that are not listed yet. It verifies the whole log of a game first. A game that does not
//! verify, or cannot be read, is skipped, and listed once it is sound.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use super::TransparencyLog;
use super::verification::{Ended, Step};
use crate::app::failure::{Failure, milliseconds};
use crate::app::pacing::{PacedJob, waited};
use crate::app::public_log::{LoggedEntry, PublicLog, end_entry};
use crate::app::skipped_games::Job;
use crate::engine::chance::Hex;
use crate::engine::event::{Event, Visibility};
use crate::store::ended_games::{self, EndedGame, Unlogged};
use crate::store::event_reads::{self, StoredEvent};
use crate::store::public_log::{self, tree};
use crate::store::{Connection, GameId, StoreError, games};
use estimation_record::{GENESIS, GameEnd, ListedGame, RecordTime};

/// Games listed per transaction.
const BATCH: usize = 8;
/// The maximum number of ends that a transaction queues for the public log.
const MOST_LOGGED: i64 = 4 * BATCH as i64;

/// An ended game, with its row's ruleset and its last event.
struct Over {
    ruleset: String,
    last: StoredEvent,
}

/// A signed end of a game, without its log index.
#[derive(Clone)]
struct SignedEnd {
    game: GameId,
    events: u64,
    head: Hex<32>,
    kid: String,
    signature: Hex<64>,
    /// The time of the last event.
    at: RecordTime,
}

impl TransparencyLog {
    /// Signs and lists ended games. Returns how many were listed.
    pub async fn list_ended(&self) -> Result<usize, Failure> {
        let mut listed = 0;
        loop {
            let skip = self.skipped_games.paused(Job::List);
            let over = self.pacer.read(PacedJob::List, Duration::ZERO, move |conn| over(conn, &skip)).await?;
            let full = over.len() == BATCH;
            let mut ends = Vec::with_capacity(over.len());
            for (game, read) in over {
                let ended = read.map_err(Failure::from).and_then(|over| ended(game, &over));
                let sound = match ended {
                    Ok(ended) => self.verified(ended).await,
                    Err(failure) => Err(failure),
                };
                match sound {
                    Ok(ended) => ends.push(self.sign(&ended)?),
                    Err(failure) => self.skipped_games.skip(Job::List, game, failure)?,
                }
            }
            if !ends.is_empty() {
                let added = self.add_to_list(ends).await?;
                listed += added;
                // Another node is listing.
                if added == 0 {
                    return Ok(listed);
                }
            }
            if !full {
                return Ok(listed);
            }
        }
    }

    /// Appends ends to the log, one by one if the batch fails. Returns how many were appended.
    async fn add_to_list(&self, ends: Vec<SignedEnd>) -> Result<usize, Failure> {
        let now = RecordTime::of(self.clock.now(), None);
        let ends: Arc<[SignedEnd]> = ends.into();
        let (all, log) = (Arc::clone(&ends), Arc::clone(&self.public_log));
        let waited = ends.iter().map(|end| self.waited(end.at)).max().unwrap_or_default();
        let write = move |conn: &mut Connection| add(conn, &log, &all, now);
        match self.pacer.write(PacedJob::List, waited, write).await {
            Ok(added) => {
                ends.iter().for_each(|end| self.skipped_games.handled(Job::List, end.game));
                return Ok(added);
            }
            Err(error) if error.is_unavailable() => return Err(error.into()),
            Err(error) => tracing::debug!(%error, "listing games one by one"),
        }
        let mut added = 0;
        for end in ends.iter() {
            let (one, log) = (end.clone(), Arc::clone(&self.public_log));
            let write = move |conn: &mut Connection| add(conn, &log, std::slice::from_ref(&one), now);
            let write = self.pacer.write(PacedJob::List, waited, write).await.map_err(Failure::from);
            added += self.skipped_games.settle(Job::List, end.game, write)?.unwrap_or(0);
        }
        Ok(added)
    }

    /// An ended game whose log is sound.
    async fn verified(&self, ended: Ended) -> Result<Ended, Failure> {
        let (keys, waited) = (self.keys.ring().record_keys(), self.waited(ended.at));
        let mut step = self.pacer.read(PacedJob::List, waited, move |conn| ended.verify(conn, &keys)).await?;
        loop {
            step = match step {
                Step::More(more) => {
                    self.pacer.read(PacedJob::List, waited, move |conn| more.next(conn)).await?
                }
                Step::Done(ended, None) => return Ok(*ended),
                Step::Done(ended, Some(finding)) => return Err(ended.unsound(finding)),
            }
        }
    }

    /// How long a game has been over.
    fn waited(&self, ended: RecordTime) -> Duration {
        waited(self.clock.now(), ended.timestamp())
    }

    fn sign(&self, ended: &Ended) -> Result<SignedEnd, Failure> {
        let &Ended { game, ruleset, at, events, head, ref standings } = ended;
        let end = GameEnd { game: game.0, ruleset, head, events, standings: standings.as_ref() };
        let statement = end.statement()?;
        let signed = self.keys.ring().record_keys().sign(&statement, self.clock.now());
        // Not specific to this game: no game can be listed.
        let signed = signed.ok_or_else(|| Failure::Defect("every record key is retired".to_owned()))?;
        let (kid, signature) = (signed.kid.to_string(), Hex(signed.signature));
        Ok(SignedEnd { game, events, head, kid, signature, at })
    }
}

/// An ended game as its row and its last event state it.
fn ended(game: GameId, over: &Over) -> Result<Ended, Failure> {
    let Over { ruleset, last } = over;
    let (at, event) = last.event_of(game)?;
    let standings = match event {
        Event::GameFinished(finished) => Some(finished.standings),
        Event::GameAbandoned { .. } => None,
        _ => return Err(Failure::Defect(format!("game {game} is over and its log has no end"))),
    };
    let (ruleset, head) = (ruleset.parse()?, Hex(last.hash));
    Ok(Ended { game, ruleset, at, events: last.seq, head, standings })
}

type ReadEnd = Result<Over, StoreError>;

/// The next games to list, each with its end or the error that made it unreadable.
fn over(conn: &mut Connection, skip: &HashSet<GameId>) -> Result<Vec<(GameId, ReadEnd)>, StoreError> {
    let mut over = Vec::new();
    for game in ended_games::unlisted(conn, skip, BATCH)? {
        match end_of(conn, game) {
            Err(error) if error.is_unavailable() => return Err(error),
            read => over.push((game, read)),
        }
    }
    Ok(over)
}

fn end_of(conn: &mut Connection, game: GameId) -> Result<Over, StoreError> {
    let corrupt = || StoreError::Corrupt { detail: format!("game {game} is over and has no log") };
    let row = games::find(conn, game)?.ok_or_else(corrupt)?;
    let head = event_reads::head(conn, game)?.ok_or_else(corrupt)?;
    let last = event_reads::after(conn, game, head.seq - 1, 1)?.pop().ok_or_else(corrupt)?;
    Ok(Over { ruleset: row.ruleset, last })
}

/// Appends ends to the log. Does nothing if another node is appending.
fn add(
    conn: &mut Connection,
    log: &PublicLog,
    ends: &[SignedEnd],
    now: RecordTime,
) -> Result<usize, StoreError> {
    if !ended_games::lead(conn)? {
        return Ok(0);
    }
    let (mut position, mut chain) = ended_games::end(conn)?.unwrap_or((0, GENESIS));
    let mut added = 0;
    for end in ends {
        if ended_games::find(conn, end.game)?.is_some() {
            continue;
        }
        position += 1;
        let line = ListedGame {
            position,
            game: end.game.0,
            events: end.events,
            head: end.head,
            listed_at: now,
            kid: end.kid.clone(),
            signature: end.signature,
        };
        chain = line.chained(chain).map_err(defect)?;
        ended_games::add(
            conn,
            &EndedGame {
                position,
                game: end.game,
                events: end.events,
                head: end.head.0,
                chain,
                kid: end.kid.clone(),
                signature: end.signature.0,
                listed_at: milliseconds(now.timestamp()),
            },
        )?;
        added += 1;
    }
    log_ends(conn, log, ends, now)?;
    Ok(added)
}

/// Queues the ends of listed games for the public log: those that were just listed, and those that a node of an earlier
/// version listed.
fn log_ends(
    conn: &mut Connection,
    log: &PublicLog,
    ends: &[SignedEnd],
    now: RecordTime,
) -> Result<(), StoreError> {
    let latest = RecordTime::from_milliseconds(tree::hold_off(conn)?).map_err(defect)?;
    for unlogged in ended_games::take_unlogged(conn, MOST_LOGGED)? {
        let Unlogged { game, events, head, visibility } = match unlogged {
            Ok(unlogged) => unlogged,
            Err(error) => {
                tracing::error!(%error, "an entry of the transparency log is damaged");
                continue;
            }
        };
        let ended = match ends.iter().find(|end| end.game == game) {
            Some(end) => end.at,
            None => end_of(conn, game)?.last.event_of(game).map_err(defect)?.0,
        };
        // The time of the entry, not of the last event: a game may wait for its verification.
        let at = now.max(ended).max(latest);
        let salt = log.salt(visibility_of(&visibility));
        let LoggedEntry { logged, entry, salt } =
            end_entry(game, at, (events, Hex(head)), salt).map_err(defect)?;
        let at = milliseconds(at.timestamp());
        public_log::games::end(conn, game, at, &logged, &entry, salt.as_ref())?;
    }
    Ok(())
}

fn visibility_of(text: &str) -> Visibility {
    match text {
        "private" => Visibility::Private,
        _ => Visibility::Public,
    }
}

fn defect(error: impl std::fmt::Display) -> StoreError {
    StoreError::Defect { detail: error.to_string() }
}
