//! Reads the hash of any subtree of a tree from its tiles.

use std::collections::HashMap;

use thiserror::Error;

use super::hash::Hash;
use super::tile::TileId;

/// A store of tiles.
pub trait TileSource {
    /// The reason a tile cannot be read.
    type Error;

    /// The hashes of a tile, exactly as many as its width. A store without this partial tile may take the first
    /// hashes of a wider one.
    fn tile(&mut self, id: TileId) -> Result<Vec<Hash>, Self::Error>;
}

/// A hash or proof cannot be computed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TreeError<E> {
    /// The store cannot read a tile.
    #[error(transparent)]
    Source(E),
    /// The store returned a tile of a different width.
    #[error("{id} has {found} hashes")]
    Width {
        /// The tile.
        id: TileId,
        /// The number of hashes found.
        found: usize,
    },
    /// The tree has no such leaf, or no such earlier size.
    #[error("the tree does not reach that far")]
    OutOfRange,
}

/// The tiles of a tree of a size, each read at most once.
pub(crate) struct TreeReader<'s, S> {
    source: &'s mut S,
    size: u64,
    tiles: HashMap<TileId, Vec<Hash>>,
}

impl<'s, S: TileSource> TreeReader<'s, S> {
    pub(crate) fn new(source: &'s mut S, size: u64) -> Self {
        TreeReader { source, size, tiles: HashMap::new() }
    }

    /// The hash of the leaves from `from` to before `to`, which are a subtree or the right end of one.
    pub(crate) fn range(&mut self, from: u64, to: u64) -> Result<Hash, TreeError<S::Error>> {
        let leaves = to - from;
        if leaves == 0 {
            return Ok(Hash::empty_root());
        }
        if leaves.is_power_of_two() {
            return self.complete(leaves.trailing_zeros(), from);
        }
        let middle = from + split(leaves);
        Ok(Hash::node(self.range(from, middle)?, self.range(middle, to)?))
    }

    /// The hash of the complete subtree of 2^height leaves that begins at `from`.
    fn complete(&mut self, height: u32, from: u64) -> Result<Hash, TreeError<S::Error>> {
        let level = (height / 8) as u8;
        let first = from >> (8 * u32::from(level));
        let count = 1 << (height % 8);
        let hashes = self.tile(level, first >> 8)?;
        let start = (first & 0xff) as usize;
        hashes.get(start..start + count).map(subtree).ok_or(TreeError::OutOfRange)
    }

    fn tile(&mut self, level: u8, index: u64) -> Result<&[Hash], TreeError<S::Error>> {
        let id = TileId::of_tree(self.size, level, index).ok_or(TreeError::OutOfRange)?;
        if !self.tiles.contains_key(&id) {
            let hashes = self.source.tile(id).map_err(TreeError::Source)?;
            if hashes.len() != usize::from(id.width) {
                return Err(TreeError::Width { id, found: hashes.len() });
            }
            self.tiles.insert(id, hashes);
        }
        self.tiles.get(&id).map(Vec::as_slice).ok_or(TreeError::OutOfRange)
    }
}

/// The root of a complete subtree; the number of its hashes is a power of two.
pub(crate) fn subtree(hashes: &[Hash]) -> Hash {
    match hashes {
        [] => Hash::empty_root(),
        [hash] => *hash,
        _ => {
            let (left, right) = hashes.split_at(hashes.len() / 2);
            Hash::node(subtree(left), subtree(right))
        }
    }
}

/// The largest power of two below a number of at least two.
pub(crate) fn split(leaves: u64) -> u64 {
    1 << (leaves - 1).ilog2()
}
