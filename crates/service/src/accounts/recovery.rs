//! The way back into an account: recovery codes and links of mails, each of which signs in once.

use std::net::IpAddr;
use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use super::changes::{AccountChangeKind, MadeChange, end_links};
use super::{Accounts, chosen_password};
use crate::auth::authority::RequiredAuthority;
use crate::auth::caller::Caller;
use crate::auth::keys::RefreshKey;
use crate::auth::link_token::LinkToken;
use crate::auth::passwords;
use crate::auth::recovery_code::RecoveryCode;
use crate::auth::security;
use crate::auth::sessions::{NewSession, Session, device_name};
use crate::auth::throttle::{LimitKind, too_many};
use crate::base::completion::run_to_completion;
use crate::base::entropy::SystemEntropy;
use crate::base::failure::{Failure, milliseconds};
use crate::base::field_error::FieldCode;
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_store::accounts::{self, AccountChanges, AccountRow};
use estimation_store::attempts::{self, Attempt};
use estimation_store::email_addresses::{self, Purpose};
use estimation_store::{Connection, Hash, Id, Server, StoreError, recovery_codes, sessions};

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

/// A sign-in with a recovery code, or with the token of a link.
pub struct Recovery<'a> {
    pub code: &'a str,
    /// The password from now on; `None` keeps the present one.
    pub new_password: Option<&'a str>,
    pub device: Option<String>,
    pub address: Option<IpAddr>,
}

/// A recovery code or the token of a link, as it is stored.
#[derive(Clone, Copy)]
enum WayBack {
    Code(Hash),
    Link(Hash),
}

impl WayBack {
    /// A text that is neither a code nor a token takes as long as an unknown code.
    fn read(text: &str, key: &RefreshKey) -> WayBack {
        match LinkToken::read(text) {
            Some(token) => WayBack::Link(token.hash()),
            None => {
                let code = RecoveryCode::read(text).unwrap_or_else(|| RecoveryCode::draw(&SystemEntropy));
                WayBack::Code(code.mac(key))
            }
        }
    }

    /// The account into which it leads, and from when on if that is later than its making.
    fn find(
        self,
        conn: &mut Connection,
        now: i64,
    ) -> Result<Option<(AccountRow, Option<RecordTime>)>, StoreError> {
        let found = match self {
            WayBack::Code(mac) => recovery_codes::find(conn, &mac)?.map(|account| (account, None)),
            WayBack::Link(hash) => {
                let link = match email_addresses::find_link(conn, &hash, Purpose::Reset, now)? {
                    None => email_addresses::find_link(conn, &hash, Purpose::Access, now)?,
                    link => link,
                };
                link.map(|link| (link.account_id, Some(link.works_at)))
            }
        };
        let Some((account, works_at)) = found else { return Ok(None) };
        Ok(accounts::find(conn, &account)?.map(|row| (row, works_at)))
    }

    /// Deletes the code or the link. Returns false if it is not there any more: of two requests that redeem it, one gets true.
    fn redeem(self, conn: &mut Connection) -> Result<bool, StoreError> {
        match self {
            WayBack::Code(mac) => recovery_codes::redeem(conn, &mac),
            WayBack::Link(hash) => email_addresses::redeem_link(conn, &hash),
        }
    }
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
    /// [`Failure::RecentSignInRequired`] for a full account that signed in more
    /// than five minutes ago.
    pub async fn new_recovery_codes(&self, caller: &Caller) -> Result<RecoveryCodes, Failure> {
        self.require_recent_sign_in(caller).await?;
        let (codes, macs) = drawn(&self.sessions.refresh_key());
        let (account, now) = (caller.account.clone(), milliseconds(self.clock.now()));
        let kind = AccountChangeKind::RecoveryCodesMade;
        let change = self.change_log.made(&caller.account, caller.session, kind);
        let write = move |conn: &mut Connection| {
            recovery_codes::replace(conn, &account, &macs, now)?;
            Ok::<_, Failure>(change.write(conn)?)
        };
        self.database.write(caller.authority(RequiredAuthority::SignedIn, self.clock.now()), write).await?;
        security::recovery_codes_made(&caller.account, caller.session);
        Ok(RecoveryCodes { codes })
    }

