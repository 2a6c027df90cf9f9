//! `estimation backup`: a copy of a database that is in use.

use std::path::PathBuf;

use clap::Args;

use super::database::DataFlags;
use estimation_audit::terminal;

use super::Failed;
use crate::store;

/// What to copy, and where to.
#[derive(Args, Clone, Debug)]
pub(super) struct BackupFlags {
    #[command(flatten)]
    data: DataFlags,

    /// The file to write, which must not exist yet. It is a database like the one it was copied from.
    file: PathBuf,
}

pub(super) fn run(flags: &BackupFlags) -> Result<(), Failed> {
    let url = flags.data.place()?;
    store::backup(&url, &flags.file)?;
    terminal::print_line(format_args!("{url} was copied to {}", flags.file.display()))?;
    terminal::print_line("keys that are in a file are not part of it: keep a copy of that as well")
}
