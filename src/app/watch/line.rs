//! A line: a stream that an account has open. When the last one is dropped, the account has hung up.

use std::sync::Arc;

use super::Streams;
use super::hub::StreamPass;
use crate::app::failure::Failure;
use crate::app::presence::Presence;
use crate::auth::caller::Caller;
use crate::engine::player::AccountId;

/// A stream that an account has open, until it is dropped.
pub(super) struct Line {
    presence: Arc<Presence>,
    account: AccountId,
    _pass: StreamPass,
}

impl Line {
    /// Opens a line for a caller.
    ///
    /// # Errors
    /// [`Failure::TooManyStreams`] where the account has as many as it may.
    pub(super) fn open(streams: &Streams, caller: &Caller) -> Result<Line, Failure> {
        let pass = streams.hub.admit(&caller.account, &streams.metrics).ok_or(Failure::TooManyStreams)?;
        Ok(Line { presence: Arc::clone(&streams.presence), account: caller.account.clone(), _pass: pass })
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.presence.hung_up(&self.account);
    }
}
