//! Login with a password.

use std::net::IpAddr;
use std::sync::Arc;

use super::passwords::{self, Password, Verdict};
use super::security;
use super::sessions::{NewSession, Session, Sessions, device_name};
use super::throttle::{LimitKind, too_many};
use super::tokens::{DeviceOwner, known_device};
use crate::base::completion::run_to_completion;
use crate::base::failure::milliseconds;
use crate::base::failure::{Failure, Faults};
use crate::base::names::check_username;
use estimation_engine::player::AccountId;
use estimation_store::accounts::{self, AccountRow};
use estimation_store::attempts::{self, Attempt};
use estimation_store::{Connection, Id, Server};

pub struct Login<'a> {
    /// In any case.
    pub username: &'a str,
    pub password: &'a str,
    pub device: Option<String>,
    /// The device token of an earlier session, if any.
    pub device_token: Option<&'a str>,
    pub address: Option<IpAddr>,
}

/// What a login writes.
#[derive(Clone)]
struct SignedIn {
    account: AccountId,
    /// The stored hash that the password was compared with, before the transaction.
    compared: Option<String>,
    session: NewSession,
    /// The attempts counted before the comparison.
    attempts: Vec<Attempt>,
    /// The attempt that counts the opened session, if limited.
    opening: Option<Attempt>,
    now: i64,
}

impl Sessions {
    /// Signs in. An unknown user takes as long as a wrong password.
    ///
    /// # Errors
    /// [`Failure::WrongCredentials`] or [`Failure::TooManyAttempts`].
    pub async fn log_in(self: &Arc<Sessions>, login: Login<'_>) -> Result<Session, Failure> {
        let Login { username, password, device, device_token, address } = login;
        let device = device_name(device).map_err(Faults::from)?;
        let password = Password::read(password).map_err(|_| Failure::WrongCredentials)?;
        let name = username.to_ascii_lowercase();
        // An impossible name is not queried, but takes equally long.
        let account = match check_username(username) {
            Ok(()) => {
                let key = name.clone();
                self.database.read(move |conn| accounts::find_by_username_key(conn, &key)).await?
            }
            Err(_) => None,
        };
        self.hasher.has_room(address)?;
        let attempts = self.login_attempts(&name, account.as_ref(), device_token, address);
        self.throttle.count(attempts.clone()).await?;
        let compared = account.as_ref().and_then(|account| account.password_hash.clone());
        let verdict = self.compare(password, compared.clone(), address, &attempts).await?;
        let Some(account) = account.as_ref().filter(|_| verdict != Verdict::Wrong) else {
            security::login_failed(account.as_ref().map(|account| &account.id), address);
            return Err(Failure::WrongCredentials);
        };
        let (session, writing) = self.new_session(account, device)?;
        let begun = writing.begun();
        let opening =
            self.throttle.meter().attempt(LimitKind::SessionsByAccount, account.id.as_str().as_bytes());
        let now = milliseconds(self.clock.now());
        let signed_in =
            SignedIn { account: account.id.clone(), compared, session: writing, attempts, opening, now };
        let (app, id) = (Arc::clone(self), account.id.clone());
        let opening = async move {
            let displaced = app.database.write(Server, move |conn| signed_in.write(conn)).await?;
            app.begun(begun, &displaced);
            security::login(&id, session.session_id, address);
            Ok(session)
        };
        run_to_completion(opening).await
    }

    /// Compares a password with a stored hash, or does equal work without one.
    async fn compare(
        &self,
        password: Password,
        stored: Option<String>,
        address: Option<IpAddr>,
        counted: &[Attempt],
    ) -> Result<Verdict, Failure> {
        self.hasher
            .run(address, counted, move |cost| match &stored {
                Some(stored) => passwords::verify(&password, stored),
                None => passwords::verify_nobody(cost, &password),
            })
            .await
    }

    /// The attempts a login counts: by device for known devices; otherwise by the username and the address.
    fn login_attempts(
        &self,
        name: &str,
        account: Option<&AccountRow>,
        device_token: Option<&str>,
        address: Option<IpAddr>,
    ) -> Vec<Attempt> {
        let meter = self.throttle.meter();
        let known = device_token.zip(account).and_then(|(token, account)| {
            let AccountRow { id, password_changes, .. } = account;
            let owner =
                DeviceOwner { account: id.as_str().parse().ok()?, password_changes: *password_changes };
            known_device(&self.keys.refresh_key(), owner, token, self.clock.now())
        });
        let attempts = match known {
            Some(device) => [meter.attempt(LimitKind::LoginByDevice, device.as_bytes()), None],
            None => [
                meter.attempt(LimitKind::LoginByAccount, name.as_bytes()),
                meter.attempt_from(LimitKind::LoginByAddress, address),
            ],
        };
        attempts.into_iter().flatten().collect()
    }
}

impl SignedIn {
    /// Opens the session; returns those that it displaced. Over the session limit, the login attempts stay counted. So an
    /// attacker who continues hits the login limits, which are checked before the password.
    fn write(&self, conn: &mut Connection) -> Result<Vec<Id>, Failure> {
        let found = accounts::find(conn, &self.account)?;
        if found.is_none_or(|found| found.password_hash != self.compared) {
            // The account was deleted, or its password was changed meanwhile.
            return Err(Failure::WrongCredentials);
        }
        // Serialises nodes, so that each counts all sessions.
        if let Some(exceeded) = attempts::count(conn, self.opening.as_slice(), self.now)? {
            return Err(too_many(exceeded));
        }
        attempts::undo(conn, &self.attempts)?;
        Ok(self.session.write(conn)?)
    }
}
