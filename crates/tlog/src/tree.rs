//! Merkle trees stored as tiles: roots, proofs, and appending.

use super::hash::Hash;
use super::path::TILE_WIDTH;
use super::tile::{Tile, TileId};
use super::tree_reader::{TileSource, TreeError, TreeReader, split, subtree};

/// The root of the tree of the first `size` leaves.
pub fn root<S: TileSource>(source: &mut S, size: u64) -> Result<Hash, TreeError<S::Error>> {
    TreeReader::new(source, size).range(0, size)
}

/// The roots of the trees of `old` and of `size` leaves, computed from the same hashes.
///
/// If the second is the root of a checkpoint, the first is proven to be the root of that log's first `old`
/// leaves. Unlike [`consistency_proof`], it tells a wrong earlier root from wrong tiles.
pub fn roots<S: TileSource>(
    source: &mut S,
    old: u64,
    size: u64,
) -> Result<(Hash, Hash), TreeError<S::Error>> {
    if old > size {
        return Err(TreeError::OutOfRange);
    }
    let (old_root, root) = both(&mut TreeReader::new(source, size), old, 0, size)?;
    Ok((old_root.unwrap_or_else(Hash::empty_root), root))
}

/// The hash of the first `old` leaves as far as they are in a range, and the hash of the whole range.
fn both<S: TileSource>(
    reader: &mut TreeReader<'_, S>,
    old: u64,
    from: u64,
    to: u64,
) -> Result<(Option<Hash>, Hash), TreeError<S::Error>> {
    if old <= from || old >= to {
        let hash = reader.range(from, to)?;
        return Ok(((old >= to && from < to).then_some(hash), hash));
    }
    let middle = from + split(to - from);
    let (old_left, left) = both(reader, old, from, middle)?;
    let (old_right, right) = both(reader, old, middle, to)?;
    let old_hash = match (old_left, old_right) {
        (Some(left), Some(right)) => Some(Hash::node(left, right)),
        (left, _) => left,
    };
    Ok((old_hash, Hash::node(left, right)))
}

/// The inclusion proof of a leaf in the tree of the first `size` leaves (RFC 6962, section 2.1.1).
pub fn inclusion_proof<S: TileSource>(
    source: &mut S,
    index: u64,
    size: u64,
) -> Result<Vec<Hash>, TreeError<S::Error>> {
    if index >= size {
        return Err(TreeError::OutOfRange);
    }
    let mut reader = TreeReader::new(source, size);
    let (mut from, mut to) = (0, size);
    let mut proof = Vec::new();
    while to - from > 1 {
        let middle = from + split(to - from);
        if index < middle {
            proof.push(reader.range(middle, to)?);
            to = middle;
        } else {
            proof.push(reader.range(from, middle)?);
            from = middle;
        }
    }
    proof.reverse();
    Ok(proof)
}

/// The consistency proof from the first `old` leaves to the first `size` (RFC 6962, section 2.1.2). Empty if
/// `old` is 0 or `size`.
pub fn consistency_proof<S: TileSource>(
    source: &mut S,
    old: u64,
    size: u64,
) -> Result<Vec<Hash>, TreeError<S::Error>> {
    if old > size {
        return Err(TreeError::OutOfRange);
    }
    let mut proof = Vec::new();
    if old == 0 || old == size {
        return Ok(proof);
    }
    let mut reader = TreeReader::new(source, size);
    let (mut from, mut to) = (0, size);
    while old != to {
        let middle = from + split(to - from);
        if old <= middle {
            proof.push(reader.range(middle, to)?);
            to = middle;
        } else {
            proof.push(reader.range(from, middle)?);
            from = middle;
        }
    }
    // The verifier knows the hash of the whole earlier tree.
    if from > 0 {
        proof.push(reader.range(from, to)?);
    }
    proof.reverse();
    Ok(proof)
}

/// The partial tiles of a tree: everything that appending needs. At most 8 tiles, 64 KiB.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RightEdge {
    size: u64,
    /// The hashes of the partial tile of each level, the lowest first; empty where there is none.
    levels: Vec<Vec<Hash>>,
}

/// The result of appending leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Append {
    /// The tiles that the larger tree has and the smaller had not, in the order of their completion. Full tiles
    /// come before the partial tiles.
    pub tiles: Vec<Tile>,
    /// The right edge of the larger tree.
    pub edge: RightEdge,
    /// The root of the larger tree.
    pub root: Hash,
}

impl RightEdge {
    /// Reads the right edge of a tree.
    pub fn read<S: TileSource>(source: &mut S, size: u64) -> Result<RightEdge, TreeError<S::Error>> {
        let mut levels = Vec::new();
        for id in TileId::partial(size) {
            let hashes = source.tile(id).map_err(TreeError::Source)?;
            if hashes.len() != usize::from(id.width) {
                return Err(TreeError::Width { id, found: hashes.len() });
            }
            levels.resize(usize::from(id.level), Vec::new());
            levels.push(hashes);
        }
        Ok(RightEdge { size, levels })
    }

    /// The number of leaves.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The root of the tree.
    pub fn root(&self) -> Hash {
        let mut root = None;
        for hashes in &self.levels {
            let mut end = hashes.len();
            // The complete subtrees in a partial tile, the smallest and rightmost first.
            while end > 0 {
                let start = end & (end - 1);
                let left = subtree(&hashes[start..end]);
                root = Some(root.map_or(left, |right| Hash::node(left, right)));
                end = start;
            }
        }
        root.unwrap_or_else(Hash::empty_root)
    }

    /// Appends leaves. Memory and time depend on their number, not on the size of the tree.
    pub fn append(mut self, leaves: impl IntoIterator<Item = Hash>) -> Append {
        let old = self.size;
        let mut tiles = Vec::new();
        for leaf in leaves {
            self.push(leaf, &mut tiles);
        }
        for id in TileId::partial(self.size) {
            let known = TileId::of_tree(old, id.level, id.index).is_some_and(|before| before == id);
            if !known {
                let hashes = self.levels[usize::from(id.level)].clone();
                tiles.push(Tile { id, hashes });
            }
        }
        Append { tiles, root: self.root(), edge: self }
    }

    /// Adds a leaf, and each tile that it completes to `full`.
    fn push(&mut self, leaf: Hash, full: &mut Vec<Tile>) {
        self.size += 1;
        let mut hash = leaf;
        for level in 0.. {
            if self.levels.len() == level {
                self.levels.push(Vec::new());
            }
            let hashes = &mut self.levels[level];
            hashes.push(hash);
            if hashes.len() < usize::from(TILE_WIDTH) {
                return;
            }
            let index = (self.size >> (8 * (level as u32 + 1))) - 1;
            let id = TileId { level: level as u8, index, width: TILE_WIDTH };
            hash = subtree(hashes);
            full.push(Tile { id, hashes: std::mem::take(hashes) });
        }
    }
}
