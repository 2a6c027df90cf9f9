//! The key file: a JSON file that only its owner can read, replaced atomically.
//!
//! A lock file next to it (`keys.json.lock`) serialises creation and changes between processes.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use zeroize::Zeroizing;

use super::{KeyError, KeyRing};
use crate::base::entropy::Entropy;

impl KeyRing {
    /// Loads the ring from a file. If the file does not exist, creates it with new keys and mode 0600.
    ///
    /// # Errors
    ///
    /// [`KeyError::Exposed`] if other users have any permission on the file, and the errors of
    /// [`KeyRing::from_json`]. A broken file is never replaced.
    pub fn load_or_create(path: &Path, entropy: &dyn Entropy, now: Timestamp) -> Result<KeyRing, KeyError> {
        if let Some(ring) = read(path)? {
            return Ok(ring);
        }
        let _lock = lock(path)?;
        // Another process may have created the file during the wait for the lock.
        if let Some(ring) = read(path)? {
            return Ok(ring);
        }
        let ring = KeyRing::create(entropy, now);
        write(path, &ring)?;
        Ok(ring)
    }

    /// Loads the ring from an existing file.
    ///
    /// # Errors
    ///
    /// Those of [`KeyRing::load_or_create`], and [`KeyError::File`] if the file does not exist.
    pub fn load(path: &Path) -> Result<KeyRing, KeyError> {
        read(path)?.ok_or_else(|| KeyError::file("read", path)(io::ErrorKind::NotFound.into()))
    }

    /// Changes the ring in a file, for example by rotation. Running servers reload it.
    pub fn change_in<T>(
        path: &Path,
        change: impl FnOnce(&mut KeyRing) -> T,
    ) -> Result<(KeyRing, T), KeyError> {
        let _lock = lock(path)?;
        let mut ring = KeyRing::load(path)?;
        let changed = change(&mut ring);
        write(path, &ring)?;
        Ok((ring, changed))
    }
}

fn read(path: &Path) -> Result<Option<KeyRing>, KeyError> {
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(KeyError::file("read", path))?,
    };
    let metadata = file.metadata().map_err(KeyError::file("read", path))?;
    if let Some(mode) = exposed_mode(&metadata) {
        return Err(KeyError::Exposed { path: path.to_owned(), mode });
    }
    // One extra byte, so that reading to the end never reallocates, which would leave a copy of the keys.
    let mut text = Zeroizing::new(String::with_capacity(metadata.len() as usize + 1));
    file.read_to_string(&mut text).map_err(KeyError::file("read", path))?;
    KeyRing::from_json(&text).map(Some)
}

/// Replaces the file atomically: writes and syncs a new file, then renames it.
fn write(path: &Path, ring: &KeyRing) -> Result<(), KeyError> {
    let new = with_suffix(path, ".new");
    let written = || -> io::Result<()> {
        // Left by a killed process; the lock guarantees that no other process uses it.
        match fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = private(OpenOptions::new().write(true).create_new(true)).open(&new)?;
        file.write_all(&ring.to_json()?)?;
        file.sync_all()?;
        fs::rename(&new, path)?;
        sync_directory(path)
    };
    written().map_err(KeyError::file("write", path))
}

/// Waits until no other process creates or changes keys.
fn lock(path: &Path) -> Result<File, KeyError> {
    let locked = || -> io::Result<File> {
        let file = private(OpenOptions::new().write(true).create(true).truncate(false))
            .open(with_suffix(path, ".lock"))?;
        file.lock()?;
        Ok(file)
    };
    locked().map_err(KeyError::file("lock", path))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600)
}

fn exposed_mode(metadata: &fs::Metadata) -> Option<u32> {
    let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777;
    (mode & 0o077 != 0).then_some(mode)
}

fn sync_directory(path: &Path) -> io::Result<()> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    File::open(directory.unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::super::Kid;
    use super::*;
    use crate::base::entropy::{SeededEntropy, SystemEntropy};

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn kids(ring: &KeyRing) -> Vec<Kid> {
        ring.jwks(NOW).keys.into_iter().map(|key| key.kid).collect()
    }

    #[test]
    fn keys_are_made_once_and_then_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("keys.json");
        let made = KeyRing::load_or_create(&path, &SeededEntropy::new(1), NOW).unwrap();
        assert_eq!(mode(&path), 0o600);
        assert!(!with_suffix(&path, ".new").exists());
        let read = KeyRing::load_or_create(&path, &SeededEntropy::new(2), NOW).unwrap();
        assert_eq!(kids(&made), kids(&read));
    }

    #[test]
    fn a_file_that_others_can_get_at_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("keys.json");
        KeyRing::load_or_create(&path, &SystemEntropy, NOW).unwrap();
        for bits in [0o640, 0o604, 0o620, 0o666] {
            fs::set_permissions(&path, fs::Permissions::from_mode(bits)).unwrap();
            let error = KeyRing::load_or_create(&path, &SystemEntropy, NOW).err().unwrap();
            assert!(matches!(error, KeyError::Exposed { mode, .. } if mode == bits));
            assert!(error.to_string().contains("chmod 600"));
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
        assert!(KeyRing::load_or_create(&path, &SystemEntropy, NOW).is_ok());
    }

    #[test]
    fn a_broken_file_is_never_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("keys.json");
        fs::write(&path, "{}").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert!(KeyRing::load_or_create(&path, &SystemEntropy, NOW).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "{}");
    }

    #[test]
    fn a_rotation_survives_in_the_file_and_a_crash_before_it_does_no_harm() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("keys.json");
        let before = KeyRing::load_or_create(&path, &SystemEntropy, NOW).unwrap();
        fs::write(with_suffix(&path, ".new"), "half a fi").unwrap();
        let (after, new) =
            KeyRing::change_in(&path, |ring| ring.rotate_token_key(&SystemEntropy, NOW)).unwrap();
        assert_eq!(mode(&path), 0o600);
        assert_eq!(kids(&KeyRing::load(&path).unwrap()), kids(&after));
        assert_eq!(kids(&after).len(), 3);
        assert!(kids(&after).contains(&new.unwrap()));
        assert!(kids(&before).iter().all(|kid| kids(&after).contains(kid)));
    }

    #[test]
    fn two_processes_that_start_at_once_get_the_same_keys() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("keys.json");
        let load = || kids(&KeyRing::load_or_create(&path, &SystemEntropy, NOW).unwrap());
        let rings = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(load)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        assert!(rings.iter().all(|ring| *ring == rings[0]));
    }

    #[test]
    fn a_missing_file_is_an_error_where_keys_are_expected() {
        let directory = tempfile::tempdir().unwrap();
        let error = KeyRing::load(&directory.path().join("keys.json")).err().unwrap();
        assert!(matches!(error, KeyError::File { doing: "read", .. }));
    }
}
