//! The job that gives waiting entries their positions and grows the tree. One node at a time does it; memory and time
//! depend on the number of new entries alone.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use super::guard::is_ahead;
use super::queue::{Worth, worth};
use super::{PublicLog, StoredTiles, save, unreadable};
use crate::auth::keys::RecordKeys;
use crate::base::failure::{Failure, milliseconds};
use crate::base::pacing::{PacedJob, waited};
use crate::public_log::failure::LogFailure;
use estimation_store::public_log::tree::{self, Tree};
use estimation_store::public_log::{self, QueuedEntry};
use estimation_store::{Connection, Server, StoreError};
use estimation_tlog::{Hash, RightEdge};
use jiff::Timestamp;

/// Entries per transaction.
const BATCH: usize = 16;

/// How long a node waits for the first checkpoint before it serves without one.
const FIRST_WITHIN: Duration = Duration::from_secs(5);

impl PublicLog {
    /// Begins and signs a new log, so that it has a checkpoint before the node answers. If that fails, the job tries
    /// again.
    pub async fn prepare(self: &Arc<Self>) {
        let prepared = timeout(FIRST_WITHIN, async {
            match self.database.read(tree::find).await? {
                Some(tree) if !tree.note.is_empty() => Ok(()),
                _ => self.advance().await,
            }
        });
        match prepared.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "the public log is not signed yet"),
            Err(_) => tracing::warn!("the public log is not signed yet: it took more than 5 seconds"),
        }
    }

    /// Checks the log, grows it and signs it.
    pub async fn advance(self: &Arc<Self>) -> Result<(), LogFailure> {
        let advanced = async {
            self.begin().await?;
            if self.check().await?.is_some() {
                self.grow().await?;
                self.sign_checkpoint().await?;
            }
            Ok(())
        };
        let advanced = advanced.await;
        self.report(&advanced);
        advanced
    }

    /// As [`advance`](Self::advance); a log that is not signed is no failure, because its reason was reported.
    pub(crate) async fn advance_reported(self: &Arc<Self>) -> Result<(), LogFailure> {
        match self.advance().await {
            Err(failure) if failure.reason().is_some() => Ok(()),
            advanced => advanced,
        }
    }

    /// Moves all waiting entries into the tree. Returns their number.
    async fn grow(&self) -> Result<usize, LogFailure> {
        self.requeue().await;
        let mut all = 0;
        // A read, so that a node without games writes nothing.
        while let Some(first) = self.database.read(|conn| public_log::queued(conn, 1)).await?.pop() {
            let now = self.clock.now();
            let entered =
                first.entry.ok().and_then(|entry| Timestamp::from_millisecond(entry.entered_at).ok());
            let waited = waited(now, entered.unwrap_or(now));
            let mut grown = self.grow_once(waited, false).await?;
            all += grown.entered;
            // Rows under a key that the node may get with the next reload wait for it.
            if grown.has_unknown_key && self.keys.reload_for_unknown_key().await? {
                grown = self.grow_once(waited, true).await?;
                all += grown.entered;
            }
            // Another node grows the log or adds to the queue, or no entry is left.
            if grown.taken < BATCH || grown.ahead {
                break;
            }
        }
        Ok(all)
    }

    /// Moves a batch. `is_last`: refuses rows under an unknown key.
    async fn grow_once(&self, waited: Duration, is_last: bool) -> Result<Grown, LogFailure> {
        let (keys, now) = (self.keys.ring().record_keys(), milliseconds(self.clock.now()));
        let grow = move |conn: &mut Connection| grow(conn, &keys, now, is_last);
        let grown = self.pacer.write(PacedJob::Grow, waited, grow).await?;
        for (number, reason) in &grown.refused {
            tracing::error!(number, reason, "an entry that waited for the public log is refused");
        }
        Ok(grown)
    }

    /// Begins the log, if there is none.
    async fn begin(&self) -> Result<(), LogFailure> {
        if let Some(tree) = self.database.read(tree::find).await? {
            return self.has_set_origin(&tree);
        }
        let ring = self.keys.ring().record_keys();
        let kid = ring.active_kid(self.clock.now());
        let kid = kid.ok_or_else(|| Failure::Defect("every record key is retired".to_owned()))?.to_string();
        let origin = self.settings.origin.clone();
        let begin = move |conn: &mut Connection| {
            if tree::lead(conn)? && tree::find(conn)?.is_none() {
                tree::begin(conn, 1, &origin, &kid, &Hash::empty_root().0)?;
            }
            Ok::<_, LogFailure>(())
        };
        self.database.write(Server, begin).await
    }
}

