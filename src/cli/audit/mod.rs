//! `estimation audit`: verifies histories of files, of a service, or of a database.

mod database;
mod service;

use std::fs::File;
use std::io::{BufReader, IsTerminal, stdin};
use std::path::{Path, PathBuf};

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use self::service::Tokens;
use super::{Failed, output};
use crate::application::audit::{Audit, Report, Trust, read};

/// What to verify, and what to take for granted.
#[derive(Args, Clone, Debug)]
pub(super) struct AuditFlags {
    /// Histories, and lists of ended games, as JSON or NDJSON; `-` for the standard input.
    #[arg(required_unless_present_any = ["url", "database"])]
    files: Vec<PathBuf>,

    /// The JWK set of the service, with the record keys that signatures are checked with.
    #[arg(long, env = "ESTIMATION_AUDIT_JWKS")]
    jwks: Option<PathBuf>,

    /// A record key, as 64 hexadecimal digits; may be given more than once.
    #[arg(long)]
    key: Vec<String>,

    /// Do without keys: no signature is checked.
    #[arg(long)]
    unsigned: bool,

    /// Accept histories of games that still run; their deals cannot be checked yet.
    #[arg(long)]
    running: bool,

    /// Verify a service: its list of ended games, and with a token every game on it. Without `--jwks` or
    /// `--key` the keys are the ones it publishes itself.
    #[arg(long, requires = "all", conflicts_with_all = ["files", "database"])]
    url: Option<String>,

    /// With `--url`: every game on the list.
    #[arg(long)]
    all: bool,

    /// With `--url`: an access token; an auditor's to see private games.
    #[arg(long, env = "ESTIMATION_AUDIT_TOKEN", hide_env_values = true)]
    token: Option<String>,

    /// With `--url`: the refresh token of the session, for audits that take longer than an access token
    /// lives, or instead of one. It is used up.
    #[arg(long, env = "ESTIMATION_AUDIT_REFRESH_TOKEN", hide_env_values = true)]
    refresh_token: Option<String>,

    /// Verify a database, `sqlite://PATH` or `postgres://…`: logs, stored states, rows and the list.
    #[arg(long, conflicts_with = "files")]
    database: Option<String>,

    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(flags: &AuditFlags) -> Result<(), Failed> {
    let mut trust = Trust::default();
    (trust.running, trust.unsigned) = (flags.running, flags.unsigned);
    if let Some(file) = &flags.jwks {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        trust.add_jwks(&text)?;
    }
    for key in &flags.key {
        trust.add_hex(key)?;
    }
    let keyless = flags.jwks.is_none() && flags.key.is_empty();
    let report = match (&flags.url, &flags.database) {
        (Some(url), _) => {
            let tokens = Tokens { access: flags.token.clone(), refresh: flags.refresh_token.clone() };
            service::audit(url, tokens, trust, keyless)?
        }
        (None, Some(url)) => database::audit(url, trust, keyless)?,
        (None, None) => files(&flags.files, &trust)?,
    };
    tell(&report, flags.json)?;
    match report.is_well() {
        true => Ok(()),
        false if report.wrong == 0 => Err("there is nothing to verify".into()),
        false => Err(format!("{} found to be wrong", things(report.wrong, "thing")).into()),
    }
}

fn files(files: &[PathBuf], trust: &Trust) -> Result<Report, Failed> {
    let mut audit = Audit::new(trust);
    for path in files {
        if path == Path::new("-") {
            read(BufReader::new(stdin().lock()), &mut audit);
        } else {
            let file = File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
            read(BufReader::with_capacity(1 << 16, file), &mut audit);
        }
    }
    Ok(audit.finish())
}

fn tell(report: &Report, json: bool) -> Result<(), Failed> {
    if json {
        return output::print_line(serde_json::to_string_pretty(report)?);
    }
    for finding in &report.findings {
        output::print_line(finding)?;
    }
    let told = report.findings.len() as u64;
    if told < report.wrong {
        output::print_line(format_args!("… and {} more", report.wrong - told))?;
    }
    let (games, events) = (things(report.games, "game"), things(report.events, "event"));
    let deals = things(report.deals, "deal");
    let list = report.listed.map(|listed| format!(", a list of {}", things(listed, "game")));
    let verdict = if report.is_well() { "all is well" } else { "not all is well" };
    let list = list.unwrap_or_default();
    output::print_line(format_args!("{games} with {events} and {deals}{list}: {verdict}"))
}

fn things(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// A progress bar on the terminal; none where nobody watches.
fn progress(games: u64) -> ProgressBar {
    let bar = ProgressBar::new(games);
    if !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    let style = "{bar:40} {pos}/{len} games, {per_sec}, {eta} left, {msg}";
    if let Ok(style) = ProgressStyle::with_template(style) {
        bar.set_style(style);
    }
    bar
}
