//! Sessions: signing in, and staying signed in by rotating refresh tokens.

use std::time::Duration;

use serde::Serialize;
use uuid::Uuid;

use super::accounts::check_username;
use super::app::App;
use super::failure::{Failure, milliseconds};
use super::passwords::{self, Password, Verdict};
use super::tokens::{ACCESS_TOKEN_LIFETIME, Grant, RefreshToken, Role};
use crate::store::refresh_tokens::RefreshToken as StoredToken;
use crate::store::sessions::SessionRow;
use crate::store::{Connection, StoreError, accounts, refresh_tokens, sessions};

/// How long a refresh token may be used.
const REFRESH_LIFETIME: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// How long a used refresh token may be presented again and gets the very same successor: a lost answer,
/// a race.
const GRACE: Duration = Duration::from_secs(60);

/// The longest name of a device, in characters.
const DEVICE_LENGTH: usize = 80;

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
}

/// What a presented refresh token leads to.
enum Rotation {
    Fresh { account: String, session: String, role: String },
    Reused,
    Unknown,
}

impl App {
    /// Signs in. An unknown user costs the same work as a wrong password.
    pub async fn log_in(
        &self,
        username: &str,
        password: &str,
        device: Option<String>,
    ) -> Result<Session, Failure> {
        let device = device_name(device)?;
        let password = Password::read(password).map_err(|_| Failure::WrongCredentials)?;
        let key = username.to_ascii_lowercase();
        // What can be nobody's name is not asked about: a database may stumble over it.
        let account = match check_username(&key) {
            Ok(()) => self.database.read(move |conn| accounts::find_by_username_key(conn, &key)).await?,
            Err(_) => None,
        };
        let stored: Option<String> = account.as_ref().and_then(|account| account.password_hash.clone());
        let verdict = self
            .hashing(move || match stored {
                Some(stored) => passwords::verify(&password, &stored),
                None => passwords::verify_nobody(&password),
            })
            .await?;
        let account = account.filter(|_| matches!(verdict, Verdict::Right { .. }));
        let account = account.ok_or(Failure::WrongCredentials)?;
        let (session, writing) = self.new_session(&account.id, &account.role, device)?;
        self.database.write(move |conn| writing.write(conn)).await?;
        Ok(session)
    }

    /// Exchanges a refresh token for the next session answer. A token presented again within the grace gets
    /// the same successor; later, or once the successor has been used, it ends the session.
    pub async fn refresh(&self, presented: &str) -> Result<Session, Failure> {
        let presented = RefreshToken::read(presented).map_err(|_| Failure::RefreshToken)?;
        let successor = presented.successor(&self.refresh_key);
        let (hash, next) = (presented.hash(), successor.hash());
        let now = milliseconds(self.now());
        let rotation = self.database.write(move |conn| rotate(conn, hash, next, now)).await?;
        match rotation {
            Rotation::Fresh { account, session, role } => {
                let grant =
                    Grant { account: id(&account)?, session: id(&session)?, role: role_named(&role)? };
                self.session(&grant, &successor)
            }
            Rotation::Reused => Err(Failure::RefreshTokenReused),
            Rotation::Unknown => Err(Failure::RefreshToken),
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
        Ok((answer, NewSession { row, token }))
    }

    fn session(&self, grant: &Grant, refresh: &RefreshToken) -> Result<Session, Failure> {
        Ok(Session {
            access_token: self.tokens.issue(grant, self.now())?.into_text(),
            token_type: "Bearer",
            expires_in: ACCESS_TOKEN_LIFETIME.as_secs().unsigned_abs(),
            refresh_token: refresh.expose().to_owned(),
            refresh_expires_in: REFRESH_LIFETIME.as_secs(),
            session_id: grant.session,
        })
    }

    /// Runs work on passwords off the event loop, a few at a time.
    pub(super) async fn hashing<T, E>(
        &self,
        work: impl FnOnce() -> Result<T, E> + Send + 'static,
    ) -> Result<T, Failure>
    where
        T: Send + 'static,
        E: Send + 'static,
        Failure: From<E>,
    {
        let defect = |detail: String| Failure::Defect(detail);
        let _turn = self.hashing.acquire().await.map_err(|error| defect(error.to_string()))?;
        let done = tokio::task::spawn_blocking(work).await.map_err(|error| defect(error.to_string()))?;
        Ok(done?)
    }
}

/// The rows of a new session.
#[derive(Clone)]
pub(super) struct NewSession {
    row: SessionRow,
    token: StoredToken,
}

impl NewSession {
    /// Writes them; the account must be there.
    pub(super) fn write(&self, conn: &mut Connection) -> Result<(), StoreError> {
        sessions::insert(conn, &self.row)?;
        refresh_tokens::insert(conn, &self.token)
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

/// Decides about a presented token and writes what follows, in one unit of work.
fn rotate(conn: &mut Connection, hash: [u8; 32], next: [u8; 32], now: i64) -> Result<Rotation, StoreError> {
    let Some(token) = refresh_tokens::find(conn, &hash)? else { return Ok(Rotation::Unknown) };
    let session = sessions::find(conn, &token.session_id)?.filter(|session| session.ended_at.is_none());
    let (Some(session), true) = (session, now < token.expires_at) else { return Ok(Rotation::Unknown) };
    let Some(account) = accounts::find(conn, &token.account_id)? else { return Ok(Rotation::Unknown) };
    if let Some(used_at) = token.used_at {
        let successor_used = refresh_tokens::find(conn, &next)?.is_none_or(|next| next.used_at.is_some());
        if successor_used || now - used_at > GRACE.as_millis() as i64 {
            sessions::end(conn, &session.id, now)?;
            return Ok(Rotation::Reused);
        }
    } else {
        refresh_tokens::insert(conn, &stored(next, &session, now))?;
        refresh_tokens::mark_used(conn, &hash, &next, now)?;
        sessions::touch(conn, &session.id, now)?;
    }
    Ok(Rotation::Fresh { account: account.id, session: session.id, role: account.role })
}

fn device_name(device: Option<String>) -> Result<Option<String>, Failure> {
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
