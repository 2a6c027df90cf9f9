//! Sessions: signing in, and staying signed in by rotating refresh tokens.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use serde::Serialize;
use uuid::Uuid;

use super::app::App;
use super::failure::{Failure, milliseconds};
use super::living::Bond;
use super::security;
use super::throttle::{Limited, too_many};
use super::tokens::{ACCESS_TOKEN_LIFETIME, Grant, RefreshToken, Role, device_token};
use crate::store::attempts::{self, Attempt};
use crate::store::refresh_tokens::RefreshToken as StoredToken;
use crate::store::sessions::SessionRow;
use crate::store::{Connection, StoreError, accounts, refresh_tokens, sessions};

/// How long a refresh token may be used.
pub(super) const REFRESH_LIFETIME: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// How long a used refresh token may be presented again and gets the very same successor: a lost answer,
/// a race.
const GRACE: Duration = Duration::from_secs(60);

/// The longest name of a device, in characters.
const DEVICE_LENGTH: usize = 80;

/// How many sessions there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionSettings {
    /// How many sessions an account has at most, at least 1. With one more the one that was unused longest ends.
    pub per_account: u32,
}

impl Default for SessionSettings {
    fn default() -> SessionSettings {
        SessionSettings { per_account: 50 }
    }
}

/// A session as its owner gets it.
#[derive(Serialize)]
pub struct Session {
    /// The token for the `Authorization` header.
    pub access_token: String,
    /// Always `Bearer`.
    pub token_type: &'static str,
    /// Seconds the access token may be used.
    pub expires_in: u64,
    /// The token that gets the next session answer.
    pub refresh_token: String,
    /// Seconds the refresh token may be used.
    pub refresh_expires_in: u64,
    /// The session's id.
    pub session_id: Uuid,
    /// Shows that this device has signed in before.
    pub device_token: String,
}

/// What a presented refresh token leads to.
enum Rotation {
    Fresh { account: String, session: String, role: String },
    Reused { session: String },
    Unknown,
    TooMany { wait: i64 },
}

impl App {
    /// Exchanges a refresh token for the next session answer. A token presented again within the grace gets
    /// the same successor; later, or once the successor has been used, it ends the session.
    pub async fn refresh(&self, presented: &str, address: Option<IpAddr>) -> Result<Session, Failure> {
        let presented = RefreshToken::read(presented).map_err(|_| Failure::RefreshToken)?;
        let successor = presented.successor(&self.refresh_key());
        let (hash, next) = (presented.hash(), successor.hash());
        let now = milliseconds(self.now());
        let asked = Instant::now();
        let meter = self.meter();
        let rotation = self.database.write(move |conn| {
            let Some(token) = refresh_tokens::find(conn, &hash)? else {
                let attempt = meter.attempt_from(Limited::RefreshByAddress, address);
                return count(conn, attempt, now, |_| Ok(Rotation::Unknown));
            };
            let attempt = meter.attempt(Limited::RefreshByAccount, token.account_id.as_bytes());
            count(conn, attempt, now, |conn| rotate(conn, &token, next, now))
        });
        let rotation = rotation.await?;
        match rotation {
            Rotation::Fresh { account, session, role } => {
                let grant =
                    Grant { account: id(&account)?, session: id(&session)?, role: role_named(&role)? };
                self.session_began((grant.session, grant.role), grant.account, asked);
                self.session(&grant, &successor)
            }
            Rotation::Reused { session } => {
                self.session_ended(id(&session)?);
                security::refresh_reused(&session, address);
                Err(Failure::RefreshTokenReused)
            }
            Rotation::Unknown => Err(Failure::RefreshToken),
            Rotation::TooMany { wait } => {
                security::throttled("refresh");
                Err(too_many(wait, "refresh"))
            }
        }
    }

    /// A new session of an account, and what must be written for it to be valid.
    pub(super) fn new_session(
        &self,
        account: &str,
        role: &str,
        device: Option<String>,
    ) -> Result<(Session, NewSession), Failure> {
        let now = milliseconds(self.now());
        let session = self.new_id();
        let refresh = RefreshToken::draw(&*self.entropy);
        let grant = Grant { account: id(account)?, session, role: role_named(role)? };
        let answer = self.session(&grant, &refresh)?;
        let row = SessionRow {
            id: session.to_string(),
            account_id: account.to_owned(),
            device,
            created_at: now,
            last_used_at: now,
            ended_at: None,
        };
        let token = stored(refresh.hash(), &row, now);
        let bond = ((grant.session, grant.role), grant.account, Instant::now());
        let most = self.sessions.per_account;
        Ok((answer, NewSession { row, token, bond, most }))
    }

