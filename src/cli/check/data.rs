//! The database.

use std::path::{Path, PathBuf};

use estimation_service::base::clock::{Clock, SystemClock};
use estimation_store::{
    Connection, DatabaseUrl, DiskSpace, NODE_CONNECTIONS, ServerSettings, migrations, server_settings,
    server_time, standbys,
};
use jiff::{SignedDuration, Timestamp};

use super::Finding;
use crate::cli::serve::ServeFlags;

/// Less free space than that fills soon.
const LITTLE: u64 = 1 << 30;

/// With less, the server stops writing.
const LEAST: u64 = 6 << 20;

/// The oldest version of PostgreSQL that is tested.
const OLDEST: i64 = 150_000;

/// Nodes whose clocks differ by more log a warning.
const SKEW: SignedDuration = SignedDuration::from_secs(1);

/// What can be read of the database.
pub(super) enum State {
    /// It has the present schema.
    Present(Connection),
    /// There is none yet, or the first start will migrate it.
    Older,
    Unreadable,
}

pub(super) fn findings(flags: &ServeFlags) -> (Vec<Finding>, State) {
    let url = match flags.data.place() {
        Ok(url) => url,
        Err(error) => {
            let wrong = Finding::problem(
                "database",
                error.to_string(),
                "the server does not start",
                "correct --database-url",
            );
            return (vec![wrong], State::Unreadable);
        }
    };
    match &url {
        DatabaseUrl::Sqlite(path) => sqlite(&url, path),
        DatabaseUrl::Postgres(_) => postgres(&url),
    }
}

fn sqlite(url: &DatabaseUrl, path: &Path) -> (Vec<Finding>, State) {
    let folder = existing(path);
    let mut findings = Vec::new();
    // What access(2) says is not what a write says, on a file system that is read-only or not the user's.
    if let Err(error) = tempfile::tempfile_in(&folder) {
        findings.push(Finding::problem(
            "disk",
            format!("nothing can be written in {}: {error}", folder.display()),
            "the database, its log and the keys are there",
            "give the server's user the folder (`chown`), and mount it for writing",
        ));
    }
    match DiskSpace::at(&folder) {
        Some(DiskSpace { free, .. }) if free < LEAST => findings.push(Finding::problem(
            "disk",
            format!("{} MiB are free on the disk of {}", free >> 20, folder.display()),
            "the server answers changes with 503 `disk-full`",
            "free some space, or move the data directory to a larger disk",
        )),
        Some(DiskSpace { free, .. }) if free < LITTLE => findings.push(Finding::warning(
            "disk",
            format!("{} MiB are free on the disk of {}", free >> 20, folder.display()),
            "a full disk stops all games",
            "free some space, or move the data directory to a larger disk",
        )),
        Some(DiskSpace { free, .. }) => {
            findings.push(Finding::good("disk", format!("{} GiB are free", free >> 30)));
        }
        None => {}
    }
    if !path.exists() {
        let new = format!("there is none yet; the first start creates {}", path.display());
        findings.push(Finding::good("database", new));
        return (findings, State::Older);
    }
    if let Some(mode) = others_may(path) {
        findings.push(Finding::problem(
            "database",
            format!("{} has mode {mode:03o}", path.display()),
            "others than its owner can read seeds of running games and password hashes",
            format!("chmod 600 {}", path.display()),
        ));
    }
    if let Some(file) = foreign(path, &folder) {
        findings.push(Finding::problem(
            "database",
            format!("{} does not belong to the owner of its folder", file.display()),
            "the server runs as another user than root, and cannot open it",
            format!("chown --reference={} {}*", folder.display(), path.display()),
        ));
    }
    let (found, state) = opened(url);
    findings.extend(found);
    (findings, state)
}

