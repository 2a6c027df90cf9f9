//! A blocking connection on which every call has a deadline.
//!
//! The calling thread polls the driver's future together with the connection's. When the deadline has passed,
//! the connection is dropped and its socket closed, because its state is unknown.

use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use futures_util::future::join;
use tokio::io::BufReader;
use tokio_postgres::error::Severity;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{AsyncMessage, Client, Connection, Error};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::error::CallError;
use crate::silence::Silence;
use crate::wire::Wire;

/// What the driver reads from.
pub(crate) type Reading = BufReader<Wire>;

pub(crate) type TlsStream = <MakeRustlsConnect as MakeTlsConnect<Reading>>::Stream;

/// The half of a connection that performs its input and output. When dropped, it ends the server's session, if
/// that works without waiting.
pub struct Driver(Connection<Reading, TlsStream>);

/// A connection with the timeout of its calls.
pub(crate) struct Session {
    // Dropped before the driver, so that the driver can end.
    client: Client,
    /// None once the connection is closed.
    driver: Option<Driver>,
    wire: Wire,
    limit: Duration,
    /// Where to report that the server stopped answering.
    silence: Arc<Silence>,
    /// The last warning in the answer to the last call.
    warning: Option<String>,
    /// Statements to send together with the next call.
    deferred: String,
}

impl Session {
    pub(crate) fn new(
        client: Client,
        driver: Connection<Reading, TlsStream>,
        wire: Wire,
        silence: Arc<Silence>,
        limit: Duration,
    ) -> Self {
        let driver = Some(Driver(driver));
        Self { client, driver, wire, limit, silence, warning: None, deferred: String::new() }
    }

    /// Sets the timeout of all further calls.
    pub(crate) fn set_limit(&mut self, limit: Duration) {
        self.limit = limit;
    }

    /// Hands the connection to the caller's runtime.
    pub(crate) fn into_runtime(self) -> io::Result<(Client, Driver)> {
        self.wire.register()?;
        Ok((self.client, self.driver.ok_or(io::ErrorKind::NotConnected)?))
    }

    /// Sends a statement together with the next call, which fails if the statement does.
    pub(crate) fn defer(&mut self, statement: &str) {
        self.deferred.push_str(statement);
        self.deferred.push(';');
    }

    /// Sends a request and waits for the answer.
    pub(crate) fn call<T>(
        &mut self,
        ask: impl AsyncFnOnce(&Client) -> Result<T, Error>,
    ) -> Result<T, CallError> {
        self.call_while(ask, || None)
    }

    /// Sends a request and waits for the answer. When the timeout has passed, `more` returns how much longer
    /// to wait; it is called again after that time.
    pub(crate) fn call_while<T>(
        &mut self,
        ask: impl AsyncFnOnce(&Client) -> Result<T, Error>,
        more: impl FnMut() -> Option<Duration>,
    ) -> Result<T, CallError> {
        let mut ended = None;
        let Self { client, driver, wire, limit, warning, deferred, .. } = self;
        *warning = None;
        let deferred = std::mem::take(deferred);
        let asked = async {
            if deferred.is_empty() {
                return ask(client).await;
            }
            // Both are sent before the first answer.
            let (begun, answer) = join(client.batch_execute(&deferred), ask(client)).await;
            begun.and(answer)
        };
        let drive = |context: &mut Context<'_>| {
            while let Some(driven) = driver {
                match driven.poll_message(context) {
                    Poll::Pending => return,
                    Poll::Ready(Some(Ok(AsyncMessage::Notice(notice)))) => {
                        if notice.parsed_severity() == Some(Severity::Warning) {
                            *warning = Some(notice.to_string());
                        }
                    }
                    Poll::Ready(Some(Ok(_))) => {}
                    Poll::Ready(end) => {
                        ended = end.and_then(Result::err);
                        // Dropping the driver fails all waiting calls.
                        *driver = None;
                    }
                }
            }
        };
        let error = match wait(wire, asked, drive, *limit, more) {
            Some(Ok(answer)) => return Ok(answer),
            // The error that ended the connection is more useful than "closed".
            Some(Err(error)) if error.is_closed() => CallError::Closed(ended.unwrap_or(error)),
            Some(Err(error)) => CallError::Refused(error),
            None => CallError::TimedOut(*limit),
        };
        if let CallError::TimedOut(_) = error {
            self.silence.note(false);
        }
        if error.is_fatal() {
            self.driver = None;
        }
        Err(error)
    }

    /// Checks that the server answers within a timeout.
    pub(crate) fn ping(&mut self, within: Duration) -> Result<(), CallError> {
        let usual = std::mem::replace(&mut self.limit, within);
        let outcome = self.call(async |client| client.batch_execute("").await);
        self.limit = usual;
        outcome
    }

    /// The warning in the answer to the last call.
    pub(crate) fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// Whether calls may still be answered.
    pub(crate) fn is_open(&self) -> bool {
        self.driver.is_some()
    }
}

impl Driver {
    /// Performs what can be done without waiting. Returns the next message that answers no call.
    pub fn poll_message(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<AsyncMessage, Error>>> {
        self.0.poll_message(context)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = Pin::new(&mut self.0).poll(&mut Context::from_waker(Waker::noop()));
    }
}

/// Polls a future and the connection that drives it until the future is done. Returns `None` when the timeout
/// has passed and `more` allows no more time.
pub(crate) fn wait<T>(
    wire: &Wire,
    future: impl Future<Output = T>,
    mut drive: impl FnMut(&mut Context<'_>),
    limit: Duration,
    mut more: impl FnMut() -> Option<Duration>,
) -> Option<T> {
    let mut deadline = Instant::now() + limit;
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
        // The two futures wake each other through the waker; data on the socket does not.
        let idle = !woken.0.swap(false, Ordering::Relaxed);
        if idle && !wire.wait(deadline).unwrap_or(false) {
            deadline = Instant::now() + more()?;
        }
    }
}

/// Whether a future in this thread was woken.
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}
