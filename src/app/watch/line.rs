//! A line: a stream that an account has open. When the last one is dropped, the account has hung up.

use std::sync::Arc;

use super::hub::StreamPass;
use crate::app::caller::Caller;
use crate::app::failure::Failure;
use crate::app::state::App;

/// A stream that an account has open, until it is dropped.
pub(super) struct Line {
    app: Arc<App>,
    caller: Caller,
    _pass: StreamPass,
}

impl Line {
    /// Opens a line for a caller.
    ///
    /// # Errors
    /// [`Failure::TooManyStreams`] where the account has as many as it may.
    pub(super) fn open(app: &Arc<App>, caller: &Caller) -> Result<Line, Failure> {
        let pass = app.hub.admit(&caller.account, &app.metrics).ok_or(Failure::TooManyStreams)?;
        Ok(Line { app: Arc::clone(app), caller: caller.clone(), _pass: pass })
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.app.presence.hung_up(&self.caller.account);
    }
}
