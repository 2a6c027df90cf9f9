//! Every single-byte change of a checkpoint, a tile, an entry bundle and a proof file is refused.

use estimation_tlog::checkpoint::open;
use estimation_tlog::tree::{inclusion_proof, root};
use estimation_tlog::{BundleId, Hash, Note, ProofFile, RightEdge, Tile, TileId, encode_entries};

use crate::support::{Memory, leaf, signed, the_log, the_witness, tree};

/// All bytes that differ from the given ones in exactly one byte.
fn changed(bytes: &[u8]) -> impl Iterator<Item = (usize, Vec<u8>)> + '_ {
    (0..bytes.len()).flat_map(move |at| {
        (1..=255).map(move |mask| {
            let mut bytes = bytes.to_vec();
            bytes[at] ^= mask;
            (at, bytes)
        })
    })
}

/// Bytes with one byte removed or doubled.
fn resized(bytes: &[u8]) -> impl Iterator<Item = (usize, Vec<u8>)> + '_ {
    (0..bytes.len()).flat_map(move |at| {
        [[&bytes[..at], &bytes[at + 1..]].concat(), [&bytes[..at], &bytes[at..=at], &bytes[at..]].concat()]
            .map(|bytes| (at, bytes))
    })
}

/// An auditor who demands the log's signature and its witness's finds every change.
#[test]
fn a_changed_checkpoint_is_refused() {
    let (_, edge) = tree(300, 300);
    let (log, witness) = (the_log().key, the_witness().key);
    let accepted = |bytes: &[u8]| {
        let Ok(text) = str::from_utf8(bytes) else { return false };
        let Ok((checkpoint, note)) = open(text, &log) else { return false };
        assert_eq!((checkpoint.size, checkpoint.root), (300, edge.root()), "a forged checkpoint verifies");
        note.verify(&witness).is_ok()
    };
    let bytes = signed(300, edge.root()).to_string().into_bytes();
    assert!(accepted(&bytes));
    for (at, bytes) in changed(&bytes).chain(resized(&bytes)) {
        assert!(!accepted(&bytes), "byte {at}");
    }
}

#[test]
fn a_changed_tile_does_not_lead_to_the_root() {
    let (memory, edge) = tree(257, 257);
    for id in ["tile/0/000", "tile/0/001.p/1", "tile/1/000.p/1"] {
        let id: TileId = id.parse().unwrap();
        let hashes = memory.0[&(id.level, id.index)].clone();
        let bytes = Tile { id, hashes }.encode();
        let accepted = |bytes: &[u8]| {
            let Ok(hashes) = id.decode(bytes) else { return false };
            // A full tile must have the root that the level above names; the others must lead to the root.
            if id.is_full() {
                return RightEdge::default().append(hashes).tiles[1].hashes == memory.0[&(1, 0)];
            }
            let mut other = Memory(memory.0.clone());
            other.0.insert((id.level, id.index), hashes);
            root(&mut other, 257).unwrap() == edge.root()
        };
        assert!(accepted(&bytes));
        for (at, bytes) in changed(&bytes).step_by(251).chain(resized(&bytes).step_by(97)) {
            assert!(!accepted(&bytes), "byte {at} of {id}");
        }
    }
}

#[test]
fn a_changed_bundle_does_not_match_its_leaves() {
    let entries: Vec<Vec<u8>> = (0_u64..20).map(|index| index.to_be_bytes().to_vec()).collect();
    let bytes = encode_entries(&entries).unwrap();
    let id = BundleId { index: 0, width: 20 };
    let leaves: Vec<Hash> = (0..20).map(leaf).collect();
    assert!(id.open(&bytes, &leaves).is_ok());
    for (at, bytes) in changed(&bytes).chain(resized(&bytes)) {
        assert!(id.open(&bytes, &leaves).is_err(), "byte {at}");
    }
}

/// The entry is the extra data, so that the whole file is bound.
#[test]
fn a_changed_proof_file_is_refused() {
    let (mut memory, edge) = tree(300, 300);
    let proof = inclusion_proof(&mut memory, 129, 300).unwrap();
    let extra = Some(129_u64.to_be_bytes().to_vec());
    let file = ProofFile { extra, index: 129, proof, checkpoint: signed(300, edge.root()) };
    let (log, witness) = (the_log().key, the_witness().key);
    let accepted = |bytes: &[u8]| {
        let Ok(file) = str::from_utf8(bytes).unwrap_or_default().parse::<ProofFile>() else { return false };
        let Some(entry) = &file.extra else { return false };
        file.verify(Hash::leaf(entry), &log).is_ok() && file.checkpoint.verify(&witness).is_ok()
    };
    let bytes = file.to_string().into_bytes();
    assert_eq!(str::from_utf8(&bytes).unwrap().parse(), Ok(file));
    assert!(accepted(&bytes));
    assert!(bytes.len() < 2_048, "{}", bytes.len());
    for (at, bytes) in changed(&bytes).chain(resized(&bytes)) {
        assert!(!accepted(&bytes), "byte {at}: {}", String::from_utf8_lossy(&bytes));
    }
}

/// What a parser accepts it writes again, byte for byte: there is one form only.
#[test]
fn parsers_accept_only_what_they_write() {
    let (_, edge) = tree(300, 300);
    let note = signed(300, edge.root());
    let file =
        ProofFile { extra: Some(vec![1, 2]), index: 7, proof: vec![leaf(1)], checkpoint: note.clone() };
    for bytes in [note.to_string().into_bytes(), file.to_string().into_bytes()] {
        for (_, bytes) in changed(&bytes).chain(resized(&bytes)) {
            let Ok(text) = str::from_utf8(&bytes) else { continue };
            assert!(text.parse::<Note>().is_err() || text.parse::<Note>().unwrap().to_string() == text);
            assert!(
                text.parse::<ProofFile>().is_err() || text.parse::<ProofFile>().unwrap().to_string() == text
            );
        }
    }
}
