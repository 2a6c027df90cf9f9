//! Sessions: opening them, their tokens, and their lifetime.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::active_keys::ActiveKeys;
use super::caller::RecentCalls;
use super::hashing::PasswordHasher;
use super::keys::RefreshKey;
use super::security;
use super::session_cache::{FRESH, SessionCache};
use super::throttle::Throttle;
use super::tokens::{ACCESS_TOKEN_LIFETIME, DeviceOwner, Grant, RefreshToken, TokenBinding, device_token};
use crate::base::clock::Clock;
use crate::base::entropy::Entropy;
use crate::base::failure::{Failure, FieldFault, milliseconds};
use crate::base::field_error::FieldCode;
use crate::base::ids::new_id;
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_store::accounts::AccountRow;
use estimation_store::refresh_tokens::RefreshToken as StoredToken;
use estimation_store::sessions::SessionRow;
use estimation_store::{Connection, Database, Id, StoreError, refresh_tokens, sessions};

/// How long a refresh token is valid.
pub(crate) const REFRESH_LIFETIME: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Limits on the number and lifetime of sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionSettings {
    /// Sessions per account, at least 1. A further one ends the least recently used.
    pub per_account: u32,
    /// The maximum age of a session, even if it is used; `None` for no limit.
    pub lifetime: Option<Duration>,
    /// For how long a request trusts what the node has read of a session.
    pub trusted: Duration,
    /// Whether accounts with a role need a second step for what the role allows.
    pub second_step_for_roles: bool,
}

impl Default for SessionSettings {
    fn default() -> SessionSettings {
        let lifetime = Some(Duration::from_secs(180 * 24 * 60 * 60));
        SessionSettings { per_account: 50, lifetime, trusted: FRESH, second_step_for_roles: true }
    }
}

impl SessionSettings {
    /// When a session that began at `began` ends, in milliseconds since 1970; `None` for never.
    pub(crate) fn end(&self, began: RecordTime) -> Option<i64> {
        let lifetime = i64::try_from(self.lifetime?.as_millis()).ok()?;
        began.milliseconds().checked_add(lifetime)
    }
}

/// A session with its tokens, as its owner gets it.
#[derive(Serialize, ToSchema)]
pub struct Session {
    /// The token for the `Authorization` header.
    #[schema(min_length = 1, max_length = 4096)]
    pub access_token: String,
    /// Always `Bearer`.
    #[schema(min_length = 6, max_length = 6, pattern = "^Bearer$", example = "Bearer")]
    pub token_type: &'static str,
    /// Seconds until the access token expires.
    #[schema(minimum = 1, maximum = 86400, example = 900)]
    pub expires_in: u64,
    /// The token that a refresh exchanges for new tokens.
    #[schema(min_length = 46, max_length = 46, pattern = "^rt_[A-Za-z0-9_-]{43}$")]
    pub refresh_token: String,
    /// Seconds until the refresh token expires.
    #[schema(minimum = 1, maximum = 31536000, example = 2592000)]
    pub refresh_expires_in: u64,
    /// The session's id.
    pub session_id: Uuid,
    /// Seconds until the session ends, even if it is used; null for no limit.
    #[schema(minimum = 1, maximum = 3153600000u32, example = 15552000)]
    pub session_expires_in: Option<u64>,
    /// Shows that this device has signed in before: send it when the player signs in again. It is worth
    /// nothing without the password. It is valid for 180 days, and until the password changes. Keep the
    /// newest.
    #[schema(min_length = 67, max_length = 67, pattern = "^dt_[A-Za-z0-9_-]{64}$")]
    pub device_token: String,
}

/// A running session, and the contents of its tokens.
pub(super) struct Ongoing {
    pub(super) grant: Grant,
    /// The number of password changes of the account.
    password_changes: i32,
    /// The latest end, in milliseconds since 1970.
    end: Option<i64>,
    /// When the refresh token expires, in milliseconds since 1970.
    refresh_expires_at: i64,
}

impl Ongoing {
    /// A session that ends at `end`, with its newest refresh token.
    pub(super) fn of(
        account: &AccountRow,
        session: &SessionRow,
        refresh: &StoredToken,
        end: Option<i64>,
    ) -> Result<Ongoing, Failure> {
        let binding = TokenBinding {
            account: account
                .id
                .as_str()
                .parse()
                .map_err(|_| Failure::Defect(format!("{:?} is no id", account.id)))?,
            session: session.id.0,
            role: account.role,
        };
        let time = |milliseconds| Timestamp::from_millisecond(milliseconds).ok();
        let grant = Grant {
            binding,
            generation: refresh.generation,
            signed_in_at: session.created_at.timestamp(),
            session_end: end.and_then(time),
        };
        Ok(Ongoing {
            grant,
            password_changes: account.password_changes,
            end,
            refresh_expires_at: refresh.expires_at,
        })
    }
}

pub struct Sessions {
    pub(crate) database: Database,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) keys: Arc<ActiveKeys>,
    pub(crate) throttle: Arc<Throttle>,
    pub(crate) hasher: Arc<PasswordHasher>,
    pub(crate) recent_calls: Arc<RecentCalls>,
    pub(crate) settings: SessionSettings,
    pub(crate) cache: SessionCache,
}

