//! The end of the path of a tile or of an entry bundle: its position and its width.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::decimal::decimal;

/// The number of hashes of a full tile.
pub const TILE_WIDTH: u16 = 256;

/// The path does not name a tile or an entry bundle in the one accepted form.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("not the path of a tile or of an entry bundle")]
pub struct BadPath;

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
