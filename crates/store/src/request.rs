//! The database deadline of an HTTP request, and whether the request has written anything.
//!
//! A request has one deadline for all its database calls. It is task-local, so callers need not pass it on.
//! Calls outside a request have a timeout per call. A call may continue after its caller has timed out:
//! connections have their own timeouts.

use std::cell::Cell;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::error::StoreError;

/// The time a request may wait for the database in total.
const TIME: Duration = Duration::from_millis(9_500);

/// The timeout of one call. A little longer than the timeout of a connection, so that the outcome is usually
/// known by then.
const CALL: Duration = Duration::from_secs(9);

/// The current request of a task.
struct Request {
    deadline: Cell<Instant>,
    has_written: Cell<bool>,
}

tokio::task_local! {
    static REQUEST: Request;
}

/// Runs a request: all its waiting ends at one deadline, 9.5 seconds from now. Also returns whether the
/// request has written anything; if so, a later failure does not mean that nothing changed.
pub async fn run<T>(request: impl Future<Output = T>) -> (T, bool) {
    let state = Request { deadline: Cell::new(Instant::now() + TIME), has_written: Cell::new(false) };
    let with_outcome = async {
        let answer = request.await;
        (answer, REQUEST.with(|request| request.has_written.get()))
    };
    REQUEST.scope(state, with_outcome).await
}

/// Restarts the deadline of the current request, after it waited for something other than the database.
pub fn renew() {
    // Outside a request there is no deadline.
    let _ = REQUEST.try_with(|request| request.deadline.set(Instant::now() + TIME));
}

/// Records that the current request has written something, or may have.
pub(super) fn has_written() {
    // Outside a request this information is not used.
    let _ = REQUEST.try_with(|request| request.has_written.set(true));
}

/// Waits until the request's deadline, and at most as long as one call may take.
///
/// # Errors
/// [`StoreError::TimedOut`].
pub async fn in_time<F: Future>(awaited: F) -> Result<F::Output, StoreError> {
    let limit = Instant::now() + CALL;
    let deadline =
        REQUEST.try_with(|request| request.deadline.get()).map_or(limit, |deadline| deadline.min(limit));
    timeout_at(deadline, awaited)
        .await
        .map_err(|_| StoreError::TimedOut { detail: "no answer before the deadline".to_owned() })
}
