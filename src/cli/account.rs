//! `estimation account`: roles of accounts, and what a moderator does to them.

use clap::{Args, Subcommand};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use tracing_subscriber::filter::LevelFilter;
use uuid::Uuid;

use super::Failed;
use super::database::DataFlags;
use super::keys::{KeyFlags, with_app};
use super::telemetry::log_lines;
use estimation_command::terminal;
use estimation_record::RecordTime;
use estimation_service::auth::permission::ActingModerator;
use estimation_service::auth::tokens::Role;
use estimation_service::base::failure::Failure;
use estimation_service::moderation::{Act, ActRequest};
use estimation_service::services::App;

#[derive(Args, Clone, Debug)]
pub(super) struct AccountFlags {
    #[command(subcommand)]
    task: AccountTask,
}

#[derive(Subcommand, Clone, Debug)]
enum AccountTask {
    /// Create an account, and print the password that was drawn for it. As for the first admin of a server.
    Create {
        /// Username of the account.
        name: String,
        /// player, auditor, moderator or admin.
        #[arg(long, default_value_t = Role::Player)]
        role: Role,
        #[command(flatten)]
        data: DataFlags,
        #[command(flatten)]
        keys: KeyFlags,
    },
    /// Give an account a role. Running nodes notice it within two seconds.
    Grant {
        /// Username of the account.
        name: String,
        /// player, auditor, moderator or admin.
        role: Role,
        #[command(flatten)]
        data: DataFlags,
        #[command(flatten)]
        keys: KeyFlags,
    },
    /// Replace the display name of an account.
    Rename {
        /// The new name; a neutral one if absent.
        #[arg(long)]
        name: Option<String>,
        #[command(flatten)]
        act: ActFlags,
    },
    /// Let an account not talk for some time: no reactions, invitations and requests for friendship.
    Mute {
        #[command(flatten)]
        until: UntilFlags,
        #[command(flatten)]
        act: ActFlags,
    },
    /// Let an account not play for some time. Running nodes free its seats within some seconds.
    Suspend {
        #[command(flatten)]
        until: UntilFlags,
        #[command(flatten)]
        act: ActFlags,
    },
    /// Let an account not play, and its identities not come back with another account.
    Ban {
        /// The first day after the ban, in UTC, as in 2027-01-31; absent for a ban without end.
        #[arg(long)]
        until: Option<Date>,
        #[command(flatten)]
        act: ActFlags,
    },
    /// End all measures against an account.
    Lift {
        #[command(flatten)]
        act: ActFlags,
    },
    /// Remove the second step of an account whose app and codes are lost. An account whose role needs one sets it up again.
    RemoveSecondStep {
        #[command(flatten)]
        act: ActFlags,
    },
}

/// The end of a measure.
#[derive(Args, Clone, Debug)]
struct UntilFlags {
    /// The first day after it, in UTC, as in 2027-01-31.
    #[arg(long)]
    until: Date,
}

/// Flags of what a moderator does to an account.
#[derive(Args, Clone, Debug)]
struct ActFlags {
    /// Id, username or friend code of the account.
    account: String,
    /// Why. The player is told.
    #[arg(long)]
    reason: String,
    /// The report that led to it.
    #[arg(long)]
    report: Option<Uuid>,
    #[command(flatten)]
    data: DataFlags,
    #[command(flatten)]
    keys: KeyFlags,
}

pub(super) fn run(flags: &AccountFlags) -> Result<(), Failed> {
    log_lines(LevelFilter::INFO)?;
    let (act, until, display_name, flags) = match &flags.task {
        AccountTask::Create { name, role, data, keys } => return create(name, *role, data, keys),
        AccountTask::Grant { name, role, data, keys } => return grant(name, *role, data, keys),
        AccountTask::Rename { name, act } => (Act::Renamed, None, name.clone(), act),
        AccountTask::Mute { until, act } => (Act::Muted, Some(until.until), None, act),
        AccountTask::Suspend { until, act } => (Act::Suspended, Some(until.until), None, act),
        AccountTask::Ban { until, act } => (Act::Banned, *until, None, act),
        AccountTask::Lift { act } => (Act::Lifted, None, None, act),
        AccountTask::RemoveSecondStep { act } => (Act::SecondStepRemoved, None, None, act),
    };
    let ActFlags { account, reason, report, data, keys } = flags;
    let (until, report) = (until.map(midnight).transpose()?, *report);
    let request = ActRequest { until, display_name, report, ..ActRequest::new(act, reason) };
    let enact = async |app: &App| {
        let by = ActingModerator::operator();
        let id = app.moderation.find_account(&by, account).await?;
        app.moderation.act(&by, &id, &request).await?;
        Ok::<_, Failure>(id)
    };
    let id = with_app(data, keys, enact)?.map_err(|error| format!("{account}: {error}"))?;
    terminal::print_line(format_args!("{id} {}", act.as_str()))
}

/// The beginning of a day in UTC.
fn midnight(day: Date) -> Result<RecordTime, Failed> {
    Ok(RecordTime::of(day.to_zoned(TimeZone::UTC)?.timestamp(), None))
}

fn create(name: &str, role: Role, data: &DataFlags, keys: &KeyFlags) -> Result<(), Failed> {
    let created = with_app(data, keys, async |app| app.accounts.create(name, role).await)?;
    let (account, password) = created.map_err(|error| format!("{name}: {error}"))?;
    terminal::print_line(format_args!("{name} is {}; its password, shown only now: {password}", account.role))
}

fn grant(name: &str, role: Role, data: &DataFlags, keys: &KeyFlags) -> Result<(), Failed> {
    let granted = with_app(data, keys, async |app| app.roles.grant_to(name, role).await)?;
    let account = granted.map_err(|error| format!("{name}: {error}"))?;
    let username = account.username.as_deref().unwrap_or(name);
    terminal::print_line(format_args!("{username} is {} now", account.role))
}
