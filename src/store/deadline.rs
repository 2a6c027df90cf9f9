//! Deadlines: how long a caller waits for the database, whatever the database does.
//!
//! A request has one deadline for all that it waits for. It goes with the task, so that nothing on the way has to hand
//! it on. What waits outside of a request has a limit for each call. A call whose caller is gone may still go on: the
//! connections have limits of their own.

use std::cell::Cell;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::error::StoreError;

/// How long a request may wait for the database in all.
const REQUEST: Duration = Duration::from_millis(9_500);

/// How long one call may be waited for. A little longer than a call on a connection may take, so that what such a call
/// came to is mostly known by then.
const CALL: Duration = Duration::from_secs(9);

tokio::task_local! {
    static DEADLINE: Cell<Instant>;
}

/// Runs a request: all that it waits for ends at the same deadline, 9.5 seconds from now.
pub async fn for_a_request<F: Future>(request: F) -> F::Output {
    DEADLINE.scope(Cell::new(Instant::now() + REQUEST), request).await
}

/// Gives the request that runs its whole time again: it waited for something else than the database.
pub fn renew() {
    // Outside of a request there is nothing to renew.
    let _ = DEADLINE.try_with(|deadline| deadline.set(Instant::now() + REQUEST));
}

/// Waits until the deadline of the request that runs, and not longer than one call may take.
///
/// # Errors
/// [`StoreError::TimedOut`].
pub async fn in_time<F: Future>(awaited: F) -> Result<F::Output, StoreError> {
    let limit = Instant::now() + CALL;
    let deadline = DEADLINE.try_with(Cell::get).map_or(limit, |deadline| deadline.min(limit));
    timeout_at(deadline, awaited)
        .await
        .map_err(|_| StoreError::TimedOut { detail: "no answer before the deadline".to_owned() })
}
