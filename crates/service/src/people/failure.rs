//! Why a use case of people fails.

use thiserror::Error;

use crate::auth::failure::AuthFailure;
use crate::base::failure::{Failure, conversions};
use crate::games::failure::GameFailure;

#[derive(Debug, Error)]
pub enum PeopleFailure {
    #[error(transparent)]
    Common(#[from] Failure),
    #[error(transparent)]
    Auth(AuthFailure),
    #[error(transparent)]
    Game(GameFailure),
    /// A list of the account, or the invitations to a table, are full.
    #[error("there is room for {limit} {what}")]
    TooMany {
        /// The plural of what there are too many of.
        what: &'static str,
        limit: i64,
    },
}

conversions!(PeopleFailure, Auth(AuthFailure), Game(GameFailure));

/// The answer for a player who does not exist, and for one who is hidden from the caller.
pub(super) fn no_player() -> PeopleFailure {
    Failure::NotFound { what: "player" }.into()
}
