//! Accounts: registering, with credentials or as a guest.

use std::net::IpAddr;

use serde::Serialize;
use unicode_normalization::UnicodeNormalization;

use super::app::App;
use super::entropy::draw;
use super::failure::{Failure, milliseconds};
use super::passwords::{self, Password};
use super::record::RecordTime;
use super::security;
use super::sessions::Session;
use super::throttle::Limited;
use crate::store::StoreError;
use crate::store::accounts::{self, AccountRow};

/// The longest display name, in characters.
const DISPLAY_NAME_LENGTH: usize = 40;

/// An account as its owner sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Account {
    /// The account's id.
    pub id: String,
    /// The name to sign in with; none for a guest.
    pub username: Option<String>,
    /// The name others see.
    pub display_name: String,
    /// `full` or `guest`.
    pub kind: String,
    /// `player`, `auditor` or `admin`.
    pub role: String,
    /// When it was made.
    pub created_at: RecordTime,
}

impl App {
    /// Makes an account and signs it in.
    pub async fn register(
        &self,
        username: &str,
        password: &str,
        display_name: Option<&str>,
        address: Option<IpAddr>,
    ) -> Result<(Account, Session), Failure> {
        check_username(username)?;
        let password = Password::choose(password, username)?;
        let display_name = self::display_name(display_name.unwrap_or(username))?;
        self.count_account(address).await?;
        let entropy = std::sync::Arc::clone(&self.entropy);
        let password_hash = self.hashing(move || passwords::hash(&password, &*entropy)).await?;
        let now = milliseconds(self.now());
        let row = AccountRow {
            id: self.new_id().to_string(),
            username: Some(username.to_owned()),
            username_key: Some(username.to_ascii_lowercase()),
            display_name,
            password_hash: Some(password_hash),
            kind: "full".to_owned(),
            role: "player".to_owned(),
            created_at: now,
            updated_at: now,
        };
        self.open(row, address).await
    }

    /// Makes a guest's account and signs it in.
    pub async fn register_guest(
        &self,
        display_name: Option<&str>,
        address: Option<IpAddr>,
    ) -> Result<(Account, Session), Failure> {
        let display_name = match display_name {
            Some(name) => self::display_name(name)?,
            None => format!("Guest {:04}", u16::from_le_bytes(draw(&*self.entropy)) % 10_000),
        };
        self.count_account(address).await?;
        let now = milliseconds(self.now());
        let row = AccountRow {
            id: self.new_id().to_string(),
            username: None,
            username_key: None,
            display_name,
            password_hash: None,
            kind: "guest".to_owned(),
            role: "player".to_owned(),
            created_at: now,
            updated_at: now,
        };
        self.open(row, address).await
    }

    async fn count_account(&self, address: Option<IpAddr>) -> Result<(), Failure> {
        let attempt = self.meter().attempt_from(Limited::AccountsByAddress, address);
        self.count(attempt.into_iter().collect(), "account").await
    }

    /// Keeps a new account with its first session.
    async fn open(&self, row: AccountRow, address: Option<IpAddr>) -> Result<(Account, Session), Failure> {
        let (session, new_session) = self.new_session(&row.id, &row.role, None)?;
        let account = Account::from_row(&row)?;
        let begun = new_session.bond();
        let written = self
            .database
            .write(move |conn| {
                accounts::insert(conn, &row)?;
                new_session.write(conn)
            })
            .await;
        match written {
            Ok(()) => {
                self.begun(begun);
                security::account_created(&account.kind, &account.id, address);
                Ok((account, session))
            }
            Err(StoreError::UsernameTaken) => Err(Failure::UsernameTaken),
            Err(error) => Err(error.into()),
        }
    }
}

impl Account {
    pub(super) fn from_row(row: &AccountRow) -> Result<Account, Failure> {
        Ok(Account {
            id: row.id.clone(),
            username: row.username.clone(),
            display_name: row.display_name.clone(),
            kind: row.kind.clone(),
            role: row.role.clone(),
            created_at: RecordTime::from_milliseconds(row.created_at)?,
        })
    }
}

impl RecordTime {
    /// A time that the store kept.
    pub(super) fn from_milliseconds(milliseconds: i64) -> Result<RecordTime, Failure> {
        let time = jiff::Timestamp::from_millisecond(milliseconds);
        time.map(|time| RecordTime::of(time, None)).map_err(|error| Failure::Defect(error.to_string()))
    }
}

/// Usernames are 3–32 letters, digits, `-`, `_` and `.` of ASCII, unique without case.
pub(super) fn check_username(username: &str) -> Result<(), Failure> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if (3..=32).contains(&username.len()) && username.bytes().all(allowed) {
        Ok(())
    } else {
        let reason = "3 to 32 letters, digits, hyphens, underscores and dots".to_owned();
        Err(Failure::Field { field: "username", reason })
    }
}

/// Display names are 1–40 characters in normal form C, without control characters and not blank.
pub(super) fn display_name(name: &str) -> Result<String, Failure> {
    let reason = format!("1 to {DISPLAY_NAME_LENGTH} characters, none of them control characters, not blank");
    if name.len() > 64 * DISPLAY_NAME_LENGTH {
        return Err(Failure::Field { field: "display_name", reason });
    }
    let name: String = name.nfc().collect();
    let fits = (1..=DISPLAY_NAME_LENGTH).contains(&name.chars().count());
    if fits && !name.chars().any(char::is_control) && !name.trim().is_empty() {
        Ok(name)
    } else {
        Err(Failure::Field { field: "display_name", reason })
    }
}
