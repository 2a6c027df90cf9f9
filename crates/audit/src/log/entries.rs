//! Reads the entries of a log, and verifies that they lead to its checkpoint.

use estimation_record::LogEntry;
use estimation_tlog::{BundleId, Checkpoint, Hash, RightEdge, TILE_WIDTH, TileId, TileSource};
use serde::Deserialize;

use super::client::Client;
use super::compare::{leads_to, unreadable};
use super::outcome::Problem;

/// The types of entries that this program knows.
const TYPES: [&str; 5] = ["start", "end", "adopted", "sealed", "origin"];

/// An entry as it was read.
pub(super) enum ReadEntry {
    Known(LogEntry),
    /// Of a type that a newer version may have.
    UnknownType(String),
    /// Not the canonical JSON of an entry.
    Malformed,
}

#[derive(Deserialize)]
struct TypedEntry {
    r#type: String,
}

impl ReadEntry {
    fn of(bytes: &[u8]) -> ReadEntry {
        match serde_json::from_slice::<LogEntry>(bytes) {
            Ok(entry) if entry.text().is_ok_and(|text| text.as_bytes() == bytes) => ReadEntry::Known(entry),
            Ok(_) => ReadEntry::Malformed,
            Err(_) => match serde_json::from_slice(bytes) {
                Ok(TypedEntry { r#type }) if !TYPES.contains(&&*r#type) => ReadEntry::UnknownType(r#type),
                _ => ReadEntry::Malformed,
            },
        }
    }

    /// The entry at a position.
    ///
    /// # Errors
    /// The log cannot have it there, or this program does not know it.
    pub(super) fn at(&self, index: u64) -> Result<&LogEntry, Problem> {
        match self {
            ReadEntry::Known(LogEntry::Origin { .. }) if index > 0 => Err(Problem::tampered(format_args!(
                "entry {index} names a former log, and is not the first entry"
            ))),
            ReadEntry::Known(entry) => Ok(entry),
            ReadEntry::UnknownType(kind) => {
                Err(Problem::unchecked(format_args!("entry {index} is of the unknown type {kind:?}")))
            }
            ReadEntry::Malformed => {
                Err(Problem::tampered(format_args!("entry {index} is no entry of a log")))
            }
        }
    }

    /// The entry, if it is of a known type.
    pub(super) fn known(&self) -> Option<&LogEntry> {
        match self {
            ReadEntry::Known(entry) => Some(entry),
            ReadEntry::UnknownType(_) | ReadEntry::Malformed => None,
        }
    }
}

/// The entries of a bundle with their leaves.
pub(super) fn bundle(client: &Client, size: u64, index: u64) -> Result<Vec<(Hash, ReadEntry)>, Problem> {
    let id = BundleId::of_tree(size, index);
    let id = id.ok_or_else(|| Problem::unchecked(format_args!("the log has no entries {index}")))?;
    let leaves = (&mut &*client).tile(id.tile())?;
    let bytes = client.entries(id)?;
    let damaged = |error| Problem::unchecked(format_args!("{id} is damaged: {error}"));
    let entries = id.open(&bytes, &leaves).map_err(damaged)?;
    Ok(leaves.into_iter().zip(entries.into_iter().map(ReadEntry::of)).collect())
}

/// Reads the entries of a log from a position on, each with its position and leaf, and verifies that they lead to the
/// checkpoint.
/// Nothing follows from them if they do not.
pub(super) fn walk(
    client: &Client,
    from: u64,
    shown: &Checkpoint,
    mut each: impl FnMut(u64, Hash, &ReadEntry),
) -> Result<(), Problem> {
    let width = u64::from(TILE_WIDTH);
    let mut edge = RightEdge::read(&mut Within { client, size: shown.size }, from).map_err(unreadable)?;
    for index in from / width..shown.size.div_ceil(width) {
        let entries = bundle(client, shown.size, index)?;
        let new = (index * width..).zip(&entries).filter(|(position, _)| *position >= from);
        let new: Vec<(u64, &(Hash, ReadEntry))> = new.collect();
        edge = edge.append(new.iter().map(|(_, (leaf, _))| *leaf)).edge;
        new.into_iter().for_each(|(position, (leaf, entry))| each(position, *leaf, entry));
    }
    leads_to(edge.root(), shown)
}

/// The tiles of an earlier size of a log, from those of its present size. A log need not have the earlier ones.
struct Within<'c> {
    client: &'c Client,
    size: u64,
}

impl TileSource for Within<'_> {
    type Error = Problem;

    fn tile(&mut self, id: TileId) -> Result<Vec<Hash>, Problem> {
        let present = TileId::of_tree(self.size, id.level, id.index).unwrap_or(id);
        let mut hashes = (&mut &*self.client).tile(present)?;
        hashes.truncate(usize::from(id.width));
        Ok(hashes)
    }
}
