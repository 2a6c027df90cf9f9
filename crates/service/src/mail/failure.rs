//! Why a use case of mail fails.

use thiserror::Error;

use crate::accounts::failure::AccountFailure;
use crate::auth::failure::AuthFailure;
use crate::base::failure::{Failure, conversions};

#[derive(Debug, Error)]
pub enum MailFailure {
    #[error(transparent)]
    Common(#[from] Failure),
    #[error(transparent)]
    Auth(AuthFailure),
    #[error(transparent)]
    Account(AccountFailure),
    /// The operator has not set a mail server.
    #[error("this server sends no mail")]
    Off,
}

conversions!(MailFailure, Auth(AuthFailure), Account(AccountFailure));
