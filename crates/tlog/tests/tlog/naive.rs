//! Roots and proofs against a Merkle tree written as RFC 6962 defines it.

use estimation_tlog::proof::{verify_consistency, verify_inclusion};
use estimation_tlog::tree::{consistency_proof, inclusion_proof, root, roots};
use estimation_tlog::{Hash, RightEdge};
use proptest::prelude::*;

use crate::support::{leaf, leaves, tree};

fn split(leaves: usize) -> usize {
    leaves.next_power_of_two() / 2
}

fn naive_root(leaves: &[Hash]) -> Hash {
    match leaves {
        [] => Hash::empty_root(),
        [leaf] => *leaf,
        _ => {
            let (left, right) = leaves.split_at(split(leaves.len()));
            Hash::node(naive_root(left), naive_root(right))
        }
    }
}

fn naive_path(index: usize, leaves: &[Hash]) -> Vec<Hash> {
    if leaves.len() == 1 {
        return Vec::new();
    }
    let (left, right) = leaves.split_at(split(leaves.len()));
    let (mut path, sibling) = if index < left.len() {
        (naive_path(index, left), naive_root(right))
    } else {
        (naive_path(index - left.len(), right), naive_root(left))
    };
    path.push(sibling);
    path
}

fn naive_subproof(old: usize, leaves: &[Hash], whole: bool) -> Vec<Hash> {
    if old == leaves.len() {
        return if whole { Vec::new() } else { vec![naive_root(leaves)] };
    }
    let (left, right) = leaves.split_at(split(leaves.len()));
    let (mut proof, sibling) = if old <= left.len() {
        (naive_subproof(old, left, whole), naive_root(right))
    } else {
        (naive_subproof(old - left.len(), right, false), naive_root(left))
    };
    proof.push(sibling);
    proof
}

#[test]
fn every_size_up_to_600_has_the_naive_root_by_appending_and_by_reading() {
    let all = leaves(600);
    let (mut memory, _) = tree(600, 7);
    let mut edge = RightEdge::default();
    for size in 0..=600 {
        let expected = naive_root(&all[..size]);
        assert_eq!(edge.root(), expected, "{size}");
        assert_eq!(root(&mut memory, size as u64).unwrap(), expected, "{size}");
        assert_eq!(RightEdge::read(&mut memory, size as u64).unwrap(), edge, "{size}");
        edge = edge.append([leaf(size as u64)]).edge;
    }
}

#[test]
fn every_leaf_of_some_sizes_has_the_naive_inclusion_proof() {
    let all = leaves(600);
    let (mut memory, _) = tree(600, 600);
    for size in (1..=20).chain([63, 64, 65, 255, 256, 257, 300, 600]) {
        let root = naive_root(&all[..size]);
        for index in 0..size {
            let proof = inclusion_proof(&mut memory, index as u64, size as u64).unwrap();
            assert_eq!(proof, naive_path(index, &all[..size]), "{index} of {size}");
            verify_inclusion(all[index], index as u64, size as u64, &proof, root).unwrap();
        }
    }
}

#[test]
fn all_pairs_of_some_sizes_have_the_naive_consistency_proof() {
    let all = leaves(600);
    let (mut memory, _) = tree(600, 600);
    let sizes: Vec<usize> =
        (0..=40).chain([63, 64, 65, 127, 128, 200, 255, 256, 257, 511, 512, 513, 600]).collect();
    for (place, &new) in sizes.iter().enumerate() {
        for &old in &sizes[..=place] {
            let proof = consistency_proof(&mut memory, old as u64, new as u64).unwrap();
            let expected = if old == 0 { Vec::new() } else { naive_subproof(old, &all[..new], true) };
            assert_eq!(proof, expected, "{old} to {new}");
            let (old_root, new_root) = (naive_root(&all[..old]), naive_root(&all[..new]));
            assert_eq!(
                roots(&mut memory, old as u64, new as u64).unwrap(),
                (old_root, new_root),
                "{old} to {new}"
            );
            verify_consistency(old as u64, old_root, new as u64, new_root, &proof).unwrap();
        }
    }
}

/// A proof cut to each shorter length, and with up to 70 hashes too many.
fn wrong_lengths(proof: &[Hash]) -> impl Iterator<Item = Vec<Hash>> + '_ {
    let shorter = (0..proof.len()).map(|length| proof[..length].to_vec());
    let longer = (1..=70).map(move |more| [proof, &leaves(more)].concat());
    shorter.chain(longer)
}