    /// Signs in with a recovery code or the token of a link, which is used up, and ends all other sessions.
    ///
    /// # Errors
    /// [`Failure::RecoveryCodeInvalid`] if it leads into no account; [`Failure::LinkTooEarly`] for the link of a
    /// moderator that does not work yet.
    pub async fn recover(self: &Arc<Accounts>, recovery: Recovery<'_>) -> Result<Session, Failure> {
        let Recovery { code, new_password, device, address } = recovery;
        let device = device_name(device)?;
        let counted: Vec<Attempt> =
            self.throttle.meter().attempt_from(LimitKind::LoginByAddress, address).into_iter().collect();
        self.throttle.count(counted.clone()).await?;
        let way_back = WayBack::read(code, &self.sessions.refresh_key());
        let time = RecordTime::from(self.clock.now());
        let now = time.milliseconds();
        let found = self.database.read(move |conn| way_back.find(conn, now)).await?;
        let Some((mut row, works_at)) = found else {
            security::recovery_failed(address);
            return Err(Failure::RecoveryCodeInvalid);
        };
        if let Some(works_at) = works_at.filter(|works_at| *works_at > time) {
            self.throttle.take_back(&counted).await?;
            return Err(Failure::LinkTooEarly { works_at });
        }
        let mut changes = AccountChanges { updated_at: now, ..AccountChanges::default() };
        if let Some(new) = new_password {
            let Some(username) = row.username.clone() else {
                let reason = "must not be given for an account without a password";
                return Err(Failure::field("/new_password", FieldCode::Contradiction, reason));
            };
            let new = chosen_password("/new_password", new, &username)?;
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
        let opening = self.throttle.meter().attempt(LimitKind::SessionsByAccount, row.id.as_str().as_bytes());
        let change = self.change_log.made(&row.id, session.session_id, AccountChangeKind::Recovered);
        let (app, account, id) = (Arc::clone(self), row.id.clone(), session.session_id);
        let recovering = async move {
            let owner = account.clone();
            let writing = Recovering { way_back, owner, changes, change, new_session };
            let written = app
                .database
                .write(Server, move |conn| writing.write(conn, (opening.as_slice(), &counted), now));
            let displaced = written.await.inspect_err(|failure| {
                if matches!(failure, Failure::RecoveryCodeInvalid) {
                    security::recovery_failed(address);
                }
            })?;
            app.sessions.sessions_ended(&account, Some(id));
            app.sessions.begun(begun, &displaced);
            security::account_recovered(&account, id, address);
            Ok(session)
        };
        run_to_completion(recovering).await
    }
}

/// What a recovery writes.
struct Recovering {
    way_back: WayBack,
    owner: AccountId,
    changes: AccountChanges,
    change: MadeChange,
    new_session: NewSession,
}

impl Recovering {
    fn write(
        &self,
        conn: &mut Connection,
        (opening, counted): (&[Attempt], &[Attempt]),
        now: i64,
    ) -> Result<Vec<Id>, Failure> {
        // Serialises nodes, so that each counts all sessions.
        if let Some(exceeded) = attempts::count(conn, opening, now)? {
            return Err(too_many(exceeded));
        }
        if !self.way_back.redeem(conn)? || accounts::find(conn, &self.owner)?.is_none() {
            return Err(Failure::RecoveryCodeInvalid);
        }
        accounts::update(conn, &self.owner, &self.changes)?;
        sessions::end_all(conn, &self.owner, now)?;
        end_links(conn, &self.owner)?;
        self.change.write(conn)?;
        attempts::undo(conn, counted)?;
        Ok(self.new_session.write(conn)?)
    }
}
