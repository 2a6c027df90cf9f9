//! Watching: who waits for something to happen is woken by a hint, and then reads the log.
//!
//! A hint comes from a commit on this node, from another node's notice, or from the look at the log that
//! every node takes each second for all that is watched there. A lost hint costs that second, never an
//! event.

pub(super) mod account;
mod account_watch;
mod background;
pub(super) mod game;
mod hub;
mod known_games;
mod line;

pub use account::{AccountNews, AccountStream};
pub use background::Background;
pub use game::{GameNews, GameStream, LONGEST_WAIT};
pub(super) use hub::Hub;

use std::time::Duration;

/// A stream in which nothing happens says so after this long, unless told otherwise.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(15);
