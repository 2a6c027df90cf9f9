//! Verifies the whole logs of ended games and signs their ends, each with the next number. A game whose start is in no
//! signed checkpoint of the public log yet waits.

use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use super::refusal::Refusal;
use super::verify::{Piece, StatedEnd};
use super::{BATCH, Endings, OfGame, last_event, read_each};
use crate::auth::keys::RecordKeys;
use crate::base::failure::{Failure, milliseconds};
use crate::base::pacing::{PacedJob, waited};
use crate::games::committed_event::event_of;
use crate::games::skipped_games::Job;
use estimation_engine::event::Event;
use estimation_engine::hex::Hex;
use estimation_record::{GameEnd, NotCanonical, RecordTime};
use estimation_store::ended_games::{self, EndedGame, LogCheckpoint, UnsignedPage};
use estimation_store::event_reads::{Head, StoredEvent};
use estimation_store::{Connection, GameId, StoreError, games};

/// Unsigned games that are looked at at once.
const PAGE: usize = 256;

/// A pass over the unsigned games, from the first page to the last.
#[derive(Clone, Copy, Default)]
pub(crate) struct Pass {
    /// The time of the end and the id of the game after which the next page begins; none for the first.
    after: Option<(i64, GameId)>,
    /// That of the public log at the first page.
    checkpoint: Option<LogCheckpoint>,
    /// Whether the pass began again and has signed no game since.
    began_again: bool,
}

impl Pass {
    /// The pass from the first page once more, if games of the pages before may be ready now. Without this, later games
    /// would get lower numbers.
    fn again(self, checkpoint: Option<LogCheckpoint>) -> Option<Pass> {
        let is_due = self.after.is_some() && !self.began_again && self.checkpoint != checkpoint;
        is_due.then_some(Pass { began_again: true, ..Pass::default() })
    }

