//! A log in memory.

use std::collections::HashMap;

pub use estimation_test_support::log::Signatory;
use estimation_tlog::{Checkpoint, Hash, KeyName, KeyType, Note, RightEdge, TileId, TileSource};

pub const ORIGIN: &str = "cards.example/log";

/// Tiles by position, each as wide as it ever was.
#[derive(Default)]
pub struct Memory(pub HashMap<(u8, u64), Vec<Hash>>);

impl TileSource for Memory {
    type Error = TileId;

    fn tile(&mut self, id: TileId) -> Result<Vec<Hash>, TileId> {
        let hashes = self.0.get(&(id.level, id.index)).ok_or(id)?;
        hashes.get(..usize::from(id.width)).map(<[Hash]>::to_vec).ok_or(id)
    }
}

/// A leaf hash for an index.
pub fn leaf(index: u64) -> Hash {
    Hash::leaf(&index.to_be_bytes())
}

pub fn leaves(size: u64) -> Vec<Hash> {
    (0..size).map(leaf).collect()
}

/// Builds a tree in batches.
pub fn tree(size: u64, batch: u64) -> (Memory, RightEdge) {
    let mut memory = Memory::default();
    let mut edge = RightEdge::default();
    while edge.size() < size {
        let next = edge.size()..(edge.size() + batch).min(size);
        let append = edge.append(next.map(leaf));
        for tile in append.tiles {
            memory.0.insert((tile.id.level, tile.id.index), tile.hashes);
        }
        edge = append.edge;
        assert_eq!(edge.root(), append.root);
    }
    (memory, edge)
}

pub fn the_log() -> Signatory {
    Signatory::new(ORIGIN, KeyType::Ed25519, 1)
}

pub fn the_witness() -> Signatory {
    Signatory::witness("cards.example/log/witness", 2)
}

/// A checkpoint signed by the log and cosigned by its witness.
pub fn signed(size: u64, root: Hash) -> Note {
    let text = Checkpoint { origin: KeyName::new(ORIGIN).unwrap(), size, root }.to_string();
    let mut note = Note::new(text.clone()).unwrap();
    note.add(the_log().sign(&text));
    note.add(the_witness().cosign(&text, 1_790_000_000));
    note
}
