//! `estimation backup`: copies an SQLite database, which may be in use.

use std::path::PathBuf;

use clap::Args;

use super::database::DataFlags;
use estimation_audit::terminal;

use super::Failed;
use estimation_store as store;

#[derive(Args, Clone, Debug)]
pub(super) struct BackupFlags {
    #[command(flatten)]
    data: DataFlags,

    /// File of the copy, which must not exist. It is an SQLite database.
    file: PathBuf,
}

pub(super) fn run(flags: &BackupFlags) -> Result<(), Failed> {
    let url = flags.data.place()?;
    store::backup(&url, &flags.file)?;
    terminal::print_line(format_args!("{url} was copied to {}", flags.file.display()))?;
    terminal::print_line("the copy does not contain a key file: back that up as well")
}
