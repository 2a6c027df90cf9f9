//! Why a use case of moderation fails.

pub use crate::base::failure::Failure as ModerationFailure;
