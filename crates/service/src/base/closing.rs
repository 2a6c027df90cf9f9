//! Whether the node is shutting down.

use tokio::sync::watch;

/// Set once at shutdown. Clones share it.
#[derive(Clone)]
pub(crate) struct Closing(watch::Sender<bool>);

impl Closing {
    pub(crate) fn new() -> Closing {
        Closing(watch::Sender::new(false))
    }

    pub(crate) fn is_closing(&self) -> bool {
        *self.0.borrow()
    }

    pub(crate) fn close(&self) {
        self.0.send_replace(true);
    }

    pub(crate) fn watch(&self) -> watch::Receiver<bool> {
        self.0.subscribe()
    }
}
