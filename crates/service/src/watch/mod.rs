//! Watching: streams and polls wait for a hint, then read the log.
//!
//! Hints come from commits on this node, from other nodes' notices, and from polling the log every second. A
//! lost hint costs that second, never an event.

pub(super) mod account;
pub(super) mod game;
mod interruptions;
mod poll;

pub use crate::games::hub::account_watch::AccountNews;
pub use account::AccountStream;
pub use game::{GameNews, GameStream, LONGEST_WAIT};

use std::sync::Arc;
use std::time::Duration;

use crate::auth::caller::Caller;
use crate::auth::sessions::Sessions;
use crate::base::clock::Clock;
use crate::base::failure::Failure;
use crate::base::metrics::Metrics;
use crate::games::Games;
use crate::games::hub::presence::Presence;
use crate::games::hub::{Hub, StreamPass};
use crate::readiness::Closing;
use estimation_engine::player::AccountId;
use estimation_store::Database;

/// The default interval of heartbeats on idle streams.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(15);

pub struct Streams {
    pub(crate) database: Database,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) games: Arc<Games>,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) presence: Arc<Presence>,
    pub(crate) hub: Arc<Hub>,
    /// The interval of heartbeats on idle streams.
    pub(crate) heartbeat: Duration,
    pub(crate) closing: Closing,
}

struct OpenStream {
    presence: Arc<Presence>,
    account: AccountId,
    _pass: StreamPass,
}

impl OpenStream {
    /// Opens a stream handle for a caller.
    ///
    /// # Errors
    /// [`Failure::TooManyStreams`] if the account has the maximum of open streams.
    fn open(streams: &Streams, caller: &Caller) -> Result<OpenStream, Failure> {
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
