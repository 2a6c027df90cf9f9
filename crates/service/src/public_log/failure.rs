//! Why a use case of the public log fails.

use thiserror::Error;

use crate::auth::failure::AuthFailure;
use crate::base::failure::{Failure, conversions};

#[derive(Debug, Error)]
pub enum LogFailure {
    #[error(transparent)]
    Common(#[from] Failure),
    #[error(transparent)]
    Auth(AuthFailure),
    /// The log is older than a checkpoint that was signed: the database was restored, or lost its end.
    #[error("the public log was rolled back: {detail}")]
    RolledBack { detail: String },
    /// A new log cannot be begun, for this reason.
    #[error("{0}")]
    Origin(String),
    #[error("no witness answers")]
    NoWitness,
}

conversions!(LogFailure, Auth(AuthFailure));
