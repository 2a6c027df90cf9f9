//! Why a use case of watch fails.

pub use crate::base::failure::Failure as WatchFailure;
