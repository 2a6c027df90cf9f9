//! `estimation audit`: `estimation-audit`, and in addition databases.

use clap::Args;
use estimation_audit::AuditFlags;
use estimation_audit::terminal::{print_error, progress};
use estimation_record::RecordTime;
use estimation_record::verify::{Report, Trust};

use super::Failed;
use crate::app::clock::{Clock, SystemClock};
use crate::app::database_audit;
use crate::cli::database::read_url;
use crate::store::{Connection, games};

/// What to verify.
#[derive(Args, Clone, Debug)]
pub(super) struct Flags {
    #[command(flatten)]
    outside: AuditFlags,

    /// Verify a database, `sqlite://PATH` or `postgres://…`: logs, and every row that follows from them.
    #[arg(long, conflicts_with_all = ["files", "url"])]
    database: Option<String>,
}

pub(super) fn run(flags: &Flags) -> Result<(), Failed> {
    let Some(url) = &flags.database else { return estimation_audit::run(&flags.outside) };
    let (trust, has_keys) = flags.outside.trust()?;
    flags.outside.finish(&audit(url, trust, has_keys)?)
}

fn audit(url: &str, mut trust: Trust, has_keys: bool) -> Result<Report, Failed> {
    let url = read_url(url)?;
    if !has_keys && !trust.unsigned {
        return Err("give --jwks or --key to check signatures, or --unsigned to skip them".into());
    }
    // Running games are verified up to their last event.
    trust.running = true;
    let mut conn = Connection::inspect(&url).map_err(|error| format!("{url}: {error}"))?;
    let now = RecordTime::of(SystemClock.now(), None);
    let bar = progress(games::number(&mut conn)?.unsigned_abs());
    let audited = database_audit::audit(&mut conn, &trust, now, || bar.inc(1))?;
    bar.finish_and_clear();
    audited.notes.iter().for_each(print_error);
    Ok(audited.report)
}
