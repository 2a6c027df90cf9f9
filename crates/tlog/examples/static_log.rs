//! Writes logs of several sizes as files, for the programs of others, and reads the answers of their witnesses.
//! `tests/tlog/check.sh` runs it.
//!
//!   static_log write FOLDER TIME                      the logs, their keys, and requests to a witness
//!   static_log answer KEY CHECKPOINT STATUS TYPE BODY EXPECTED
//!                                                     fails unless the answer of a witness is the expected one

use std::error::Error;
use std::fs;
use std::path::Path;

use estimation_test_support::log::TestLog;
use estimation_tlog::tree::{consistency_proof, inclusion_proof};
use estimation_tlog::witness::{AddCheckpoint, Answer};
use estimation_tlog::{Note, VerifierKey};

const SIZES: [u64; 6] = [0, 1, 255, 256, 257, 70_000];

type Done = Result<(), Box<dyn Error>>;

fn main() -> Done {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", folder, time] => write(Path::new(folder), time.parse()?),
        ["answer", key, checkpoint, status, kind, body, expected] => {
            answer(&key.parse()?, Path::new(checkpoint), status.parse()?, kind, Path::new(body), expected)
        }
        _ => Err("see the first lines of the source".into()),
    }
}

fn write(folder: &Path, time: u64) -> Done {
    let save = |path: &str, bytes: &[u8]| -> Done {
        let file = folder.join(path);
        fs::create_dir_all(file.parent().ok_or("a path without a folder")?)?;
        Ok(fs::write(file, bytes)?)
    };
    let save_log = |name: &str, log: &TestLog| -> Done {
        save(&format!("{name}/checkpoint"), log.checkpoint(time).to_string().as_bytes())?;
        log.files().iter().try_for_each(|(path, bytes)| save(&format!("{name}/{path}"), bytes))
    };
    let mut whole = log(70_000, entry);
    save("log.vkey", format!("{}\n", whole.log.key).as_bytes())?;
    save("own-witness.vkey", format!("{}\n", whole.own_witness.key).as_bytes())?;
    for size in SIZES {
        save_log(&size.to_string(), &log(size, entry))?;
    }
    for (old, size) in SIZES.into_iter().zip(SIZES.into_iter().skip(1)) {
        let proof = consistency_proof(&mut whole, old, size).map_err(|id| id.to_string())?;
        let mut request = AddCheckpoint { old, proof, checkpoint: log(size, entry).checkpoint(time) };
        save(&format!("requests/{old}-{size}"), request.to_string().as_bytes())?;
        if size == 70_000 {
            request.proof[3].0[0] ^= 1;
            save("requests/forged", request.to_string().as_bytes())?;
        }
    }
    // The same key, the same size, another history.
    let fork = log(257, |index| if index == 100 { b"forked".to_vec() } else { entry(index) });
    save_log("fork", &fork)?;
    let request = AddCheckpoint { old: 257, proof: Vec::new(), checkpoint: fork.checkpoint(time) };
    save("requests/fork", request.to_string().as_bytes())?;
    // An entry with its inclusion proof and the root.
    let proof = inclusion_proof(&mut whole, 69_999, 70_000).map_err(|id| id.to_string())?;
    save("proof", proof.iter().map(|hash| format!("{hash}\n")).collect::<String>().as_bytes())?;
    save("proof.root", whole.root().to_string().as_bytes())?;
    save("proof.entry", &entry(69_999))
}

/// A log for tests only: its keys are public.
fn log(size: u64, entry: impl Fn(u64) -> Vec<u8>) -> TestLog {
    let mut log = TestLog::new("cards.example/log", 1);
    log.extend((0..size).map(entry));
    log
}

/// An entry like those of games: JSON, of different lengths.
fn entry(index: u64) -> Vec<u8> {
    format!(r#"{{"events":{},"game":{index},"type":"end"}}"#, index * index).into_bytes()
}

fn answer(
    key: &VerifierKey,
    checkpoint: &Path,
    status: u16,
    kind: &str,
    body: &Path,
    expected: &str,
) -> Done {
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
