//! The reserve: a file next to the database that occupies space, freed when the disk is full.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::sibling;

/// The reserve's size in bytes: a busy node writes as much in a second.
const SIZE: u64 = 4 << 20;

/// The free space required besides the reserve, so that writing does not stop again at once.
const MARGIN: u64 = 1 << 20;

/// With less space, the reserve is a half, a quarter and so on of that, down to this size.
const LEAST: u64 = 128 << 10;

/// A file whose content does not matter.
pub(super) struct Reserve(PathBuf);

impl Reserve {
    pub fn next_to(database: &Path) -> Self {
        Self(sibling(database, "-reserve"))
    }

    /// Frees the space. Returns whether there was any to free.
    pub fn release(&self) -> bool {
        fs::remove_file(&self.0).is_ok()
    }

    /// Allocates the reserve, or as much of it as there is space for. Returns whether it is complete and
    /// there is some more space.
    ///
    /// # Errors
    /// [`io::ErrorKind::StorageFull`] or [`io::ErrorKind::QuotaExceeded`] when there is no space even for the
    /// smallest reserve; other errors when no file can be created here.
    pub fn fill(&self) -> io::Result<bool> {
        if self.is_whole() {
            return Ok(true);
        }
        let mut size = SIZE + MARGIN;
        loop {
            match self.allocate(size).and_then(|file| file.set_len(size.min(SIZE))) {
                Ok(()) => return Ok(size > SIZE),
                Err(error) if is_full(&error) && size > SIZE => size = SIZE,
                Err(error) if is_full(&error) && size > LEAST => size /= 2,
                Err(error) => {
                    self.release();
                    return Err(error);
                }
            }
        }
    }

    /// A sparse file would occupy no space.
    fn is_whole(&self) -> bool {
        fs::metadata(&self.0).is_ok_and(|file| file.len() >= SIZE && allocated(&file) >= SIZE)
    }

    fn allocate(&self, size: u64) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&self.0)?;
        #[cfg(target_os = "linux")]
        match rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, size) {
            Err(rustix::io::Errno::OPNOTSUPP) => {}
            done => return done.map(|()| file).map_err(io::Error::from),
        }
        write(&file, size).map(|()| file)
    }
}

/// Whether an error means a full disk.
pub(super) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

fn allocated(file: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::blocks(file) * 512
}

/// For file systems that allocate on writing. Writes non-zero bytes, because some do not store zeros.
fn write(mut file: &File, size: u64) -> io::Result<()> {
    let block: Vec<u8> = (0..=u8::MAX).cycle().take(64 << 10).collect();
    let mut left = size;
    while left > 0 {
        file.write_all(&block)?;
        left = left.saturating_sub(block.len() as u64);
    }
    file.sync_all()
}
