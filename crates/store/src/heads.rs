//! Reads the heads of logs for many callers at once: one thread answers all waiting callers with one query.
//!
//! Every read of a game asks for its head, so this must be cheap. The query for an answer always starts after
//! the question.

use std::collections::HashMap;

use tokio::sync::{mpsc, oneshot};

use super::event_reads::{self, Head};
use super::pool::Readers;
use super::{GameId, StoreError, request};

/// The maximum number of games per query.
const AT_ONCE: usize = 256;

type Answer = Result<Option<Head>, StoreError>;

/// A question for the head of a game's log, with its answer channel.
struct HeadQuestion {
    game: GameId,
    answer: oneshot::Sender<Answer>,
}

/// A handle to the thread, which ends when the handle is dropped.
pub(super) struct Heads {
    questions: mpsc::Sender<HeadQuestion>,
}

impl Heads {
    /// Starts the thread. `waiting` is the maximum number of waiting questions.
    pub fn start(readers: Readers, waiting: usize) -> Result<Heads, StoreError> {
        let (questions, mut asked) = mpsc::channel(waiting.max(1));
        let answering = move || {
            let mut batch = Vec::with_capacity(AT_ONCE);
            while let Some(first) = asked.blocking_recv() {
                batch.push(first);
                while batch.len() < AT_ONCE
                    && let Ok(next) = asked.try_recv()
                {
                    batch.push(next);
                }
                answer(&readers, &mut batch);
            }
        };
        std::thread::Builder::new()
            .name("store-heads".to_owned())
            .spawn(answering)
            .map_err(|error| StoreError::Unavailable { detail: error.to_string() })?;
        Ok(Heads { questions })
    }

    /// The head of a game's log; none when there is no such game.
    pub async fn of(&self, game: GameId) -> Answer {
        let (answer, answered) = oneshot::channel();
        self.questions.try_send(HeadQuestion { game, answer }).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => StoreError::Overloaded,
            mpsc::error::TrySendError::Closed(_) => StoreError::ShuttingDown,
        })?;
        request::in_time(answered)
            .await?
            .unwrap_or_else(|_| Err(StoreError::Defect { detail: "reading heads panicked".to_owned() }))
    }
}

fn answer(readers: &Readers, batch: &mut Vec<HeadQuestion>) {
    let read = readers.run(|conn| {
        let games: Vec<GameId> = batch.iter().map(|asked| asked.game).collect();
        Ok(event_reads::heads(conn, &games)?.into_iter().collect::<HashMap<GameId, Head>>())
    });
    for HeadQuestion { game, answer } in batch.drain(..) {
        // The caller may be gone.
        let _ = answer.send(match &read {
            Ok(heads) => Ok(heads.get(&game).copied()),
            Err(error) => Err(error.clone()),
        });
    }
}
