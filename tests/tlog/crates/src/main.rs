//! Verifies logs in folders with crates of others: checkpoints, the inclusion of entries from their bytes, and that each
//! log continues the ones before it.
//!
//!   check-crates azul KEYFILE FOLDER…
//!   check-crates metamorphic KEYFILE FOLDER…
//!
//! KEYFILE has the key of the log, and after it those of cosigners. A folder may have a `proof`, a file of
//! c2sp.org/tlog-proof.

use std::error::Error;
use std::fs;
use std::path::PathBuf;

mod azul;
mod metamorphic;

pub(crate) type Verified<T> = Result<T, Box<dyn Error>>;

/// A log as files.
pub(crate) struct Log(PathBuf);

impl Log {
    fn checkpoint(&self) -> Verified<String> {
        Ok(fs::read_to_string(self.0.join("checkpoint"))?)
    }

    /// An entry of a log with this size.
    fn entry(&self, size: u64, index: u64) -> Verified<Vec<u8>> {
        let (bundle, width) = (index / 256, size.saturating_sub(index / 256 * 256));
        let name = match width {
            ..256 => format!("{bundle:03}.p/{width}"),
            256.. => format!("{bundle:03}"),
        };
        let bytes = fs::read(self.0.join("tile/entries").join(name))?;
        let mut rest = &bytes[..];
        for skip in (0..=index % 256).rev() {
            let (length, after) = rest.split_first_chunk().ok_or("a bundle ends too early")?;
            let length = u16::from_be_bytes(*length).into();
            let (entry, after) = after.split_at_checked(length).ok_or("a bundle ends too early")?;
            if skip == 0 {
                return Ok(entry.to_vec());
            }
            rest = after;
        }
        Err("a bundle without entries".into())
    }
}

/// All entries of a small log; of a large one the first, the last ones, and some others.
pub(crate) fn looked_at(size: u64) -> impl Iterator<Item = u64> {
    (0..size).filter(move |index| size < 512 || index % 4999 == 0 || index + 2 >= size)
}

fn main() -> Verified<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [by, key_file, folders @ ..] = &arguments[..] else {
        return Err("see the first lines of the source".into());
    };
    let keys = fs::read_to_string(key_file)?;
    let keys: Vec<&str> = keys.split_whitespace().collect();
    let logs: Vec<Log> = folders.iter().map(|folder| Log(folder.into())).collect();
    match by.as_str() {
        "azul" => azul::verify(&keys, &logs),
        "metamorphic" => metamorphic::verify(&keys, &logs),
        _ => Err("see the first lines of the source".into()),
    }
}