/// A file of the database that has another owner than its folder.
fn foreign(path: &Path, folder: &Path) -> Option<PathBuf> {
    use std::os::unix::fs::MetadataExt;
    let owner = |file: &Path| Some(file.metadata().ok()?.uid());
    let files = ["", "-wal", "-shm"].map(|suffix| PathBuf::from(format!("{}{suffix}", path.display())));
    files.into_iter().find(|file| owner(file).is_some_and(|of_file| Some(of_file) != owner(folder)))
}

/// The nearest folder of a path that exists.
fn existing(path: &Path) -> PathBuf {
    let folders = path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    folders.filter(|folder| folder.is_dir()).map(Path::to_owned).next().unwrap_or_else(|| ".".into())
}

fn others_may(path: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    let mode = path.metadata().ok()?.permissions().mode() & 0o777;
    (mode & 0o077 != 0).then_some(mode)
}

/// Opens the database for reading, and looks whether it has the present schema.
fn opened(url: &DatabaseUrl) -> (Vec<Finding>, State) {
    let pending = Connection::inspect(url).and_then(|mut conn| Ok((migrations::pending(&mut conn)?, conn)));
    match pending {
        Ok((pending, conn)) if pending.is_empty() => {
            (vec![Finding::good("database", format!("{url} is up to date"))], State::Present(conn))
        }
        Ok((pending, _)) => {
            let text = format!("{url}: the next start applies {} migrations", pending.len());
            (vec![Finding::good("database", text)], State::Older)
        }
        Err(error) => {
            let wrong = Finding::problem(
                "database",
                format!("{url}: {error}"),
                "the server does not start without its database",
                "start it, or correct --database-url, its password and `pg_hba.conf`; restore a damaged file from a backup",
            );
            (vec![wrong], State::Unreadable)
        }
    }
}

fn postgres(url: &DatabaseUrl) -> (Vec<Finding>, State) {
    let (mut findings, state) = opened(url);
    if matches!(state, State::Unreadable) {
        return (findings, state);
    }
    let read = Connection::inspect(url).and_then(|mut conn| {
        let before = SystemClock.now();
        let time = server_time(&mut conn)?;
        let after = SystemClock.now();
        Ok((server_settings(&mut conn)?, time, (before, after), standbys(&mut conn)?))
    });
    match read {
        Ok((Some(server), time, (before, after), standbys)) => {
            findings.extend(server_findings(&server, standbys.map_or(0, |standbys| standbys.count)));
            if let Some(time) = time.and_then(|time| Timestamp::from_microsecond(time).ok()) {
                findings.push(clock(time, before, after));
            }
        }
        Ok(_) => {}
        Err(error) => findings.push(Finding::warning(
            "database",
            format!("the settings of the server cannot be read: {error}"),
            "they cannot be checked",
            "GRANT pg_monitor to the role of the nodes",
        )),
    }
    (findings, state)
}

fn server_findings(server: &ServerSettings, standbys: i64) -> Vec<Finding> {
    let mut findings = Vec::new();
    let version = server.version / 10_000;
    if server.version < OLDEST {
        findings.push(Finding::warning(
            "database",
            format!("PostgreSQL {version} is older than what is tested"),
            "nobody knows whether games survive its failures",
            "upgrade to PostgreSQL 15 or newer",
        ));
    }
    if server.is_remote && !server.is_encrypted {
        findings.push(Finding::problem(
            "database",
            "the connection to PostgreSQL crosses a network in plain text",
            "whoever listens reads passwords, sessions and hidden cards",
            "set `ssl = on` in PostgreSQL, and take `sslmode=disable` out of --database-url",
        ));
    }
    if !server.is_durable {
        findings.push(Finding::problem(
            "database",
            "fsync or full_page_writes is off",
            "a power cut loses acknowledged moves, or the whole database",
            "ALTER SYSTEM RESET fsync; ALTER SYSTEM RESET full_page_writes; and reload",
        ));
    }
    if server.is_in_recovery {
        findings.push(Finding::problem(
            "database",
            "the server is a standby, or its restore is not over",
            "it accepts no changes",
            "name all servers in --database-url, with target_session_attrs=read-write; or promote it",
        ));
    }
    let free = server.max_connections - server.connections;
    if free < NODE_CONNECTIONS {
        findings.push(Finding::problem(
            "database",
            format!(
                "{free} of {} connections are free, and a node opens up to {NODE_CONNECTIONS}",
                server.max_connections
            ),
            "requests fail with 503 when the server accepts no more connections",
            "raise max_connections, or end sessions of other programs",
        ));
    }
    if server.archiving_fails {
        findings.push(Finding::problem(
            "backup",
            "the last attempt to archive the write-ahead log failed",
            "restores to a point in time end there, and the disk of PostgreSQL fills",
            "see archive_command and PostgreSQL's log",
        ));
    } else if !server.is_archived && standbys == 0 {
        findings.push(Finding::warning(
            "backup",
            "PostgreSQL has no standby and archives nothing",
            "what was written since the last dump is lost with the machine",
            "archive the write-ahead log, or add a standby: docs/operations.md",
        ));
    }
    let waits = if server.synchronous_standbys.is_empty() { "no standby" } else { "a standby" };
    if findings.is_empty() {
        let tls = if server.is_encrypted { "encrypted" } else { "local" };
        findings.push(Finding::good(
            "database",
            format!("PostgreSQL {version}, {tls}, {free} connections free, {standbys} standbys, commits wait for {waits}"),
        ));
    }
    findings
}

