//! `estimation backup`: copies an SQLite database, which may be in use, and checks such copies.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use estimation_command::terminal;
use estimation_store as store;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::database::{DataFlags, read_url};
use super::keys::{KeyFlags, block_on};
use super::manifest::{Contents, FileDigest, Manifest};
use super::{Failed, audit};
use estimation_audit::{AuditReport, Circumstances, Keys, NotSound, now};
use estimation_record::RecordTime;
use estimation_service::base::clock::{Clock, SystemClock};
use estimation_service::base::entropy::SystemEntropy;
use estimation_service::base::ids::new_id;
use estimation_store::checked_backups::{self, BackupKind, CheckedBackup};
use estimation_store::{BackupError, Connection, Database, DatabaseUrl, Id, Server, migrations};

#[derive(Args, Clone, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct BackupFlags {
    #[command(subcommand)]
    task: Option<BackupTask>,

    #[command(flatten)]
    data: DataFlags,

    /// File of the copy, which must not exist. It is an SQLite database. `FILE.manifest.json` says what is in it.
    #[arg(required = true)]
    file: Option<PathBuf>,
}

#[derive(Subcommand, Clone, Debug)]
enum BackupTask {
    /// Restore a copy beside it, audit what was restored, and remove that again.
    Check(CheckFlags),
}

pub(super) fn run(flags: &BackupFlags) -> Result<(), Failed> {
    match (&flags.task, &flags.file) {
        (Some(BackupTask::Check(flags)), _) => check(flags).map_err(NotSound::unless_known),
        (None, Some(file)) => {
            let url = flags.data.place()?;
            Manifest::refuse_existing(file)?;
            store::backup(&url, file)?;
            Manifest::of(file)?.write(file)?;
            terminal::print_line(format_args!("{url} was copied to {}", file.display()))?;
            terminal::print_line("the copy does not contain a key file: back that up as well")
        }
        (None, None) => Err("name the file of the copy".into()),
    }
}

/// The format of the JSON report.
const FORMAT: &str = "estimation/backup-check/v1";

#[derive(Args, Clone, Debug)]
struct CheckFlags {
    /// File of the copy. Its manifest is beside it.
    file: PathBuf,

    /// The keys of the node, which check signatures and HMACs.
    #[command(flatten)]
    keys: KeyFlags,

    /// Accept missing keys: do not check signatures.
    #[arg(long)]
    unsigned: bool,

    /// Print the report as JSON.
    #[arg(long)]
    json: bool,

    /// If the backup is sound, record that in the database of `--database-url` or `--data-dir`. Its nodes then tell the age of
    /// the newest checked backup.
    #[arg(long)]
    record: bool,

    #[command(flatten)]
    data: DataFlags,
}

/// Restores a copy beside it, and audits what was restored.
fn check(flags: &CheckFlags) -> Result<(), Failed> {
    let began = now();
    if flags.keys.given()?.is_none() && !flags.unsigned {
        let usage = "give the keys of the node (--keys-file) to check signatures, or --unsigned to skip them";
        return Err(NotSound::Usage(usage.to_owned()).into());
    }
    let is_postgres =
        flags.file.to_str().is_some_and(|file| matches!(read_url(file), Ok(DatabaseUrl::Postgres(_))));
    if is_postgres || matches!(flags.data.place()?, DatabaseUrl::Postgres(_)) {
        return Err(BackupError::Postgres.into());
    }
    let parent = flags.file.parent().filter(|folder| !folder.as_os_str().is_empty());
    // Only its owner can read it.
    let folder =
        tempfile::Builder::new().prefix(".backup-check-").tempdir_in(parent.unwrap_or(Path::new(".")))?;
    let target = folder.path().join("estimation.db");
    let manifest = restore(&flags.file, &target)?;
    report(flags, &DatabaseUrl::sqlite(&target), &manifest, began)
}

