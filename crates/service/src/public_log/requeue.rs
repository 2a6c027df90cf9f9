//! Lost entries: those without a position and without a row in the queue, after the row was deleted or refused. A start is
//! queued again from its promise, an adoption from the binding of the adopted head, and an end from its signature
//! (`endings/log.rs`). A failure holds up nothing else.

use super::PublicLog;
use super::entries::bind_entry;
use super::queue::check_adoption;
use super::start_check::is_promised;
use crate::auth::keys::{BindingCheck, RecordKeys};
use crate::base::failure::milliseconds;
use estimation_engine::hex::Hex;
use estimation_record::{LogEntry, Opening};
use estimation_store::public_log::{self, EntryKind, audit_reads, tree};
use estimation_store::{Connection, GameId, Server, StoreError, adopted_heads};
use estimation_tlog::Hash;
use jiff::{SignedDuration, Timestamp};

/// Games per query.
const PAGE: i64 = 16;

/// How long an entry that cannot be queued is left alone.
pub(crate) const ENTRY_PAUSE: SignedDuration = SignedDuration::from_mins(1);

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
    /// Queues lost starts and adoptions again. A start without a sound promise is left to the step that signs its game,
    /// which refuses it.
    pub(super) async fn requeue(&self) {
        for kind in [EntryKind::Start, EntryKind::Adopted] {
            self.requeue_kind(kind).await;
        }
    }

    async fn requeue_kind(&self, kind: EntryKind) {
        let mut after = String::new();
        loop {
            let before = after.clone();
            let page = move |conn: &mut Connection| public_log::lost(conn, kind, &before, PAGE);
            let page = match self.database.read(page).await {
                Ok(page) => page,
                Err(error) => return tracing::warn!(%error, "looking for lost entries failed"),
            };
            let Some(last) = page.last() else { return };
            after.clone_from(last);
            // A row of no game is found by audits.
            for game in page.iter().filter_map(|id| id.parse::<GameId>().ok()) {
                let now = self.clock.now();
                if self.paused_entries.has(&(game, kind), now) {
                    continue;
                }
                let reason = match self.requeue_one(game, kind).await {
                    Ok(Some(true)) => {
                        tracing::error!(%game, ?kind, "the public log had lost an entry of a game");
                        continue;
                    }
                    Ok(Some(false)) => continue,
                    Ok(None) if kind == EntryKind::Start => "it has no sound promise".to_owned(),
                    Ok(None) => "no node has bound the adopted head".to_owned(),
                    Err(error) => error.to_string(),
                };
                tracing::error!(%game, ?kind, reason, "a lost entry of the public log cannot be queued");
                self.paused_entries.begin((game, kind), now);
            }
        }
    }

    /// None for a start that was not promised, and for an adoption that no node made.
    async fn requeue_one(&self, game: GameId, kind: EntryKind) -> Result<Option<bool>, StoreError> {
        let keys = self.keys.ring().record_keys();
        let lost = move |conn: &mut Connection| match kind {
            EntryKind::Adopted => adopted(conn, &keys, game),
            _ => promised(conn, &keys, game),
        };
        match self.database.read(lost).await? {
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
        self.database
            .write(Server, move |conn: &mut Connection| queue_again(conn, &lost, position, &keys, now))
            .await
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
    if !public_log::is_lost(conn, game, kind, logged)? {
        return Ok(false);
    }
    if let Some(position) = position {
        public_log::restore_position(conn, game, kind, logged, position)?;
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

/// A lost adoption of a game that a node made; none without one.
fn adopted(conn: &mut Connection, keys: &RecordKeys, game: GameId) -> Result<Option<LostEntry>, StoreError> {
    let kind = EntryKind::Adopted;
    for adopted in adopted_heads::of_game(conn, game)? {
        let is_sound = check_adoption(game, &adopted, keys) == BindingCheck::Sound;
        let at = serde_json::from_str(&adopted.entry).ok().and_then(|entry: LogEntry| entry.at());
        if let (true, Some(at)) = (is_sound, at)
            && public_log::is_lost(conn, game, kind, &adopted.logged)?
        {
            let entered_at = milliseconds(at.timestamp());
            return Ok(Some(LostEntry { game, kind, logged: adopted.logged, entered_at }));
        }
    }
    Ok(None)
}
