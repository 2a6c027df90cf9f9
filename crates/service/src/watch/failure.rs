//! Why a stream or a long poll fails.

use thiserror::Error;

use crate::base::failure::Failure;
use crate::games::failure::GameFailure;
use estimation_store::StoreError;

#[derive(Debug, Error)]
pub enum WatchFailure {
    #[error(transparent)]
    Game(#[from] GameFailure),
    #[error("too many streams are open")]
    TooManyStreams,
}

impl From<Failure> for WatchFailure {
    fn from(failure: Failure) -> WatchFailure {
        WatchFailure::Game(failure.into())
    }
}

impl From<StoreError> for WatchFailure {
    fn from(error: StoreError) -> WatchFailure {
        WatchFailure::Game(error.into())
    }
}
