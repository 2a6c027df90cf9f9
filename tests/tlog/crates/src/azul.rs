//! With Cloudflare's crates, signed_note and tlog_tiles.

use std::fs;

use signed_note::{Note, StandardVerifier, VerifierList};
use tlog_tiles::{
    Checkpoint, Error as TileError, Tile, TileHashReader, TileReader, check_record, check_tree, prove_record,
    prove_tree, record_hash,
};

use crate::{Log, Verified, looked_at};

pub(crate) fn verify(keys: &[&str], logs: &[Log]) -> Verified<()> {
    // Cosignatures have a type that these crates do not know, and ignore.
    let key = keys.first().ok_or("no key")?;
    let mut earlier = Vec::new();
    for log in logs {
        let now = checkpoint(log, key).map_err(|error| format!("checkpoint: {error}"))?;
        let hashes = TileHashReader::new(now.size(), *now.hash(), log);
        for index in looked_at(now.size()) {
            let leaf = record_hash(&log.entry(now.size(), index)?);
            prove_record(now.size(), index, &hashes)
                .and_then(|proof| check_record(&proof, now.size(), *now.hash(), index, leaf))
                .map_err(|error| format!("inclusion of {index}: {error}"))?;
        }
        for old in earlier.iter().filter(|old: &&Checkpoint| old.size() > 0) {
            prove_tree(now.size(), old.size(), &hashes)
                .and_then(|proof| check_tree(&proof, now.size(), *now.hash(), old.size(), *old.hash()))
                .map_err(|error| format!("consistency with {}: {error}", old.size()))?;
        }
        println!("signed_note and tlog_tiles accept the log of {} entries", now.size());
        earlier.push(now);
    }
    Ok(())
}

fn checkpoint(log: &Log, key: &str) -> Verified<Checkpoint> {
    let known = VerifierList::new(vec![Box::new(StandardVerifier::new(key)?)]);
    let note = Note::from_bytes(log.checkpoint()?.as_bytes())?;
    note.verify(&known)?;
    let checkpoint = Checkpoint::from_bytes(note.text()).map_err(|error| error.to_string())?;
    match key.split_once('+') {
        Some((origin, _)) if origin == checkpoint.origin() => Ok(checkpoint),
        _ => Err(format!("the origin is {:?}", checkpoint.origin()).into()),
    }
}

impl TileReader for Log {
    fn height(&self) -> u8 {
        8
    }

    fn read_tiles(&self, tiles: &[Tile]) -> Result<Vec<Vec<u8>>, TileError> {
        let read = |tile: &Tile| {
            // Paths of sumdb name the height, those of c2sp.org/tlog-tiles do not.
            let path = self.0.join(tile.path().replacen("tile/8/", "tile/", 1));
            fs::read(&path).map_err(|error| TileError::InvalidInput(format!("{}: {error}", path.display())))
        };
        tiles.iter().map(read).collect()
    }

    fn save_tiles(&self, _: &[Tile], _: &[Vec<u8>]) {}
}
