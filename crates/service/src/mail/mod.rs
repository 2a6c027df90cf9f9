//! Email addresses as a way back into accounts. A player adds an address and verifies it. A player who cannot sign in requests
//! a link by address.
//!
//! The answer to a request does not reveal whether an account has the address: the request writes the same row in both cases,
//! and a job looks the address up later. The job draws the token of a link when it sends the mail, so only the hash is stored.
//! The token is in the fragment of the link, which browsers do not send to servers.

mod send;
mod settings;

use std::net::IpAddr;
use std::sync::Arc;

use jiff::SignedDuration;
use serde::Serialize;
use utoipa::ToSchema;

use self::settings::EmailAddress;
pub use self::settings::{MailServer, MailSettings, NotAMailServer, NotASender, Sender};
use crate::accounts::Accounts;
use crate::accounts::banned::Mark;
use crate::accounts::changes::{AccountChangeKind, ChangeLog};
use crate::auth::authority::{AskingSession, RequiredAuthority};
use crate::auth::caller::Caller;
use crate::auth::security;
use crate::auth::throttle::{LimitKind, Throttle};
use crate::base::clock::Clock;
use crate::base::entropy::Entropy;
use crate::base::failure::{Failure, milliseconds};
use crate::base::ids::new_id;
use crate::base::locale::Language;
use crate::base::metrics::Metrics;
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_store::attempts::Attempt;
use estimation_store::email_addresses::{self, EmailAddressRow, Purpose};
pub use estimation_store::mails::MailKind;
use estimation_store::mails::{self, MailRow};
use estimation_store::{Connection, Database, Id, Server, StoreError};

/// How long a link works.
const LINK_LIFETIME: SignedDuration = SignedDuration::from_mins(30);

/// How long a link works for which nobody waits.
const LONG_LINK_LIFETIME: SignedDuration = SignedDuration::from_hours(8 * 24);

/// The email address of an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Email {
    /// The verified address; null for none.
    #[schema(min_length = 3, max_length = 254, example = "noor@example.org")]
    pub address: Option<String>,
    /// When it was verified; null for none.
    pub verified_at: Option<RecordTime>,
    /// Whether this server sends mail. Without it no address can be set.
    pub available: bool,
}

pub struct Mail {
    pub(crate) database: Database,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) accounts: Arc<Accounts>,
    pub(crate) throttle: Arc<Throttle>,
    pub(crate) change_log: Arc<ChangeLog>,
    pub(crate) settings: Option<MailSettings>,
}

impl Mail {
    /// The address of the caller's account.
    pub async fn email(&self, caller: &Caller) -> Result<Email, Failure> {
        let account = caller.account.clone();
        let row = self.database.read(move |conn| email_addresses::find(conn, &account)).await?;
        Ok(Email {
            verified_at: row.as_ref().map(|row| row.verified_at),
            address: row.map(|row| row.address),
            available: self.is_available(),
        })
    }

    /// Sends a link to an address. It becomes that of the caller's account when the link is followed.
    ///
    /// # Errors
    /// [`Failure::MailOff`], the field, and for a full account a sign-in that is more than five minutes old.
    pub async fn set_address(
        &self,
        caller: &Caller,
        address: &str,
        language: Language,
    ) -> Result<(), Failure> {
        self.require_mail()?;
        let address = EmailAddress::read(address)?;
        self.accounts.require_recent_sign_in(caller).await?;
        self.throttle.count(self.mail_attempt(&address).into_iter().collect()).await?;
        let mail = MailRow {
            account_id: Some(caller.account.clone()),
            session_id: Some(Id(caller.session)),
            ..self.mail(MailKind::Verify, address.as_text(), language)
        };
        let account = caller.account.clone();
        let write = move |conn: &mut Connection| {
            mails::withdraw(conn, &account)?;
            email_addresses::void_verifications(conn, &account)?;
            Ok(mails::add(conn, &mail)?)
        };
        self.database.write(caller.authority(RequiredAuthority::SignedIn, self.clock.now()), write).await
    }

