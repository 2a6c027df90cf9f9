//! The sizes at which tiles become full.

use estimation_tlog::proof::{verify_consistency, verify_inclusion};
use estimation_tlog::tree::{consistency_proof, inclusion_proof, root};
use estimation_tlog::{BundleId, Hash, KeyType, ProofFile, TileId, TileSource};

use crate::support::{Memory, Signatory, leaf, signed, tree};

/// The number of full tiles of a level, and the width of the partial one.
fn level(memory: &Memory, level: u8) -> (usize, Option<usize>) {
    let widths = || memory.0.iter().filter(|((of, _), _)| *of == level).map(|(_, hashes)| hashes.len());
    (widths().filter(|width| *width == 256).count(), widths().find(|width| *width < 256))
}

#[test]
fn the_tiles_of_each_size_are_those_of_the_specification() {
    for (size, expected) in [
        (0, vec![(0, None)]),
        (1, vec![(0, Some(1))]),
        (255, vec![(0, Some(255)), (0, None)]),
        (256, vec![(1, None), (0, Some(1))]),
        (257, vec![(1, Some(1)), (0, Some(1))]),
        (70_000, vec![(273, Some(112)), (1, Some(17)), (0, Some(1)), (0, None)]),
    ] {
        let (memory, _) = tree(size, 70_000);
        for (at, expected) in expected.into_iter().enumerate() {
            assert_eq!(level(&memory, at as u8), expected, "level {at} of {size}");
        }
    }
    let partial: Vec<String> = TileId::partial(70_000).map(|id| id.to_string()).collect();
    assert_eq!(partial, ["tile/0/273.p/112", "tile/1/001.p/17", "tile/2/000.p/1"]);
    assert_eq!(TileId::partial(65_536).map(|id| id.to_string()).collect::<Vec<_>>(), ["tile/2/000.p/1"]);
    assert_eq!(TileId::partial(0).count(), 0);
    assert_eq!(TileId::of_tree(70_000, 0, 273).unwrap().width, 112);
    assert_eq!(TileId::of_tree(70_000, 0, 274), None);
    assert_eq!(TileId::of_tree(70_000, 0, u64::MAX), None);
    assert_eq!(TileId::of_tree(70_000, 8, 0), None);
    assert_eq!(BundleId::of_tree(256, 0).unwrap().to_string(), "tile/entries/000");
    assert_eq!(BundleId::of_tree(256, 1), None);
}

#[test]
fn a_log_of_70_000_proves_leaves_and_growth() {
    let (mut memory, edge) = tree(70_000, 1_000);
    for index in [0, 1, 255, 256, 65_535, 65_536, 69_887, 69_888, 69_999] {
        let proof = inclusion_proof(&mut memory, index, 70_000).unwrap();
        assert!(proof.len() <= 17);
        verify_inclusion(leaf(index), index, 70_000, &proof, edge.root()).unwrap();
    }
    for old in [1, 255, 256, 257, 65_535, 65_536, 65_537, 69_999, 70_000] {
        let proof = consistency_proof(&mut memory, old, 70_000).unwrap();
        verify_consistency(old, root(&mut memory, old).unwrap(), 70_000, edge.root(), &proof).unwrap();
    }
}

/// A batch gives only tiles that it changes: 32 bytes for each leaf, and at most one partial tile per level.
#[test]
fn a_batch_changes_few_tiles_however_large_the_log_is() {
    for size in [1_000, 70_000] {
        let (_, edge) = tree(size, 10_000);
        let append = edge.append((size..size + 100).map(leaf));
        assert!(append.tiles.len() <= 4, "{}", append.tiles.len());
        assert_eq!(append.edge.append([]).tiles, []);
    }
}

/// A source that counts how many tiles are read.
struct Counting(Memory, usize);

impl TileSource for Counting {
    type Error = TileId;

    fn tile(&mut self, id: TileId) -> Result<Vec<Hash>, TileId> {
        self.1 += 1;
        self.0.tile(id)
    }
}

#[test]
#[ignore = "all: tries every case; the default tries some"]
fn a_proof_among_a_million_needs_few_tiles_and_two_kilobytes() {
    let size = 1_000_000;
    let (memory, edge) = tree(size, 10_000);
    let mut source = Counting(memory, 0);
    let mut checkpoint = signed(size, edge.root());
    checkpoint.add(Signatory::new("witness.example/w1", KeyType::Cosignature, 3).cosign("x\n", 1));
    for index in [0, 255, 499_999, 999_424, 999_999] {
        source.1 = 0;
        let proof = inclusion_proof(&mut source, index, size).unwrap();
        assert!(source.1 <= 6, "{} tiles", source.1);
        verify_inclusion(leaf(index), index, size, &proof, edge.root()).unwrap();
        // An end of a private game with its salt has 290 bytes.
        let file = ProofFile { extra: Some(vec![b'x'; 290]), index, proof, checkpoint: checkpoint.clone() };
        assert!(file.to_string().len() <= 2_048, "{}", file.to_string().len());
    }
}
