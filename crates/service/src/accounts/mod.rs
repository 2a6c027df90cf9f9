//! Accounts: registration with credentials or as a guest.

pub mod access_link;
pub(crate) mod banned;
pub mod changes;
pub(crate) mod erase;
pub mod failure;
mod profile;
pub mod recovery;
pub mod roles;
pub mod second_step;

use std::net::IpAddr;
use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use self::changes::ChangeLog;
use self::failure::AccountFault;
use self::recovery::drawn;
use crate::auth::hashing::PasswordHasher;
use crate::auth::passwords::{self, Password};
use crate::auth::recovery_code::RecoveryCode;
use crate::auth::security;
use crate::auth::sessions::{Session, Sessions};
use crate::auth::throttle::{LimitKind, Throttle};
use crate::auth::tokens::Role;
use crate::base::clock::Clock;
use crate::base::entropy::Entropy;
use crate::base::failure::{Failure, Faults};
use crate::base::ids::new_id;
use crate::base::metrics::Metrics;
use crate::base::names::{Names, choose_display_name, choose_username, neutral};
use crate::games::Games;
use crate::games::skipped_games::SkippedGames;
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_store::accounts::AccountKind;
use estimation_store::accounts::{self, AccountRow};
use estimation_store::attempts::Attempt;
use estimation_store::{Connection, Database, Hash, Id, Server, StoreError, recovery_codes, role_grants};

/// An account as its owner sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Account {
    /// The account's id.
    pub id: AccountId,
    /// The username to sign in with; null for a guest, and for a player who signs in with an issuer alone.
    #[schema(min_length = 3, max_length = 32, example = "noor")]
    pub username: Option<String>,
    /// The display name that other players see.
    #[schema(min_length = 1, max_length = 40, example = "Noor")]
    pub display_name: String,
    /// Whether the account is full or a guest's.
    pub kind: AccountKind,
    /// The account's permissions besides playing.
    pub role: Role,
    /// When the account was created.
    pub created_at: RecordTime,
}

pub struct Accounts {
    pub(crate) database: Database,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) throttle: Arc<Throttle>,
    pub(crate) hasher: Arc<PasswordHasher>,
    pub(crate) names: Arc<Names>,
    pub(crate) games: Arc<Games>,
    pub(crate) skipped_games: Arc<SkippedGames>,
    pub(crate) change_log: Arc<ChangeLog>,
}

impl Accounts {
    /// Registers an account and signs it in. Returns its recovery codes as well. The default display name is neutral, so it does not reveal the
    /// username.
    pub async fn register(
        &self,
        username: &str,
        password: &str,
        display_name: Option<&str>,
        address: Option<IpAddr>,
    ) -> Result<(Account, Session, Vec<String>), Failure> {
        Faults::refuse(account_faults(Some(username), Some(password), display_name))?;
        let password = chosen_password("/password", password, username)?;
        let display_name = display_name.map(|name| self.names.choose(name)).transpose()?;
        self.hasher.has_room(address)?;
        let counted: Vec<Attempt> = self.account_attempt(address).into_iter().collect();
        self.throttle.count(counted.clone()).await?;
        let password_hash = self.hash_for_name(username, password, address, &counted).await?;
        let row = AccountRow {
            username: Some(username.to_owned()),
            username_key: Some(username.to_ascii_lowercase()),
            password_hash: Some(password_hash),
            ..self.new_row(display_name, "Player", AccountKind::Full)
        };
        let (codes, macs) = drawn(&self.sessions.refresh_key());
        let (account, session) = self.open(row, macs, address).await?;
        Ok((account, session, codes))
    }

    /// Creates an account with a role and a drawn password, which is returned; for the operator. It is not signed in.
    pub async fn create(&self, username: &str, role: Role) -> Result<(Account, String), Failure> {
        Faults::refuse(account_faults(Some(username), None, None))?;
        let text = RecoveryCode::draw(&*self.entropy).text();
        let password = chosen_password("/password", &text, username)?;
        let password_hash = self.hash_for_name(username, password, None, &[]).await?;
        let row = AccountRow {
            username: Some(username.to_owned()),
            username_key: Some(username.to_ascii_lowercase()),
            password_hash: Some(password_hash),
            ..self.new_row(None, "Player", AccountKind::Full)
        };
        let grant = Id(new_id(self.clock.now(), &*self.entropy));
        let write = move |conn: &mut Connection| {
            accounts::insert(conn, &row).map_err(or_taken)?;
            if role != Role::Player {
                role_grants::grant(conn, grant, &row.id, role, None, row.created_at)?;
            }
            Ok::<_, Failure>(accounts::find(conn, &row.id)?.ok_or(StoreError::NotFound)?)
        };
        let row = self.database.write(Server, write).await?;
        let account = Account::from_row(&row);
        security::account_created(account.kind.as_str(), &account.id, None);
        if role != Role::Player {
            security::role_granted(&account.id, role.as_str(), Role::Player.as_str(), None);
        }
        Ok((account, text))
    }

