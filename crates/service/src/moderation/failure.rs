//! Why a use case of moderation fails.

use thiserror::Error;

use crate::auth::failure::AuthFailure;
use crate::base::failure::{Failure, conversions};
use crate::games::failure::GameFailure;

#[derive(Debug, Error)]
pub enum ModerationFailure {
    #[error(transparent)]
    Common(#[from] Failure),
    #[error(transparent)]
    Auth(AuthFailure),
    #[error(transparent)]
    Game(GameFailure),
    /// The reporter has a report about this player and game.
    #[error("you have reported this player for this game already")]
    ReportedAlready,
    /// The player has an appeal that waits for a decision.
    #[error("your appeal waits for a decision")]
    AppealedAlready,
    /// No measure of a moderator is in effect.
    #[error("the account is in good standing")]
    NothingToAppeal,
    /// The account has a role, and the caller is no admin; or it is the caller's own.
    #[error("a moderator acts on players alone, and nobody on their own account")]
    Protected,
    #[error("no other account is an admin")]
    LastAdmin,
    /// The account has no email address, or the server sends no mail.
    #[error("no mail can be sent to the account")]
    NoEmailAddress,
    #[error("the account has no second step")]
    NoSecondStep,
    /// The report was decided before.
    #[error("the report is decided already")]
    Decided,
}

conversions!(ModerationFailure, Auth(AuthFailure), Game(GameFailure));
