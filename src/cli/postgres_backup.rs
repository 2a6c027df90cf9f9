//! A base backup of PostgreSQL, restored beside it into a server that is thrown away.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use clap::Args;
use estimation_audit::{NotSound, terminal};
use estimation_service::base::clock::{Clock, SystemClock};
use estimation_store::{Connection, DatabaseUrl, migrations, replayed_until, server_settings};
use jiff::Timestamp;
use tempfile::TempDir;

use super::Failed;
use super::backup_check::{Restored, folder_of};
use super::database::read_url;
use super::manifest::Contents;

/// How often the restored server is asked whether it is ready.
const ASKS: Duration = Duration::from_millis(100);

/// Flags for a base backup of PostgreSQL.
#[derive(Args, Clone, Debug)]
pub(super) struct PostgresFlags {
    /// Folder of a base backup of PostgreSQL, as pg_basebackup makes it, in place of a file. Run this as the user who owns it,
    /// or as root.
    #[arg(long, value_name = "DIR")]
    postgres: Option<PathBuf>,

    /// Folder with the archived write-ahead log, which is restored to its end. Without it, the state of the base backup is.
    #[arg(long, value_name = "DIR", requires = "postgres")]
    wal: Option<PathBuf>,

    /// Folder with PostgreSQL's programs; by default that of the backup's version in /usr/lib/postgresql, or what PATH has.
    #[arg(long, value_name = "DIR", requires = "postgres")]
    postgres_bin: Option<PathBuf>,

    /// The database of the nodes in the cluster.
    #[arg(long, default_value = "estimation", requires = "postgres")]
    database: String,

    /// A superuser of the cluster. It needs no password here.
    #[arg(long, default_value = "postgres", requires = "postgres")]
    superuser: String,
}

impl PostgresFlags {
    pub(super) fn base(&self) -> Option<&Path> {
        self.postgres.as_deref()
    }

    /// A program of PostgreSQL.
    fn program(&self, base: &Path, name: &str) -> PathBuf {
        let version = fs::read_to_string(base.join("PG_VERSION")).unwrap_or_default();
        let installed = Path::new("/usr/lib/postgresql").join(version.trim()).join("bin");
        let folder = self.postgres_bin.clone().or_else(|| Some(installed).filter(|folder| folder.is_dir()));
        folder.map_or_else(|| name.into(), |folder| folder.join(name))
    }
}

/// A server on a restored base backup. Stopped and removed when dropped.
pub(super) struct Server {
    process: Child,
    url: DatabaseUrl,
    log: PathBuf,
    /// The restored cluster, beside the backup.
    data: TempDir,
    /// The socket, whose path has to be short.
    _socket: TempDir,
}

impl Server {
    pub(super) fn url(&self) -> &DatabaseUrl {
        &self.url
    }

