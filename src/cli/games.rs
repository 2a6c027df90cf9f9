//! `estimation games`.

use clap::Subcommand;

use super::Failed;
use super::database::DataFlags;
use super::keys::{KeyFlags, block_on};
use estimation_audit::terminal;
use estimation_service::base::clock::{Clock, SystemClock};
use estimation_service::base::entropy::SystemEntropy;
use estimation_service::games::{Adoption, adopt};

#[derive(Subcommand, Clone, Debug)]
pub(super) enum GamesTask {
    /// After the keys were lost, verify the games that a node with the lost keys wrote, and bind them to the present key, so
    /// that they are played on and signed. The public log gets an entry for each. Stop all nodes first.
    Adopt {
        #[command(flatten)]
        data: DataFlags,
        #[command(flatten)]
        keys: KeyFlags,
    },
}

pub(super) fn run(task: &GamesTask) -> Result<(), Failed> {
    let GamesTask::Adopt { data, keys } = task;
    let database = data.open()?;
    let (ring, _) = keys.load(data, &database)?;
    let Adoption { adopted, refused, entries, queued } = block_on(async {
        let adoption = adopt(&database, &ring, &SystemEntropy, SystemClock.now()).await;
        database.shutdown().await;
        adoption
    })??;
    for game in &adopted {
        terminal::print_line(format_args!("{game} adopted"))?;
    }
    for (game, finding) in &refused {
        terminal::print_line(format_args!("{game} not adopted: {finding}"))?;
    }
    terminal::print_line(format_args!("{queued} adoptions queued for the public log"))?;
    terminal::print_line(format_args!("{entries} entries that wait for the public log adopted"))?;
    match refused.len() {
        0 => Ok(()),
        count => Err(format!("{count} games were not adopted").into()),
    }
}
