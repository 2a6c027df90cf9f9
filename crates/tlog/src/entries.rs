//! Entry bundles: runs of up to 256 entries, each with its length in two bytes, big-endian.

use std::fmt;

use thiserror::Error;

use super::hash::Hash;
use super::path::{Position, TILE_WIDTH};
use super::tile::TileId;

/// The maximum length of an entry, in bytes.
pub const MAX_ENTRY: usize = u16::MAX as usize;

/// The address of an entry bundle. As text, the path below the log's prefix: `tile/entries/001.p/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BundleId {
    /// The position of the bundle, from 0.
    pub index: u64,
    /// The number of entries, 1 to 256.
    pub width: u16,
}

/// The bytes are not an entry bundle, or not this one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadBundle {
    /// An entry is longer than [`MAX_ENTRY`].
    #[error("an entry has {0} bytes, more than {MAX_ENTRY}")]
    TooLong(usize),
    /// The bytes end inside an entry.
    #[error("the bundle ends inside entry {0}")]
    Truncated(usize),
    /// The number of entries is not the bundle's width.
    #[error("the bundle has {found} entries, not {width}")]
    Width {
        /// The bundle's width.
        width: u16,
        /// The number of entries found.
        found: usize,
    },
    /// An entry's hash is not that of its leaf.
    #[error("entry {0} of the bundle does not match its leaf hash")]
    Leaf(usize),
}

impl BundleId {
    /// The bundle of a tree of `size` leaves at a position; none if the tree has no entry there.
    pub fn of_tree(size: u64, index: u64) -> Option<BundleId> {
        TileId::of_tree(size, 0, index).map(|tile| BundleId { index, width: tile.width })
    }

    /// The tile with the hashes of these entries.
    pub fn tile(self) -> TileId {
        TileId { level: 0, index: self.index, width: self.width }
    }

    /// Whether the bundle has all its entries.
    pub fn is_full(self) -> bool {
        self.width == TILE_WIDTH
    }

    /// Reads the entries of this bundle, and compares each with its leaf hash.
    ///
    /// # Errors
    /// The bytes are no bundle of this width, or an entry does not match.
    pub fn open<'b>(self, bytes: &'b [u8], leaves: &[Hash]) -> Result<Vec<&'b [u8]>, BadBundle> {
        let entries = decode_entries(bytes)?;
        if entries.len() != usize::from(self.width) || leaves.len() != entries.len() {
            return Err(BadBundle::Width { width: self.width, found: entries.len() });
        }
        match entries.iter().zip(leaves).position(|(entry, leaf)| Hash::leaf(entry) != *leaf) {
            Some(wrong) => Err(BadBundle::Leaf(wrong)),
            None => Ok(entries),
        }
    }
}

impl fmt::Display for BundleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tile/entries/{}", Position { index: self.index, width: self.width })
    }
}

/// The bytes of a bundle.
///
/// # Errors
/// An entry is longer than [`MAX_ENTRY`].
pub fn encode_entries<E: AsRef<[u8]>>(entries: impl IntoIterator<Item = E>) -> Result<Vec<u8>, BadBundle> {
    let mut bytes = Vec::new();
    for entry in entries {
        let entry = entry.as_ref();
        let length = u16::try_from(entry.len()).map_err(|_| BadBundle::TooLong(entry.len()))?;
        bytes.extend(length.to_be_bytes());
        bytes.extend(entry);
    }
    Ok(bytes)
}

/// Reads a bundle of any number of entries.
///
/// # Errors
/// The bytes end inside an entry.
pub fn decode_entries(mut bytes: &[u8]) -> Result<Vec<&[u8]>, BadBundle> {
    let mut entries = Vec::new();
    while !bytes.is_empty() {
        let truncated = BadBundle::Truncated(entries.len());
        let Some((length, rest)) = bytes.split_first_chunk() else { return Err(truncated) };
        let length = usize::from(u16::from_be_bytes(*length));
        let Some((entry, rest)) = rest.split_at_checked(length) else { return Err(truncated) };
        entries.push(entry);
        bytes = rest;
    }
    Ok(entries)
}
