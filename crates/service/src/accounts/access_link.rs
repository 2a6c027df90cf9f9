//! Access links: how moderators help players who cannot sign in.
//!
//! An access link works after 24 hours. Until it is used, the account's sessions and the mail to its address can stop it, because
//! the request to the moderator may be fraudulent.

use std::net::IpAddr;

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Accounts;
use super::changes::AccountChangeKind;
use crate::auth::authority::{CallerAuthority, RequiredAuthority};
use crate::auth::caller::Caller;
use crate::auth::link_token::LinkToken;
use crate::auth::security;
use crate::auth::throttle::LimitKind;
use crate::base::failure::{Failure, milliseconds};
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_store::attempts::Attempt;
use estimation_store::email_addresses::{self, EmailLinkRow, Purpose};
use estimation_store::{Connection, Hash};

/// An access link: a moderator issued it, and it signs in to the account.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct AccessLink {
    /// From when on it works; null if there is none.
    pub works_at: Option<RecordTime>,
    /// Until when it works; null if there is none.
    pub expires_at: Option<RecordTime>,
}

impl AccessLink {
    pub(crate) fn of(row: Option<&EmailLinkRow>) -> AccessLink {
        AccessLink { works_at: row.map(|row| row.works_at), expires_at: row.map(|row| row.expires_at) }
    }
}

impl Accounts {
    /// The access link of the caller's account; nulls without one.
    pub async fn access_link(&self, caller: &Caller) -> Result<AccessLink, Failure> {
        let (account, now) = (caller.account.clone(), milliseconds(self.clock.now()));
        let row = self.database.read(move |conn| email_addresses::access_link(conn, &account, now)).await?;
        Ok(AccessLink::of(row.as_ref()))
    }

    /// Stops that link. Does nothing if there is none.
    pub async fn stop_access(&self, caller: &Caller) -> Result<(), Failure> {
        let by = caller.authority(RequiredAuthority::SignedIn, self.clock.now());
        self.stop(&caller.account, caller.session, Some(by)).await
    }

    /// Stops that link with the link of the mail that told of it.
    ///
    /// # Errors
    /// [`Failure::LinkInvalid`].
    pub async fn stop_access_by_link(&self, token: &str, address: Option<IpAddr>) -> Result<(), Failure> {
        let (link, _) = self.followed(token, Purpose::Stop, address).await?;
        self.stop(&link.account_id, Uuid::nil(), None).await
    }

    /// The link with a token, which stays. Wrong ones count against the address.
    pub(crate) async fn followed(
        &self,
        token: &str,
        purpose: Purpose,
        address: Option<IpAddr>,
    ) -> Result<(EmailLinkRow, Hash), Failure> {
        let counted: Vec<Attempt> =
            self.throttle.meter().attempt_from(LimitKind::LoginByAddress, address).into_iter().collect();
        self.throttle.count(counted.clone()).await?;
        let hash = LinkToken::read(token).ok_or(Failure::LinkInvalid)?.hash();
        let now = milliseconds(self.clock.now());
        let find = move |conn: &mut Connection| email_addresses::find_link(conn, &hash, purpose, now);
        let link = self.database.read(find).await?.ok_or(Failure::LinkInvalid)?;
        self.throttle.take_back(&counted).await?;
        Ok((link, hash))
    }

    /// The link's token is the authority for `None`.
    async fn stop(
        &self,
        account: &AccountId,
        session: Uuid,
        by: Option<CallerAuthority>,
    ) -> Result<(), Failure> {
        let change = self.change_log.made(account, session, AccountChangeKind::AccessStopped);
        let id = account.clone();
        let write = move |conn: &mut Connection| {
            let stopped = email_addresses::stop_access(conn, &id)?;
            if stopped {
                change.write(conn)?;
            }
            Ok::<_, Failure>(stopped)
        };
        if self.database.write(by, write).await? {
            security::access_stopped(account, session);
        }
        Ok(())
    }
}