/// What became of a batch of waiting rows.
#[derive(Default)]
struct Grown {
    /// All of them.
    taken: usize,
    entered: usize,
    /// Their numbers, with the reasons.
    refused: Vec<(i64, String)>,
    /// Whether rows are left because their times are ahead of the clock.
    ahead: bool,
    /// Whether rows are left because they are bound under an unknown key.
    has_unknown_key: bool,
}

/// Moves a batch of entries into the tree, in order of their times. Does nothing if another node does it, or adds to the
/// queue.
fn grow(conn: &mut Connection, keys: &RecordKeys, now: i64, is_last: bool) -> Result<Grown, StoreError> {
    let mut grown = Grown::default();
    if !tree::lead(conn)? {
        return Ok(grown);
    }
    let waiting = public_log::queued(conn, BATCH as i64)?;
    let Some(tree) = tree::find(conn)?.filter(|_| !waiting.is_empty()) else { return Ok(grown) };
    grown.taken = waiting.len();
    let mut entries: Vec<QueuedEntry> = Vec::with_capacity(waiting.len());
    for row in waiting {
        let number = row.number;
        let reason = match worth(conn, row, keys)? {
            Worth::Entry(entry) if is_ahead(entry.entered_at, now) => {
                // Those after it are too.
                grown.ahead = true;
                continue;
            }
            Worth::Entry(entry) if entries.iter().any(|other| is_copy(other, &entry)) => {
                "it waits twice".to_owned()
            }
            Worth::Entry(entry) => {
                entries.push(entry);
                continue;
            }
            Worth::UnknownKey(_) if !is_last => {
                grown.has_unknown_key = true;
                continue;
            }
            Worth::UnknownKey(_) => "no node has its key".to_owned(),
            Worth::Refused(reason) => reason,
        };
        public_log::refuse(conn, number, now)?;
        grown.refused.push((number, reason));
    }
    grown.entered = entries.len();
    if !entries.is_empty() {
        append(conn, &tree, &entries)?;
    }
    Ok(grown)
}

/// Whether two entries are the same one of a game.
fn is_copy(one: &QueuedEntry, other: &QueuedEntry) -> bool {
    (one.game, one.kind, &one.entry) == (other.game, other.kind, &other.entry)
}

/// Appends entries to a log, and takes them out of the queue.
pub(super) fn append(conn: &mut Connection, tree: &Tree, entries: &[QueuedEntry]) -> Result<(), StoreError> {
    let edge = RightEdge::read(&mut StoredTiles { conn, log: tree.id }, tree.size).map_err(unreadable)?;
    if edge.root() != Hash(tree.root) {
        return Err(StoreError::Corrupt {
            detail: "the tiles of the public log are not its tree".to_owned(),
        });
    }
    let grown = edge.append(entries.iter().map(|entry| Hash::leaf(entry.entry.as_bytes())));
    grown.tiles.iter().try_for_each(|tile| save(conn, tree.id, tile))?;
    public_log::place(conn, tree.id, entries, tree.size)?;
    let entered_at = entries.iter().map(|entry| entry.entered_at).fold(tree.entered_at, i64::max);
    tree::grow(conn, tree.id, tree.size, (grown.edge.size(), &grown.root.0), entered_at)?;
    Ok(())
}
