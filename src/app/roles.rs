//! Roles: who may do what beside playing, and a record of every grant.

use std::sync::Arc;

use uuid::Uuid;

use super::accounts::Account;
use super::caller::Caller;
use super::completion::run_to_completion;
use super::failure::{Failure, milliseconds};
use super::security;
use super::state::App;
use super::tokens::Role;
use crate::store::{StoreError, accounts, role_grants};

impl Caller {
    /// Refuses who has another role.
    ///
    /// # Errors
    /// [`Failure::RoleRequired`].
    pub fn require(&self, role: Role) -> Result<(), Failure> {
        if self.role == role { Ok(()) } else { Err(Failure::RoleRequired { role }) }
    }
}

impl App {
    /// Gives an account a role: for admins. Tokens issued for the former role are dead at once here, and
    /// within two seconds elsewhere.
    pub async fn grant_role(
        self: &Arc<App>,
        caller: &Caller,
        account: Uuid,
        role: Role,
    ) -> Result<Account, Failure> {
        caller.require(Role::Admin)?;
        self.grant(account.to_string(), role, Some(caller.account.to_string())).await
    }

    /// Gives an account, by its username, a role: for whoever has the machine.
    pub async fn grant_role_to(self: &Arc<App>, username: &str, role: Role) -> Result<Account, Failure> {
        let key = username.to_ascii_lowercase();
        let row = self.database.read(move |conn| accounts::find_by_username_key(conn, &key)).await?;
        let row = row.ok_or(Failure::NotFound { what: "account" })?;
        self.grant(row.id, role, None).await
    }

    async fn grant(
        self: &Arc<App>,
        account: String,
        role: Role,
        by: Option<String>,
    ) -> Result<Account, Failure> {
        let (app, id, now) = (Arc::clone(self), self.new_id().to_string(), milliseconds(self.now()));
        let granting = async move {
            let granted = app.database.write(move |conn| {
                let grant = role_grants::grant(conn, &id, &account, role.as_str(), by.as_deref(), now)?;
                Ok((grant, accounts::find(conn, &account)?.ok_or(StoreError::NotFound)?))
            });
            let (grant, row) = match granted.await {
                Err(StoreError::NotFound) => return Err(Failure::NotFound { what: "account" }),
                granted => granted?,
            };
            app.role_changed(&row.id, role);
            security::role_granted(&row.id, &grant.role, &grant.former_role, grant.granted_by.as_deref());
            Account::from_row(&row)
        };
        run_to_completion(granting).await
    }
}
