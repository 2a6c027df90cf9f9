//! The answer of the operations that create an account.

use serde::Serialize;
use utoipa::ToSchema;

use estimation_service::accounts::Account;
use estimation_service::auth::sessions::Session;

/// A new account and its first session.
#[derive(Serialize, ToSchema)]
pub(in crate::http) struct Registration {
    /// The account.
    pub(in crate::http) account: Account,
    /// The account's first session.
    pub(in crate::http) session: Session,
}
