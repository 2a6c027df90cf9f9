//! `estimation completions` and `estimation man`, generated from the flags.

use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;

use estimation_command::terminal;

use super::Failed;

#[derive(Args, Clone, Debug)]
pub(super) struct CompletionsFlags {
    /// Shell that the completions are for.
    shell: Shell,
}

#[derive(Args, Clone, Debug)]
pub(super) struct ManFlags {
    /// Directory for a page of the program and of each subcommand; created if it is missing. Without it, print the
    /// program's page.
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
    // Gives every subcommand its full name.
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
