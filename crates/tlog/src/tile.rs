//! Tiles: runs of up to 256 hashes of one level, and the paths of all resources of a log.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::decimal::decimal;
use super::entries::BundleId;
use super::hash::Hash;

/// The number of hashes of a full tile.
pub const TILE_WIDTH: u16 = 256;

/// The highest level that a path may name.
const MAX_LEVEL: u8 = 63;
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

/// A file of a log that never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Resource {
    /// Hashes: `tile/<L>/<N>[.p/<W>]`.
    Tile(TileId),
    /// Entries: `tile/entries/<N>[.p/<W>]`.
    Entries(BundleId),
}

/// The path does not name a tile or an entry bundle in the one accepted form.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("not the path of a tile or of an entry bundle")]
pub struct BadPath;

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

impl FromStr for TileId {
    type Err = BadPath;

    fn from_str(path: &str) -> Result<Self, BadPath> {
        match path.parse()? {
            Resource::Tile(id) => Ok(id),
            Resource::Entries(_) => Err(BadPath),
        }
    }
}

impl FromStr for Resource {
    type Err = BadPath;

    fn from_str(path: &str) -> Result<Self, BadPath> {
        let (kind, rest) = path.strip_prefix("tile/").and_then(|path| path.split_once('/')).ok_or(BadPath)?;
        let Position { index, width } = rest.parse()?;
        if kind == "entries" {
            return Ok(Resource::Entries(BundleId { index, width }));
        }
        let level = decimal(kind).and_then(|level| u8::try_from(level).ok()).ok_or(BadPath)?;
        if level > MAX_LEVEL {
            return Err(BadPath);
        }
        Ok(Resource::Tile(TileId { level, index, width }))
    }
}

/// The end of a path: `<N>` with an optional `.p/<W>`.
pub(crate) struct Position {
    pub(crate) index: u64,
    pub(crate) width: u16,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.index.to_string();
        let groups = digits.len().div_ceil(3);
        let padded = format!("{digits:0>width$}", width = groups * 3);
        for group in 0..groups {
            let last = group + 1 == groups;
            let (mark, slash) = if last { ("", "") } else { ("x", "/") };
            write!(f, "{mark}{}{slash}", &padded[group * 3..group * 3 + 3])?;
        }
        if self.width == TILE_WIDTH { Ok(()) } else { write!(f, ".p/{}", self.width) }
    }
}

impl FromStr for Position {
    type Err = BadPath;

    fn from_str(text: &str) -> Result<Self, BadPath> {
        let (number, width) = match text.split_once(".p/") {
            Some((number, width)) => (number, decimal(width).ok_or(BadPath)?),
            None => (text, u64::from(TILE_WIDTH)),
        };
        let mut index: u64 = 0;
        for group in number.split('/') {
            let digits = group.strip_prefix('x').unwrap_or(group);
            if digits.len() != 3 || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
                return Err(BadPath);
            }
            let value: u64 = digits.parse().map_err(|_| BadPath)?;
            index = index.checked_mul(1000).and_then(|index| index.checked_add(value)).ok_or(BadPath)?;
        }
        let width = u16::try_from(width).map_err(|_| BadPath)?;
        let position = Position { index, width };
        // The checks above accept a little more, such as leading groups of zeros.
        if (1..=TILE_WIDTH).contains(&width) && position.to_string() == text {
            Ok(position)
        } else {
            Err(BadPath)
        }
    }
}
