//! `estimation audit`: `estimation-audit`, and in addition databases.

use clap::Args;
use estimation_audit::{AuditFlags, Circumstances, Keys, NotSound};
use estimation_command::terminal::progress;

use super::Failed;
use super::backup::record;
use super::keys::KeyFlags;
use super::manifest::Contents;
use crate::cli::database::read_url;
use estimation_record::RecordTime;
use estimation_service::auth::keys::KeyRing;
use estimation_service::base::clock::{Clock, SystemClock};
use estimation_service::database_audit::{self, DatabaseReport};
use estimation_store::checked_backups::BackupKind;
use estimation_store::{Connection, Database, Settings, games, replayed_until};
use jiff::Timestamp;

/// What to verify.
#[derive(Args, Clone, Debug)]
pub(super) struct Flags {
    #[command(flatten)]
    outside: AuditFlags,

    /// Verify a database, `sqlite://PATH` or `postgres://…`: logs, and every row that follows from them.
    #[arg(long, conflicts_with_all = ["files", "url"])]
    database: Option<String>,

    /// If `--database` is a restored PostgreSQL server and sound, record that in this database of the nodes, `postgres://…`. They then
    /// tell the age of the newest checked backup.
    #[arg(long, value_name = "URL", requires = "database")]
    record_in: Option<String>,

    /// The keys of the node, with which an audit of a database also checks the HMACs.
    #[command(flatten)]
    node_keys: KeyFlags,
}

pub(super) fn run(flags: &Flags) -> Result<(), Failed> {
    match &flags.database {
        None => estimation_audit::run(&flags.outside),
        Some(url) => audit(url, flags).map_err(NotSound::unless_known),
    }
}

fn audit(url: &str, Flags { outside: flags, node_keys, record_in, .. }: &Flags) -> Result<(), Failed> {
    let (mut keys, began) = (flags.keys()?, estimation_audit::now());
    let url = read_url(url)?;
    let source = node_keys.given()?;
    if keys.is_empty() && source.is_none() && !keys.trust.unsigned {
        let usage = "give --keys-file, --jwks or --key to check signatures, or --unsigned to skip them";
        return Err(NotSound::Usage(usage.to_owned()).into());
    }
    let mut conn = Connection::inspect(&url).map_err(|error| format!("{url}: {error}"))?;
    let nodes = match record_in {
        Some(nodes) => {
            let until = replayed_until(&mut conn)?.and_then(|at| Timestamp::from_millisecond(at).ok());
            let until = until.ok_or("--record-in is for a PostgreSQL server that has just been restored")?;
            Some((read_url(nodes)?, until, Contents::read(&mut conn)?))
        }
        None => None,
    };
    let ring = match source {
        Some(source) => source.read(Some(&mut conn))?,
        None => None,
    };
    // Keys that were named are the only ones that are trusted.
    if let Some(ring) = ring.as_ref().filter(|_| keys.is_empty()) {
        pin(&mut keys, ring)?;
    }
    let DatabaseReport { report, notes } = database(&mut conn, &mut keys, ring.as_ref(), began)?;
    flags.finish(Circumstances::of(url.to_string(), began, notes), &keys, report)?;
    nodes.map_or(Ok(()), |(nodes, made_at, contents)| {
        record(&Database::open(&nodes, Settings::default())?, BackupKind::Postgres, made_at, &contents)
    })
}

/// Trusts the record keys of a node.
pub(super) fn pin(keys: &mut Keys, ring: &KeyRing) -> Result<(), Failed> {
    let jwks = serde_json::to_string(&ring.jwks(SystemClock.now()))?;
    keys.pin_jwks("the keys of the node", &jwks)
}

/// Audits a database with a progress bar. Running games are verified up to their last event.
pub(super) fn database(
    conn: &mut Connection,
    keys: &mut Keys,
    ring: Option<&KeyRing>,
    began: RecordTime,
) -> Result<DatabaseReport, Failed> {
    keys.trust.running = true;
    let record_keys = ring.map(KeyRing::record_keys);
    let bar = progress(games::number(conn)?.unsigned_abs());
    let report = database_audit::audit(conn, &keys.trust, record_keys.as_deref(), began, || bar.inc(1))?;
    bar.finish_and_clear();
    Ok(report)
}