    /// A new session has been written: its tokens are known to be good, and those it displaced are over.
    pub(super) fn begun(&self, (bond, account, asked): (Bond, Uuid, Instant), displaced: &[String]) {
        self.session_began(bond, account, asked);
        for session in displaced.iter().filter_map(|session| session.parse().ok()) {
            self.session_ended(session);
            security::session_ended(&account.to_string(), session, "too many sessions");
        }
    }

    fn session(&self, grant: &Grant, refresh: &RefreshToken) -> Result<Session, Failure> {
        Ok(Session {
            access_token: self.tokens.issue(grant, self.now())?.into_text(),
            token_type: "Bearer",
            expires_in: ACCESS_TOKEN_LIFETIME.as_secs().unsigned_abs(),
            refresh_token: refresh.expose().to_owned(),
            refresh_expires_in: REFRESH_LIFETIME.as_secs(),
            session_id: grant.session,
            device_token: device_token(&self.refresh_key(), grant.account, grant.session),
        })
    }
}

/// The rows of a new session.
#[derive(Clone)]
pub(super) struct NewSession {
    row: SessionRow,
    token: StoredToken,
    bond: (Bond, Uuid, Instant),
    /// How many sessions the account may have.
    most: u32,
}

impl NewSession {
    /// What its tokens are bound to.
    pub(super) fn bond(&self) -> (Bond, Uuid, Instant) {
        self.bond
    }

    /// Writes them, and returns the sessions that ended because the account had too many. The account must be
    /// there; where it may have other sessions, nodes must take turns ([`attempts::count`]).
    pub(super) fn write(&self, conn: &mut Connection) -> Result<Vec<String>, StoreError> {
        let SessionRow { id, account_id, created_at, .. } = &self.row;
        sessions::insert(conn, &self.row)?;
        refresh_tokens::insert(conn, &self.token)?;
        sessions::end_beyond(conn, account_id, self.most, id, *created_at)
    }
}

fn stored(hash: [u8; 32], session: &SessionRow, now: i64) -> StoredToken {
    StoredToken {
        hash,
        session_id: session.id.clone(),
        account_id: session.account_id.clone(),
        issued_at: now,
        expires_at: now + REFRESH_LIFETIME.as_millis() as i64,
        used_at: None,
        successor_hash: None,
    }
}

/// Counts an attempt at refreshing and, if there is room for it, goes on.
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

/// Decides about a presented token and writes what follows, in one unit of work.
fn rotate(
    conn: &mut Connection,
    token: &StoredToken,
    next: [u8; 32],
    now: i64,
) -> Result<Rotation, StoreError> {
    let session = sessions::find(conn, &token.session_id)?.filter(|session| session.ended_at.is_none());
    let (Some(session), true) = (session, now < token.expires_at) else { return Ok(Rotation::Unknown) };
    let Some(account) = accounts::find(conn, &token.account_id)? else { return Ok(Rotation::Unknown) };
    // Whoever marks it first exchanges it; another node that comes second waits for that, and sees a repeat.
    let used_at = if token.used_at.is_none() && refresh_tokens::mark_used(conn, &token.hash, &next, now)? {
        refresh_tokens::insert(conn, &stored(next, &session, now))?;
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
    Ok(Rotation::Fresh { account: account.id, session: session.id, role: account.role })
}

pub(super) fn device_name(device: Option<String>) -> Result<Option<String>, Failure> {
    match device {
        Some(name) if name.chars().count() > DEVICE_LENGTH || name.chars().any(char::is_control) => {
            let reason = format!("at most {DEVICE_LENGTH} characters, none of them control characters");
            Err(Failure::Field { field: "device", reason })
        }
        device => Ok(device),
    }
}

fn id(text: &str) -> Result<Uuid, Failure> {
    text.parse().map_err(|_| Failure::Defect(format!("{text:?} is no id")))
}

fn role_named(text: &str) -> Result<Role, Failure> {
    text.parse().map_err(|_| Failure::Defect(format!("{text:?} is no role")))
}
