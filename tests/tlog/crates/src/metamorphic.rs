//! With metamorphic-log, which knows cosignatures too. It recomputes the tree from the tiles.

use std::fs;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use metamorphic_log::checkpoint::Checkpoint;
use metamorphic_log::merkle::{MerkleTree, hash_leaf};
use metamorphic_log::note::{SignedNote, VerifierKey};
use metamorphic_log::tile::{parent_hash, tiles_for_size};

use crate::{Log, Verified, looked_at};

pub(crate) fn verify(keys: &[&str], logs: &[Log]) -> Verified<()> {
    let keys = keys.iter().map(|key| VerifierKey::parse(key)).collect::<Result<Vec<_>, _>>()?;
    let mut earlier: Vec<Checkpoint> = Vec::new();
    for log in logs {
        let now = checkpoint(&log.checkpoint()?, &keys)?;
        let tree = tree(log, now.size())?;
        if tree.root() != *now.root_hash() {
            return Err("the checkpoint has another root than the tiles".into());
        }
        for index in looked_at(now.size()) {
            let proof = bytes(tree.inclusion_proof(index, now.size()));
            now.verify_inclusion(index, &hash_leaf(&log.entry(now.size(), index)?), &proof)
                .map_err(|error| format!("inclusion of {index}: {error}"))?;
        }
        for old in earlier.iter().filter(|old| old.size() > 0) {
            let proof = bytes(tree.consistency_proof(old.size(), now.size()));
            old.verify_consistency(&now, &proof)
                .map_err(|error| format!("consistency with {}: {error}", old.size()))?;
        }
        println!("metamorphic-log accepts the log of {} entries with {} signatures", now.size(), keys.len());
        if log.0.join("proof").exists() {
            let (index, size) = proof_file(log, &keys).map_err(|error| format!("proof file: {error}"))?;
            println!("metamorphic-log accepts the proof of entry {index} of {size}");
        }
        earlier.push(now);
    }
    Ok(())
}

/// A checkpoint that all keys have signed.
fn checkpoint(note: &str, keys: &[VerifierKey]) -> Verified<Checkpoint> {
    let note = SignedNote::parse(note)?;
    for key in keys {
        note.verify(std::slice::from_ref(key)).map_err(|error| format!("{}: {error}", key.name()))?;
    }
    Ok(Checkpoint::parse(note.text())?)
}

/// The tree of all leaves. Each full tile must have the hash that the level above it has.
fn tree(log: &Log, size: u64) -> Verified<MerkleTree> {
    let mut tree = MerkleTree::new();
    let mut below: Vec<[u8; 32]> = Vec::new();
    let mut parents = Vec::new();
    let mut level = 0;
    for tile in tiles_for_size(size) {
        if tile.level() != level {
            (below, parents, level) = (parents, Vec::new(), tile.level());
        }
        let hashes = tile.hashes(&fs::read(log.0.join(tile.path()))?)?;
        if level == 0 {
            for hash in &hashes {
                tree.push_leaf_hash(*hash);
            }
        } else {
            let first = usize::try_from(tile.index() * 256)?;
            if below.get(first..first + hashes.len()) != Some(&hashes[..]) {
                return Err(format!("{}: not the hashes of the tiles below", tile.path()).into());
            }
        }
        if !tile.is_partial() {
            parents.push(parent_hash(&hashes)?);
        }
    }
    Ok(tree)
}

fn proof_file(log: &Log, keys: &[VerifierKey]) -> Verified<(u64, u64)> {
    let file = fs::read_to_string(log.0.join("proof"))?;
    let (proof, note) = file.split_once("\n\n").ok_or("no checkpoint")?;
    let mut lines = proof.lines().skip_while(|line| !line.starts_with("index "));
    let index = lines.next().and_then(|line| line.strip_prefix("index ")).ok_or("no index")?.parse()?;
    let hashes = lines.map(|line| STANDARD.decode(line)).collect::<Result<Vec<_>, _>>()?;
    let checkpoint = checkpoint(note, keys)?;
    let leaf = hash_leaf(&log.entry(checkpoint.size(), index)?);
    checkpoint.verify_inclusion(index, &leaf, &hashes)?;
    Ok((index, checkpoint.size()))
}

fn bytes(proof: Vec<[u8; 32]>) -> Vec<Vec<u8>> {
    proof.iter().map(|hash| hash.to_vec()).collect()
}