impl Sessions {
    /// The key of what is stored of secrets that players present.
    pub(crate) fn refresh_key(&self) -> Arc<RefreshKey> {
        self.keys.refresh_key()
    }

    /// Whether accounts with a role need a second step.
    pub(crate) fn needs_second_step_for_roles(&self) -> bool {
        self.settings.second_step_for_roles
    }

    /// A new session of an account, with the rows to write.
    pub(crate) fn new_session(
        &self,
        account: &AccountRow,
        device: Option<String>,
    ) -> Result<(Session, NewSession), Failure> {
        let time = self.clock.now();
        let now = milliseconds(time);
        let refresh = RefreshToken::draw(&*self.entropy);
        let row = SessionRow {
            id: Id(new_id(time, &*self.entropy)),
            account_id: account.id.clone(),
            device,
            created_at: time.into(),
            last_used_at: time.into(),
            ended_at: None,
            used_generation: 0,
            second_step_at: None,
        };
        let end = self.settings.end(row.created_at);
        let token = stored(refresh.hash(), &row, 0, now, end);
        let ongoing = Ongoing::of(account, &row, &token, end)?;
        let answer = self.session(&ongoing, &refresh, time)?;
        let begun = StoredSession { binding: ongoing.grant.binding, asked: Instant::now() };
        Ok((answer, NewSession { row, token, begun, limit: self.settings.per_account }))
    }

    /// Records a stored session in the cache, and removes those it displaced.
    pub(crate) fn begun(&self, StoredSession { binding, asked }: StoredSession, displaced: &[Id]) {
        self.session_began(binding, 0, asked);
        for &Id(session) in displaced {
            self.session_ended(session);
            security::session_ended(&AccountId::new(binding.account), session, "too many sessions");
        }
    }

    /// The tokens and lifetimes for the owner of a session.
    pub(super) fn session(
        &self,
        ongoing: &Ongoing,
        refresh: &RefreshToken,
        now: Timestamp,
    ) -> Result<Session, Failure> {
        let Ongoing { grant, password_changes, end, refresh_expires_at } = *ongoing;
        let until = |end: i64| SignedDuration::from_millis(end - milliseconds(now));
        let left = end.map(until);
        let within = |lifetime: SignedDuration| {
            left.map_or(lifetime, |left| left.min(lifetime)).as_secs().unsigned_abs()
        };
        let TokenBinding { account, session, .. } = grant.binding;
        let owner = DeviceOwner { account, password_changes };
        Ok(Session {
            access_token: self.keys.tokens.issue(&grant, now)?.into_text(),
            token_type: "Bearer",
            expires_in: within(ACCESS_TOKEN_LIFETIME),
            refresh_token: refresh.expose().to_owned(),
            refresh_expires_in: within(until(refresh_expires_at)),
            session_id: session,
            session_expires_in: left.map(|left| left.as_secs().unsigned_abs()),
            device_token: device_token(&self.keys.refresh_key(), owner, session, now),
        })
    }

    /// Sessions that began at or before this time have ended; milliseconds since 1970.
    pub(crate) fn sessions_began_after(&self) -> i64 {
        let lifetime = self.settings.lifetime.and_then(|lifetime| i64::try_from(lifetime.as_millis()).ok());
        lifetime.map_or(i64::MIN, |lifetime| milliseconds(self.clock.now()).saturating_sub(lifetime))
    }
}

/// A stored session, for the cache.
#[derive(Clone, Copy)]
pub(crate) struct StoredSession {
    binding: TokenBinding,
    /// A time before the session was written.
    asked: Instant,
}

#[derive(Clone)]
pub(crate) struct NewSession {
    row: SessionRow,
    token: StoredToken,
    begun: StoredSession,
    limit: u32,
}

impl NewSession {
    pub(crate) fn begun(&self) -> StoredSession {
        self.begun
    }

    /// Writes the rows; returns the sessions that the limit displaced. The account must exist. If it may have
    /// other sessions, nodes must be serialised ([`estimation_store::attempts::count`]).
    pub(crate) fn write(&self, conn: &mut Connection) -> Result<Vec<Id>, StoreError> {
        let SessionRow { id, account_id, created_at, .. } = &self.row;
        sessions::insert(conn, &self.row)?;
        refresh_tokens::insert(conn, &self.token)?;
        sessions::end_beyond(conn, account_id, self.limit, *id, created_at.milliseconds())
    }
}

/// The row of a refresh token issued now, in a session that ends at `end`.
pub(super) fn stored(
    hash: [u8; 32],
    session: &SessionRow,
    generation: i64,
    now: i64,
    end: Option<i64>,
) -> StoredToken {
    let expires_at = now + REFRESH_LIFETIME.as_millis() as i64;
    StoredToken {
        hash,
        session_id: session.id,
        account_id: session.account_id.clone(),
        issued_at: now,
        expires_at: end.map_or(expires_at, |end| end.min(expires_at)),
        used_at: None,
        successor_hash: None,
        generation,
    }
}

pub(crate) fn device_name(device: Option<String>) -> Result<Option<String>, FieldFault> {
    match device {
        Some(name) if name.chars().any(char::is_control) => {
            Err(FieldFault::new("/device", FieldCode::WrongFormat, "must have no control characters"))
        }
        device => Ok(device),
    }
}
