//! Whether the node is shutting down.

use tokio::sync::watch;

/// Set once at shutdown. Clones share it.
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

    pub(super) fn watch(&self) -> watch::Receiver<bool> {
        self.0.subscribe()
    }
}
