//! Whether the node is stopping.

use tokio::sync::watch;

/// Set once, when the node is told to stop. Clones share it.
#[derive(Clone)]
pub(super) struct Closing(watch::Sender<bool>);

impl Closing {
    pub(super) fn new() -> Closing {
        Closing(watch::Sender::new(false))
    }

    pub(super) fn is_closing(&self) -> bool {
        *self.0.borrow()
    }

    pub(super) fn close(&self) {
        self.0.send_replace(true);
    }

    /// Tells when the node is stopping.
    pub(super) fn watch(&self) -> watch::Receiver<bool> {
        self.0.subscribe()
    }
}
