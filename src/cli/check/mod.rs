//! `estimation check`: looks at the settings and at what they depend on.
//!
//! Each part returns [`Finding`]s. It changes nothing: it creates no database, no keys and no folder.

mod data;
mod keys;
mod log;
mod machine;
mod sign_in;

use clap::Args;
use estimation_command::terminal;
use estimation_store::DatabaseUrl;
use serde::Serialize;
use serde_json::json;
use tracing_subscriber::filter::LevelFilter;

use super::Failed;
use super::serve::ServeFlags;
use super::telemetry::log_lines;

/// The format of the JSON report.
const FORMAT: &str = "estimation/check/v1";

#[derive(Args, Clone, Debug)]
pub(super) struct Flags {
    #[command(flatten)]
    serve: ServeFlags,

    /// Print the report as JSON.
    #[arg(long)]
    json: bool,

    /// Only ask the running server on this machine whether it is ready, as the health check of a container.
    #[arg(long, conflicts_with = "json")]
    ready: bool,
}

/// How something was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Good,
    /// The server works, and something about it should be better.
    Warning,
    /// The server does not start, does not work, or shows data to people who may not see it.
    Problem,
}

/// What was found about one thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Finding {
    /// The part of the server that it is about.
    area: &'static str,
    verdict: Verdict,
    /// What is so.
    what: String,
    /// Why it matters; none if it is good.
    why: Option<&'static str>,
    /// What to do; none if it is good.
    remedy: Option<String>,
}

impl Finding {
    fn good(area: &'static str, what: impl Into<String>) -> Finding {
        Finding { area, verdict: Verdict::Good, what: what.into(), why: None, remedy: None }
    }

    fn warning(
        area: &'static str,
        what: impl Into<String>,
        why: &'static str,
        remedy: impl Into<String>,
    ) -> Finding {
        let (what, remedy) = (what.into(), Some(remedy.into()));
        Finding { area, verdict: Verdict::Warning, what, why: Some(why), remedy }
    }

    /// Whether a server runs that is not ready.
    fn is_of_unready_server(&self) -> bool {
        self.area == machine::SERVER && self.verdict == Verdict::Problem
    }

    fn problem(
        area: &'static str,
        what: impl Into<String>,
        why: &'static str,
        remedy: impl Into<String>,
    ) -> Finding {
        Finding { verdict: Verdict::Problem, ..Finding::warning(area, what, why, remedy) }
    }
}

pub(super) fn run(flags: &Flags) -> Result<(), Failed> {
    // The libraries' own log lines would repeat what is found.
    log_lines(LevelFilter::OFF)?;
    let serve = &flags.serve;
    if flags.ready {
        return machine::is_ready(serve.listen).map_err(|why| format!("not ready: {why}").into());
    }
    let mut findings = of_settings(serve);
    let machine = machine::findings(serve);
    let (database, mut state) = data::findings(serve);
    let is_unready = machine.iter().any(Finding::is_of_unready_server);
    findings.extend(machine);
    findings.extend(database);
    let (keys, ring) = keys::findings(serve, &mut state);
    findings.extend(keys);
    // What looks at the log opens the database as the server does. A file that was replaced under a server would get the
    // write-ahead log of the former one.
    if !is_unready || matches!(serve.data.place(), Ok(DatabaseUrl::Postgres(_))) {
        findings.extend(log::findings(serve, &state, ring));
    }
    findings.extend(sign_in::findings(serve));
    let count = |verdict| findings.iter().filter(|finding| finding.verdict == verdict).count();
    let (problems, warnings) = (count(Verdict::Problem), count(Verdict::Warning));
    if flags.json {
        let report =
            json!({"format": FORMAT, "problems": problems, "warnings": warnings, "findings": findings});
        terminal::print_line(serde_json::to_string_pretty(&report)?)?;
    } else {
        findings.iter().try_for_each(print)?;
        terminal::print_line(format_args!("problems: {problems}, warnings: {warnings}"))?;
    }
    match problems {
        0 => Ok(()),
        _ => Err("something is wrong with this server".into()),
    }
}

/// Prints a finding, and below it why it matters and what to do.
fn print(finding: &Finding) -> Result<(), Failed> {
    let Finding { area, verdict, what, why, remedy } = finding;
    let verdict = match verdict {
        Verdict::Good => "ok",
        Verdict::Warning => "warning",
        Verdict::Problem => "PROBLEM",
    };
    terminal::print_line(format_args!("{verdict:<8} {area:<9} {what}"))?;
    for (name, text) in [("why", why.map(str::to_owned)), ("do", remedy.clone())] {
        if let Some(text) = text {
            terminal::print_line(format_args!("{:18} {name}: {text}", ""))?;
        }
    }
    Ok(())
}

/// Looks at the settings, and the files that they name.
fn of_settings(flags: &ServeFlags) -> Vec<Finding> {
    const AREA: &str = "settings";
    const WHY: &str = "the server does not start with it";
    // What `serve` reads at its start, beside what the command line has checked already.
    let read: [Result<(), Failed>; 4] = [
        flags.sign_in.identities().map(drop),
        flags.sign_in.mail().map(drop),
        flags.notifications.destinations(flags.sign_in.public_url()).map(drop),
        flags.people.words().map(drop),
    ];
    let wrong: Vec<Finding> = read
        .into_iter()
        .filter_map(Result::err)
        .map(|error| Finding::problem(AREA, error.to_string(), WHY, "correct the setting, or leave it out"))
        .collect();
    if !wrong.is_empty() {
        return wrong;
    }
    vec![Finding::good(AREA, "valid; `estimation config` prints them")]
}
