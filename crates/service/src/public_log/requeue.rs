//! Starts that were promised and have neither a position nor a row in the queue: somebody deleted the row, or changed it
//! so that it was refused. The log takes them from what the game has of them.

use super::PublicLog;
use super::entries::bind_entry;
use super::start_check::is_promised;
use crate::auth::keys::RecordKeys;
use crate::base::failure::milliseconds;
use crate::public_log::failure::LogFailure;
use estimation_engine::hex::Hex;
use estimation_record::{LogEntry, Opening};
use estimation_store::public_log::audit_reads::{self, LoggedStart};
use estimation_store::public_log::{self, EntryKind, tree};
use estimation_store::{Connection, GameId, StoreError};
use estimation_tlog::Hash;
use jiff::Timestamp;

/// Games per transaction.
const BATCH: i64 = 16;

impl PublicLog {
    /// Queues forgotten starts again. A start without a sound promise is left to the step that signs its game, which refuses
    /// it.
    pub(super) async fn requeue(&self) -> Result<(), LogFailure> {
        let mut after = String::new();
        loop {
            let before = after.clone();
            let page =
                move |conn: &mut Connection| public_log::forgotten(conn, EntryKind::Start, &before, BATCH);
            let page = self.database.read(page).await?;
            let Some(last) = page.last() else { return Ok(()) };
            let before = std::mem::replace(&mut after, last.clone());
            let (keys, now) = (self.keys.ring().record_keys(), self.clock.now());
            let again = move |conn: &mut Connection| requeue(conn, &before, &keys, now);
            for game in self.database.write(again).await? {
                tracing::error!(%game, "the public log had lost the promised start of a game");
            }
        }
    }
}

/// Queues a page of forgotten starts. Returns their games.
fn requeue(
    conn: &mut Connection,
    after: &str,
    keys: &RecordKeys,
    now: Timestamp,
) -> Result<Vec<GameId>, StoreError> {
    let mut queued = Vec::new();
    if !tree::lead(conn)? {
        return Ok(queued);
    }
    for id in public_log::forgotten(conn, EntryKind::Start, after, BATCH)? {
        // A row of no game is found by audits.
        let Ok(game) = id.parse() else { continue };
        let start = match audit_reads::find(conn, game) {
            Ok(stored) => stored.and_then(|stored| stored.start),
            Err(StoreError::Corrupt { .. }) => None,
            Err(error) => return Err(error),
        };
        let Some(start) = start else { continue };
        let Some((logged, entered_at)) = promised(conn, keys, game, &start)? else { continue };
        queue_again(conn, (game, EntryKind::Start, &logged), entered_at, keys, now)?;
        queued.push(game);
    }
    Ok(queued)
}

/// Queues an entry of a game that was forgotten. If only its position was, the game gets it again.
pub(crate) fn queue_again(
    conn: &mut Connection,
    (game, kind, logged): (GameId, EntryKind, &str),
    entered_at: i64,
    keys: &RecordKeys,
    now: Timestamp,
) -> Result<(), StoreError> {
    // The order of the queue. The entry keeps its own time, which shows that it is late.
    let at = entered_at.max(tree::hold_off(conn)?);
    if public_log::find_position(conn, game, kind, logged)? {
        return Ok(());
    }
    let binding = bind_entry(game, kind, at, logged, keys, now);
    let binding = binding.map_err(|error| StoreError::Defect { detail: error.to_string() })?;
    public_log::enqueue(conn, Some(game), kind, at, logged, &binding)
}

/// The bytes and the time of a start as it was promised; none for one that was not.
fn promised(
    conn: &mut Connection,
    keys: &RecordKeys,
    game: GameId,
    start: &LoggedStart,
) -> Result<Option<(String, i64)>, StoreError> {
    let opening = Opening { entry: start.entry.clone(), salt: start.salt.map(Hex) };
    let logged = opening.logged().ok().filter(|text| Hash::leaf(text.as_bytes()).0 == start.promise.leaf);
    let (Some(logged), Ok(LogEntry::Start { at, .. })) = (logged, serde_json::from_str(&start.entry)) else {
        return Ok(None);
    };
    Ok(is_promised(conn, keys, (game, start), at)?.then(|| (logged, milliseconds(at.timestamp()))))
}
