//! `estimation account`: manages accounts.

use clap::{Args, Subcommand};

use super::database::DataFlags;
use super::keys::KeyFlags;
use estimation_audit::terminal;

use super::Failed;
use estimation_service::auth::tokens::Role;
use estimation_service::services::{App, AppSettings};

#[derive(Args, Clone, Debug)]
pub(super) struct AccountFlags {
    #[command(subcommand)]
    task: AccountTask,
}

#[derive(Subcommand, Clone, Debug)]
enum AccountTask {
    /// Give an account a role. Running nodes notice it within two seconds.
    Grant {
        /// Username of the account.
        name: String,
        /// player, auditor or admin.
        role: Role,
        #[command(flatten)]
        data: DataFlags,
        #[command(flatten)]
        keys: KeyFlags,
    },
}

pub(super) fn run(flags: &AccountFlags) -> Result<(), Failed> {
    let AccountTask::Grant { name, role, data, keys } = &flags.task;
    tracing_subscriber::fmt().with_writer(std::io::stderr).try_init()?;
    let database = data.open()?;
    let (ring, _) = keys.load(data, &database)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let app = App::new(database, ring, AppSettings::default());
        let granted = app.roles.grant_to(name, *role).await;
        app.shutdown().await;
        let account = granted.map_err(|error| format!("{name}: {error}"))?;
        let username = account.username.as_deref().unwrap_or(name);
        terminal::print_line(format_args!("{username} is {} now", account.role))
    })
}
