//! Roles: permissions besides playing, and the record of every grant.

use std::sync::Arc;

use super::Account;
use super::changes::end_links;
use crate::auth::authority::{CallerAuthority, RequiredAuthority};
use crate::auth::permission::ActingAdmin;
use crate::auth::security;
use crate::auth::sessions::Sessions;
use crate::auth::tokens::Role;
use crate::base::clock::Clock;
use crate::base::completion::run_to_completion;
use crate::base::entropy::Entropy;
use crate::base::failure::Failure;
use crate::base::ids::new_id;
use estimation_engine::player::AccountId;
use estimation_store::{Database, Id, StoreError, accounts, role_grants};

pub struct Roles {
    pub(crate) database: Database,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) sessions: Arc<Sessions>,
}

impl Roles {
    /// Grants another account a role; by an admin. Tokens with the former role become
    /// invalid at once here, and within two seconds on other nodes.
    pub async fn grant(&self, by: &ActingAdmin, account: AccountId, role: Role) -> Result<Account, Failure> {
        let caller = by.caller();
        if account == caller.account {
            return Err(Failure::OwnRole);
        }
        let by = caller.authority(RequiredAuthority::Acting, self.clock.now());
        self.record(account, role, Some((caller.account.clone(), by))).await
    }

    /// Grants the account with a username a role; for the operator. The last admin stays one.
    pub async fn grant_to(&self, username: &str, role: Role) -> Result<Account, Failure> {
        let key = username.to_ascii_lowercase();
        let row = self.database.read(move |conn| accounts::find_by_username_key(conn, &key)).await?;
        let row = row.ok_or(Failure::NotFound { what: "account" })?;
        self.record(row.id, role, None).await
    }

    async fn record(
        &self,
        account: AccountId,
        role: Role,
        by: Option<(AccountId, CallerAuthority)>,
    ) -> Result<Account, Failure> {
        let (database, sessions) = (self.database.clone(), Arc::clone(&self.sessions));
        let now = self.clock.now();
        let id = Id(new_id(now, &*self.entropy));
        let (by, authority) = by.unzip();
        let granting = async move {
            let granted = database.write(authority, move |conn| {
                let grant =
                    role_grants::grant(conn, id, &account, role, by.as_ref(), now.into()).map_err(refused)?;
                // A link that leads into a player's account does not lead into one with a role.
                end_links(conn, &account)?;
                let row = accounts::find(conn, &account)?.ok_or(Failure::NotFound { what: "account" })?;
                Ok::<_, Failure>((grant, row))
            });
            let (grant, row) = granted.await?;
            sessions.role_changed(&row.id, role);
            security::role_granted(
                &row.id,
                grant.role.as_str(),
                grant.former_role.as_str(),
                grant.granted_by.as_ref(),
            );
            Ok(Account::from_row(&row))
        };
        run_to_completion(granting).await
    }
}

/// Why a role cannot be granted.
fn refused(error: StoreError) -> Failure {
    match error {
        StoreError::NotFound => Failure::NotFound { what: "account" },
        StoreError::LastAdmin => Failure::LastAdmin,
        // Another admin has just taken the role from the caller.
        StoreError::NotAdmin { .. } => Failure::RoleRequired { role: Role::Admin },
        error => error.into(),
    }
}