    /// Waits until the server has restored everything and accepts writes.
    fn await_end_of_recovery(&mut self) -> Result<(), Failed> {
        let bar = terminal::spinner("restoring");
        loop {
            if let Some(status) = self.process.try_wait()? {
                let log = fs::read_to_string(&self.log).unwrap_or_default();
                let lines: Vec<&str> = log.lines().rev().take(5).collect();
                let end = lines.into_iter().rev().collect::<Vec<_>>().join("; ");
                return Err(
                    NotSound::Tampered(format!("the backup cannot be restored ({status}): {end}")).into()
                );
            }
            let recovers = Connection::inspect(&self.url).and_then(|mut conn| server_settings(&mut conn));
            if recovers.is_ok_and(|server| server.is_some_and(|server| !server.is_in_recovery)) {
                bar.finish_and_clear();
                return Ok(());
            }
            bar.tick();
            sleep(ASKS);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Nothing of it is needed any more.
        let _ended = self.process.kill().and_then(|()| self.process.wait());
        // The processes of the server end when they notice that, and write until then.
        for _ in 0..50 {
            if fs::remove_dir_all(self.data.path()).is_ok() {
                break;
            }
            sleep(ASKS);
        }
    }
}

/// Restores a base backup beside it, and starts a server on it.
pub(super) fn restore(base: &Path, flags: &PostgresFlags) -> Result<(Server, Restored), Failed> {
    let owner = fs::metadata(base).map_err(|error| format!("{}: {error}", base.display()))?;
    verify(base, flags)?;
    let data = tempfile::Builder::new().prefix(".backup-check-").tempdir_in(folder_of(base))?;
    let socket = TempDir::new()?;
    let (cluster, log) = (data.path().join("data"), data.path().join("log"));
    let bar = terminal::progress_bytes(size(base)?);
    copy_tree(base, &cluster, &|bytes| bar.inc(bytes))?;
    bar.finish_and_clear();
    if flags.wal.is_some() {
        File::create(cluster.join("recovery.signal"))?;
    }
    let hba = data.path().join("hba");
    fs::write(&hba, "local all all trust\n")?;
    fs::write(data.path().join("conf"), "")?;
    // A root user gives everything to the owner of the backup, because PostgreSQL does not run as root.
    let is_root = fs::metadata(data.path())?.uid() == 0;
    if is_root {
        if owner.uid() == 0 {
            return Err("PostgreSQL does not run as root: give the backup to PostgreSQL's user".into());
        }
        give(data.path(), owner.uid(), owner.gid())?;
        give(socket.path(), owner.uid(), owner.gid())?;
    }
    let restore_command = flags.wal.as_ref().map(|wal| -> Result<String, Failed> {
        let wal = wal.canonicalize().map_err(|error| format!("{}: {error}", wal.display()))?;
        let wal = wal.to_str().filter(|wal| !wal.contains(['\'', '%', '\\']));
        Ok(format!("restore_command=cp '{}'/%f %p", wal.ok_or("the path of the archive has odd characters")?))
    });
    let file = |name: &str, path: &Path| format!("{name}={}", path.display());
    let mut settings = vec![
        file("config_file", &data.path().join("conf")),
        file("hba_file", &hba),
        file("unix_socket_directories", socket.path()),
        "listen_addresses=".to_owned(),
        "port=5432".to_owned(),
        "archive_mode=off".to_owned(),
        "hot_standby=off".to_owned(),
        "ssl=off".to_owned(),
        "shared_preload_libraries=".to_owned(),
        "primary_conninfo=".to_owned(),
        "synchronous_standby_names=".to_owned(),
        "recovery_target_action=promote".to_owned(),
        // It is thrown away.
        "fsync=off".to_owned(),
        "logging_collector=off".to_owned(),
    ];
    settings.extend(restore_command.transpose()?);
    let mut command = Command::new(flags.program(base, "postgres"));
    command.arg("-D").arg(&cluster).args(settings.iter().flat_map(|setting| ["-c", setting]));
    command.current_dir(data.path()).env_clear().stdin(Stdio::null()).stdout(Stdio::null());
    command.stderr(File::create(&log)?);
    if is_root {
        command.uid(owner.uid()).gid(owner.gid());
    }
    let process = command.spawn().map_err(|error| format!("PostgreSQL cannot be started: {error}"))?;
    let host = socket.path().display().to_string().replace('/', "%2F");
    let url = read_url(&format!("postgres://{}@{host}/{}", flags.superuser, flags.database))?;
    let mut server = Server { process, url, log, data, _socket: socket };
    server.await_end_of_recovery()?;
    let mut conn = Connection::inspect(&server.url)?;
    let until = replayed_until(&mut conn)?.and_then(|at| Timestamp::from_millisecond(at).ok());
    let contents = Contents::read(&mut conn)?;
    drop(conn);
    migrations::apply(&server.url)?;
    let made_at = until.or_else(|| began(&cluster)).unwrap_or_else(|| SystemClock.now());
    let source = base.display().to_string();
    Ok((server, Restored { source, kind: "postgres", made_at, manifest: None, contents }))
}

/// Compares the files with the manifest of pg_basebackup.
fn verify(base: &Path, flags: &PostgresFlags) -> Result<(), Failed> {
    let mut command = Command::new(flags.program(base, "pg_verifybackup"));
    let output = command.args(["--quiet", "--no-parse-wal"]).arg(base).output();
    let output = output.map_err(|error| format!("pg_verifybackup cannot be run: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let told = String::from_utf8_lossy(&output.stderr);
    let first = told.lines().next().unwrap_or("it does not say why").to_owned();
    Err(NotSound::Tampered(format!("{} is not what its manifest says: {first}", base.display())).into())
}

/// When the base backup began, by its label.
fn began(cluster: &Path) -> Option<Timestamp> {
    let label = ["backup_label", "backup_label.old"]
        .iter()
        .find_map(|name| fs::read_to_string(cluster.join(name)).ok())?;
    let time = label.lines().find_map(|line| line.strip_prefix("START TIME: "))?;
    // As in `2026-11-27 15:04:05 UTC`; other zones have no offset there.
    let time = time
        .strip_suffix(" UTC")
        .or_else(|| time.strip_suffix(" GMT"))
        .or_else(|| time.strip_suffix(" Etc/UTC"))?;
    format!("{}Z", time.replace(' ', "T")).parse().ok()
}

/// The number of bytes below a folder.
fn size(folder: &Path) -> Result<u64, Failed> {
    let mut bytes = 0;
    for path in read_folder(folder)? {
        let metadata = fs::symlink_metadata(&path)?;
        bytes += if metadata.is_dir() { size(&path)? } else { metadata.len() };
    }
    Ok(bytes)
}

fn read_folder(folder: &Path) -> Result<Vec<PathBuf>, Failed> {
    let entries = fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>());
    entries.map_err(|error| format!("{}: {error}", folder.display()).into())
}

/// Copies a folder. Only its owner can read the copy.
fn copy_tree(from: &Path, to: &Path, copied: &dyn Fn(u64)) -> Result<(), Failed> {
    fs::create_dir(to)?;
    fs::set_permissions(to, fs::Permissions::from_mode(0o700))?;
    for path in read_folder(from)? {
        let target = to.join(path.file_name().unwrap_or_default());
        let metadata = fs::symlink_metadata(&path)?;
        if metadata.is_dir() {
            copy_tree(&path, &target, copied)?;
        } else if metadata.is_file() {
            copied(fs::copy(&path, &target).map_err(|error| format!("{}: {error}", path.display()))?);
        } else {
            return Err(
                format!("{} is no file: backups with tablespaces cannot be checked", path.display()).into()
            );
        }
    }
    Ok(())
}

/// Gives a folder and everything in it to a user.
fn give(path: &Path, user: u32, group: u32) -> Result<(), Failed> {
    chown(path, Some(user), Some(group))?;
    if path.is_dir() {
        read_folder(path)?.iter().try_for_each(|path| give(path, user, group))?;
    }
    Ok(())
}
