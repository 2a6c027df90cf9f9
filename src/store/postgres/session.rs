//! A connection that is waited for: every call on it has a deadline.
//!
//! The driver's futures are polled by the thread that calls, beside the connection's own. When a deadline has
//! passed the connection is dropped, which closes the socket: nothing is known of it any more.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use tokio_postgres::{Client, Error};

use super::connect::{Connected, Line};
use super::error::CallError;
use super::wire::Wire;

/// A connection, and how long each call on it may take.
pub(super) struct Session {
    // Dropped before the line, so that the line knows that nothing more comes.
    client: Client,
    /// None once the connection is closed.
    line: Option<DrivenLine>,
    wire: Wire,
    limit: Duration,
}

/// Ends the session at the server when it is dropped, if that can be done without waiting.
struct DrivenLine(Line);

impl Session {
    pub(super) fn new(Connected { client, line, wire }: Connected, limit: Duration) -> Self {
        Self { client, line: Some(DrivenLine(line)), wire, limit }
    }

    /// Asks the server something and waits for the answer.
    pub(super) fn call<T>(
        &mut self,
        ask: impl AsyncFnOnce(&Client) -> Result<T, Error>,
    ) -> Result<T, CallError> {
        let mut ended = None;
        let Self { client, line, wire, limit } = self;
        let drive = |context: &mut Context<'_>| {
            let Some(driven) = line else { return };
            if let Poll::Ready(end) = Pin::new(&mut driven.0).poll(context) {
                ended = end.err();
                // Dropping it fails what waits for it.
                *line = None;
            }
        };
        let error = match wait(wire, ask(client), drive, *limit) {
            Some(Ok(answer)) => return Ok(answer),
            // What ended the connection says more than that it ended.
            Some(Err(error)) if error.is_closed() => CallError::Closed(ended.unwrap_or(error)),
            Some(Err(error)) => CallError::Refused(error),
            None => CallError::TimedOut(*limit),
        };
        if error.is_fatal() {
            self.line = None;
        }
        Err(error)
    }

    /// Whether calls may still be answered.
    pub(super) fn is_open(&self) -> bool {
        self.line.is_some()
    }
}

impl Drop for DrivenLine {
    fn drop(&mut self) {
        let _ = Pin::new(&mut self.0).poll(&mut Context::from_waker(Waker::noop()));
    }
}

/// Polls a future until it is done, and what drives its connection beside it. `None` when the limit came first.
pub(super) fn wait<T>(
    wire: &Wire,
    future: impl Future<Output = T>,
    mut drive: impl FnMut(&mut Context<'_>),
    limit: Duration,
) -> Option<T> {
    let deadline = Instant::now() + limit;
    let woken = Arc::new(Woken(AtomicBool::new(false)));
    let waker = Waker::from(Arc::clone(&woken));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(done) = future.as_mut().poll(&mut context) {
            return Some(done);
        }
        woken.0.store(false, Ordering::Relaxed);
        drive(&mut context);
        // What one of the two has for the other wakes; what the socket has does not.
        let idle = !woken.0.swap(false, Ordering::Relaxed);
        if idle && !wire.wait(deadline).unwrap_or(false) {
            return None;
        }
    }
}

/// Whether anything in this thread has something to do.
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}
