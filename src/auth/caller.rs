//! Who is calling.

use uuid::Uuid;

use super::sessions::Sessions;
use super::tokens::{Claims, Role, TokenBinding};
use crate::app::failure::Failure;
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

impl Sessions {
    /// What an access token says that this service signed and whose time is now, whether or not its session
    /// lives.
    pub fn claims(&self, token: &str) -> Option<Claims> {
        self.keys.tokens.verify(token, self.clock.now()).ok()
    }

    /// Verifies an access token. It dies with its session, and with the role it was issued for.
    pub async fn authenticate(&self, token: &str) -> Result<Caller, Failure> {
        let claims = self.keys.tokens.verify(token, self.clock.now())?;
        let grant = TokenBinding { account: claims.account, session: claims.session, role: claims.role };
        if !self.session_lives(grant).await? {
            return Err(Failure::SessionEnded);
        }
        let account = AccountId::new(claims.account.to_string());
        self.presence.called(&account);
        Ok(Caller { account, session: claims.session, role: claims.role })
    }
}
