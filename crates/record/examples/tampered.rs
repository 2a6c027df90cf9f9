//! Writes the corpus of sound and changed histories: `cargo run -p estimation-record --example tampered`.

use std::path::Path;
use std::{fs, io};

use estimation_test_support::tampered;

fn main() -> io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tampered");
    fs::create_dir_all(&folder)?;
    for (name, text) in tampered::files() {
        fs::write(folder.join(name), text)?;
    }
    Ok(())
}
