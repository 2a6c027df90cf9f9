//! A file system of a few megabytes that another program fills.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::process::Command;

use crate::prelude::*;

/// A tmpfs of 16 MiB, unmounted when dropped. Mounting needs root or a user namespace.
pub struct SmallDisk(TempDir);

impl SmallDisk {
    pub fn mount() -> SmallDisk {
        let folder = TempDir::new().expect("a folder");
        let mount = ["-t", "tmpfs", "-o", "size=16m", "tmpfs"];
        let mounted =
            Command::new("mount").args(mount).arg(folder.path()).output().expect("the program mount");
        assert!(
            mounted.status.success(),
            "this test mounts a tmpfs: run it as root, or in `unshare -rm`: {}",
            String::from_utf8_lossy(&mounted.stderr)
        );
        SmallDisk(folder)
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    fn foreign(&self) -> PathBuf {
        self.path().join("foreign")
    }

    /// The other program takes all free room.
    pub fn fill(&self) {
        let mut file = File::options().append(true).create(true).open(self.foreign()).expect("a file");
        for size in [64 << 10, 4 << 10, 1] {
            let block = vec![b'x'; size];
            let error = loop {
                if let Err(error) = file.write_all(&block) {
                    break error;
                }
            };
            assert_eq!(error.kind(), ErrorKind::StorageFull, "{error}");
        }
    }

    /// The other program frees this many bytes.
    pub fn give(&self, bytes: u64) {
        let file = File::options().write(true).open(self.foreign()).expect("the foreign file");
        let size = file.metadata().expect("its size").len();
        file.set_len(size.saturating_sub(bytes)).expect("room");
    }

    pub fn make_room(&self) {
        fs::remove_file(self.foreign()).expect("the foreign file");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}
