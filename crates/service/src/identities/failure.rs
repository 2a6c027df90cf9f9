//! Why a use case of identities fails.

use thiserror::Error;

use super::id_token::TokenFault;
use crate::accounts::failure::AccountFailure;
use crate::auth::failure::AuthFailure;
use crate::base::failure::{Failure, conversions};

#[derive(Debug, Error)]
pub enum IdentityFailure {
    #[error(transparent)]
    Common(#[from] Failure),
    #[error(transparent)]
    Auth(AuthFailure),
    #[error(transparent)]
    Account(AccountFailure),
    #[error("the id token is not accepted: {0}")]
    IdToken(#[from] TokenFault),
    /// The server did not give the nonce out, or it has expired or was used.
    #[error("the nonce is not valid")]
    Nonce,
    /// The issuer does not exchange the authorization code.
    #[error("the issuer refuses the authorization code")]
    AuthorizationCode,
    /// The issuer did not answer, or not as it should.
    #[error("the issuer does not answer")]
    IssuerUnavailable,
    /// An account has the identity.
    #[error("an account has this identity")]
    Taken,
    #[error("the account has the most identities")]
    TooMany,
    /// Without it, nobody could sign in to the account.
    #[error("the account has no other way in")]
    LastWayIn,
}

conversions!(IdentityFailure, Auth(AuthFailure), Account(AccountFailure));
