//! Why a use case of matchmaking fails.

use thiserror::Error;

use crate::base::failure::Failure;
use crate::games::failure::GameFailure;
use crate::games::idempotency::IdempotencyFailure;
use estimation_record::RecordTime;
use estimation_store::{GameId, StoreError};

#[derive(Debug, Error)]
pub enum MatchmakingFailure {
    #[error(transparent)]
    Game(#[from] GameFailure),
    /// The account is already in the queue.
    #[error("you are already in the matchmaking queue")]
    WaitsAlready { game: GameId },
    /// The account missed several openings of client seeds.
    #[error("you missed openings of client seeds, and can join the queue again at {until}")]
    Barred {
        until: RecordTime,
        /// Seconds until then.
        retry_after: u64,
    },
}

impl From<Failure> for MatchmakingFailure {
    fn from(failure: Failure) -> MatchmakingFailure {
        MatchmakingFailure::Game(failure.into())
    }
}

impl From<StoreError> for MatchmakingFailure {
    fn from(error: StoreError) -> MatchmakingFailure {
        MatchmakingFailure::Game(error.into())
    }
}

impl From<IdempotencyFailure> for MatchmakingFailure {
    fn from(failure: IdempotencyFailure) -> MatchmakingFailure {
        MatchmakingFailure::Game(failure.into())
    }
}
