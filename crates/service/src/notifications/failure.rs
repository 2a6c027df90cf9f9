//! Why a use case of notices fails.

pub use crate::base::failure::Failure as NotificationFailure;
