//! Verifies the whole logs of ended games and signs their ends, each with the next number.

use std::time::Duration;

use super::verify::{Ended, Piece};
use super::{BATCH, Endings, OfGame, last_event, read_each};
use crate::base::failure::{Failure, milliseconds};
use crate::base::pacing::{PacedJob, waited};
use crate::games::committed_event::event_of;
use crate::games::failure::GameFailure;
use crate::games::skipped_games::Job;
use estimation_engine::event::Event;
use estimation_engine::hex::Hex;
use estimation_record::{GameEnd, RecordTime};
use estimation_store::ended_games::{self, EndedGame};
use estimation_store::event_reads::{Head, StoredEvent};
use estimation_store::{Connection, GameId, StoreError, games};

/// An ended game, with its row's ruleset and its last event.
struct Over {
    ruleset: String,
    last: StoredEvent,
}

/// A signed end of a game, without its number.
struct SignedEnd {
    game: GameId,
    events: u64,
    head: Hex<32>,
    kid: String,
    signature: Hex<64>,
    /// The time of the last event.
    at: RecordTime,
}

impl OfGame for SignedEnd {
    fn game(&self) -> GameId {
        self.game
    }
}

impl Endings {
    /// Verifies and signs ended games. Returns how many were signed.
    pub async fn sign(&self) -> Result<usize, GameFailure> {
        let mut signed = 0;
        loop {
            let skip = self.skipped_games.paused(Job::Sign);
            let read = move |conn: &mut Connection| {
                let games = ended_games::unsigned(conn, &skip, BATCH)?;
                read_each(conn, games, over)
            };
            let over = self.pacer.read(PacedJob::Sign, Duration::ZERO, read).await?;
            let full = over.len() == BATCH;
            let mut ends = Vec::with_capacity(over.len());
            for (game, read) in over {
                match self.sound(game, read).await {
                    Ok(ended) => ends.push(self.signed(&ended)?),
                    Err(failure) => self.skipped_games.skip(Job::Sign, game, failure)?,
                }
            }
            if !ends.is_empty() {
                let now = milliseconds(self.clock.now());
                let waited = ends.iter().map(|end| self.waited(end.at)).max().unwrap_or_default();
                let write = move |conn: &mut Connection, ends: &[SignedEnd]| add(conn, ends, now);
                let added = self.for_each((Job::Sign, PacedJob::Sign), waited, ends, write).await?;
                signed += added;
                // Another node is signing.
                if added == 0 {
                    return Ok(signed);
                }
            }
            if !full {
                return Ok(signed);
            }
        }
    }

    /// An ended game whose log is one that nodes wrote, and sound.
    async fn sound(&self, game: GameId, over: Result<Over, StoreError>) -> Result<Ended, GameFailure> {
        let over = over?;
        let ended = ended(game, &over)?;
        let Over { last: StoredEvent { seq, hash, binding, .. }, .. } = over;
        self.games.require_bound_head(game, Head { seq, hash }, binding).await?;
        self.verified(ended).await
    }

    /// An ended game whose log verifies.
    async fn verified(&self, ended: Ended) -> Result<Ended, GameFailure> {
        let (keys, waited) = (self.keys.ring().record_keys(), self.waited(ended.at));
        let first = move |conn: &mut Connection| ended.verify(conn, &keys);
        let mut piece = self.pacer.read(PacedJob::Sign, waited, first).await?;
        loop {
            piece = match piece {
                Piece::More(more) => {
                    self.pacer.read(PacedJob::Sign, waited, move |conn| more.next(conn)).await?
                }
                Piece::Done(ended, None) => return Ok(*ended),
                Piece::Done(ended, Some(finding)) => return Err(ended.unsound(finding)),
            }
        }
    }

    /// How long a game has been over.
    fn waited(&self, ended: RecordTime) -> Duration {
        waited(self.clock.now(), ended.timestamp())
    }

    fn signed(&self, ended: &Ended) -> Result<SignedEnd, GameFailure> {
        let &Ended { game, ruleset, at, events, head, ref standings } = ended;
        let end = GameEnd { game: game.0, ruleset, head, events, standings: standings.as_ref() };
        let statement = end.statement()?;
        let signed = self.keys.ring().record_keys().sign(&statement, self.clock.now());
        // Not specific to this game: no game can be signed.
        let signed = signed.ok_or_else(|| Failure::Defect("every record key is retired".to_owned()))?;
        let (kid, signature) = (signed.kid.to_string(), Hex(signed.signature));
        Ok(SignedEnd { game, events, head, kid, signature, at })
    }
}

/// An ended game as its row and its last event state it.
fn ended(game: GameId, over: &Over) -> Result<Ended, GameFailure> {
    let Over { ruleset, last } = over;
    let (at, event) = event_of(game, last)?;
    let standings = match event {
        Event::GameFinished(finished) => Some(finished.standings),
        Event::GameAbandoned { .. } => None,
        _ => return Err(Failure::Defect(format!("game {game} is over and its log has no end")).into()),
    };
    let (ruleset, head) = (ruleset.parse()?, Hex(last.hash));
    Ok(Ended { game, ruleset, at, events: last.seq, head, standings })
}

fn over(conn: &mut Connection, game: GameId) -> Result<Over, StoreError> {
    let row = games::find(conn, game)?.ok_or(StoreError::NotFound)?;
    Ok(Over { ruleset: row.ruleset, last: last_event(conn, game)? })
}

/// Stores ends with the next numbers. Does nothing if another node does a step.
fn add(conn: &mut Connection, ends: &[SignedEnd], now: i64) -> Result<usize, StoreError> {
    if !ended_games::lead(conn)? {
        return Ok(0);
    }
    let mut number = ended_games::last_number(conn)?;
    let mut added = 0;
    for end in ends {
        if ended_games::find(conn, end.game)?.is_some() {
            continue;
        }
        number += 1;
        let signed = EndedGame {
            number,
            game: end.game,
            events: end.events,
            head: end.head.0,
            kid: end.kid.clone(),
            signature: end.signature.0,
            signed_at: now,
        };
        ended_games::add(conn, &signed)?;
        added += 1;
    }
    Ok(added)
}
