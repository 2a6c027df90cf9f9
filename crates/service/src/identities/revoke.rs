//! Revokes the grants of deleted accounts at their issuers.

use jiff::SignedDuration;

use super::Identities;
use super::grant::GrantToken;
use crate::base::failure::{Failure, milliseconds};
use estimation_store::identities::{self, RevocationRow};
use estimation_store::{Connection, Server};

/// How long a node has for a grant before another one tries, in milliseconds. Each of its three requests takes at most ten
/// seconds.
const ATTEMPT: i64 = 60_000;

/// The pause after a failed attempt, in milliseconds.
const PAUSE: i64 = 10 * 60_000;

/// How long an attempt is repeated.
const PATIENCE: SignedDuration = SignedDuration::from_hours(24);

impl Identities {
    /// Revokes the grants that are due.
    pub(crate) async fn revoke_due(&self) -> Result<(), Failure> {
        if self.issuers.is_empty() {
            return Ok(());
        }
        loop {
            let now = milliseconds(self.clock.now());
            if !self.database.read(move |conn| identities::any_revocation_due(conn, now)).await? {
                return Ok(());
            }
            let take = move |conn: &mut Connection| identities::take_revocation(conn, now, now + ATTEMPT);
            let Some(grant) = self.database.write(Server, take).await? else { return Ok(()) };
            let id = grant.id;
            if self.revoke(&grant).await {
                self.database.write(Server, move |conn| identities::end_revocation(conn, id)).await?;
            } else {
                let at = milliseconds(self.clock.now()) + PAUSE;
                self.database.write(Server, move |conn| identities::retry_revocation(conn, id, at)).await?;
            }
        }
    }

    /// Revokes a grant. Returns whether there is nothing left to do.
    async fn revoke(&self, grant: &RevocationRow) -> bool {
        let now = self.clock.now();
        let issuer = self.issuers.values().find(|issuer| issuer.settings.issuer == grant.issuer);
        let token = GrantToken::open(&self.sessions.refresh_key(), &grant.id.to_string(), &grant.grant_token);
        let (Some(issuer), Some(token)) = (issuer, token) else {
            tracing::warn!(issuer = grant.issuer, "a grant cannot be revoked: its issuer or its key is gone");
            return true;
        };
        if issuer.revoke(&grant.audience, &token, now).await {
            return true;
        }
        let is_given_up = milliseconds(now) - grant.created_at.milliseconds() > PATIENCE.as_millis() as i64;
        if is_given_up {
            tracing::warn!(issuer = grant.issuer, "a grant could not be revoked for a day and is given up");
        }
        is_given_up
    }
}
