//! Why a use case of mail fails.

pub use crate::base::failure::Failure as MailFailure;