    /// The pass after a page.
    fn next(self, page: &UnsignedPage, has_signed: bool) -> Pass {
        let Some(last) = page.last else { return Pass::default() };
        let checkpoint = if self.after.is_none() { page.checkpoint } else { self.checkpoint };
        Pass { after: Some(last), checkpoint, began_again: self.began_again && !has_signed }
    }
}

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
    /// Verifies and signs ended games. Returns how many were signed. Looks at one more page only after a page of which games
    /// were signed, and goes on there the next time: while the public log is not signed, all ended games may wait. When it
    /// is signed again, begins with the first page, since games are counted in the order of their numbers; at most once
    /// until a game is signed, so that it also gets past pages of which none can be.
    pub async fn sign(&self) -> Result<usize, Failure> {
        if self.games.has_newer_games() {
            return Ok(0);
        }
        let mut signed = 0;
        loop {
            let pass = *self.pass();
            let read = move |conn: &mut Connection| ended_games::unsigned(conn, pass.after, PAGE);
            let page = self.pacer.read(PacedJob::Sign, Duration::ZERO, read).await?;
            if let Some(again) = pass.again(page.checkpoint) {
                *self.pass() = again;
                continue;
            }
            let paused = self.skipped_games.paused(Job::Sign);
            let ready: Vec<GameId> =
                page.ready.iter().copied().filter(|game| !paused.contains(game)).collect();
            let before = signed;
            for batch in ready.chunks(BATCH) {
                match self.sign_batch(batch.to_vec()).await? {
                    Some(added) => signed += added,
                    // Another node is signing.
                    None => return Ok(signed),
                }
            }
            *self.pass() = pass.next(&page, signed > before);
            if page.last.is_none() || signed == before {
                return Ok(signed);
            }
        }
    }

    fn pass(&self) -> MutexGuard<'_, Pass> {
        self.pass.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Verifies and signs some games. Returns how many were signed; none if another node is signing.
    async fn sign_batch(&self, games: Vec<GameId>) -> Result<Option<usize>, Failure> {
        let read = move |conn: &mut Connection| read_each(conn, games, over);
        let over = self.pacer.read(PacedJob::Sign, Duration::ZERO, read).await?;
        let mut ends = Vec::with_capacity(over.len());
        for (game, read) in over {
            match self.sound(game, read).await {
                Ok(Some(ended)) => ends.push(self.signed(&ended)?),
                Ok(None) => {}
                Err(refusal) => self.refuse(game, refusal).await?,
            }
        }
        if ends.is_empty() {
            return Ok(Some(0));
        }
        let now = milliseconds(self.clock.now());
        let waited = ends.iter().map(|end| self.waited(end.at)).max().unwrap_or_default();
        let write = move |conn: &mut Connection, ends: &[SignedEnd]| add(conn, ends, now);
        let added = self.for_each((Job::Sign, PacedJob::Sign), waited, ends, write).await?;
        Ok(Some(added).filter(|added| *added > 0))
    }

    /// An ended game whose log is one that nodes wrote, sound, and begins as the public log says. None while the public log
    /// does not have the start.
    async fn sound(
        &self,
        game: GameId,
        over: Result<Over, StoreError>,
    ) -> Result<Option<StatedEnd>, Refusal> {
        let over = over?;
        let ended = ended(game, &over)?;
        let Over { last: StoredEvent { seq, hash, binding, .. }, .. } = over;
        self.games.require_bound_head(game, Head { seq, hash }, binding).await?;
        self.verified(ended).await
    }

    async fn verified(&self, ended: StatedEnd) -> Result<Option<StatedEnd>, Refusal> {
        let (keys, waited) = (self.keys.ring().record_keys(), self.waited(ended.at));
        let first = move |conn: &mut Connection| ended.verify(conn, keys);
        let mut piece = self.pacer.read(PacedJob::Sign, waited, first).await?;
        loop {
            piece = match piece {
                Piece::More(more) => {
                    self.pacer.read(PacedJob::Sign, waited, move |conn| more.next(conn)).await?
                }
                Piece::Waits => return Ok(None),
                Piece::Done(ended, None) => return Ok(Some(*ended)),
                Piece::Done(_, Some(refusal)) => return Err(refusal),
            }
        }
    }

    /// How long a game has been over.
    fn waited(&self, ended: RecordTime) -> Duration {
        waited(self.clock.now(), ended.timestamp())
    }

    fn signed(&self, ended: &StatedEnd) -> Result<SignedEnd, Failure> {
        let &StatedEnd { game, at, events, head, .. } = ended;
        let signed = self.keys.ring().record_keys().sign(&statement(ended)?, self.clock.now());
        // Not specific to this game: no game can be signed.
        let signed = signed.ok_or_else(|| Failure::Defect("every record key is retired".to_owned()))?;
        let (kid, signature) = (signed.kid.to_string(), Hex(signed.signature));
        Ok(SignedEnd { game, events, head, kid, signature, at })
    }
}

/// What is signed of an ended game.
fn statement(ended: &StatedEnd) -> Result<Vec<u8>, NotCanonical> {
    let &StatedEnd { game, ruleset, events, head, ref standings, .. } = ended;
    GameEnd { game: game.0, ruleset, head, events, standings: standings.as_ref() }.statement()
}

/// Whether a record key has signed the end of a game as its row and its last event state it.
pub(super) fn is_signed(
    conn: &mut Connection,
    signed: &EndedGame,
    keys: &RecordKeys,
) -> Result<bool, Failure> {
    let ended = ended(signed.game, &over(conn, signed.game)?)?;
    let is_of = (ended.events, ended.head.0) == (signed.events, signed.head);
    let (key, statement) = (keys.find(&signed.kid), statement(&ended)?);
    Ok(is_of && key.is_some_and(|key| key.verify(&statement, &signed.signature)))
}

/// An ended game as its row and its last event state it.
fn ended(game: GameId, over: &Over) -> Result<StatedEnd, Failure> {
    let Over { ruleset, last } = over;
    let (at, event) = event_of(game, last)?;
    let standings = match event {
        Event::GameFinished(finished) => Some(finished.standings),
        Event::GameAbandoned { .. } => None,
        _ => return Err(Failure::Defect(format!("game {game} is over and its log has no end"))),
    };
    let (ruleset, head) = (ruleset.parse()?, Hex(last.hash));
    Ok(StatedEnd { game, ruleset, at, events: last.seq, head, standings })
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
    let signed: Vec<GameId> = ends.iter().map(|end| end.game).collect();
    ended_games::forget_refusals(conn, &signed)?;
    Ok(added)
}