/// Compares the clock of the server with this machine's before and after it was asked.
fn clock(server: Timestamp, before: Timestamp, after: Timestamp) -> Finding {
    let off = if server < before { before.duration_since(server) } else { server.duration_since(after) };
    if off <= SKEW {
        return Finding::good("clock", "agrees with PostgreSQL's");
    }
    Finding::problem(
        "clock",
        format!("differs from PostgreSQL's by {} ms", off.as_millis()),
        "turns and games end at the wrong time; beyond --clock-skew a node is not ready",
        "run NTP on both machines",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::check::Verdict;

    fn sound() -> ServerSettings {
        ServerSettings {
            version: 150_004,
            is_remote: true,
            is_encrypted: true,
            max_connections: 97,
            connections: 3,
            is_in_recovery: false,
            is_durable: true,
            synchronous_standbys: String::new(),
            is_archived: true,
            archiving_fails: false,
        }
    }

    fn verdicts(server: &ServerSettings, standbys: i64) -> Vec<Verdict> {
        server_findings(server, standbys).iter().map(|finding| finding.verdict).collect()
    }

    #[test]
    fn each_setting_of_a_server_is_judged() {
        assert_eq!(verdicts(&sound(), 0), [Verdict::Good]);
        for broken in [
            ServerSettings { is_encrypted: false, ..sound() },
            ServerSettings { is_durable: false, ..sound() },
            ServerSettings { is_in_recovery: true, ..sound() },
            ServerSettings { connections: 90, ..sound() },
            ServerSettings { archiving_fails: true, ..sound() },
        ] {
            assert_eq!(verdicts(&broken, 0), [Verdict::Problem], "{broken:?}");
        }
        let local = ServerSettings { is_remote: false, is_encrypted: false, ..sound() };
        assert_eq!(verdicts(&local, 0), [Verdict::Good]);
        assert_eq!(verdicts(&ServerSettings { version: 140_010, ..sound() }, 0), [Verdict::Warning]);
        let unarchived = ServerSettings { is_archived: false, ..sound() };
        assert_eq!(
            (verdicts(&unarchived, 0), verdicts(&unarchived, 1)),
            (vec![Verdict::Warning], vec![Verdict::Good])
        );
    }

    #[test]
    fn clocks_may_differ_by_a_second() {
        let at = |second| Timestamp::from_second(second).unwrap();
        assert_eq!(clock(at(101), at(99), at(100)).verdict, Verdict::Good);
        assert_eq!(clock(at(103), at(99), at(100)).verdict, Verdict::Problem);
        assert_eq!(clock(at(96), at(98), at(100)).verdict, Verdict::Problem);
    }
}
