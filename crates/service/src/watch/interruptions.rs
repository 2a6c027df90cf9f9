//! What ends the wait of a stream besides news.

use std::future::{pending, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, Sleep, sleep};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interruption {
    /// The node is stopping.
    Closing,
    /// The session that opened the stream has ended.
    SessionEnded,
    /// A heartbeat is due.
    Quiet,
}

/// The interruptions of one stream. They are registered once and not for each frame.
pub(super) struct Interruptions {
    closing: watch::Receiver<bool>,
    ended: watch::Receiver<bool>,
    either: Pin<Box<dyn Future<Output = Interruption> + Send>>,
    heartbeat: Duration,
    timer: Pin<Box<Sleep>>,
    sent: Instant,
}

impl Interruptions {
    pub(super) fn new(
        closing: watch::Receiver<bool>,
        ended: watch::Receiver<bool>,
        heartbeat: Duration,
    ) -> Interruptions {
        let (closes, ends) = (until(closing.clone()), until(ended.clone()));
        let either = async move {
            tokio::select! {
                () = closes => Interruption::Closing,
                () = ends => Interruption::SessionEnded,
            }
        };
        Interruptions {
            closing,
            ended,
            either: Box::pin(either),
            heartbeat,
            timer: Box::pin(sleep(heartbeat)),
            sent: Instant::now(),
        }
    }

    /// Whether the stream has to end now.
    pub(super) fn end(&self) -> Option<Interruption> {
        if *self.closing.borrow() {
            Some(Interruption::Closing)
        } else if *self.ended.borrow() {
            Some(Interruption::SessionEnded)
        } else {
            None
        }
    }

    /// Notes that the stream sends something, which postpones the heartbeat.
    pub(super) fn sent(&mut self) {
        self.sent = Instant::now();
    }

    /// Waits for an interruption. May be dropped and called again, but not after an end.
    pub(super) fn next(&mut self) -> impl Future<Output = Interruption> {
        poll_fn(|context| match self.either.as_mut().poll(context) {
            Poll::Ready(end) => Poll::Ready(end),
            Poll::Pending => self.poll_heartbeat(context).map(|()| Interruption::Quiet),
        })
    }

    /// The timer is set again when it fires, not with each frame.
    fn poll_heartbeat(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while self.timer.as_mut().poll(context).is_ready() {
            let now = Instant::now();
            let due = self.sent + self.heartbeat;
            if due <= now {
                self.sent = now;
                self.timer.as_mut().reset(now + self.heartbeat);
                return Poll::Ready(());
            }
            self.timer.as_mut().reset(due);
        }
        Poll::Pending
    }
}

/// Waits until a flag is set. A flag that nobody can set any more stays as it is.
async fn until(mut flag: watch::Receiver<bool>) {
    if flag.wait_for(|set| *set).await.is_err() {
        pending().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_millis(5);
    const NEVER: Duration = Duration::from_secs(3600);

    struct Flags {
        closing: watch::Sender<bool>,
        ended: watch::Sender<bool>,
    }

    fn interruptions(heartbeat: Duration) -> (Flags, Interruptions) {
        let flags = Flags { closing: watch::Sender::new(false), ended: watch::Sender::new(false) };
        let interruptions = Interruptions::new(flags.closing.subscribe(), flags.ended.subscribe(), heartbeat);
        (flags, interruptions)
    }

    #[tokio::test]
    async fn a_heartbeat_comes_when_nothing_was_sent_for_a_while() {
        let (_flags, mut interruptions) = interruptions(SOON);
        // The timer that was set at the start has fired by then.
        sleep(2 * SOON).await;
        let sent = Instant::now();
        interruptions.sent();
        for heartbeats in 1..4 {
            assert_eq!(interruptions.next().await, Interruption::Quiet);
            assert!(sent.elapsed() >= heartbeats * SOON);
        }
    }

    #[tokio::test]
    async fn a_wait_that_was_dropped_loses_no_interruption() {
        let (flags, mut interruptions) = interruptions(NEVER);
        for _ in 0..3 {
            let mut next = Box::pin(interruptions.next());
            assert!(poll_fn(|context| Poll::Ready(next.as_mut().poll(context).is_pending())).await);
        }
        assert_eq!(interruptions.end(), None);
        flags.ended.send_replace(true);
        assert_eq!(interruptions.end(), Some(Interruption::SessionEnded));
        assert_eq!(interruptions.next().await, Interruption::SessionEnded);
    }

    #[tokio::test]
    async fn a_session_that_is_forgotten_does_not_end_the_stream() {
        let (flags, mut interruptions) = interruptions(SOON);
        let Flags { closing, ended } = flags;
        drop(ended);
        assert_eq!(interruptions.next().await, Interruption::Quiet);
        closing.send_replace(true);
        assert_eq!(interruptions.next().await, Interruption::Closing);
    }
}
