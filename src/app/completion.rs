//! Running a write and what follows it to the end, also when the request that asked for it is gone.
//!
//! A client that hangs up drops the future of its request. A write that the writer has taken is committed all the
//! same, and streams, caches and timers have to hear of it.

use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::runtime::Handle;

/// Work that goes on in a task of its own when this is dropped before the work is done.
///
/// While its caller waits, it runs within the caller's task: that costs one allocation and no task switch.
pub(crate) struct Completion<F: Future<Output: Send + 'static> + Send + 'static> {
    /// None once the work is done.
    work: Option<Pin<Box<F>>>,
}

/// Runs work to its end, whether or not the caller waits for it.
///
/// Work that has not been polled yet when its caller goes is run as well. A stopping runtime runs nothing more.
pub(crate) fn run_to_completion<F>(work: F) -> Completion<F>
where
    F: Future<Output: Send + 'static> + Send + 'static,
{
    Completion { work: Some(Box::pin(work)) }
}

impl<F: Future<Output: Send + 'static> + Send + 'static> Future for Completion<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // Polled after it was done: as with any future, nothing more comes.
        let Some(work) = self.work.as_mut() else { return Poll::Pending };
        let polled = work.as_mut().poll(context);
        if polled.is_ready() {
            self.work = None;
        }
        polled
    }
}

impl<F: Future<Output: Send + 'static> + Send + 'static> Drop for Completion<F> {
    fn drop(&mut self) {
        let Some(work) = self.work.take() else { return };
        // Work that has panicked cannot be polled again.
        if std::thread::panicking() {
            return;
        }
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(work);
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn work_is_done_where_its_caller_waits() {
        assert_eq!(run_to_completion(async { 5 }).await, 5);
    }

    #[tokio::test]
    async fn work_is_finished_after_its_caller_has_gone() {
        let (commit, committed) = oneshot::channel();
        let (tell, told) = oneshot::channel();
        let mut work = Box::pin(run_to_completion(async move {
            let number: i32 = committed.await.unwrap();
            tell.send(number).unwrap();
        }));
        let waits =
            std::future::poll_fn(|context| Poll::Ready(work.as_mut().poll(context).is_pending())).await;
        assert!(waits);
        drop(work);
        commit.send(7).unwrap();
        assert_eq!(told.await, Ok(7));
    }
}
