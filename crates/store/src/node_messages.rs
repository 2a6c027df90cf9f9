//! Messages between nodes that a game has moved on, or that a player reacted, through PostgreSQL's `NOTIFY`.
//!
//! A message is only a hint. It is sent after its commit, many at a time, because a `NOTIFY` inside every
//! transaction would serialise commits. It may be lost; readers then find the new events in the log.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::poll_fn;
use thiserror::Error;
use tokio::sync::mpsc::{self, error::TrySendError};
use tokio::time::timeout;
use tokio_postgres::{AsyncMessage, Client};

use super::reactions::ReactionRow;
use super::url::PostgresUrl;
use super::{GameId, RecordTime};
use estimation_engine::player::AccountId;
use estimation_postgres::{ConnectError, Settings, connect_within_runtime, describe};

/// The channel all nodes listen on.
const CHANNEL: &str = "estimation";

/// The maximum number of waiting messages. Further ones are dropped.
const WAITING: usize = 10_000;

/// The maximum number of messages per round trip.
const TOGETHER: usize = 1_000;

/// PostgreSQL limits payloads to less than 8,000 bytes.
const PAYLOAD: usize = 7_900;

/// How long to collect messages before a round trip, which costs the database as much as several commands.
const GATHERING: Duration = Duration::from_millis(4);

/// The timeout for an answer of the server.
const LIMIT: Duration = Duration::from_secs(5);

/// After this time without messages to send, the connection is checked with an empty query.
const SILENCE: Duration = Duration::from_secs(5);

/// The pause before a reconnection.
const PAUSE: Duration = Duration::from_millis(500);

/// What other nodes should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeMessage {
    /// A game has moved on.
    Moved {
        game: GameId,
        /// The sequence number of its last event.
        seq: u64,
        /// The seated accounts, and those that were just invited or unseated.
        accounts: Vec<AccountId>,
    },
    /// A player reacted at a table.
    Reaction(ReactionRow),
}

impl NodeMessage {
    fn game(&self) -> GameId {
        match self {
            NodeMessage::Moved { game, .. } => *game,
            NodeMessage::Reaction(row) => row.game_id,
        }
    }
}

/// The first word of a line about a reaction. Lines about games that have moved on begin with the game's id.
const REACTION: &str = "reaction";

/// Accepts messages for other nodes.
#[derive(Clone, Debug)]
pub struct NodeMessages(mpsc::Sender<NodeMessage>);

impl NodeMessages {
    /// Queues a message. Never waits; drops the message when the queue is full.
    pub fn post(&self, message: NodeMessage) {
        if let Err(TrySendError::Full(message)) = self.0.try_send(message) {
            tracing::warn!(game = %message.game(), "a notice to other nodes was dropped");
        }
    }
}

/// Exchanges messages with other nodes on the caller's runtime until the sender is dropped.
pub(super) fn exchange(
    url: &PostgresUrl,
    heard: impl Fn(NodeMessage) + Send + Sync + 'static,
) -> NodeMessages {
    let (sender, mut posted) = mpsc::channel(WAITING);
    let settings = Arc::new(url.settings().for_listening());
    tokio::spawn(async move {
        while !posted.is_closed() {
            if let Err(error) = connected(&settings, &mut posted, &heard).await {
                tracing::warn!(%error, "the exchange of notices with other nodes is interrupted");
            }
            tokio::time::sleep(PAUSE).await;
        }
    });
    NodeMessages(sender)
}

/// Why the exchange of messages failed.
#[derive(Debug, Error)]
enum ExchangeError {
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error("{}", describe(.0))]
    Driver(#[from] tokio_postgres::Error),
    #[error("the database did not answer within {LIMIT:?}")]
    TimedOut,
}

/// Sends and receives messages until the connection breaks or the sender is dropped.
async fn connected(
    settings: &Arc<Settings>,
    posted: &mut mpsc::Receiver<NodeMessage>,
    heard: &(impl Fn(NodeMessage) + Send + Sync),
) -> Result<(), ExchangeError> {
    let (client, mut line, process) = connect_within_runtime(settings).await?;
    let mut messages = poll_fn(move |context| line.poll_message(context));
    let hearing = async {
        while let Some(message) = messages.next().await {
            // This node knows its own messages.
            if let AsyncMessage::Notification(notification) = message?
                && notification.process_id().to_string() != process
            {
                notification.payload().lines().filter_map(parse).for_each(heard);
            }
        }
        Ok(())
    };
    tokio::select! {
        done = send_all(&client, posted) => done,
        done = hearing => done,
    }
}

/// Waits for the server with a timeout, after which the caller drops the connection.
async fn within_limit<T>(
    call: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, ExchangeError> {
    match timeout(LIMIT, call).await {
        Ok(answer) => Ok(answer?),
        Err(_) => Err(ExchangeError::TimedOut),
    }
}

async fn send_all(client: &Client, posted: &mut mpsc::Receiver<NodeMessage>) -> Result<(), ExchangeError> {
    // A NOTIFY has a commit record. It need not wait for the disk or a standby: messages are not stored.
    let session = format!("SET synchronous_commit = off; LISTEN {CHANNEL}");
    within_limit(client.batch_execute(&session)).await?;
    let notify = within_limit(client.prepare("SELECT pg_notify($1, $2)")).await?;
    let mut messages = Vec::with_capacity(TOGETHER);
    loop {
        match timeout(SILENCE, posted.recv_many(&mut messages, TOGETHER)).await {
            Ok(0) => return Ok(()),
            Ok(_) => {}
            // A connection that only listens would not message that it is broken.
            Err(_) => within_limit(client.batch_execute("")).await?,
        }
        for payload in payloads(&messages) {
            within_limit(client.execute(&notify, &[&CHANNEL, &payload])).await?;
        }
        messages.clear();
        tokio::time::sleep(GATHERING).await;
    }
}

fn line(message: &NodeMessage) -> String {
    match message {
        NodeMessage::Moved { game, seq, accounts } => {
            let mut line = format!("{game} {seq}");
            for account in accounts {
                line += &format!(" {account}");
            }
            line + "\n"
        }
        NodeMessage::Reaction(ReactionRow { game_id, account_id, at, reaction }) => {
            format!("{REACTION} {game_id} {account_id} {} {reaction}\n", at.milliseconds())
        }
    }
}

/// The lines of messages in as few payloads as possible.
fn payloads(messages: &[NodeMessage]) -> Vec<String> {
    let mut payloads: Vec<String> = Vec::new();
    for message in messages {
        let line = line(message);
        match payloads.last_mut() {
            Some(last) if last.len() + line.len() <= PAYLOAD => last.push_str(&line),
            _ => payloads.push(line),
        }
    }
    payloads
}

fn parse(line: &str) -> Option<NodeMessage> {
    let mut words = line.split(' ');
    let first = words.next()?;
    if first == REACTION {
        return Some(NodeMessage::Reaction(ReactionRow {
            game_id: words.next()?.parse().ok()?,
            account_id: AccountId::new(words.next()?),
            at: RecordTime::from_milliseconds(words.next()?.parse().ok()?).ok()?,
            reaction: words.next()?.to_owned(),
        }));
    }
    let (game, seq) = (first.parse().ok()?, words.next()?.parse().ok()?);
    Some(NodeMessage::Moved { game, seq, accounts: words.map(AccountId::new).collect() })
}
