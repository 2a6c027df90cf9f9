//! Notices between nodes: hints that a game has moved on, through PostgreSQL's `NOTIFY`.
//!
//! A notice is only ever a hint. It is sent after the commit it speaks of, many at a time, because a
//! `NOTIFY` inside every transaction would serialise commits; it may be lost, and then a look at the log
//! finds out.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::poll_fn;
use thiserror::Error;
use tokio::sync::mpsc::{self, error::TrySendError};
use tokio::time::timeout;
use tokio_postgres::{AsyncMessage, Client};

use super::postgres::{ConnectError, Settings, connect_within_runtime, describe};
use super::url::PostgresUrl;

/// The channel all nodes listen on.
const CHANNEL: &str = "estimation";

/// How many notices may wait to be sent; more are dropped.
const WAITING: usize = 10_000;

/// How many notices are sent in one round trip at most.
const TOGETHER: usize = 1_000;

/// PostgreSQL takes payloads below 8,000 bytes.
const PAYLOAD: usize = 7_900;

/// How long what is posted after a round trip waits for company. Each costs the database as much as several
/// commands do.
const GATHERING: Duration = Duration::from_millis(4);

/// How long the server may take to answer.
const LIMIT: Duration = Duration::from_secs(5);

/// After how long without anything to send the server is asked whether it is still there.
const SILENCE: Duration = Duration::from_secs(5);

/// How long to wait before connecting again.
const PAUSE: Duration = Duration::from_millis(500);

/// A game has moved on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The game's id.
    pub game: String,
    /// The sequence number of its last event.
    pub seq: u64,
    /// The accounts that this concerns although they may not have known of the game: who was seated, or invited.
    pub accounts: Vec<String>,
}

/// Where notices for other nodes are handed in.
#[derive(Clone, Debug)]
pub struct NoticeBoard(mpsc::Sender<Notice>);

impl NoticeBoard {
    /// Hands in a notice; never waits, and drops it where too many wait already.
    pub fn post(&self, notice: Notice) {
        if let Err(TrySendError::Full(notice)) = self.0.try_send(notice) {
            tracing::warn!(game = notice.game, "a notice to other nodes was dropped");
        }
    }
}

/// Starts to exchange notices with other nodes, on the runtime of the caller, until the board is dropped.
pub(super) fn exchange(url: &PostgresUrl, heard: impl Fn(Notice) + Send + Sync + 'static) -> NoticeBoard {
    let (board, mut posted) = mpsc::channel(WAITING);
    let settings = Arc::new(url.settings().for_listening());
    tokio::spawn(async move {
        while !posted.is_closed() {
            if let Err(error) = connected(&settings, &mut posted, &heard).await {
                tracing::warn!(%error, "no notices to and from other nodes");
            }
            tokio::time::sleep(PAUSE).await;
        }
    });
    NoticeBoard(board)
}

/// Why notices are not exchanged.
#[derive(Debug, Error)]
enum ExchangeError {
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error("{}", describe(.0))]
    Driver(#[from] tokio_postgres::Error),
    #[error("the database did not answer within {LIMIT:?}")]
    TimedOut,
}

/// Sends and hears notices until the connection breaks or the board is dropped.
async fn connected(
    settings: &Arc<Settings>,
    posted: &mut mpsc::Receiver<Notice>,
    heard: &(impl Fn(Notice) + Send + Sync),
) -> Result<(), ExchangeError> {
    let (client, mut line) = connect_within_runtime(settings).await?;
    let mut messages = poll_fn(move |context| line.poll_message(context));
    let hearing = async {
        while let Some(message) = messages.next().await {
            if let AsyncMessage::Notification(notification) = message? {
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

/// Waits for the server, but not forever: dropping the connection is what follows.
async fn within_limit<T>(
    call: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, ExchangeError> {
    match timeout(LIMIT, call).await {
        Ok(answer) => Ok(answer?),
        Err(_) => Err(ExchangeError::TimedOut),
    }
}

async fn send_all(client: &Client, posted: &mut mpsc::Receiver<Notice>) -> Result<(), ExchangeError> {
    within_limit(client.batch_execute(&format!("LISTEN {CHANNEL}"))).await?;
    let notify = within_limit(client.prepare("SELECT pg_notify($1, $2)")).await?;
    let mut notices = Vec::with_capacity(TOGETHER);
    loop {
        match timeout(SILENCE, posted.recv_many(&mut notices, TOGETHER)).await {
            Ok(0) => return Ok(()),
            Ok(_) => {}
            // Who only listens would never notice that nothing can come any more.
            Err(_) => within_limit(client.batch_execute("")).await?,
        }
        for payload in payloads(&notices) {
            within_limit(client.execute(&notify, &[&CHANNEL, &payload])).await?;
        }
        notices.clear();
        tokio::time::sleep(GATHERING).await;
    }
}

/// A line for each notice, in as few payloads as they fit into. What concerns accounts stands in a line of its
/// own, with their ids behind the number: nodes of earlier versions pass over it.
fn payloads(notices: &[Notice]) -> Vec<String> {
    let mut payloads: Vec<String> = Vec::new();
    for Notice { game, seq, accounts } in notices {
        let mut line = format!("{game} {seq}\n");
        if !accounts.is_empty() {
            line += &format!("{game} {seq} {}\n", accounts.join(" "));
        }
        match payloads.last_mut() {
            Some(last) if last.len() + line.len() <= PAYLOAD => last.push_str(&line),
            _ => payloads.push(line),
        }
    }
    payloads
}

fn parse(line: &str) -> Option<Notice> {
    let mut words = line.split(' ');
    let (game, seq) = (words.next()?.to_owned(), words.next()?.parse().ok()?);
    Some(Notice { game, seq, accounts: words.map(str::to_owned).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_read_back_from_as_many_payloads_as_they_need() {
        let notice =
            |seq: u64| Notice { game: format!("{seq:036}"), seq: seq * 1_000_003, accounts: Vec::new() };
        let notices: Vec<Notice> = (0..500).map(notice).collect();
        let payloads = payloads(&notices);
        assert!(payloads.len() > 1 && payloads.iter().all(|payload| payload.len() <= PAYLOAD));
        let read: Vec<Notice> =
            payloads.iter().flat_map(|payload| payload.lines()).filter_map(parse).collect();
        assert_eq!(read, notices);
    }

    #[test]
    fn accounts_stand_in_a_line_that_earlier_versions_pass_over() {
        let accounts = vec!["noor".to_owned(), "omar".to_owned()];
        let notice = Notice { game: "g".to_owned(), seq: 7, accounts };
        let payloads = payloads(std::slice::from_ref(&notice));
        assert_eq!(payloads, ["g 7\ng 7 noor omar\n"]);
        let read: Vec<Notice> = payloads[0].lines().filter_map(parse).collect();
        assert_eq!(read, [Notice { accounts: Vec::new(), ..notice.clone() }, notice]);
    }
}
