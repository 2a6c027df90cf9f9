//! Verifies inclusion and consistency proofs (RFC 9162, sections 2.1.3.2 and 2.1.4.2).

use thiserror::Error;

use super::hash::Hash;

/// A proof does not prove what it should.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BadProof {
    /// The tree has no such leaf.
    #[error("the tree has no leaf {index}, only {size}")]
    Index {
        /// The leaf's index, from 0.
        index: u64,
        /// The number of leaves.
        size: u64,
    },
    /// The later tree is smaller.
    #[error("a tree cannot shrink from {old} to {new} leaves")]
    Sizes {
        /// The size of the earlier tree.
        old: u64,
        /// The size of the later tree.
        new: u64,
    },
    /// The number of hashes is not the one for these sizes.
    #[error("the number of hashes in the proof is wrong")]
    Length,
    /// The proof does not lead to the root of the earlier tree.
    #[error("the proof does not lead to the earlier root")]
    OldRoot,
    /// The proof does not lead to the root.
    #[error("the proof does not lead to the root")]
    Root,
}

/// Verifies that a tree has a leaf hash at an index.
pub fn verify_inclusion(
    leaf: Hash,
    index: u64,
    size: u64,
    proof: &[Hash],
    root: Hash,
) -> Result<(), BadProof> {
    if index >= size {
        return Err(BadProof::Index { index, size });
    }
    let (mut node, mut last) = (index, size - 1);
    let mut hash = leaf;
    for sibling in proof {
        if last == 0 {
            return Err(BadProof::Length);
        }
        if node & 1 == 1 || node == last {
            hash = Hash::node(*sibling, hash);
            skip_missing_siblings(&mut node, &mut last);
        } else {
            hash = Hash::node(hash, *sibling);
        }
        (node, last) = (node >> 1, last >> 1);
    }
    match (last, hash == root) {
        (0, true) => Ok(()),
        (0, false) => Err(BadProof::Root),
        _ => Err(BadProof::Length),
    }
}

/// Verifies that a tree of `new` leaves begins with a tree of `old` leaves.
pub fn verify_consistency(
    old: u64,
    old_root: Hash,
    new: u64,
    new_root: Hash,
    proof: &[Hash],
) -> Result<(), BadProof> {
    if old > new {
        return Err(BadProof::Sizes { old, new });
    }
    if old == 0 || old == new {
        let expected = if old == 0 { Hash::empty_root() } else { new_root };
        return match (proof.is_empty(), old_root == expected) {
            (false, _) => Err(BadProof::Length),
            (true, false) => Err(BadProof::OldRoot),
            (true, true) => match new == 0 && new_root != Hash::empty_root() {
                true => Err(BadProof::Root),
                false => Ok(()),
            },
        };
    }
    let (mut node, mut last) = (old - 1, new - 1);
    let complete = node.trailing_ones();
    (node, last) = (node >> complete, last >> complete);
    // An earlier tree that is complete is itself the first hash.
    let (first, rest) = if node == 0 {
        (old_root, proof)
    } else {
        let (first, rest) = proof.split_first().ok_or(BadProof::Length)?;
        (*first, rest)
    };
    let (mut old_hash, mut new_hash) = (first, first);
    for sibling in rest {
        if last == 0 {
            return Err(BadProof::Length);
        }
        if node & 1 == 1 || node == last {
            old_hash = Hash::node(*sibling, old_hash);
            new_hash = Hash::node(*sibling, new_hash);
            skip_missing_siblings(&mut node, &mut last);
        } else {
            new_hash = Hash::node(new_hash, *sibling);
        }
        (node, last) = (node >> 1, last >> 1);
    }
    match (last, old_hash == old_root, new_hash == new_root) {
        (0, true, true) => Ok(()),
        (0, false, _) => Err(BadProof::OldRoot),
        (0, true, false) => Err(BadProof::Root),
        _ => Err(BadProof::Length),
    }
}

/// Moves up from the last node of a level to the level on which it has a left sibling.
fn skip_missing_siblings(node: &mut u64, last: &mut u64) {
    while *node & 1 == 0 && *node != 0 {
        (*node, *last) = (*node >> 1, *last >> 1);
    }
}
