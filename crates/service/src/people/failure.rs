//! Why a use case of people fails.

pub use crate::base::failure::Failure as PeopleFailure;

/// The answer for a player who does not exist, and for one who is hidden from the caller.
pub(super) fn no_player() -> PeopleFailure {
    PeopleFailure::NotFound { what: "player" }
}
