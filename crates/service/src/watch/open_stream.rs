//! A presence handle for an open stream: dropping the account's last one marks the account as disconnected.

use std::sync::Arc;

use super::Streams;
use crate::auth::caller::Caller;
use crate::base::failure::Failure;
use crate::games::hub::StreamPass;
use crate::games::hub::presence::Presence;
use estimation_engine::player::AccountId;

pub(super) struct OpenStream {
    presence: Arc<Presence>,
    account: AccountId,
    _pass: StreamPass,
}

impl OpenStream {
    /// Opens a stream handle for a caller.
    ///
    /// # Errors
    /// [`Failure::TooManyStreams`] if the account has the maximum of open streams.
    pub(super) fn open(streams: &Streams, caller: &Caller) -> Result<OpenStream, Failure> {
        let pass = streams.hub.admit(&caller.account, &streams.metrics).ok_or(Failure::TooManyStreams)?;
        Ok(OpenStream {
            presence: Arc::clone(&streams.presence),
            account: caller.account.clone(),
            _pass: pass,
        })
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.presence.hung_up(&self.account);
    }
}
