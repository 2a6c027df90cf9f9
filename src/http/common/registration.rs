//! The answer of the operations that create an account, or may do so.

use serde::Serialize;
use utoipa::ToSchema;

use estimation_service::accounts::Account;
use estimation_service::accounts::recovery::RecoveryCodeText;
use estimation_service::auth::sessions::Session;

/// An account and its new session.
#[derive(Serialize, ToSchema)]
pub(in crate::http) struct Registration {
    /// The account.
    pub(in crate::http) account: Account,
    /// The session.
    pub(in crate::http) session: Session,
    /// The recovery codes of a new account, which are shown only now: each signs in once, without the password. Empty for a
    /// guest, who gets some with `POST /v1/me/recovery-codes`.
    #[schema(value_type = Vec<RecoveryCodeText>, max_items = 10)]
    pub(in crate::http) recovery_codes: Vec<String>,
}
