//! The entries of all games in the log, opened for auditors.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use utoipa::ToSchema;

use super::PublicLog;
use crate::auth::caller::Caller;
use crate::auth::tokens::Role;
use crate::base::cursor::ListTag;
use crate::public_log::failure::LogFailure;
use estimation_engine::hex::Hex;
use estimation_store::public_log::audit_reads::logs;
use estimation_store::public_log::games::{PlacedAt, PlacedEntry, placed};
use estimation_store::{Connection, GameId, StoreError};

/// An entry of a game in the public log, opened for auditors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct OpenedEntry {
    /// The name of the log.
    #[schema(min_length = 1, max_length = 255)]
    pub origin: String,
    /// The position of the entry in this log, from 0.
    #[schema(minimum = 0, maximum = 9_007_199_254_740_991_u64)]
    pub index: u64,
    /// The game.
    pub game: GameId,
    /// The bytes of the entry: a start, an end or an adoption. For a private game the log has only their hash with the salt.
    #[schema(min_length = 2, max_length = 65536)]
    pub entry: String,
    /// The salt of the entry of a private game; null for a public game.
    pub salt: Option<Hex<32>>,
}

/// A page of the entries of games in the public log, oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct OpenedEntryPage {
    /// The entries.
    #[schema(max_items = 100)]
    pub items: Vec<OpenedEntry>,
    /// The `cursor` of the next page; null on the last page.
    #[schema(min_length = 1, max_length = 512)]
    pub next_cursor: Option<String>,
}

/// The place of an entry: the number of its log, and its position there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct EntryPosition {
    log: i32,
    position: u64,
}

impl fmt::Display for EntryPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.log, self.position)
    }
}

impl FromStr for EntryPosition {
    type Err = ();

    fn from_str(text: &str) -> Result<EntryPosition, ()> {
        let (log, position) = text.split_once('.').ok_or(())?;
        Ok(EntryPosition { log: log.parse().map_err(drop)?, position: position.parse().map_err(drop)? })
    }
}

/// An entry at its place, with the name of its log.
struct LocatedEntry {
    origin: String,
    place: EntryPosition,
    entry: Result<PlacedEntry, StoreError>,
}

impl PublicLog {
    /// The entries of all games, in the order of the logs, up to the last checkpoint. A damaged row is left out.
    ///
    /// # Errors
    /// [`RoleRequired`](crate::base::failure::Failure::RoleRequired) for callers who are no auditors.
    pub async fn opened_entries(
        &self,
        caller: &Caller,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<OpenedEntryPage, LogFailure> {
        caller.require(Role::Auditor)?;
        let tag = ListTag::of(&["opened entries"]);
        let after: Option<EntryPosition> = tag.position(cursor)?;
        let mut found = self.database.read(move |conn| found(conn, after, limit + 1)).await?;
        let more = found.len() > limit;
        found.truncate(limit);
        let next_cursor = found.last().filter(|_| more).map(|last| tag.cursor(last.place));
        let mut items = Vec::with_capacity(found.len());
        for LocatedEntry { origin, place, entry } in found {
            match entry {
                Ok(PlacedEntry { game, entry, salt, .. }) => {
                    let (index, salt) = (place.position, salt.map(Hex));
                    items.push(OpenedEntry { origin, index, game, entry, salt });
                }
                Err(error) => self.damaged.report(place, &error),
            }
        }
        Ok(OpenedEntryPage { items, next_cursor })
    }
}

/// The entries after a place, at most `limit`.
fn found(
    conn: &mut Connection,
    after: Option<EntryPosition>,
    limit: usize,
) -> Result<Vec<LocatedEntry>, StoreError> {
    let logs = logs(conn)?;
    let newest = logs.last().map(|tree| tree.id);
    let mut all: Vec<LocatedEntry> = Vec::new();
    for tree in logs {
        let first = match after {
            Some(after) if after.log > tree.id => continue,
            Some(after) if after.log == tree.id => after.position.saturating_add(1),
            _ => 0,
        };
        // A former log grows no more: what it has signed is in the first entry of the next one.
        let end = if Some(tree.id) == newest { tree.signed_size } else { tree.size };
        let left = (limit - all.len()) as i64;
        let rows: Vec<PlacedAt> = placed(conn, tree.id, (first, end), left)?;
        all.extend(rows.into_iter().map(|(position, entry)| {
            let place = EntryPosition { log: tree.id, position };
            LocatedEntry { origin: tree.origin.clone(), place, entry }
        }));
        if all.len() == limit {
            break;
        }
    }
    Ok(all)
}

/// The damaged rows that this node has reported: one log line for each.
#[derive(Default)]
pub(crate) struct DamagedRows(Mutex<BTreeSet<EntryPosition>>);

/// The maximum number of damaged rows that are remembered.
const MAX_DAMAGED: usize = 1_000;

impl DamagedRows {
    fn report(&self, place: EntryPosition, error: &StoreError) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() < MAX_DAMAGED && known.insert(place) {
            tracing::error!(%place, %error, "what the public log has of a game is damaged");
        }
    }
}
