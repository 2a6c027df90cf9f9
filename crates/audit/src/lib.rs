//! Verifies histories in files or of a service, for `estimation-audit` and `estimation audit`.

mod files;
mod keys;
pub mod log;
mod not_sound;
mod outcome;
mod report;
mod save;
mod service;
mod workers;

use std::path::PathBuf;

use clap::Args;
use estimation_command::{Failed, terminal};
use estimation_record::RecordTime;
use estimation_record::verify::Report;

pub use self::keys::{Keys, KnownKey};
pub use self::not_sound::NotSound;
pub use self::outcome::Outcome;
pub use self::report::{AuditReport, Circumstances};
use self::save::Folder;
use self::service::Tokens;

/// What to verify, and what to accept.
#[derive(Args, Clone, Debug)]
pub struct AuditFlags {
    /// Histories, as JSON or NDJSON; folders that `--save` made; `-` for the standard input.
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

    /// Verify a service: its public log and every game in it that is over. Without a token, only public games. Without `--jwks`
    /// or `--key`, uses the keys that the service publishes.
    #[arg(long, requires = "all", conflicts_with = "files")]
    url: Option<String>,

    /// With `--url`: verify every game that is over in the log.
    #[arg(long)]
    all: bool,

    /// With `--url`: an access token. Private games need an auditor's.
    #[arg(long, env = "ESTIMATION_AUDIT_TOKEN", hide_env_values = true)]
    token: Option<String>,

    /// With `--url`: a refresh token, for audits that outlast an access token, or instead of one. It is used
    /// up.
    #[arg(long, env = "ESTIMATION_AUDIT_REFRESH_TOKEN", hide_env_values = true)]
    refresh_token: Option<String>,

    /// With `--url`: a promise that a player kept, as a view of the game or its member `log`. The log must have its start. May
    /// be given more than once.
    #[arg(long, value_name = "FILE", requires = "url")]
    promise: Vec<PathBuf>,

    /// With `--url`: save the keys, the public log and the histories in this new folder. Give the folder as a file to verify it
    /// again.
    #[arg(long, value_name = "DIR", requires = "url")]
    save: Option<PathBuf>,

    /// Print the report as JSON.
    #[arg(long)]
    json: bool,

    /// Write the report to a file: JSON for `.json`, a page to archive for `.html`. May be given more than once.
    #[arg(long, value_name = "FILE")]
    report: Vec<PathBuf>,
}

impl AuditFlags {
    /// The keys of `--jwks` and `--key`, and what to accept. Also checks the names of the reports' files.
    ///
    /// # Errors
    ///
    /// A file cannot be read, a key is invalid, or a report's file has another ending.
    pub fn keys(&self) -> Result<Keys, Failed> {
        self.report.iter().try_for_each(|file| report::check_name(file))?;
        let mut keys = Keys::default();
        (keys.trust.running, keys.trust.unsigned) = (self.running, self.unsigned);
        if let Some(file) = &self.jwks {
            keys.pin_file(file)?;
        }
        self.key.iter().try_for_each(|key| keys.pin_hex(key))?;
        Ok(keys)
    }

    /// Prints and writes a report.
    ///
    /// # Errors
    ///
    /// [`NotSound`] when the report has findings, or there was nothing to verify.
    pub fn finish(&self, circumstances: Circumstances, keys: &Keys, report: Report) -> Result<(), Failed> {
        let report = AuditReport::new(circumstances, keys, report);
        self.report.iter().try_for_each(|file| report.write(file))?;
        match self.json {
            true => terminal::print_line(report.json()?)?,
            false => report.print()?,
        }
        report.result()
    }
}

/// Verifies files or a service, and prints the report.
///
/// # Errors
///
/// [`NotSound`] when the input cannot be read, or the report has findings.
pub fn run(flags: &AuditFlags) -> Result<(), Failed> {
    audit(flags).map_err(NotSound::unless_known)
}

fn audit(flags: &AuditFlags) -> Result<(), Failed> {
    let (mut keys, began) = (flags.keys()?, now());
    let (source, report, log) = match &flags.url {
        Some(url) => {
            let tokens = Tokens { access: flags.token.clone(), refresh: flags.refresh_token.clone() };
            let folder = flags.save.as_deref().map(Folder::create).transpose()?;
            let (report, summary) = service::audit(url, tokens, &mut keys, folder, &flags.promise)?;
            (url.clone(), report, summary)
        }
        None if flags.files.is_empty() => {
            let usage = "name files with histories, or a service with --url";
            return Err(NotSound::Usage(usage.to_owned()).into());
        }
        None => {
            let names: Vec<String> = flags.files.iter().map(|file| file.display().to_string()).collect();
            let (report, summary) = files::audit(&flags.files, &mut keys)?;
            (names.join(", "), report, summary)
        }
    };
    flags.finish(Circumstances { source, began, notes: Vec::new(), log }, &keys, report)
}

/// The present time.
pub fn now() -> RecordTime {
    #[expect(clippy::disallowed_methods, reason = "the command line has no other clock")]
    RecordTime::of(jiff::Timestamp::now(), None)
}
