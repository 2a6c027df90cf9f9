//! `estimation webhooks`: lists and replays the webhooks that failed for a day.

use clap::Subcommand;
use uuid::Uuid;

use super::Failed;
use super::database::DataFlags;
use super::keys::block_on;
use estimation_command::terminal;
use estimation_service::base::clock::{Clock, SystemClock};
use estimation_store::notifications::{self, NotificationRow};
use estimation_store::{Id, Server};

/// The most that are listed.
const LISTED: i64 = 1_000;

#[derive(Subcommand, Clone, Debug)]
pub(super) enum WebhooksTask {
    /// Print the webhooks that failed for a day, oldest first, at most 1000: id, kind, account, game, and since when.
    List {
        #[command(flatten)]
        data: DataFlags,
    },
    /// Send webhooks again that failed for a day: all, or one.
    Replay {
        /// The id of a webhook; all if absent.
        id: Option<Uuid>,
        #[command(flatten)]
        data: DataFlags,
    },
}

pub(super) fn run(task: &WebhooksTask) -> Result<(), Failed> {
    match task {
        WebhooksTask::List { data } => list(data),
        WebhooksTask::Replay { id, data } => replay(*id, data),
    }
}

fn list(data: &DataFlags) -> Result<(), Failed> {
    let database = data.open()?;
    let parked = block_on(async {
        let parked = database.read(|conn| notifications::parked(conn, LISTED)).await;
        database.shutdown().await;
        parked
    })??;
    for NotificationRow { id, kind, account_id, game_id, created_at, .. } in &parked {
        let since = created_at.timestamp();
        let game = game_id.map_or_else(String::new, |game| format!(" game {game}"));
        terminal::print_line(format_args!("{id} {kind} account {account_id}{game} since {since:.0}"))?;
    }
    terminal::print_line(format_args!("{} webhooks are parked", parked.len()))
}

fn replay(id: Option<Uuid>, data: &DataFlags) -> Result<(), Failed> {
    let database = data.open()?;
    let now = SystemClock.now().as_millisecond();
    let opened = block_on(async {
        let opened = database.write(Server, move |conn| notifications::replay(conn, id.map(Id), now)).await;
        database.shutdown().await;
        opened
    })??;
    match (opened, id) {
        (0, Some(id)) => Err(format!("no parked webhook has the id {id}").into()),
        (opened, _) => terminal::print_line(format_args!("{opened} webhooks are sent again")),
    }
}
