//! Refreshing a session: each refresh token is exchanged for one successor.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::security;
use super::sessions::{Ongoing, Session, SessionSettings, Sessions, stored};
use super::throttle::{Limited, too_many};
use super::tokens::RefreshToken;
use crate::app::completion::run_to_completion;
use crate::app::failure::{Failure, milliseconds, stored_id};
use crate::store::accounts::AccountRow;
use crate::store::attempts::{self, Attempt};
use crate::store::refresh_tokens::RefreshToken as StoredToken;
use crate::store::{Connection, StoreError, accounts, refresh_tokens, sessions};

/// The grace period in which a used refresh token yields the same successor again. It covers lost answers and
/// races.
const GRACE: Duration = Duration::from_secs(60);

enum Rotation {
    Fresh { account: AccountRow, session: String, end: Option<i64> },
    Reused { session: String },
    Unknown,
    TooMany { wait: i64 },
}

impl Sessions {
    /// Exchanges a refresh token for a new session answer. A token reused within the grace period gets the
    /// same successor. Reuse later, or after the successor was used, ends the session.
    pub async fn refresh(
        self: &Arc<Sessions>,
        presented: &str,
        address: Option<IpAddr>,
    ) -> Result<Session, Failure> {
        let presented = RefreshToken::read(presented).map_err(|_| Failure::RefreshToken)?;
        let successor = presented.successor(&self.keys.refresh_key());
        let (hash, next) = (presented.hash(), successor.hash());
        let time = self.clock.now();
        let now = milliseconds(time);
        let asked = Instant::now();
        let (meter, settings) = (self.throttle.meter(), self.settings);
        let app = Arc::clone(self);
        let rotating = async move {
            let rotation = app.database.write(move |conn| {
                let Some(token) = refresh_tokens::find(conn, &hash)? else {
                    let attempt = meter.attempt_from(Limited::RefreshByAddress, address);
                    return count(conn, attempt, now, |_| Ok(Rotation::Unknown));
                };
                let attempt = meter.attempt(Limited::RefreshByAccount, token.account_id.as_str().as_bytes());
                count(conn, attempt, now, |conn| rotate(conn, &token, next, now, &settings))
            });
            match rotation.await? {
                Rotation::Fresh { account, session, end } => {
                    let ongoing = Ongoing::of(&account, &session, end)?;
                    app.session_began(ongoing.grant, asked);
                    app.session(&ongoing, &successor, time)
                }
                Rotation::Reused { session } => {
                    app.session_ended(stored_id(&session)?);
                    security::refresh_reused(&session, address);
                    Err(Failure::RefreshTokenReused)
                }
                Rotation::Unknown => Err(Failure::RefreshToken),
                Rotation::TooMany { wait } => {
                    security::throttled("refresh");
                    Err(too_many(wait, "refresh"))
                }
            }
        };
        run_to_completion(rotating).await
    }
}

/// Counts a refresh attempt; proceeds if the limit allows it.
fn count(
    conn: &mut Connection,
    attempt: Option<Attempt>,
    now: i64,
    go_on: impl FnOnce(&mut Connection) -> Result<Rotation, StoreError>,
) -> Result<Rotation, StoreError> {
    match attempts::count(conn, attempt.as_slice(), now)? {
        Some(wait) => Ok(Rotation::TooMany { wait }),
        None => go_on(conn),
    }
}

/// Decides on a presented token and writes the outcome, in one transaction.
fn rotate(
    conn: &mut Connection,
    token: &StoredToken,
    next: [u8; 32],
    now: i64,
    settings: &SessionSettings,
) -> Result<Rotation, StoreError> {
    let session = sessions::find(conn, &token.session_id)?.filter(|session| session.ended_at.is_none());
    let (Some(session), true) = (session, now < token.expires_at) else { return Ok(Rotation::Unknown) };
    let end = settings.end(session.created_at);
    // The remaining time is reported in whole seconds, and a token is valid for at least one.
    if end.is_some_and(|end| end < now + 1_000) {
        return Ok(Rotation::Unknown);
    }
    let Some(account) = accounts::find(conn, &token.account_id)? else { return Ok(Rotation::Unknown) };
    // The node that marks the token first exchanges it; a slower node waits for that and sees a repeat.
    let used_at = if token.used_at.is_none() && refresh_tokens::mark_used(conn, &token.hash, &next, now)? {
        refresh_tokens::insert(conn, &stored(next, &session, now, end))?;
        sessions::touch(conn, &session.id, now)?;
        None
    } else {
        refresh_tokens::find(conn, &token.hash)?.and_then(|token| token.used_at)
    };
    if let Some(used_at) = used_at {
        let successor_used = refresh_tokens::find(conn, &next)?.is_none_or(|next| next.used_at.is_some());
        if successor_used || now - used_at > GRACE.as_millis() as i64 {
            sessions::end(conn, &session.id, now)?;
            return Ok(Rotation::Reused { session: session.id });
        }
    }
    Ok(Rotation::Fresh { account, session: session.id, end })
}
