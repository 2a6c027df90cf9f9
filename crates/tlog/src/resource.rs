//! The paths of all resources of a log that never change.

use std::str::FromStr;

use super::decimal::decimal;
use super::entries::BundleId;
use super::path::{BadPath, Position};
use super::tile::TileId;

/// The highest level that a path may name.
const MAX_LEVEL: u8 = 63;
/// A file of a log that never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Resource {
    /// Hashes: `tile/<L>/<N>[.p/<W>]`.
    Tile(TileId),
    /// Entries: `tile/entries/<N>[.p/<W>]`.
    Entries(BundleId),
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
