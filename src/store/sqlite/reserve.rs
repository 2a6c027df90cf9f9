//! The reserve: a file beside the database that takes up room, to be given up when the disk is full.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::beside;

/// How large the reserve is, in bytes: room for a second's writing of a busy node.
const SIZE: u64 = 4 << 20;

/// How much more room there has to be for the reserve to be whole, so that writing does not stop again at once.
const MARGIN: u64 = 1 << 20;

/// Where there is less room, the reserve is a half, a quarter and so on of that, down to this.
const LEAST: u64 = 128 << 10;

/// A file of which nothing but its size matters.
pub(super) struct Reserve(PathBuf);

impl Reserve {
    pub fn beside(database: &Path) -> Self {
        Self(beside(database, "-reserve"))
    }

    /// Gives the room up. Returns whether there was any to give up.
    pub fn release(&self) -> bool {
        fs::remove_file(&self.0).is_ok()
    }

    /// Allocates the reserve, or as much of it as there is room for. Returns whether it is whole and there is some
    /// more room for writing.
    ///
    /// # Errors
    /// [`io::ErrorKind::StorageFull`] or [`io::ErrorKind::QuotaExceeded`] where there is no room for the least,
    /// and others where no file can be made here.
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

    /// A file with holes takes up no room.
    fn is_whole(&self) -> bool {
        fs::metadata(&self.0).is_ok_and(|file| file.len() >= SIZE && allocated(&file) >= SIZE)
    }

    fn allocate(&self, size: u64) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
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

/// Whether an error says that there is no room.
pub(super) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

#[cfg(unix)]
fn allocated(file: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::blocks(file) * 512
}

#[cfg(not(unix))]
fn allocated(file: &fs::Metadata) -> u64 {
    file.len()
}

/// For file systems that allocate on writing. The bytes are not zeros, which some would not store.
fn write(mut file: &File, size: u64) -> io::Result<()> {
    let block: Vec<u8> = (0..=u8::MAX).cycle().take(64 << 10).collect();
    let mut left = size;
    while left > 0 {
        file.write_all(&block)?;
        left = left.saturating_sub(block.len() as u64);
    }
    file.sync_all()
}
