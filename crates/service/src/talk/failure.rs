//! Why a use case of talk fails.

pub use crate::base::failure::Failure as TalkFailure;
