//! Why a reaction is refused.

use thiserror::Error;

use crate::auth::failure::AuthFailure;
use crate::base::failure::Failure;
use crate::games::failure::GameFailure;

#[derive(Debug, Error)]
pub enum TalkFailure {
    #[error(transparent)]
    Game(#[from] GameFailure),
    #[error("this table is silent")]
    Off,
    /// The player reacted within the last three seconds.
    #[error("a player reacts once in three seconds")]
    TooFast {
        /// Seconds until the next reaction is allowed.
        retry_after: u64,
    },
    /// The player reacted so often in this round.
    #[error("a player reacts {limit} times in a round")]
    TooMany { limit: u32 },
}

impl From<AuthFailure> for TalkFailure {
    fn from(failure: AuthFailure) -> TalkFailure {
        TalkFailure::Game(failure.into())
    }
}

impl From<Failure> for TalkFailure {
    fn from(failure: Failure) -> TalkFailure {
        TalkFailure::Game(failure.into())
    }
}