    /// Registers a guest account and signs it in.
    pub async fn register_guest(
        &self,
        display_name: Option<&str>,
        address: Option<IpAddr>,
    ) -> Result<(Account, Session), Failure> {
        let display_name = display_name.map(|name| self.names.choose(name)).transpose()?;
        self.throttle.count(self.account_attempt(address).into_iter().collect()).await?;
        let row = self.new_row(display_name, "Guest", AccountKind::Guest);
        self.open(row, Vec::new(), address).await
    }

    /// A new account without username and password. Without a display name it gets a neutral one with this prefix.
    pub(crate) fn new_row(
        &self,
        display_name: Option<String>,
        prefix: &str,
        kind: AccountKind,
    ) -> AccountRow {
        let now = self.clock.now();
        let id = AccountId::new(new_id(now, &*self.entropy));
        AccountRow {
            username: None,
            username_key: None,
            display_name: display_name.unwrap_or_else(|| neutral(prefix, &id)),
            id,
            password_hash: None,
            kind,
            role: Role::Player,
            created_at: now.into(),
            updated_at: now.into(),
            password_changes: 0,
        }
    }

    /// Normalises and checks a chosen display name.
    pub(crate) fn choose_name(&self, name: &str) -> Result<String, Failure> {
        Ok(self.names.choose(name)?)
    }

    /// The rate-limited attempt to register, or to choose a username.
    pub(crate) fn account_attempt(&self, address: Option<IpAddr>) -> Option<Attempt> {
        self.throttle.meter().attempt_from(LimitKind::AccountsByAddress, address)
    }

    /// Hashes the password chosen with a username. A taken username fails before hashing.
    ///
    /// # Errors
    /// [`Failure::UsernameTaken`]. When the hash queue is full, counted attempts are refunded.
    pub(super) async fn hash_for_name(
        &self,
        username: &str,
        password: Password,
        address: Option<IpAddr>,
        counted: &[Attempt],
    ) -> Result<String, Failure> {
        let key = username.to_ascii_lowercase();
        if self.database.read(move |conn| accounts::find_by_username_key(conn, &key)).await?.is_some() {
            return Err(Failure::UsernameTaken);
        }
        let entropy = Arc::clone(&self.entropy);
        self.hasher.run(address, counted, move |cost| passwords::hash(cost, &password, &*entropy)).await
    }

    /// Stores a new account with its first session and its recovery codes.
    async fn open(
        &self,
        row: AccountRow,
        recovery_macs: Vec<Hash>,
        address: Option<IpAddr>,
    ) -> Result<(Account, Session), Failure> {
        let (session, new_session) = self.sessions.new_session(&row, None)?;
        let account = Account::from_row(&row);
        let begun = new_session.begun();
        let write = move |conn: &mut Connection| {
            accounts::insert(conn, &row).map_err(or_taken)?;
            recovery_codes::replace(conn, &row.id, &recovery_macs, row.created_at.milliseconds())?;
            Ok::<_, Failure>(new_session.write(conn)?)
        };
        self.database.write(Server, write).await?;
        self.sessions.begun(begun, &[]);
        security::account_created(account.kind.as_str(), &account.id, address);
        Ok((account, session))
    }
}

/// The failure of a write with a username, which another account may have.
fn or_taken(error: StoreError) -> Failure {
    match error {
        StoreError::UsernameTaken => Failure::UsernameTaken,
        error => error.into(),
    }
}

impl Account {
    pub(crate) fn from_row(row: &AccountRow) -> Account {
        Account {
            id: row.id.clone(),
            username: row.username.clone(),
            display_name: row.display_name.clone(),
            kind: row.kind,
            role: row.role,
            created_at: row.created_at,
        }
    }
}

/// Every fault of the given names and password.
pub fn account_faults(
    username: Option<&str>,
    password: Option<&str>,
    display_name: Option<&str>,
) -> Vec<AccountFault> {
    let password =
        password.map(|password| chosen_password("/password", password, username.unwrap_or_default()));
    let faults = [
        username.and_then(|username| choose_username(username).err()).map(AccountFault::from),
        password.and_then(Result::err),
        display_name.and_then(|name| choose_display_name(name).err()).map(AccountFault::from),
    ];
    faults.into_iter().flatten().collect()
}

/// Validates the password chosen with a username; `field` points to it in errors.
pub(super) fn chosen_password(
    field: &'static str,
    password: &str,
    username: &str,
) -> Result<Password, AccountFault> {
    Password::choose(password, username).map_err(|error| AccountFault::Password { field, error })
}
