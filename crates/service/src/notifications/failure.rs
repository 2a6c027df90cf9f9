//! Why a use case of notices fails.

use thiserror::Error;

use crate::auth::failure::AuthFailure;
use crate::base::failure::{Failure, conversions};
use crate::games::failure::GameFailure;

#[derive(Debug, Error)]
pub enum NotificationFailure {
    #[error(transparent)]
    Common(#[from] Failure),
    #[error(transparent)]
    Auth(AuthFailure),
    #[error(transparent)]
    Game(GameFailure),
    /// The operator has not set a contact for push services.
    #[error("this server sends no pushes to browsers")]
    PushOff,
}

conversions!(NotificationFailure, Auth(AuthFailure), Game(GameFailure));

impl NotificationFailure {
    /// Whether the database was not available: the same may succeed later.
    pub(crate) fn is_unavailable(&self) -> bool {
        matches!(self, NotificationFailure::Common(Failure::Store(error)) if error.is_unavailable())
    }
}
