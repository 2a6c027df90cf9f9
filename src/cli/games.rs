//! `estimation games`.

use clap::Subcommand;

use super::Failed;
use super::database::DataFlags;
use super::keys::{KeyFlags, block_on};
use estimation_command::terminal;
use estimation_service::base::clock::{Clock, SystemClock};
use estimation_service::base::entropy::SystemEntropy;
use estimation_service::games::{Adoption, adopt};
use estimation_store::ended_games::{self, RefusedGame};
use jiff::Timestamp;

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
    /// Print the games that are over and that no node signs, with the reason.
    Refused {
        #[command(flatten)]
        data: DataFlags,
    },
}

pub(super) fn run(task: &GamesTask) -> Result<(), Failed> {
    match task {
        GamesTask::Adopt { data, keys } => adopt_games(data, keys),
        GamesTask::Refused { data } => print_refused(data),
    }
}

fn print_refused(data: &DataFlags) -> Result<(), Failed> {
    let database = data.open()?;
    let refused = block_on(async {
        let refused = database.read(ended_games::refused).await;
        database.shutdown().await;
        refused
    })??;
    for RefusedGame { game, reason, detail, first_seen_at } in &refused {
        let since = match Timestamp::from_millisecond(*first_seen_at) {
            Ok(since) => format!("{since:.0}"),
            // A damaged row does not hide the others.
            Err(_) => format!("{first_seen_at} ms"),
        };
        terminal::print_line(format_args!("{game} {reason} since {since}: {detail}"))?;
    }
    terminal::print_line(format_args!("{} games are refused a signature", refused.len()))
}

fn adopt_games(data: &DataFlags, keys: &KeyFlags) -> Result<(), Failed> {
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
