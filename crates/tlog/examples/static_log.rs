//! Writes logs of several sizes as files, for the programs of others, and reads the answers of their witnesses.
//! `tests/tlog/check.sh` runs it.
//!
//!   static_log write FOLDER TIME                      the logs, their keys, and requests to a witness
//!   static_log answer KEY CHECKPOINT STATUS TYPE BODY EXPECTED
//!                                                     fails unless the answer of a witness is the expected one

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use ed25519_dalek::{Signer, SigningKey};
use estimation_tlog::tree::{consistency_proof, inclusion_proof};
use estimation_tlog::witness::{AddCheckpoint, Answer};
use estimation_tlog::{
    BundleId, Checkpoint, Hash, KeyName, KeyType, Note, RightEdge, SignatureLine, Tile, TileId, TileSource,
    VerifierKey, encode_entries,
};

const ORIGIN: &str = "cards.example/log";
const SIZES: [u64; 6] = [0, 1, 255, 256, 257, 70_000];

type Done<T> = Result<T, Box<dyn Error>>;

fn main() -> Done<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", folder, time] => write(Path::new(folder), time.parse()?),
        ["answer", key, checkpoint, status, kind, body, expected] => {
            answer(&key.parse()?, Path::new(checkpoint), status.parse()?, kind, Path::new(body), expected)
        }
        _ => Err("see the first lines of the source".into()),
    }
}

fn write(folder: &Path, time: u64) -> Done<()> {
    let keys = Keys::new(time)?;
    fs::create_dir_all(folder)?;
    fs::write(folder.join("log.vkey"), format!("{}\n", keys.log))?;
    fs::write(folder.join("own-witness.vkey"), format!("{}\n", keys.witness))?;
    for size in SIZES {
        Log::new(size, entry)?.write(&folder.join(size.to_string()), &keys)?;
    }
    // The same key, the same size, another history.
    let fork = Log::new(257, |index| if index == 100 { b"forked".to_vec() } else { entry(index) })?;
    fork.write(&folder.join("fork"), &keys)?;

    let requests = folder.join("requests");
    fs::create_dir_all(&requests)?;
    let mut whole = Log::new(70_000, entry)?;
    for pair in SIZES.windows(2) {
        let (old, size) = (pair[0], pair[1]);
        let proof = consistency_proof(&mut whole, old, size)?;
        let checkpoint = Log::new(size, entry)?.checkpoint(&keys)?;
        let request = AddCheckpoint { old, proof, checkpoint };
        fs::write(requests.join(format!("{old}-{size}")), request.to_string())?;
        if size == 70_000 {
            let mut forged = request;
            forged.proof[3].0[0] ^= 1;
            fs::write(requests.join("forged"), forged.to_string())?;
        }
    }
    let request = AddCheckpoint { old: 257, proof: Vec::new(), checkpoint: fork.checkpoint(&keys)? };
    fs::write(requests.join("fork"), request.to_string())?;
    write_proof(&mut whole, 69_999, folder)
}

/// Writes the entry, its inclusion proof, and the root.
fn write_proof(log: &mut Log, index: u64, folder: &Path) -> Done<()> {
    let size = log.entries.len() as u64;
    let proof = inclusion_proof(log, index, size)?;
    let lines: String = proof.iter().map(|hash| format!("{hash}\n")).collect();
    fs::write(folder.join("proof"), lines)?;
    fs::write(folder.join("proof.root"), log.root.to_string())?;
    Ok(fs::write(folder.join("proof.entry"), entry(index))?)
}

fn answer(
    key: &VerifierKey,
    checkpoint: &Path,
    status: u16,
    kind: &str,
    body: &Path,
    expected: &str,
) -> Done<()> {
    let note: Note = fs::read_to_string(checkpoint)?.parse()?;
    let answer = Answer::read(status, kind, &fs::read_to_string(body)?, note.text(), key);
    let found = match &answer {
        Answer::Cosigned { .. } => "cosigned".to_owned(),
        Answer::Conflict { size } => format!("conflict {size}"),
        Answer::Inconsistent => "inconsistent".to_owned(),
        other => format!("{other:?}"),
    };
    if found == expected { Ok(()) } else { Err(format!("expected {expected}, found {found}").into()) }
}

