//! `estimation completions` and `estimation man`, both generated from the flags themselves.

use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;

use estimation_audit::terminal;

use super::Failed;

/// Flags of `completions`.
#[derive(Args, Clone, Debug)]
pub(super) struct CompletionsFlags {
    /// The shell.
    shell: Shell,
}

/// Flags of `man`.
#[derive(Args, Clone, Debug)]
pub(super) struct ManFlags {
    /// Write a page for the program and one for each subcommand into this directory, which is created if
    /// it does not exist. Without it the program's page is printed.
    directory: Option<PathBuf>,
}

/// Prints the completions for a shell.
pub(super) fn completions(flags: &CompletionsFlags, mut command: Command) -> Result<(), Failed> {
    let mut script = Vec::new();
    clap_complete::generate(flags.shell, &mut command, "estimation", &mut script);
    terminal::print(String::from_utf8(script)?)
}

/// Prints the manual page, or writes all of them.
pub(super) fn man(flags: &ManFlags, command: Command) -> Result<(), Failed> {
    let Some(directory) = &flags.directory else { return terminal::print(page(command)?) };
    std::fs::create_dir_all(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    // So that every subcommand knows its whole name.
    let mut command = command.disable_help_subcommand(true);
    command.build();
    write_pages(directory, &command)
}

fn write_pages(directory: &Path, command: &Command) -> Result<(), Failed> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let path = directory.join(format!("{name}.1"));
    std::fs::write(&path, page(command.clone().name(name))?)
        .map_err(|error| format!("{}: {error}", path.display()))?;
    let mut shown = command.get_subcommands().filter(|command| !command.is_hide_set());
    shown.try_for_each(|command| write_pages(directory, command))
}

fn page(command: Command) -> Result<String, Failed> {
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    Ok(String::from_utf8(page)?)
}
