//! The public log, the state file of this node, and the witnesses.

use estimation_service::auth::keys::KeyRing;
use estimation_service::base::clock::{Clock, SystemClock};
use estimation_service::public_log::{DEFAULT_ORIGIN, LogStatus};
use estimation_service::services::{App, AppSettings};

use super::Finding;
use super::data::State;
use crate::cli::Failed;
use crate::cli::keys::block_on;
use crate::cli::serve::ServeFlags;

const AREA: &str = "log";

pub(super) fn findings(flags: &ServeFlags, database: &State, ring: Option<KeyRing>) -> Vec<Finding> {
    let settings = flags.log.settings(&flags.data);
    let mut findings = Vec::new();
    if settings.origin == DEFAULT_ORIGIN && flags.sign_in.public_url().is_some() {
        findings.push(Finding::warning(
            AREA,
            format!("the public log is named {DEFAULT_ORIGIN}"),
            "auditors tell logs apart by their names",
            "before the first game set --log-origin to its address, as in cards.example.org/log; later, see `estimation log new-origin`",
        ));
    }
    if settings.witnesses.is_empty() && flags.sign_in.public_url().is_some() {
        findings.push(Finding::warning(
            AREA,
            "no witness cosigns the public log",
            "without one, you could show different logs to different people",
            "name one or more with --witness",
        ));
    }
    let (State::Present(_), Some(ring)) = (database, ring) else { return findings };
    match status(flags, ring) {
        Ok(None) => findings.push(Finding::good(AREA, "the first start begins it")),
        Ok(Some(status)) => findings.extend(judged(&status)),
        Err(error) => findings.push(Finding::problem(
            AREA,
            format!("its state cannot be read: {error}"),
            "nobody knows whether the log continues",
            "see `estimation log status`",
        )),
    }
    findings
}

/// The state of the log, as `estimation log status` prints it.
fn status(flags: &ServeFlags, ring: KeyRing) -> Result<Option<LogStatus>, Failed> {
    let database = flags.data.open()?;
    let log = flags.log.settings(&flags.data);
    let status = block_on(async {
        let app = App::new(database, ring, AppSettings { log, ..AppSettings::default() });
        let status = app.public_log.status().await;
        app.shutdown().await;
        status
    })?;
    Ok(status?)
}

fn judged(status: &LogStatus) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(refusal) = &status.refusal {
        findings.push(Finding::problem(
            AREA,
            format!("it is not signed, {}: {}", refusal.reason, refusal.detail),
            "games go on, and nobody outside can check their starts and ends",
            "see \"The public log\" in docs/operations.md, which has a line for each reason",
        ));
    }
    if status.refused > 0 {
        findings.push(Finding::problem(
            AREA,
            format!("{} entries that wait are refused", status.refused),
            "somebody wrote to the table of waiting entries",
            "see \"Failures\" in docs/operations.md",
        ));
    }
    if status.signed_at.is_some_and(|at| at > SystemClock.now()) {
        findings.push(Finding::problem(
            "clock",
            "the last checkpoint of the log is from the future",
            "this machine's clock is behind, and signs nothing before that time",
            "correct the clock",
        ));
    }
    for witness in &status.witnesses {
        if let Some(trouble) = &witness.trouble {
            findings.push(Finding::warning(
                "witness",
                format!("{} does not cosign: {trouble}", witness.name),
                "auditors who ask for its signature do not get one",
                "see whether its address can be reached from here, and ask its operator",
            ));
        }
    }
    if findings.is_empty() {
        findings.push(Finding::good(
            AREA,
            format!("{} has {} entries, {} of them signed", status.origin, status.size, status.signed_size),
        ));
    }
    findings
}