/// An entry like those of games: JSON, of different lengths.
fn entry(index: u64) -> Vec<u8> {
    format!(r#"{{"events":{},"game":{index},"type":"end"}}"#, index * index).into_bytes()
}

/// Keys that everybody knows: these logs are for tests only.
struct Keys {
    log: VerifierKey,
    witness: VerifierKey,
    time: u64,
}

const LOG_SEED: [u8; 32] = [1; 32];
const WITNESS_SEED: [u8; 32] = [2; 32];

impl Keys {
    fn new(time: u64) -> Done<Keys> {
        let key = |name: &str, kind, seed: &[u8; 32]| {
            VerifierKey::new(
                KeyName::new(name)?,
                kind,
                SigningKey::from_bytes(seed).verifying_key().as_bytes(),
            )
        };
        let log = key(ORIGIN, KeyType::Ed25519, &LOG_SEED)?;
        let witness = key("cards.example/log/witness", KeyType::Cosignature, &WITNESS_SEED)?;
        Ok(Keys { log, witness, time })
    }
}

/// A log in memory.
struct Log {
    entries: Vec<Vec<u8>>,
    tiles: HashMap<(u8, u64), Tile>,
    root: Hash,
}

impl Log {
    fn new(size: u64, entry: impl Fn(u64) -> Vec<u8>) -> Done<Log> {
        let entries: Vec<Vec<u8>> = (0..size).map(entry).collect();
        let append = RightEdge::default().append(entries.iter().map(|entry| Hash::leaf(entry)));
        let tiles = append.tiles.into_iter().map(|tile| ((tile.id.level, tile.id.index), tile)).collect();
        Ok(Log { entries, tiles, root: append.root })
    }

    fn checkpoint(&self, keys: &Keys) -> Done<Note> {
        let checkpoint =
            Checkpoint { origin: KeyName::new(ORIGIN)?, size: self.entries.len() as u64, root: self.root };
        let text = checkpoint.to_string();
        let sign = |seed| move |message: &[u8]| SigningKey::from_bytes(seed).sign(message).to_bytes();
        let mut note = Note::new(text.clone())?;
        note.add(SignatureLine::sign(&keys.log, &text, sign(&LOG_SEED)));
        note.add(SignatureLine::cosign(&keys.witness, &text, keys.time, sign(&WITNESS_SEED)));
        Ok(note)
    }

    /// Writes the log as a web server would serve it.
    fn write(&self, folder: &Path, keys: &Keys) -> Done<()> {
        fs::create_dir_all(folder)?;
        fs::write(folder.join("checkpoint"), self.checkpoint(keys)?.to_string())?;
        for tile in self.tiles.values() {
            write_below(folder, &tile.id.to_string(), &tile.encode())?;
        }
        for (index, entries) in self.entries.chunks(256).enumerate() {
            let id = BundleId { index: index as u64, width: entries.len() as u16 };
            write_below(folder, &id.to_string(), &encode_entries(entries)?)?;
        }
        Ok(())
    }
}

impl TileSource for Log {
    type Error = std::io::Error;

    fn tile(&mut self, id: TileId) -> Result<Vec<Hash>, Self::Error> {
        let tile = self.tiles.get(&(id.level, id.index));
        let hashes = tile.and_then(|tile| tile.hashes.get(..usize::from(id.width)));
        hashes.map(<[Hash]>::to_vec).ok_or_else(|| std::io::ErrorKind::NotFound.into())
    }
}

fn write_below(folder: &Path, path: &str, bytes: &[u8]) -> Done<()> {
    let file = folder.join(path);
    fs::create_dir_all(file.parent().ok_or("a path without a folder")?)?;
    Ok(fs::write(file, bytes)?)
}