    /// Follows the link to an address. The former address is told.
    ///
    /// # Errors
    /// [`Failure::LinkInvalid`], also when the session that asked for the link has ended.
    pub async fn verify(
        &self,
        token: &str,
        language: Language,
        address: Option<IpAddr>,
    ) -> Result<(), Failure> {
        let (link, hash) = self.accounts.followed(token, Purpose::Verify, address).await?;
        let session = link
            .session_id
            .ok_or_else(|| Failure::Defect("a link of an address names no session".to_owned()))?;
        let verified = EmailAddress::read(link.address.as_deref().unwrap_or_default())?;
        self.accounts.refuse_banned(&Mark::Email(&verified.key())).await?;
        let row = EmailAddressRow {
            account_id: link.account_id.clone(),
            address: verified.as_text().to_owned(),
            address_key: verified.key(),
            verified_at: self.clock.now().into(),
        };
        let change = self.change_log.made(&link.account_id, session.0, AccountChangeKind::EmailSet);
        let told = self.mail(MailKind::Changed, "", language);
        let account = link.account_id.clone();
        let write = move |conn: &mut Connection| {
            if !email_addresses::redeem_link(conn, &hash)? {
                return Err(Failure::LinkInvalid);
            }
            tell_former(conn, &row.account_id, &told, &row.address_key)?;
            email_addresses::put(conn, &row)?;
            // Links to the former address lead nowhere.
            email_addresses::void_all_links(conn, &row.account_id)?;
            Ok(change.write(conn)?)
        };
        let by = AskingSession { session, account: account.clone() };
        self.database.write(by, write).await?;
        security::email_set(&account, session.0);
        Ok(())
    }

    /// Takes the address from the caller's account, and tells it. Ends what was sent to an address that is not verified.
    ///
    /// # Errors
    /// [`Failure::NotFound`], and for a full account a sign-in that is more than five minutes old.
    pub async fn remove_address(&self, caller: &Caller, language: Language) -> Result<(), Failure> {
        self.accounts.require_recent_sign_in(caller).await?;
        let change = self.change_log.made(&caller.account, caller.session, AccountChangeKind::EmailRemoved);
        let (account, told) = (caller.account.clone(), self.mail(MailKind::Changed, "", language));
        let write = move |conn: &mut Connection| {
            let pending = mails::withdraw(conn, &account)? + email_addresses::void_all_links(conn, &account)?;
            tell_former(conn, &account, &told, "")?;
            if email_addresses::remove(conn, &account)? {
                change.write(conn)?;
            } else if pending == 0 {
                return Err(Failure::NotFound { what: "email address" });
            }
            Ok(())
        };
        self.database.write(caller.authority(RequiredAuthority::SignedIn, self.clock.now()), write).await?;
        security::email_removed(&caller.account, caller.session);
        Ok(())
    }

    /// Sends links into the accounts of an address to it, if there are any. Does the same work if there are none.
    ///
    /// # Errors
    /// [`Failure::MailOff`], and the field.
    pub async fn request_reset(
        &self,
        address: &str,
        language: Language,
        client: Option<IpAddr>,
    ) -> Result<(), Failure> {
        self.require_mail()?;
        let address = EmailAddress::read(address)?;
        let by_client = self.throttle.meter().attempt_from(LimitKind::LoginByAddress, client);
        self.throttle.count(by_client.into_iter().chain(self.mail_attempt(&address)).collect()).await?;
        let mail = self.mail(MailKind::Reset, address.as_text(), language);
        self.database.write(Server, move |conn| mails::add(conn, &mail)).await?;
        security::reset_requested(client);
        Ok(())
    }

    /// Whether this server sends mail.
    pub fn is_available(&self) -> bool {
        self.settings.is_some()
    }

    /// A mail in all languages to the address of an account, which the caller fills in; `None` if the server sends no mail.
    pub(crate) fn to_account(&self, kind: MailKind, account: &AccountId) -> Option<MailRow> {
        let account_id = Some(account.clone());
        self.is_available().then(|| MailRow { account_id, ..self.mail(kind, "", Language::English) })
    }

    fn require_mail(&self) -> Result<(), Failure> {
        self.settings.as_ref().map(|_| ()).ok_or(Failure::MailOff)
    }

    /// The rate-limited attempt to send a mail to an address.
    fn mail_attempt(&self, address: &EmailAddress) -> Option<Attempt> {
        self.throttle.meter().attempt(LimitKind::MailByAddress, address.key().as_bytes())
    }

    /// A mail to send now, without an account.
    fn mail(&self, kind: MailKind, address: &str, language: Language) -> MailRow {
        let now = self.clock.now();
        MailRow {
            id: Id(new_id(now, &*self.entropy)),
            kind,
            account_id: None,
            session_id: None,
            address: address.to_owned(),
            language: language.tag().to_owned(),
            next_at: now.into(),
            created_at: now.into(),
        }
    }

    /// Deletes links that have expired.
    pub(crate) async fn sweep(&self) -> Result<(), StoreError> {
        let now = milliseconds(self.clock.now());
        self.database.write(Server, move |conn| email_addresses::sweep_links(conn, now)).await.map(drop)
    }
}

/// Writes a mail to the address of an account, unless it is the present one.
fn tell_former(
    conn: &mut Connection,
    account: &AccountId,
    mail: &MailRow,
    present_key: &str,
) -> Result<(), StoreError> {
    match email_addresses::find(conn, account)? {
        Some(former) if former.address_key != present_key => {
            mails::add(conn, &MailRow { address: former.address, ..mail.clone() })
        }
        _ => Ok(()),
    }
}
