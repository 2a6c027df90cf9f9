//! Failures of tokens, keys and hashes, as failures of use cases.

use super::keys::KeyError;
use super::passwords::HashError;
use super::tokens::{SigningFailed, TokenError};
use crate::base::failure::Failure;

impl From<TokenError> for Failure {
    fn from(error: TokenError) -> Failure {
        match error {
            TokenError::Expired { .. } => Failure::TokenExpired,
            _ => Failure::TokenInvalid,
        }
    }
}

impl From<KeyError> for Failure {
    fn from(error: KeyError) -> Failure {
        Failure::Keys(error.to_string())
    }
}

impl From<SigningFailed> for Failure {
    fn from(error: SigningFailed) -> Failure {
        Failure::Defect(error.to_string())
    }
}

impl From<HashError> for Failure {
    fn from(error: HashError) -> Failure {
        Failure::Defect(error.to_string())
    }
}
