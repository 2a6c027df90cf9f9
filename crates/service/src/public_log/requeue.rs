//! Lost entries: those without a position and without a row in the queue, after the row was deleted or refused. A start is
//! queued again from its promise, and an end from its signature (`endings/log.rs`). A failure holds up nothing else.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::PublicLog;
use super::entries::bind_entry;
use super::start_check::is_promised;
use crate::auth::keys::RecordKeys;
use crate::base::failure::milliseconds;
use estimation_engine::hex::Hex;
use estimation_record::{LogEntry, Opening};
use estimation_store::public_log::{self, EntryKind, audit_reads, games, tree};
use estimation_store::{Connection, GameId, StoreError};
use estimation_tlog::Hash;
use jiff::{SignedDuration, Timestamp};

/// Games per query.
const PAGE: i64 = 16;

/// How long a start that cannot be queued is left alone.
const PAUSE: SignedDuration = SignedDuration::from_mins(1);

/// The starts that could not be queued, each with the time of the next attempt.
#[derive(Default)]
pub(super) struct PausedStarts(Mutex<HashMap<GameId, Timestamp>>);

impl PausedStarts {
    fn pause(&self, game: GameId, now: Timestamp) {
        let mut paused = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        paused.retain(|_, until| *until > now);
        paused.insert(game, now.saturating_add(PAUSE).unwrap_or(Timestamp::MAX));
    }

    fn has(&self, game: GameId, now: Timestamp) -> bool {
        let paused = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        paused.get(&game).is_some_and(|until| *until > now)
    }
}

/// An entry that the log has lost.
pub(crate) struct LostEntry {
    pub(crate) game: GameId,
    pub(crate) kind: EntryKind,
    /// The bytes of the log.
    pub(crate) logged: String,
    /// The time of the entry, in milliseconds since 1970 in UTC.
    pub(crate) entered_at: i64,
}

impl PublicLog {
    /// Queues lost starts again. A start without a sound promise is left to the step that signs its game, which refuses it.
    pub(super) async fn requeue(&self) {
        let mut after = String::new();
        loop {
            let before = after.clone();
            let page = move |conn: &mut Connection| public_log::lost(conn, EntryKind::Start, &before, PAGE);
            let page = match self.database.read(page).await {
                Ok(page) => page,
                Err(error) => return tracing::warn!(%error, "looking for lost starts failed"),
            };
            let Some(last) = page.last() else { return };
            after.clone_from(last);
            // A row of no game is found by audits.
            for game in page.iter().filter_map(|id| id.parse::<GameId>().ok()) {
                let now = self.clock.now();
                if self.paused_starts.has(game, now) {
                    continue;
                }
                let reason = match self.requeue_start(game).await {
                    Ok(Some(true)) => {
                        tracing::error!(%game, "the public log had lost the promised start of a game");
                        continue;
                    }
                    Ok(Some(false)) => continue,
                    Ok(None) => "it has no sound promise".to_owned(),
                    Err(error) => error.to_string(),
                };
                tracing::error!(%game, reason, "a start that waits for the public log cannot be queued");
                self.paused_starts.pause(game, now);
            }
        }
    }

    /// None for a start that was not promised.
    async fn requeue_start(&self, game: GameId) -> Result<Option<bool>, StoreError> {
        let keys = self.keys.ring().record_keys();
        let promised = move |conn: &mut Connection| promised(conn, &keys, game);
        match self.database.read(promised).await? {
            Some(lost) => self.queue_again(lost).await.map(Some),
            None => Ok(None),
        }
    }

    /// Queues a lost entry again; if only its position was lost, its game gets it again. Returns false if that is done, or
    /// another node is at it.
    pub(crate) async fn queue_again(&self, lost: LostEntry) -> Result<bool, StoreError> {
        let logged = lost.logged.clone();
        let find = move |conn: &mut Connection| public_log::find_position(conn, &logged);
        let position = self.database.read(find).await?;
        let (keys, now) = (self.keys.ring().record_keys(), self.clock.now());
        self.database.write(move |conn: &mut Connection| queue_again(conn, &lost, position, &keys, now)).await
    }
}

fn queue_again(
    conn: &mut Connection,
    lost: &LostEntry,
    position: Option<(i32, u64)>,
    keys: &RecordKeys,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let &LostEntry { game, kind, ref logged, entered_at } = lost;
    if !tree::lead(conn)? {
        return Ok(false);
    }
    let stored = games::find_entry(conn, game, kind)?;
    if stored.is_none_or(|stored| stored.position.is_some()) || public_log::waits(conn, game, kind)? {
        return Ok(false);
    }
    if let Some(position) = position {
        public_log::restore_position(conn, game, kind, position)?;
        return Ok(true);
    }
    // The order of the queue. The entry keeps its own time, which shows that it is late.
    let at = entered_at.max(tree::hold_off(conn)?);
    let binding = bind_entry(game, kind, at, logged, keys, now);
    let binding = binding.map_err(|error| StoreError::Defect { detail: error.to_string() })?;
    public_log::enqueue(conn, Some(game), kind, at, logged, &binding)?;
    Ok(true)
}

/// The start of a game as it was promised; none if it was not.
fn promised(conn: &mut Connection, keys: &RecordKeys, game: GameId) -> Result<Option<LostEntry>, StoreError> {
    let Some(start) = audit_reads::find(conn, game)?.and_then(|stored| stored.start) else { return Ok(None) };
    let opening = Opening { entry: start.entry.clone(), salt: start.salt.map(Hex) };
    let logged = opening.logged().ok().filter(|text| Hash::leaf(text.as_bytes()).0 == start.promise.leaf);
    let (Some(logged), Ok(LogEntry::Start { at, .. })) = (logged, serde_json::from_str(&start.entry)) else {
        return Ok(None);
    };
    let entered_at = milliseconds(at.timestamp());
    let is_promised = is_promised(conn, keys, (game, &start), at)?;
    Ok(is_promised.then_some(LostEntry { game, kind: EntryKind::Start, logged, entered_at }))
}
