//! Who is calling.

use uuid::Uuid;

use super::app::App;
use super::failure::Failure;
use super::tokens::Role;
use crate::engine::player::AccountId;

/// Somebody who has shown a valid access token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Their account.
    pub account: AccountId,
    /// The session the token belongs to.
    pub session: Uuid,
    /// What they may do beside playing.
    pub role: Role,
}

impl App {
    /// Verifies an access token.
    pub fn authenticate(&self, token: &str) -> Result<Caller, Failure> {
        let claims = self.tokens.verify(token, self.now())?;
        Ok(Caller {
            account: AccountId::new(claims.account.to_string()),
            session: claims.session,
            role: claims.role,
        })
    }
}
