//! Authentication: verifies tokens, and signals when they become invalid.

use std::collections::HashMap;
use std::time::Instant;

use tokio::sync::watch;
use uuid::Uuid;

use super::authority::is_of;
use super::caller::Caller;
use super::restrictions::{Restrictions, SecondStep};
use super::session_cache::UsedGeneration;
use super::sessions::Sessions;
use super::tokens::{Claims, Role, TokenBinding};
use crate::base::failure::Failure;
use estimation_engine::player::AccountId;
use estimation_store::sessions::{self, ActiveSession};
use estimation_store::{Connection, Id, Server};

impl Sessions {
    /// The claims of a token with a valid signature and time; the session may have ended.
    pub fn claims(&self, token: &str) -> Option<Claims> {
        self.keys.tokens.verify(token, self.clock.now()).ok()
    }

    /// Verifies an access token. It becomes invalid with its session, and when the account's role changes.
    ///
    /// # Errors
    /// [`Failure::SecondStepRequired`] for a session that waits for its second step, and what the token or the session
    /// is refused for.
    pub async fn authenticate(&self, token: &str) -> Result<Caller, Failure> {
        let caller = self.authenticate_pending(token).await?;
        caller.restrictions.refuse_waiting()?;
        Ok(caller)
    }

    /// As [`authenticate`](Sessions::authenticate), also for a session that waits for its second step.
    ///
    /// # Errors
    /// What the token or the session is refused for.
    pub async fn authenticate_pending(&self, token: &str) -> Result<Caller, Failure> {
        let claims = self.keys.tokens.verify(token, self.clock.now())?;
        let binding = TokenBinding { account: claims.account, session: claims.session, role: claims.role };
        let restrictions = self.restrictions_of(binding, claims.generation).await?;
        let mut restrictions = restrictions.ok_or(Failure::SessionEnded)?;
        let account = AccountId::new(claims.account);
        self.recent_calls.record(&account);
        let Claims { session, role, signed_in_at, .. } = claims;
        if role != Role::Player
            && self.settings.second_step_for_roles
            && restrictions.second_step == SecondStep::None
        {
            restrictions.second_step = SecondStep::Missing;
        }
        Ok(Caller { account, session, role, signed_in_at, restrictions })
    }

    /// The restrictions of the account if tokens with this binding are valid. Notes that one of this generation was used.
    async fn restrictions_of(
        &self,
        binding: TokenBinding,
        generation: i64,
    ) -> Result<Option<Restrictions>, Failure> {
        let asked = Instant::now();
        match self.cache.get(binding, generation, asked) {
            // It may have passed its second step on another node a moment ago.
            Some(Some(restrictions)) if restrictions.is_pending() => {}
            Some(Some(restrictions))
                if binding.role != Role::Player && restrictions.may_refuse(self.clock.now()) => {}
            Some(restrictions) => return Ok(restrictions),
            None => {}
        }
        let (id, began_after) = (Id(binding.session), self.sessions_began_after());
        let found = self.database.read(move |conn| sessions::active(conn, &[id], began_after)).await?;
        let living = found.iter().find(|session| is_of(session, binding));
        let written = living.map_or(0, |session| session.used_generation);
        let restrictions = living.map(Restrictions::of);
        self.cache.record(binding, restrictions, written, asked);
        let is_full = self.cache.get(binding, generation, asked).is_none();
        if is_full && living.is_some() && generation > written {
            self.write_used(vec![UsedGeneration { binding, generation }]).await?;
        }
        Ok(restrictions)
    }

    /// Writes which generations were used first since the last call.
    pub(crate) async fn write_used_generations(&self) -> Result<(), Failure> {
        let used = self.cache.unwritten();
        if used.is_empty() { Ok(()) } else { self.write_used(used).await }
    }

    async fn write_used(&self, used: Vec<UsedGeneration>) -> Result<(), Failure> {
        let uses: Vec<(Id, i64)> =
            used.iter().map(|used| (Id(used.binding.session), used.generation)).collect();
        let write = move |conn: &mut Connection| {
            uses.iter()
                .try_for_each(|(session, generation)| sessions::use_generation(conn, *session, *generation))
        };
        self.database.write(Server, write).await?;
        self.cache.wrote(&used);
        Ok(())
    }

    /// Checks all recently used sessions in one query.
    pub(crate) async fn poll(&self) -> Result<(), Failure> {
        let asked = Instant::now();
        let recently_used = self.cache.recently_used(asked);
        if recently_used.is_empty() {
            return Ok(());
        }
        let ids: Vec<Id> = recently_used.iter().map(|binding| Id(binding.session)).collect();
        let began_after = self.sessions_began_after();
        let found = self.database.read(move |conn| sessions::active(conn, &ids, began_after)).await?;
        let found: HashMap<Id, &ActiveSession> = found.iter().map(|session| (session.id, session)).collect();
        for binding in recently_used {
            let session = found.get(&Id(binding.session));
            let living = session.filter(|session| is_of(session, binding));
            let written = living.map_or(0, |session| session.used_generation);
            let restrictions = living.map(|session| Restrictions::of(session));
            self.cache.record(binding, restrictions, written, asked);
        }
        Ok(())
    }

    /// Records that a session has begun, or was refreshed, on this node. `written` is the newest generation of
    /// which the database knows a use. The first request reads the restrictions of the account.
    pub(super) fn session_began(&self, binding: TokenBinding, written: i64, asked: Instant) {
        self.cache.begin(binding, written, asked);
    }

    /// What this node knows of the account's sessions is read again with the next request.
    pub(crate) fn second_step_changed(&self, account: &AccountId) {
        let account: Uuid = account.as_str().parse().unwrap_or_default();
        self.cache.distrust(|binding| binding.account == account);
    }

    /// Signals when the caller's token becomes invalid, or must pass a second step.
    pub(crate) fn session_end(&self, caller: &Caller) -> watch::Receiver<bool> {
        self.cache.watch(caller.binding(), Instant::now())
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
