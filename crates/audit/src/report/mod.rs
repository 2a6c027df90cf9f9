//! The report of an audit: what was checked with which keys, what was found, and what could not be checked.

mod page;
mod text;

use std::path::Path;

use estimation_record::RecordTime;
use estimation_record::verify::Report;
use serde::Serialize;

use crate::keys::{Keys, KnownKey};
use crate::log::LogSummary;
use crate::{NotSound, Outcome};
use estimation_command::Failed;

pub(crate) use self::text::counted;

/// The format of the JSON report.
const FORMAT: &str = "estimation/audit-report/v1";

#[derive(Clone, Debug, Serialize)]
pub struct AuditReport {
    format: &'static str,
    /// The program and its version.
    program: String,
    outcome: Outcome,
    /// What was audited.
    source: String,
    began: RecordTime,
    ended: RecordTime,
    keys: Vec<KnownKey>,
    /// Whether signatures were not checked.
    unsigned: bool,
    /// Remarks that are no findings.
    notes: Vec<String>,
    /// The public log of the service, if it was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<LogSummary>,
    #[serde(flatten)]
    report: Report,
}

/// What a report says besides the verifier's findings.
pub struct Circumstances {
    /// What was audited.
    pub source: String,
    pub began: RecordTime,
    /// Remarks that are no findings.
    pub notes: Vec<String>,
    /// The public log of the service, if it was read.
    pub(crate) log: Option<LogSummary>,
}

impl Circumstances {
    /// The circumstances of an audit that reads no public log over the network.
    pub fn of(source: String, began: RecordTime, notes: Vec<String>) -> Circumstances {
        Circumstances { source, began, notes, log: None }
    }
}

impl AuditReport {
    /// The report of an audit that just ended.
    pub fn new(circumstances: Circumstances, keys: &Keys, report: Report) -> AuditReport {
        let Circumstances { source, began, notes, log } = circumstances;
        AuditReport {
            format: FORMAT,
            program: format!("estimation-audit {}", env!("CARGO_PKG_VERSION")),
            outcome: Outcome::of(report.is_well(), report.is_tampered()),
            source,
            began,
            ended: crate::now(),
            keys: keys.known.clone(),
            unsigned: keys.trust.unsigned,
            notes,
            log,
            report,
        }
    }

    /// Writes the report to a file: as JSON, or as a page for `.html`.
    pub(crate) fn write(&self, file: &Path) -> Result<(), Failed> {
        let text = match kind(file)? {
            Kind::Json => serde_json::to_string_pretty(self)? + "\n",
            Kind::Page => page::page(self),
        };
        std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()).into())
    }

    pub(crate) fn json(&self) -> Result<String, Failed> {
        Ok(serde_json::to_string_pretty(self)?)
    }

    /// Prints the report for people to read.
    ///
    /// # Errors
    ///
    /// The standard output is closed.
    pub fn print(&self) -> Result<(), Failed> {
        text::print(self)
    }

    /// The outcome as a result of the program.
    ///
    /// # Errors
    ///
    /// [`NotSound`] when the report has findings, or there was nothing to verify.
    pub fn result(&self) -> Result<(), Failed> {
        let wrong = self.report.wrong;
        match self.outcome {
            Outcome::Sound | Outcome::SoundByOwnKeys => Ok(()),
            Outcome::Tampered => {
                Err(NotSound::Tampered(format!("{} found to be wrong", counted(wrong, "thing"))).into())
            }
            Outcome::Unchecked | Outcome::Uncosigned if wrong == 0 => {
                Err(NotSound::Unchecked("there is nothing to verify".to_owned()).into())
            }
            Outcome::Unchecked | Outcome::Uncosigned => {
                Err(NotSound::Unchecked(format!("{} could not be checked", counted(wrong, "thing"))).into())
            }
        }
    }
}

enum Kind {
    Json,
    Page,
}

fn kind(file: &Path) -> Result<Kind, NotSound> {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("json") => Ok(Kind::Json),
        Some("html") => Ok(Kind::Page),
        _ => Err(NotSound::Usage(format!("{}: a report is a .json or an .html file", file.display()))),
    }
}

/// Checks before the audit that a report can be written to the file.
pub(crate) fn check_name(file: &Path) -> Result<(), Failed> {
    Ok(kind(file).map(drop)?)
}
