//! Watching: streams and polls wait for a hint, then read the log.
//!
//! Hints come from commits on this node, from other nodes' notices, and from polling the log every second. A
//! lost hint costs that second, never an event.

pub(super) mod account;
pub(super) mod game;
mod interruptions;
mod open_stream;
mod poll;

pub use crate::games::hub::account_news::AccountNews;
pub use account::AccountStream;
pub use game::{GameNews, GameStream, LONGEST_WAIT};

use std::sync::Arc;
use std::time::Duration;

use crate::auth::sessions::Sessions;
use crate::base::clock::Clock;
use crate::base::closing::Closing;
use crate::base::metrics::Metrics;
use crate::games::Games;
use crate::games::hub::Hub;
use crate::games::hub::presence::Presence;
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
