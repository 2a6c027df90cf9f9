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
    /// The link is unknown, has expired or was used.
    #[error("the link is not valid")]
    Link,
}

conversions!(MailFailure, Auth(AuthFailure), Account(AccountFailure));