#[test]
#[ignore = "all: tries every case; the default tries some"]
fn proofs_of_every_wrong_length_are_refused() {
    let all = leaves(257);
    let (mut memory, _) = tree(257, 257);
    for (old, new) in [(0, 5), (1, 1), (1, 2), (3, 7), (4, 8), (6, 8), (255, 256), (255, 257), (256, 257)] {
        let (old_root, root) = (naive_root(&all[..old]), naive_root(&all[..new]));
        let (old, new) = (old as u64, new as u64);
        for wrong in wrong_lengths(&consistency_proof(&mut memory, old, new).unwrap()) {
            assert!(
                verify_consistency(old, old_root, new, root, &wrong).is_err(),
                "{old} to {new}: {}",
                wrong.len()
            );
        }
        for index in 0..new {
            for wrong in wrong_lengths(&inclusion_proof(&mut memory, index, new).unwrap()) {
                let verified = verify_inclusion(all[index as usize], index, new, &wrong, root);
                assert!(verified.is_err(), "{index} of {new}: {}", wrong.len());
            }
        }
    }
}

#[test]
fn proofs_beyond_the_tree_do_not_exist() {
    let (mut memory, edge) = tree(5, 5);
    assert!(inclusion_proof(&mut memory, 5, 5).is_err());
    assert!(consistency_proof(&mut memory, 6, 5).is_err());
    assert!(roots(&mut memory, 6, 5).is_err());
    assert!(root(&mut memory, 6).is_err());
    assert!(verify_inclusion(leaf(5), 5, 5, &[], edge.root()).is_err());
    assert!(verify_consistency(6, edge.root(), 5, edge.root(), &[]).is_err());
    assert!(verify_inclusion(leaf(0), 0, 0, &[], Hash::empty_root()).is_err());
    assert!(verify_consistency(0, Hash::empty_root(), 0, leaf(0), &[]).is_err());
    assert!(verify_consistency(0, leaf(0), 5, edge.root(), &[]).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn appending_gives_the_same_tiles_whatever_the_batches(
        batches in prop::collection::vec(0_u64..700, 0..12),
    ) {
        let size = batches.iter().sum();
        let mut memory = crate::support::Memory::default();
        let mut edge = RightEdge::default();
        for batch in batches {
            let from = edge.size();
            let append = edge.append((from..from + batch).map(leaf));
            for tile in append.tiles {
                prop_assert_eq!(tile.hashes.len(), usize::from(tile.id.width));
                memory.0.insert((tile.id.level, tile.id.index), tile.hashes);
            }
            edge = append.edge;
        }
        let (expected, whole) = tree(size, 10_000);
        prop_assert_eq!(memory.0, expected.0);
        prop_assert_eq!(edge, whole);
    }

    #[test]
    fn a_proof_with_a_changed_hash_index_or_size_is_refused(
        size in 2_u64..2_000, index in any::<prop::sample::Index>(), old in any::<prop::sample::Index>(),
        changed in any::<prop::sample::Index>(), bit in 0_usize..256, other in 1_u64..2_000,
    ) {
        let (mut memory, edge) = tree(size, 500);
        let index = index.index(size as usize) as u64;
        let old = old.index(size as usize) as u64;
        let old_root = root(&mut memory, old).unwrap();
        let flip = |proof: &[Hash]| {
            let mut proof = proof.to_vec();
            let place = changed.index(proof.len());
            proof[place].0[bit / 8] ^= 1 << (bit % 8);
            proof
        };
        let proof = inclusion_proof(&mut memory, index, size).unwrap();
        let inclusion = |index, proof: &[Hash]| verify_inclusion(leaf(index), index, size, proof, edge.root());
        prop_assert!(inclusion(index, &proof).is_ok());
        prop_assert!(inclusion(index, &flip(&proof)).is_err());
        prop_assert!(other == index || inclusion(other, &proof).is_err());
        let proof = consistency_proof(&mut memory, old, size).unwrap();
        let consistency = |old, proof: &[Hash]| verify_consistency(old, old_root, size, edge.root(), proof);
        prop_assert!(consistency(old, &proof).is_ok());
        prop_assert!(proof.is_empty() || consistency(old, &flip(&proof)).is_err());
        prop_assert!(other == old || consistency(other, &proof).is_err());
    }
}
