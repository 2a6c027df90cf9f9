//! Gives the signed ends of games to the public log, where they wait for their positions.

use std::sync::Arc;
use std::time::Duration;

use super::sign::is_signed;
use super::{BATCH, Endings, OfGame, defect, last_event, read_each};
use crate::auth::keys::RecordKeys;
use crate::base::failure::{Failure, milliseconds};
use crate::base::pacing::{PacedJob, waited};
use crate::games::committed_event::event_of;
use crate::games::skipped_games::Job;
use crate::public_log::{LoggedEntry, LostEntry, PublicLog, bind_entry, end_entry, is_ahead};
use estimation_engine::event::Visibility;
use estimation_engine::hex::Hex;
use estimation_record::{LogEntry, Opening, RecordTime};
use estimation_store::ended_games;
use estimation_store::public_log::games::OverGame;
use estimation_store::public_log::{self, EntryKind, tree};
use estimation_store::{Connection, GameId, StoreError, games};

/// A signed end that the public log does not have.
struct UnloggedEnd {
    game: GameId,
    events: u64,
    head: Hex<32>,
    visibility: Visibility,
    /// The time of the last event.
    at: RecordTime,
}

impl OfGame for UnloggedEnd {
    fn game(&self) -> GameId {
        self.game
    }
}

impl Endings {
    /// Queues the ends of signed games for the public log. Returns how many.
    pub async fn log(&self) -> Result<usize, Failure> {
        let mut logged = self.log_again().await.unwrap_or_else(|error| {
            tracing::warn!(%error, "looking for lost ends failed");
            0
        });
        loop {
            let skip = self.skipped_games.paused(Job::Log);
            let read = move |conn: &mut Connection| {
                let games = ended_games::unlogged(conn, &skip, BATCH)?;
                read_each(conn, games, unlogged)
            };
            let signed = self.pacer.read(PacedJob::Log, Duration::ZERO, read).await?;
            let full = signed.len() == BATCH;
            let mut ends = Vec::with_capacity(signed.len());
            for (game, read) in signed {
                match read {
                    Ok(end) => ends.push(end),
                    Err(error) => self.skipped_games.skip(Job::Log, game, error.into())?,
                }
            }
            if !ends.is_empty() {
                let (log, now) = (Arc::clone(&self.public_log), RecordTime::of(self.clock.now(), None));
                let over_for = |end: &UnloggedEnd| waited(now.timestamp(), end.at.timestamp());
                let waited = ends.iter().map(over_for).max().unwrap_or_default();
                let keys = self.keys.ring().record_keys();
                let write =
                    move |conn: &mut Connection, ends: &[UnloggedEnd]| queue(conn, (&log, &keys), ends, now);
                let added = self.for_each((Job::Log, PacedJob::Log), waited, ends, write).await?;
                logged += added;
                // Another node logs.
                if added == 0 {
                    return Ok(logged);
                }
            }
            if !full {
                return Ok(logged);
            }
        }
    }

    /// Queues lost ends again: those without a position and without a row in the queue. Returns how many.
    async fn log_again(&self) -> Result<usize, Failure> {
        let (mut after, mut logged) = (String::new(), 0);
        loop {
            let before = after.clone();
            let page =
                move |conn: &mut Connection| public_log::lost(conn, EntryKind::End, &before, BATCH as i64);
            let page = self.database.read(page).await?;
            let Some(last) = page.last() else { return Ok(logged) };
            after.clone_from(last);
            // A row of no game is found by audits.
            let paused = self.skipped_games.paused(Job::Log);
            let games = page.iter().filter_map(|id| id.parse::<GameId>().ok());
            for game in games.filter(|game| !paused.contains(game)) {
                let keys = self.keys.ring().record_keys();
                let lost = move |conn: &mut Connection| Ok(lost_end(conn, game, &keys));
                let lost = self.database.read(lost).await.map_err(Failure::from).flatten();
                let queued = match lost {
                    Ok(lost) => self.public_log.queue_again(lost).await.map_err(Failure::from),
                    Err(failure) => Err(failure),
                };
                if self.skipped_games.settle(Job::Log, game, queued)? == Some(true) {
                    tracing::error!(%game, "the public log had lost the end of a game");
                    logged += 1;
                }
            }
        }
    }
}

/// The end of a game from its stored bytes, if it is the end that was signed.
fn lost_end(conn: &mut Connection, game: GameId, keys: &RecordKeys) -> Result<LostEntry, Failure> {
    let unsound = |finding: &str| Failure::UnsoundLog { game, finding: finding.to_owned() };
    let signed = ended_games::find(conn, game)?;
    let stored = public_log::games::find_entry(conn, game, EntryKind::End)?;
    let (Some(signed), Some(stored)) = (signed, stored) else {
        return Err(unsound("the public log has an end of the game, which is not signed"));
    };
    let entry = serde_json::from_str(&stored.entry).ok().filter(|entry| {
        matches!(entry, LogEntry::End { game: of, events, head, .. }
            if (*of, *events, head.0) == (game.0, signed.events, signed.head))
    });
    let (Some(LogEntry::End { at, .. }), true) = (entry, is_signed(conn, &signed, keys)?) else {
        return Err(unsound("the end in the public log is not the one that was signed"));
    };
    let logged = Opening { entry: stored.entry, salt: stored.salt.map(Hex) }.logged()?;
    Ok(LostEntry { game, kind: EntryKind::End, logged, entered_at: milliseconds(at.timestamp()) })
}

fn unlogged(conn: &mut Connection, game: GameId) -> Result<UnloggedEnd, StoreError> {
    let end = ended_games::find(conn, game)?.ok_or(StoreError::NotFound)?;
    let row = games::find(conn, game)?.ok_or(StoreError::NotFound)?;
    let visibility = match row.visibility.as_str() {
        "private" => Visibility::Private,
        _ => Visibility::Public,
    };
    let (at, _) = event_of(game, &last_event(conn, game)?).map_err(defect)?;
    Ok(UnloggedEnd { game, events: end.events, head: Hex(end.head), visibility, at })
}

/// Queues ends. Does nothing if another node does a step, or if the log's last entry is too far ahead of the clock.
fn queue(
    conn: &mut Connection,
    (log, keys): (&PublicLog, &RecordKeys),
    ends: &[UnloggedEnd],
    now: RecordTime,
) -> Result<usize, StoreError> {
    if !ended_games::lead(conn)? {
        return Ok(0);
    }
    let latest = tree::hold_off(conn)?;
    if is_ahead(latest, milliseconds(now.timestamp())) {
        return Ok(0);
    }
    let mut latest = RecordTime::from_milliseconds(latest).map_err(defect)?;
    let mut queued = 0;
    for &UnloggedEnd { game, events, head, visibility, at: ended } in ends {
        // The time of the entry, not of the last event: a game may wait for its verification. Each is not before the one
        // before it, because the log takes waiting entries in the order of their times.
        let at = now.max(ended).max(latest);
        let entered_at = milliseconds(at.timestamp());
        if !ended_games::mark_logged(conn, game, entered_at)? {
            continue;
        }
        let end = end_entry(game, at, (events, head), log.salt(visibility)).map_err(defect)?;
        let LoggedEntry { logged, entry, salt } = end;
        let binding = bind_entry(game, EntryKind::End, entered_at, &logged, keys, now.timestamp());
        let binding = binding.map_err(defect)?;
        let over = OverGame { at: entered_at, logged, entry, salt, binding };
        public_log::games::end(conn, game, &over)?;
        (latest, queued) = (at, queued + 1);
    }
    Ok(queued)
}
