//! `estimation backup`: copies an SQLite database, which may be in use, and checks such copies.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use estimation_command::terminal;
use estimation_store as store;

use super::Failed;
use super::backup_check::{self, CheckFlags};
use super::database::DataFlags;
use super::manifest::Manifest;

#[derive(Args, Clone, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct BackupFlags {
    #[command(subcommand)]
    task: Option<BackupTask>,

    #[command(flatten)]
    data: DataFlags,

    /// File of the copy, which must not exist. It is an SQLite database. `FILE.manifest.json` says what is in it.
    #[arg(required = true)]
    file: Option<PathBuf>,
}

#[derive(Subcommand, Clone, Debug)]
enum BackupTask {
    /// Restore a copy beside it, audit what was restored, and remove that again.
    Check(CheckFlags),
}

pub(super) fn run(flags: &BackupFlags) -> Result<(), Failed> {
    match (&flags.task, &flags.file) {
        (Some(BackupTask::Check(flags)), _) => backup_check::run(flags),
        (None, Some(file)) => {
            let url = flags.data.place()?;
            Manifest::refuse_existing(file)?;
            store::backup(&url, file)?;
            Manifest::of(file)?.write(file)?;
            terminal::print_line(format_args!("{url} was copied to {}", file.display()))?;
            terminal::print_line("the copy does not contain a key file: back that up as well")
        }
        (None, None) => Err("name the file of the copy".into()),
    }
}
