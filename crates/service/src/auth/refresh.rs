//! Refreshing a session: each refresh token is exchanged for one successor.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::security;
use super::sessions::{Ongoing, Session, SessionSettings, Sessions, stored};
use super::throttle::{LimitKind, too_many};
use super::tokens::RefreshToken;
use crate::base::completion::run_to_completion;
use crate::base::failure::{Failure, milliseconds};
use estimation_store::accounts::AccountRow;
use estimation_store::attempts;
use estimation_store::refresh_tokens::RefreshToken as StoredToken;
use estimation_store::sessions::SessionRow;
use estimation_store::{Connection, Server, StoreError, accounts, refresh_tokens, sessions};

/// The grace period in which a used refresh token yields the same successor again, even if an access token of the
/// successor's generation was used. It covers races.
const GRACE: Duration = Duration::from_secs(60);

struct Exchange {
    account: AccountRow,
    session: SessionRow,
    successor: StoredToken,
    /// The latest end of the session, in milliseconds since 1970.
    end: Option<i64>,
}

impl Sessions {
    /// Exchanges a refresh token for a new session answer. A used token gets the same successor again, within the
    /// grace period and then until an access token of the successor's generation was used. Reuse after that, or
    /// after the successor was used, ends the session.
    pub async fn refresh(
        self: &Arc<Sessions>,
        presented: &str,
        address: Option<IpAddr>,
    ) -> Result<Session, Failure> {
        let presented = RefreshToken::read(presented).map_err(|_| Failure::RefreshTokenInvalid)?;
        let successor = presented.successor(&self.keys.refresh_key());
        let (hash, next) = (presented.hash(), successor.hash());
        let time = self.clock.now();
        let now = milliseconds(time);
        let asked = Instant::now();
        let (meter, settings) = (self.throttle.meter(), self.settings);
        let (app, exchanging) = (Arc::clone(self), Arc::clone(self));
        let rotating = async move {
            let Some(token) = app.database.read(move |conn| refresh_tokens::find(conn, &hash)).await? else {
                let attempt = meter.attempt_from(LimitKind::RefreshByAddress, address);
                app.throttle.count(attempt.into_iter().collect()).await?;
                return Err(Failure::RefreshTokenInvalid);
            };
            let attempt = meter.attempt(LimitKind::RefreshByAccount, token.account_id.as_str().as_bytes());
            let session = token.session_id;
            let rotating = app.database.write(Server, move |conn| {
                if let Some(exceeded) = attempts::count(conn, attempt.as_slice(), now)? {
                    return Err(too_many(exceeded));
                }
                rotate(conn, &token, next, now, &settings, || exchanging.used_generation_here(&token))
            });
            let rotated = rotating.await;
            if let Err(Failure::RefreshTokenReused) = &rotated {
                app.database.write(Server, move |conn| sessions::end(conn, session, now)).await?;
                app.session_ended(session.0);
                security::refresh_reused(session.0, address);
            }
            if let Err(Failure::RefreshTokenInvalid | Failure::RefreshTokenReused) = &rotated {
                // The refused unit has left no count.
                app.throttle.count(attempt.into_iter().collect()).await?;
            }
            let Exchange { account, session, successor: row, end } = rotated?;
            let ongoing = Ongoing::of(&account, &session, &row, end)?;
            app.session_began(ongoing.grant.binding, session.used_generation, asked);
            app.session(&ongoing, &successor, time)
        };
        run_to_completion(rotating).await
    }

    /// The newest generation of the token's session of which an access token was used on this node. The database
    /// may not have it yet.
    fn used_generation_here(&self, token: &StoredToken) -> i64 {
        let Ok(account) = token.account_id.as_str().parse() else { return 0 };
        self.cache.used_generation(account, token.session_id.0)
    }
}

/// Exchanges a presented token for its successor, in one transaction.
///
/// # Errors
/// [`Failure::RefreshTokenInvalid`]; [`Failure::RefreshTokenReused`], whereupon the session is to end.
fn rotate(
    conn: &mut Connection,
    token: &StoredToken,
    next: [u8; 32],
    now: i64,
    settings: &SessionSettings,
    used_here: impl FnOnce() -> i64,
) -> Result<Exchange, Failure> {
    let session = sessions::find(conn, token.session_id)?.filter(|session| session.ended_at.is_none());
    let (Some(session), true) = (session, now < token.expires_at) else {
        return Err(Failure::RefreshTokenInvalid);
    };
    let end = settings.end(session.created_at);
    // The remaining time is reported in whole seconds, and a token is valid for at least one.
    if end.is_some_and(|end| end < now + 1_000) {
        return Err(Failure::RefreshTokenInvalid);
    }
    let Some(account) = accounts::find(conn, &token.account_id)? else {
        return Err(Failure::RefreshTokenInvalid);
    };
    let successor = stored(next, &session, token.generation + 1, now, end);
    // The node that marks the token first exchanges it; a slower node waits for that and sees a repeat.
    if token.used_at.is_none() && refresh_tokens::mark_used(conn, &token.hash, &successor, now)? {
        refresh_tokens::insert(conn, &successor)?;
        sessions::touch(conn, session.id, now)?;
        return Ok(Exchange { account, session, successor, end });
    }
    let used_generation = session.used_generation.max(used_here());
    match repeated(conn, token, next, used_generation, now)? {
        // As for the session: a token is valid for at least a second.
        Some(successor) if successor.expires_at < now + 1_000 => Err(Failure::RefreshTokenInvalid),
        Some(successor) => Ok(Exchange { account, session, successor, end }),
        None => Err(Failure::RefreshTokenReused),
    }
}

/// The successor of a token that was exchanged before, if the token may be exchanged once more. `used_generation` was
/// read before: if it is the answer to another repeat that was used, this one sees that repeat.
fn repeated(
    conn: &mut Connection,
    token: &StoredToken,
    next: [u8; 32],
    used_generation: i64,
    now: i64,
) -> Result<Option<StoredToken>, StoreError> {
    let successor = refresh_tokens::find(conn, &next)?.filter(|next| next.used_at.is_none());
    let used_at = refresh_tokens::find(conn, &token.hash)?.and_then(|token| token.used_at);
    let (Some(successor), Some(used_at)) = (successor, used_at) else { return Ok(None) };
    if now - used_at > GRACE.as_millis() as i64 {
        if used_generation >= successor.generation {
            return Ok(None);
        }
        // The client has received nothing so far. Its parallel requests get the same grace as after the first exchange.
        refresh_tokens::mark_repeated(conn, &token.hash, now)?;
    }
    Ok(Some(successor))
}
