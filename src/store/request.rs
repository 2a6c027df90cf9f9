//! What a request has to do with the database: until when it waits, and whether it has changed anything.
//!
//! A request has one deadline for all that it waits for. It goes with the task, so that nothing on the way has to hand
//! it on. What waits outside of a request has a limit for each call. A call whose caller is gone may still go on: the
//! connections have limits of their own.

use std::cell::Cell;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::error::StoreError;

/// How long a request may wait for the database in all.
const TIME: Duration = Duration::from_millis(9_500);

/// How long one call may be waited for. A little longer than a call on a connection may take, so that what such a call
/// came to is mostly known by then.
const CALL: Duration = Duration::from_secs(9);

/// The request that runs in a task.
struct Request {
    deadline: Cell<Instant>,
    has_written: Cell<bool>,
}

tokio::task_local! {
    static REQUEST: Request;
}

/// Runs a request: all that it waits for ends at the same deadline, 9.5 seconds from now. Returns also whether the
/// request has written anything: then a failure that comes later does not mean that nothing was changed.
pub async fn run<T>(request: impl Future<Output = T>) -> (T, bool) {
    let state = Request { deadline: Cell::new(Instant::now() + TIME), has_written: Cell::new(false) };
    let with_outcome = async {
        let answer = request.await;
        (answer, REQUEST.with(|request| request.has_written.get()))
    };
    REQUEST.scope(state, with_outcome).await
}

/// Gives the request that runs its whole time again: it waited for something else than the database.
pub fn renew() {
    // Outside of a request there is nothing to renew.
    let _ = REQUEST.try_with(|request| request.deadline.set(Instant::now() + TIME));
}

/// Notes that the request that runs has written something, or may have.
pub(super) fn has_written() {
    // Outside of a request nothing depends on it.
    let _ = REQUEST.try_with(|request| request.has_written.set(true));
}

/// Waits until the deadline of the request that runs, and not longer than one call may take.
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
