//! Tiles: runs of up to 256 hashes of one level.

use std::fmt;

use thiserror::Error;

use super::hash::Hash;
use super::path::{Position, TILE_WIDTH};

/// The highest level that a tree of up to 2⁶⁴ − 1 leaves has.
const TOP_LEVEL: u8 = 7;

/// The address of a tile. As text, the path below the log's prefix: `tile/0/x001/x234/067.p/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TileId {
    /// The level, from 0. Each hash of level `l` covers 256ˡ leaves.
    pub level: u8,
    /// The position of the tile in its level, from 0.
    pub index: u64,
    /// The number of hashes, 1 to 256; 256 for a full tile.
    pub width: u16,
}

/// A tile with its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tile {
    /// The address.
    pub id: TileId,
    /// The hashes, as many as the tile is wide.
    pub hashes: Vec<Hash>,
}

/// The bytes are not those of a tile of this width.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("a tile of width {width} has {expected} bytes, not {found}", expected = usize::from(*width) * Hash::LENGTH)]
pub struct BadTile {
    /// The width of the tile.
    pub width: u16,
    /// The number of bytes found.
    pub found: usize,
}

impl TileId {
    /// The tile of a tree of `size` leaves at a position; none if the tree has no hash there.
    pub fn of_tree(size: u64, level: u8, index: u64) -> Option<TileId> {
        if level > TOP_LEVEL {
            return None;
        }
        let hashes = size >> (8 * u32::from(level));
        let after = hashes.checked_sub(index.checked_mul(u64::from(TILE_WIDTH))?)?;
        let width = after.min(u64::from(TILE_WIDTH)) as u16;
        (width > 0).then_some(TileId { level, index, width })
    }

    /// The partial tiles of a tree, the lowest level first: its right edge.
    pub fn partial(size: u64) -> impl Iterator<Item = TileId> {
        (0..=TOP_LEVEL).filter_map(move |level| {
            let hashes = size >> (8 * u32::from(level));
            let width = (hashes % u64::from(TILE_WIDTH)) as u16;
            (width > 0).then_some(TileId { level, index: hashes / u64::from(TILE_WIDTH), width })
        })
    }

    /// Whether the tile has all its hashes.
    pub fn is_full(self) -> bool {
        self.width == TILE_WIDTH
    }

    /// The full tile at the same position.
    pub fn full(self) -> TileId {
        TileId { width: TILE_WIDTH, ..self }
    }

    /// Reads the bytes of this tile.
    ///
    /// # Errors
    /// The number of bytes is not that of this width.
    pub fn decode(self, bytes: &[u8]) -> Result<Vec<Hash>, BadTile> {
        if bytes.len() != usize::from(self.width) * Hash::LENGTH {
            return Err(BadTile { width: self.width, found: bytes.len() });
        }
        Ok(bytes.as_chunks().0.iter().map(|hash| Hash(*hash)).collect())
    }
}

impl Tile {
    /// The bytes of the tile: its hashes one after another.
    pub fn encode(&self) -> Vec<u8> {
        self.hashes.iter().flat_map(|hash| hash.0).collect()
    }
}

impl fmt::Display for TileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tile/{}/{}", self.level, Position { index: self.index, width: self.width })
    }
}