/// Restores a copy, and compares it with its manifest.
fn restore(file: &Path, target: &Path) -> Result<Manifest, Failed> {
    let manifest = Manifest::read(file)?;
    copy(file, target)?;
    let digest = FileDigest::of(target)?;
    if digest != manifest.digest {
        let damaged = format!(
            "{} is not the file of its manifest: it has {} of {} bytes, and SHA-256 {}",
            file.display(),
            digest.bytes,
            manifest.digest.bytes,
            digest.sha256
        );
        return Err(NotSound::Tampered(damaged).into());
    }
    let contents = Contents::of(target)?;
    if contents != manifest.contents {
        let other = format!("{} holds other games or logs than its manifest says", file.display());
        return Err(NotSound::Tampered(other).into());
    }
    migrations::apply(&DatabaseUrl::sqlite(target))?;
    Ok(manifest)
}

/// Copies a file with a progress bar.
fn copy(from: &Path, to: &Path) -> Result<(), Failed> {
    let copied = || -> io::Result<()> {
        let (mut source, mut target) = (File::open(from)?, File::create(to)?);
        let bar = terminal::progress_bytes(source.metadata()?.len());
        let mut buffer = vec![0; 1 << 20];
        loop {
            let read = source.read(&mut buffer)?;
            let Some(part) = buffer.get(..read).filter(|part| !part.is_empty()) else { break };
            target.write_all(part)?;
            bar.inc(part.len() as u64);
        }
        bar.finish_and_clear();
        Ok(())
    };
    copied().map_err(|error| format!("{}: {error}", from.display()).into())
}

/// Audits a restored database, prints the report, and records a sound one.
fn report(
    flags: &CheckFlags,
    url: &DatabaseUrl,
    manifest: &Manifest,
    began: RecordTime,
) -> Result<(), Failed> {
    let mut conn = Connection::inspect(url)?;
    let ring = match flags.keys.given()? {
        Some(source) => Some(source.read(Some(&mut conn))?.ok_or("the copy holds no keys for the secret")?),
        None => None,
    };
    let mut keys = Keys::default();
    keys.trust.unsigned = flags.unsigned;
    if let Some(ring) = &ring {
        audit::pin(&mut keys, ring)?;
    }
    let found = audit::database(&mut conn, &mut keys, ring.as_ref(), began)?;
    let circumstances = Circumstances::of(flags.file.display().to_string(), began, found.notes);
    let report = AuditReport::new(circumstances, &keys, found.report);
    let age = SystemClock.now().duration_since(manifest.made_at);
    if flags.json {
        let all = json!({
            "format": FORMAT,
            "kind": "sqlite",
            "made_at": manifest.made_at,
            "age_seconds": age.as_secs(),
            "contents": manifest.contents,
            "manifest": manifest,
            "audit": report,
        });
        terminal::print_line(serde_json::to_string_pretty(&all)?)?;
    } else {
        terminal::print_line(summary(&flags.file, manifest, age))?;
        report.print()?;
    }
    report.result()?;
    if !flags.record {
        return Ok(());
    }
    record(&flags.data.open()?, BackupKind::Sqlite, manifest.made_at, &manifest.contents)
}

/// What a copy is, and how old.
fn summary(file: &Path, Manifest { made_at, contents, .. }: &Manifest, age: SignedDuration) -> String {
    let games: u64 = contents.games.values().sum();
    let log = contents.logs.last();
    let log = log.map_or("none".to_owned(), |log| format!("{} entries of {}", log.size, log.origin));
    let age = SignedDuration::from_secs(age.as_secs());
    format!("{}: made at {made_at}, {age:#} ago; games: {games}; log: {log}", file.display())
}

/// Records a sound backup in the database of the nodes, which then tell its age.
pub(super) fn record(
    database: &Database,
    kind: BackupKind,
    made_at: Timestamp,
    contents: &Contents,
) -> Result<(), Failed> {
    let now = SystemClock.now();
    let counted = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let checked = CheckedBackup {
        id: Id(new_id(now, &SystemEntropy)),
        kind,
        made_at: made_at.into(),
        checked_at: now.into(),
        games: counted(contents.games.values().sum()),
        log_size: counted(contents.logs.last().map_or(0, |log| log.size)),
    };
    block_on(async {
        let written = database.write(Server, move |conn| checked_backups::insert(conn, &checked)).await;
        database.shutdown().await;
        written
    })??;
    Ok(())
}
