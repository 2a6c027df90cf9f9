//! `estimation reports`: lists, shows and decides reports of players, and appeals.

use clap::Subcommand;
use uuid::Uuid;

use super::Failed;
use super::database::DataFlags;
use super::keys::{KeyFlags, with_app};
use estimation_command::terminal;
use estimation_engine::choice::Choice;
use estimation_service::auth::permission::{ActingModerator, Moderator};
use estimation_service::moderation::{Decision, DecisionRequest, QueuedReport};
use estimation_service::services::App;

#[derive(Subcommand, Clone, Debug)]
pub(super) enum ReportsTask {
    /// Print the reports and appeals that wait for a decision, oldest first, at most 100.
    List {
        /// Print the newest reports instead, decided ones included.
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        data: DataFlags,
        #[command(flatten)]
        keys: KeyFlags,
    },
    /// Print a report as JSON, with what its author could see.
    Show {
        /// The report's id.
        id: Uuid,
        #[command(flatten)]
        data: DataFlags,
        #[command(flatten)]
        keys: KeyFlags,
    },
    /// Decide a report or an appeal. Its author is told. Does nothing to the account: see `estimation account`.
    Decide {
        /// The report's id.
        id: Uuid,
        /// upheld or dismissed.
        #[arg(value_parser = decision)]
        decision: Decision,
        /// What the author is told.
        #[arg(long)]
        reason: String,
        #[command(flatten)]
        data: DataFlags,
        #[command(flatten)]
        keys: KeyFlags,
    },
}

fn decision(text: &str) -> Result<Decision, &'static str> {
    Decision::from_name(text).ok_or("expected upheld or dismissed")
}

pub(super) fn run(task: &ReportsTask) -> Result<(), Failed> {
    match task {
        ReportsTask::List { all, data, keys } => {
            let list = async |app: &App| app.moderation.reports(&Moderator::operator(), *all).await;
            let found = with_app(data, keys, list)??.items;
            found.iter().try_for_each(print_line)?;
            terminal::print_line(format_args!("{} reports", found.len()))
        }
        ReportsTask::Show { id, data, keys } => {
            let show = async |app: &App| app.moderation.inspect_report(&Moderator::operator(), *id).await;
            let found = with_app(data, keys, show)?.map_err(|error| format!("{id}: {error}"))?;
            terminal::print_line(serde_json::to_string_pretty(&found)?)
        }
        ReportsTask::Decide { id, decision, reason, data, keys } => {
            let request = DecisionRequest { decision: *decision, reason: reason.clone() };
            let decide = async |app: &App| {
                app.moderation.decide_report(&ActingModerator::operator(), *id, &request).await
            };
            with_app(data, keys, decide)?.map_err(|error| format!("{id}: {error}"))?;
            terminal::print_line(format_args!("{id} is {}", decision.as_str()))
        }
    }
}

/// One line for a report. Words of players are quoted, so that they cannot imitate other lines.
fn print_line(report: &QueuedReport) -> Result<(), Failed> {
    let QueuedReport { id, about, reporter, subject, game, text, created_at, decision, .. } = report;
    let by = reporter
        .as_ref()
        .map_or_else(|| "a deleted account".to_owned(), |person| format!("{:?}", person.name));
    let game = game.map_or_else(String::new, |game| format!(" game {game}"));
    terminal::print_line(format_args!(
        "{id} {} {} {created_at} account {} {:?} by {by}{game}: {text:?}",
        decision.map_or("open", |decision| decision.as_str()),
        about.as_str(),
        subject.id,
        subject.name,
    ))
}
