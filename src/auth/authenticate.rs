//! Authentication: verifies tokens, and signals when they become invalid.

use std::collections::HashMap;
use std::time::Instant;

use tokio::sync::watch;
use uuid::Uuid;

use super::caller::Caller;
use super::sessions::Sessions;
use super::tokens::{Claims, Role, TokenBinding};
use crate::app::failure::Failure;
use crate::engine::player::AccountId;
use crate::store::sessions::{self, ActiveSession};

impl Sessions {
    /// The claims of a token with a valid signature and time; the session may have ended.
    pub fn claims(&self, token: &str) -> Option<Claims> {
        self.keys.tokens.verify(token, self.clock.now()).ok()
    }

    /// Verifies an access token. It becomes invalid with its session, and when the account's role changes.
    pub async fn authenticate(&self, token: &str) -> Result<Caller, Failure> {
        let claims = self.keys.tokens.verify(token, self.clock.now())?;
        let grant = TokenBinding { account: claims.account, session: claims.session, role: claims.role };
        if !self.session_lives(grant).await? {
            return Err(Failure::SessionEnded);
        }
        let account = AccountId::new(claims.account);
        self.presence.called(&account);
        Ok(Caller { account, session: claims.session, role: claims.role })
    }

    /// Whether tokens with this binding are valid.
    pub(crate) async fn session_lives(&self, binding: TokenBinding) -> Result<bool, Failure> {
        let asked = Instant::now();
        if let Some(lives) = self.cache.get(binding, asked) {
            return Ok(lives);
        }
        let (id, began_after) = (binding.session.to_string(), self.sessions_began_after());
        let found = self.database.read(move |conn| sessions::active(conn, &[id], began_after)).await?;
        let lives = found.iter().any(|session| matches_binding(session, binding));
        self.cache.record(binding, lives, asked);
        Ok(lives)
    }

    /// Checks all recently used sessions in one query.
    pub(crate) async fn poll(&self) -> Result<(), Failure> {
        let asked = Instant::now();
        let recently_used = self.cache.recently_used(asked);
        if recently_used.is_empty() {
            return Ok(());
        }
        let ids: Vec<String> = recently_used.iter().map(|binding| binding.session.to_string()).collect();
        let began_after = self.sessions_began_after();
        let found = self.database.read(move |conn| sessions::active(conn, &ids, began_after)).await?;
        let found: HashMap<&str, &ActiveSession> =
            found.iter().map(|session| (session.id.as_str(), session)).collect();
        for binding in recently_used {
            let session = found.get(binding.session.to_string().as_str());
            let lives = session.is_some_and(|session| matches_binding(session, binding));
            self.cache.record(binding, lives, asked);
        }
        Ok(())
    }

    /// Records that a session has begun, or was refreshed, on this node.
    pub(crate) fn session_began(&self, binding: TokenBinding, asked: Instant) {
        self.cache.record(binding, true, asked);
    }

    /// Signals when the caller's token becomes invalid.
    pub(crate) fn session_end(&self, caller: &Caller) -> watch::Receiver<bool> {
        let account = caller.account.as_str().parse().unwrap_or_default();
        self.cache.watch(TokenBinding { account, session: caller.session, role: caller.role }, Instant::now())
    }

    /// Invalidates a session's tokens on this node at once.
    pub(crate) fn session_ended(&self, session: Uuid) {
        self.cache.end(|binding| binding.session == session);
        self.keys.tokens.forget_session(session);
    }

    /// Invalidates the sessions of an account, except `but`.
    pub(crate) fn sessions_ended(&self, account: &AccountId, but: Option<Uuid>) {
        let account: Uuid = account.as_str().parse().unwrap_or_default();
        self.cache.end(|binding| binding.account == account && Some(binding.session) != but);
    }

    /// Invalidates an account's tokens that were issued for another role.
    pub(crate) fn role_changed(&self, account: &AccountId, role: Role) {
        let account: Uuid = account.as_str().parse().unwrap_or_default();
        self.cache.end(|binding| binding.account == account && binding.role != role);
    }
}

/// Whether an active session matches a token's binding.
fn matches_binding(session: &ActiveSession, binding: TokenBinding) -> bool {
    session.id == binding.session.to_string()
        && session.account.as_str() == binding.account.to_string()
        && session.role == binding.role.as_str()
}
