//! Why a use case of identities fails.

pub use crate::base::failure::Failure as IdentityFailure;
