//! Verifies histories in files or of a service, for `estimation-audit` and `estimation audit`.

mod agent;
pub mod log;
mod service;
pub mod terminal;

use std::fs::File;
use std::io::{BufReader, stdin};
use std::path::{Path, PathBuf};

use clap::Args;
use estimation_record::verify::{Audit, Report, Trust, read};

pub use self::agent::agent;
use self::service::Tokens;

/// The reason a command failed, for people to read.
pub type Failed = Box<dyn std::error::Error + Send + Sync>;

/// What to verify, and what to accept.
#[derive(Args, Clone, Debug)]
pub struct AuditFlags {
    /// Histories or transparency logs, as JSON or NDJSON; `-` for the standard input.
    files: Vec<PathBuf>,

    /// The service's JWK set with the record keys, to check signatures.
    #[arg(long, env = "ESTIMATION_AUDIT_JWKS")]
    jwks: Option<PathBuf>,

    /// A record key as 64 hexadecimal digits. May be given more than once.
    #[arg(long)]
    key: Vec<String>,

    /// Accept missing keys: do not check signatures.
    #[arg(long)]
    unsigned: bool,

    /// Accept histories of running games, whose deals cannot be checked yet.
    #[arg(long)]
    running: bool,

    /// Verify a service: its transparency log, and with a token every game in it. Without `--jwks` or
    /// `--key`, uses the keys that the service publishes.
    #[arg(long, requires = "all", conflicts_with = "files")]
    url: Option<String>,

    /// With `--url`: verify every game in the log.
    #[arg(long)]
    all: bool,

    /// With `--url`: an access token. Private games need an auditor's.
    #[arg(long, env = "ESTIMATION_AUDIT_TOKEN", hide_env_values = true)]
    token: Option<String>,

    /// With `--url`: a refresh token, for audits that outlast an access token, or instead of one. It is used
    /// up.
    #[arg(long, env = "ESTIMATION_AUDIT_REFRESH_TOKEN", hide_env_values = true)]
    refresh_token: Option<String>,

    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
}

impl AuditFlags {
    /// The keys for checking signatures, and whether `--jwks` or `--key` gave any.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or a key is invalid.
    pub fn trust(&self) -> Result<(Trust, bool), Failed> {
        let mut trust = Trust::default();
        (trust.running, trust.unsigned) = (self.running, self.unsigned);
        if let Some(file) = &self.jwks {
            let text =
                std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
            trust.add_jwks(&text)?;
        }
        for key in &self.key {
            trust.add_hex(key)?;
        }
        Ok((trust, self.jwks.is_some() || !self.key.is_empty()))
    }

    /// Prints a report.
    ///
    /// # Errors
    ///
    /// The report has findings, or there was nothing to verify.
    pub fn finish(&self, report: &Report) -> Result<(), Failed> {
        print(report, self.json)?;
        match report.is_well() {
            true => Ok(()),
            false if report.wrong == 0 => Err("there is nothing to verify".into()),
            false => Err(format!("{} found to be wrong", counted(report.wrong, "thing")).into()),
        }
    }
}

/// Verifies files or a service, and prints the report.
///
/// # Errors
///
/// The input cannot be read, or the report has findings.
pub fn run(flags: &AuditFlags) -> Result<(), Failed> {
    let (trust, has_keys) = flags.trust()?;
    let report = match &flags.url {
        Some(url) => {
            let tokens = Tokens { access: flags.token.clone(), refresh: flags.refresh_token.clone() };
            service::audit(url, tokens, trust, has_keys)?
        }
        None if flags.files.is_empty() => {
            return Err("name files with histories, or a service with --url".into());
        }
        None => files(&flags.files, &trust)?,
    };
    flags.finish(&report)
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

fn print(report: &Report, json: bool) -> Result<(), Failed> {
    if json {
        return terminal::print_line(serde_json::to_string_pretty(report)?);
    }
    for finding in &report.findings {
        terminal::print_line(finding)?;
    }
    let told = report.findings.len() as u64;
    if told < report.wrong {
        terminal::print_line(format_args!("… and {} more", report.wrong - told))?;
    }
    let (games, events) = (counted(report.games, "game"), counted(report.events, "event"));
    let deals = counted(report.deals, "deal");
    let list = report.listed.map(|listed| format!(", a list of {}", counted(listed, "game")));
    let verdict = if report.is_well() { "all is well" } else { "not all is well" };
    let list = list.unwrap_or_default();
    terminal::print_line(format_args!("{games} with {events} and {deals}{list}: {verdict}"))
}

fn counted(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
