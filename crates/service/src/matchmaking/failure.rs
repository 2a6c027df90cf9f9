//! Why a use case of matchmaking fails.

pub use crate::base::failure::Failure as MatchmakingFailure;
