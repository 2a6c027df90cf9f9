//! Runs a write and its follow-up to the end, even if the client disconnects.
//!
//! A disconnect drops the request's future. The writer commits accepted writes anyway, so streams, caches and
//! timers must still learn of them.

use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::runtime::Handle;

/// Work that continues in its own task if this is dropped before the work is done.
///
/// While the caller waits, the work runs in the caller's task. That costs one allocation and no task switch.
pub(crate) struct Completion<F: Future<Output: Send + 'static> + Send + 'static> {
    work: Option<Pin<Box<F>>>,
}

/// Runs work to its end, whether or not the caller waits for it.
///
/// Work that was never polled is also run. A runtime that is shutting down runs nothing more.
pub(crate) fn run_to_completion<F>(work: F) -> Completion<F>
where
    F: Future<Output: Send + 'static> + Send + 'static,
{
    Completion { work: Some(Box::pin(work)) }
}

impl<F: Future<Output: Send + 'static> + Send + 'static> Future for Completion<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // Polled after completion.
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
        let (sender, receiver) = oneshot::channel();
        let mut work = Box::pin(run_to_completion(async move {
            let number: i32 = committed.await.unwrap();
            sender.send(number).unwrap();
        }));
        let waits =
            std::future::poll_fn(|context| Poll::Ready(work.as_mut().poll(context).is_pending())).await;
        assert!(waits);
        drop(work);
        commit.send(7).unwrap();
        assert_eq!(receiver.await, Ok(7));
    }
}
