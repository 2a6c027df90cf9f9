//! Signs in with an identity, and registers a player whose identity has no account.

use std::net::IpAddr;
use std::sync::Arc;

use super::{Evidence, Identities, ProvenIdentity, insert};
use crate::accounts::Account;
use crate::accounts::recovery::drawn;
use crate::auth::security;
use crate::auth::sessions::{NewSession, Session, device_name};
use crate::auth::throttle::{LimitKind, too_many};
use crate::base::completion::run_to_completion;
use crate::base::failure::{Failure, milliseconds};
use estimation_store::accounts::AccountKind;
use estimation_store::accounts::{self, AccountRow};
use estimation_store::attempts::{self, Attempt};
use estimation_store::identities::{self, IdentityRow};
use estimation_store::{Connection, Hash, Id, Server, StoreError, recovery_codes};

/// How often a sign-in begins again because another one changed the account meanwhile.
const TRIES: usize = 3;

/// A sign-in with an identity.
pub struct SignIn {
    pub evidence: Evidence,
    pub device: Option<String>,
    /// The name of a new account.
    pub display_name: Option<String>,
    pub address: Option<IpAddr>,
}

pub struct SignedIn {
    pub account: Account,
    pub session: Session,
    /// The codes of a new account.
    pub recovery_codes: Vec<String>,
}

/// What a sign-in writes.
#[derive(Clone)]
struct Opening {
    identity: IdentityRow,
    /// The account to insert; `None` if the identity has one.
    new_account: Option<(AccountRow, Vec<Hash>)>,
    session: NewSession,
    nonce: (Hash, i64),
    counted: Vec<Attempt>,
    opening: Option<Attempt>,
    now: i64,
}

impl Identities {
    /// Signs in with an identity. If it has no account, registers one.
    ///
    /// # Errors
    /// What is wrong with the evidence, and [`Failure::TooManyAttempts`].
    pub async fn sign_in(self: &Arc<Identities>, wish: SignIn) -> Result<SignedIn, Failure> {
        let SignIn { evidence, device, display_name, address } = wish;
        let device = device_name(device)?;
        let display_name = display_name.as_deref().map(|name| self.accounts.choose_name(name)).transpose()?;
        let evidence = self.checked(evidence)?;
        let attempt = self.throttle.meter().attempt_from(LimitKind::LoginByAddress, address);
        let counted: Vec<Attempt> = attempt.into_iter().collect();
        self.throttle.count(counted.clone()).await?;
        let proven = match self.prove(evidence).await {
            Ok(proven) => proven,
            Err(failure) => {
                // An unavailable issuer is no guess at credentials.
                if matches!(failure, Failure::IssuerUnavailable) {
                    self.throttle.take_back(&counted).await?;
                }
                security::identity_refused(&failure, address);
                return Err(failure);
            }
        };
        let mut is_counted = false;
        for _ in 0..TRIES {
            let (issuer, subject) = (proven.issuer.clone(), proven.subject.subject.clone());
            let find = move |conn: &mut Connection| match identities::find(conn, &issuer, &subject)? {
                Some(identity) => {
                    let account = accounts::find(conn, &identity.account_id)?;
                    Ok(account.map(|account| (identity, account)))
                }
                None => Ok(None),
            };
            let found = self.database.read(find).await?;
            if found.is_none() && !is_counted {
                self.throttle.count(self.accounts.account_attempt(address).into_iter().collect()).await?;
                self.accounts.refuse_banned(&proven.mark()).await?;
                is_counted = true;
            }
            let known = found.is_some();
            let (identity, row) = found.unwrap_or_else(|| {
                let row = self.accounts.new_row(display_name.clone(), "Player", AccountKind::Full);
                (self.identity(&row.id, &proven), row)
            });
            let identity = IdentityRow { grant_token: self.sealed(&proven, identity.id), ..identity };
            if let Some(signed_in) =
                self.open((identity, row, known), &proven, device.clone(), &counted, address).await?
            {
                return Ok(signed_in);
            }
        }
        let detail = "other sign-ins changed the account meanwhile".to_owned();
        Err(StoreError::Unavailable { detail }.into())
    }

    /// Opens a session. Returns none if the identity has changed.
    async fn open(
        self: &Arc<Identities>,
        (identity, row, is_known): (IdentityRow, AccountRow, bool),
        proven: &ProvenIdentity,
        device: Option<String>,
        counted: &[Attempt],
        address: Option<IpAddr>,
    ) -> Result<Option<SignedIn>, Failure> {
        let (session, new_session) = self.sessions.new_session(&row, device)?;
        let account = Account::from_row(&row);
        let begun = new_session.begun();
        let (codes, new_account) = if is_known {
            (Vec::new(), None)
        } else {
            let (codes, macs) = drawn(&self.sessions.refresh_key());
            (codes, Some((row, macs)))
        };
        let writing = Opening {
            identity,
            new_account,
            session: new_session,
            nonce: (proven.nonce.hash(), proven.nonce.expires_at),
            counted: counted.to_vec(),
            opening: self
                .throttle
                .meter()
                .attempt(LimitKind::SessionsByAccount, account.id.as_str().as_bytes()),
            now: milliseconds(self.clock.now()),
        };
        let service = Arc::clone(self);
        let opening = async move {
            match service.database.write(Server, move |conn| writing.write(conn)).await {
                Ok(displaced) => service.sessions.begun(begun, &displaced),
                Err(Failure::IdentityTaken) => return Ok(None),
                Err(failure) => {
                    if matches!(failure, Failure::NonceInvalid) {
                        security::identity_refused(&failure, address);
                    }
                    return Err(failure);
                }
            }
            if !is_known {
                security::account_created(account.kind.as_str(), &account.id, address);
            }
            security::login(&account.id, session.session_id, address);
            Ok(Some(SignedIn { account, session, recovery_codes: codes }))
        };
        run_to_completion(opening).await
    }
}

impl Opening {
    /// Returns the sessions that the new one displaced. [`Failure::IdentityTaken`] if the identity has another account
    /// than before, or none.
    fn write(&self, conn: &mut Connection) -> Result<Vec<Id>, Failure> {
        let IdentityRow { id, account_id, issuer, subject, grant_token, .. } = &self.identity;
        if self.new_account.is_none() {
            let found = identities::find(conn, issuer, subject)?;
            if found.is_none_or(|found| found.account_id != *account_id) {
                return Err(Failure::IdentityTaken);
            }
        }
        // Serialises nodes, so that each counts all sessions.
        if let Some(exceeded) = attempts::count(conn, self.opening.as_slice(), self.now)? {
            return Err(too_many(exceeded));
        }
        let (nonce, expires_at) = &self.nonce;
        if !identities::use_nonce(conn, nonce, *expires_at)? {
            return Err(Failure::NonceInvalid);
        }
        match (&self.new_account, grant_token) {
            (Some((account, macs)), _) => {
                accounts::insert(conn, account)?;
                insert(conn, &self.identity)?;
                recovery_codes::replace(conn, &account.id, macs, self.now)?;
            }
            (None, Some(grant)) => identities::set_grant(conn, *id, grant)?,
            (None, None) => {}
        }
        attempts::undo(conn, &self.counted)?;
        Ok(self.session.write(conn)?)
    }
}
