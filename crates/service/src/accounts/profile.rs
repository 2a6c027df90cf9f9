//! The caller's own account: display name, password, and upgrade from guest to full account.

use std::net::IpAddr;
use std::sync::Arc;

use super::changes::{AccountChangeKind, end_links};
use super::{Account, Accounts, account_faults, chosen_password};
use crate::auth::authority::RequiredAuthority;
use crate::auth::caller::Caller;
use crate::auth::passwords::{self, Password, Verdict};
use crate::auth::security;
use crate::auth::throttle::LimitKind;
use crate::base::completion::run_to_completion;
use crate::base::failure::milliseconds;
use crate::base::failure::{Failure, Faults};
use estimation_store::accounts::AccountKind;
use estimation_store::accounts::{self, AccountChanges, AccountRow, Credentials};
use estimation_store::attempts::Attempt;
use estimation_store::{Id, sessions};

impl Accounts {
    pub async fn me(&self, caller: &Caller) -> Result<Account, Failure> {
        Ok(Account::from_row(&self.own_row(caller).await?))
    }

    /// Changes the display name; `None` leaves it unchanged.
    pub async fn rename(
        self: &Arc<Accounts>,
        caller: &Caller,
        name: Option<&str>,
    ) -> Result<Account, Failure> {
        let Some(name) = name else { return self.me(caller).await };
        let changes = AccountChanges {
            display_name: Some(self.names.choose(name)?),
            updated_at: milliseconds(self.clock.now()),
            ..AccountChanges::default()
        };
        let id = caller.account.clone();
        let (app, account) = (Arc::clone(self), caller.account.clone());
        let by = caller.authority(RequiredAuthority::SignedIn, self.clock.now());
        let renaming = async move {
            let row = app.database.write(by, move |conn| {
                accounts::update(conn, &id, &changes)?;
                accounts::find(conn, &id)?.ok_or(Failure::SessionEnded)
            });
            let row = row.await?;
            app.names.forget(&account);
            Ok(Account::from_row(&row))
        };
        run_to_completion(renaming).await
    }

    /// Changes the password and ends all other sessions.
    pub async fn change_password(
        self: &Arc<Accounts>,
        caller: &Caller,
        current: &str,
        new: &str,
        address: Option<IpAddr>,
    ) -> Result<(), Failure> {
        let row = self.confirmed(caller, current, address).await?;
        let username = row.username.as_deref().unwrap_or_default();
        let new = chosen_password("/new_password", new, username)?;
        let entropy = Arc::clone(&self.entropy);
        let hash = self.hasher.run(address, &[], move |cost| passwords::hash(cost, &new, &*entropy)).await?;
        let now = milliseconds(self.clock.now());
        let changes = AccountChanges {
            password_hash: Some(hash),
            password_changes: Some(row.password_changes.saturating_add(1)),
            updated_at: now,
            ..AccountChanges::default()
        };
        let change =
            self.change_log.made(&caller.account, caller.session, AccountChangeKind::PasswordChanged);
        let (app, caller) = (Arc::clone(self), caller.clone());
        let by = caller.authority(RequiredAuthority::SignedIn, self.clock.now());
        let changing = async move {
            let session = Id(caller.session);
            let changed = app.database.write(by, move |conn| {
                let found = accounts::find(conn, &row.id)?;
                if found.is_none_or(|found| found.password_hash != row.password_hash) {
                    return Err(Failure::WrongPassword);
                }
                accounts::update(conn, &row.id, &changes)?;
                sessions::end_others(conn, &row.id, session, now)?;
                end_links(conn, &row.id)?;
                Ok(change.write(conn)?)
            });
            changed.await?;
            app.sessions.sessions_ended(&caller.account, Some(caller.session));
            security::password_changed(&caller.account, caller.session);
            Ok(())
        };
        run_to_completion(changing).await
    }

    /// Gives credentials to an account without any. A guest becomes a full account; its games stay. The registration rate
    /// limit applies, since the answer reveals whether a username is taken.
    ///
    /// # Errors
    /// [`Failure::RecentSignInRequired`] for a full account, which has signed in with an identity, more than five minutes ago.
    pub async fn give_credentials(
        &self,
        caller: &Caller,
        username: &str,
        password: &str,
        address: Option<IpAddr>,
    ) -> Result<Account, Failure> {
        Faults::refuse(account_faults(Some(username), Some(password), None))?;
        let password = chosen_password("/password", password, username)?;
        if self.own_row(caller).await?.username_key.is_some() {
            return Err(Failure::NotAGuest);
        }
        self.require_recent_sign_in(caller).await?;
        self.hasher.has_room(address)?;
        let own = self
            .throttle
            .meter()
            .attempt(LimitKind::CredentialsByAccount, caller.account.as_str().as_bytes());
        let counted: Vec<Attempt> = own.into_iter().chain(self.account_attempt(address)).collect();
        self.throttle.count(counted.clone()).await?;
        let password_hash = self.hash_for_name(username, password, address, &counted).await?;
        let credentials = Credentials {
            username: username.to_owned(),
            username_key: username.to_ascii_lowercase(),
            password_hash,
        };
        let id = caller.account.clone();
        let now = milliseconds(self.clock.now());
        let change = self.change_log.made(&caller.account, caller.session, AccountChangeKind::CredentialsSet);
        let by = caller.authority(RequiredAuthority::SignedIn, self.clock.now());
        let given = self.database.write(by, move |conn| {
            if !accounts::give_credentials(conn, &id, &credentials, now).map_err(super::or_taken)? {
                return Err(Failure::NotAGuest);
            }
            change.write(conn)?;
            accounts::find(conn, &id)?.ok_or(Failure::NotAGuest)
        });
        let row = given.await?;
        security::credentials_given(&row.id);
        Ok(Account::from_row(&row))
    }

    /// Refuses callers who signed in more than five minutes ago. A guest cannot sign in again, so its session is enough.
    ///
    /// # Errors
    /// [`Failure::RecentSignInRequired`].
    pub(crate) async fn require_recent_sign_in(&self, caller: &Caller) -> Result<(), Failure> {
        if self.own_row(caller).await?.kind != AccountKind::Guest {
            caller.require_recent_sign_in(self.clock.now())?;
        }
        Ok(())
    }

    /// The caller's account row. A deleted account fails as an ended session.
    pub(super) async fn own_row(&self, caller: &Caller) -> Result<AccountRow, Failure> {
        let id = caller.account.clone();
        let row = self.database.read(move |conn| accounts::find(conn, &id)).await?;
        row.ok_or(Failure::SessionEnded)
    }

    /// The caller's account row, after the password is confirmed.
    pub(super) async fn confirmed(
        &self,
        caller: &Caller,
        password: &str,
        address: Option<IpAddr>,
    ) -> Result<AccountRow, Failure> {
        self.hasher.has_room(address)?;
        let row = self.own_row(caller).await?;
        let Some(stored) = row.password_hash.clone() else { return Err(Failure::GuestAccount) };
        let counted = self.throttle.count_confirmation(caller.session).await?;
        let verdict = match Password::read(password) {
            Ok(password) => {
                self.hasher.run(address, &counted, move |_| passwords::verify(&password, &stored)).await?
            }
            Err(_) => Verdict::Wrong,
        };
        if verdict == Verdict::Wrong {
            security::confirmation_failed(&row.id, caller.session);
            return Err(Failure::WrongPassword);
        }
        self.throttle.take_back(&counted).await?;
        Ok(row)
    }
}
