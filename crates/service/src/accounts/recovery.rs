//! The way back into an account: recovery codes, each of which signs in once.

use std::net::IpAddr;
use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use super::changes::AccountChangeKind;
use super::{Accounts, chosen_password};
use crate::accounts::failure::AccountFailure;
use crate::auth::caller::Caller;
use crate::auth::keys::RefreshKey;
use crate::auth::passwords;
use crate::auth::recovery_code::RecoveryCode;
use crate::auth::security;
use crate::auth::sessions::{NewSession, Session, device_name};
use crate::auth::throttle::{Limited, too_many};
use crate::base::account_kind::AccountKind;
use crate::base::completion::run_to_completion;
use crate::base::entropy::SystemEntropy;
use crate::base::failure::{Failure, milliseconds};
use crate::base::field_error::FieldCode;
use estimation_engine::player::AccountId;
use estimation_store::accounts::{self, AccountChanges};
use estimation_store::attempts::{self, Attempt, Exceeded};
use estimation_store::{Connection, Hash, StoreError, recovery_codes, sessions};

/// The codes that an account gets at a time.
const CODES: usize = 10;

/// A recovery code: six groups of four digits and letters.
#[derive(ToSchema)]
#[schema(value_type = String, min_length = 29, max_length = 29, pattern = "^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){5}$")]
pub struct RecoveryCodeText(pub String);

/// Recovery codes, shown once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct RecoveryCodes {
    /// The codes. Each signs in once, without the password.
    #[schema(value_type = Vec<RecoveryCodeText>, min_items = 10, max_items = 10)]
    pub codes: Vec<String>,
}

/// A sign-in with a recovery code.
pub struct Recovery<'a> {
    pub code: &'a str,
    /// The password from now on; `None` keeps the present one.
    pub new_password: Option<&'a str>,
    pub device: Option<String>,
    pub address: Option<IpAddr>,
}

enum Recovered {
    /// The session is stored, and all others have ended.
    Session { displaced: Vec<String> },
    /// Somebody else used the code first, or the account is gone. Nothing was written.
    Used,
    /// Rate limit exceeded; nothing was written.
    TooMany(Exceeded),
}

/// New codes, and what is stored of them.
pub(crate) fn drawn(key: &RefreshKey) -> (Vec<String>, Vec<Hash>) {
    let codes: Vec<RecoveryCode> = (0..CODES).map(|_| RecoveryCode::draw(&SystemEntropy)).collect();
    (codes.iter().map(RecoveryCode::text).collect(), codes.iter().map(|code| code.mac(key)).collect())
}

impl Accounts {
    /// New recovery codes for the caller, in place of the former ones.
    ///
    /// # Errors
    /// [`AuthFailure::SignInTooOld`](crate::auth::failure::AuthFailure::SignInTooOld) for a full account that signed in more
    /// than five minutes ago. A guest cannot sign in again, so its session is enough.
    pub async fn new_recovery_codes(&self, caller: &Caller) -> Result<RecoveryCodes, AccountFailure> {
        if self.own_row(caller).await?.kind != AccountKind::Guest.as_str() {
            caller.require_recent_sign_in(self.clock.now())?;
        }
        let (codes, macs) = drawn(&self.sessions.refresh_key());
        let (account, now) = (caller.account.clone(), milliseconds(self.clock.now()));
        let kind = AccountChangeKind::RecoveryCodesMade;
        let change = self.change_log.made(&caller.account, caller.session, kind);
        let write = move |conn: &mut Connection| {
            recovery_codes::replace(conn, &account, &macs, now)?;
            change.write(conn)
        };
        self.database.write(write).await?;
        security::recovery_codes_made(&caller.account, caller.session);
        Ok(RecoveryCodes { codes })
    }

    /// Signs in with a recovery code, which is used up, and ends all other sessions.
    ///
    /// # Errors
    /// [`AccountFailure::WrongRecoveryCode`] if no account has the code.
    pub async fn recover(self: &Arc<Accounts>, recovery: Recovery<'_>) -> Result<Session, AccountFailure> {
        let Recovery { code, new_password, device, address } = recovery;
        let device = device_name(device).map_err(|fault| Failure::Fields(fault.into()))?;
        let counted: Vec<Attempt> =
            self.throttle.meter().attempt_from(Limited::LoginByAddress, address).into_iter().collect();
        self.throttle.count(counted.clone()).await?;
        // What is no code takes as long as one that nobody has.
        let code = RecoveryCode::read(code).unwrap_or_else(|| RecoveryCode::draw(&SystemEntropy));
        let mac = code.mac(&self.sessions.refresh_key());
        let find = move |conn: &mut Connection| match recovery_codes::find(conn, &mac)? {
            Some(account) => accounts::find(conn, &account),
            None => Ok(None),
        };
        let Some(mut row) = self.database.read(find).await? else {
            security::recovery_failed(address);
            return Err(AccountFailure::WrongRecoveryCode);
        };
        let now = milliseconds(self.clock.now());
        let mut changes = AccountChanges { updated_at: now, ..AccountChanges::default() };
        if let Some(new) = new_password {
            let Some(username) = row.username.clone() else {
                let reason = "must not be given for an account without a password";
                return Err(Failure::field("new_password", FieldCode::Contradiction, reason).into());
            };
            let new = chosen_password("new_password", new, &username)?;
            self.hasher.has_room(address)?;
            let entropy = Arc::clone(&self.entropy);
            let hash = self
                .hasher
                .run(address, &counted, move |cost| passwords::hash(cost, &new, &*entropy))
                .await?;
            row.password_changes = row.password_changes.saturating_add(1);
            changes.password_hash = Some(hash);
            changes.password_changes = Some(row.password_changes);
        }
        let (session, new_session) = self.sessions.new_session(&row, device)?;
        let begun = new_session.begun();
        let opening = self.throttle.meter().attempt(Limited::SessionsByAccount, row.id.as_str().as_bytes());
        let (app, account, id) = (Arc::clone(self), row.id.clone(), session.session_id);
        let recovering = async move {
            let owner = account.clone();
            let written = app.database.write(move |conn| {
                write(conn, &mac, &owner, &changes, &new_session, (opening.as_slice(), &counted), now)
            });
            match written.await? {
                Recovered::Session { displaced } => {
                    app.sessions.sessions_ended(&account, Some(id));
                    app.sessions.begun(begun, &displaced);
                }
                Recovered::Used => {
                    security::recovery_failed(address);
                    return Err(AccountFailure::WrongRecoveryCode);
                }
                Recovered::TooMany(exceeded) => return Err(too_many(exceeded).into()),
            }
            security::account_recovered(&account, id, address);
            Ok(session)
        };
        run_to_completion(recovering).await
    }
}

fn write(
    conn: &mut Connection,
    mac: &Hash,
    account: &AccountId,
    changes: &AccountChanges,
    session: &NewSession,
    (opening, counted): (&[Attempt], &[Attempt]),
    now: i64,
) -> Result<Recovered, StoreError> {
    // Serialises nodes, so that each counts all sessions.
    if let Some(exceeded) = attempts::count(conn, opening, now)? {
        return Ok(Recovered::TooMany(exceeded));
    }
    if !recovery_codes::redeem(conn, mac)? || accounts::find(conn, account)?.is_none() {
        return Ok(Recovered::Used);
    }
    accounts::update(conn, account, changes)?;
    sessions::end_all(conn, account, now)?;
    attempts::undo(conn, counted)?;
    Ok(Recovered::Session { displaced: session.write(conn)? })
}
