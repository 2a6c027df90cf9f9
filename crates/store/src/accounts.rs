//! Accounts of players, including guests. Games reference them by id alone.

use diesel::prelude::*;

use super::columns::text_enums;
use super::role::Role;
use super::schema::{accounts, sessions};
use super::sessions::raise_authority;
use super::{AccountId, Connection, RecordTime, Result, StoreError, role_grants};

estimation_engine::choices! {
    /// The kind of an account.
    pub enum AccountKind {
        /// The account has a username and a password.
        Full = "full",
        /// The account has no username and no password, and lasts as long as its sessions.
        Guest = "guest",
    }
}

text_enums!(AccountKind);

/// An account. Times are milliseconds since 1970 in UTC. It holds a password hash, so it has no `Debug`.
#[derive(Clone, PartialEq, Eq, HasQuery, Insertable)]
#[diesel(table_name = accounts)]
pub struct AccountRow {
    /// UUIDv7.
    pub id: AccountId,
    /// As the player typed it; `None` for a guest, and for who signs in with an identity alone.
    pub username: Option<String>,
    /// The case-folded username, which is unique; `None` without one.
    pub username_key: Option<String>,
    pub display_name: String,
    /// Argon2id in PHC form; `None` without a password.
    pub password_hash: Option<String>,
    pub kind: AccountKind,
    /// The account's permissions beyond playing.
    pub role: Role,
    pub created_at: RecordTime,
    pub updated_at: RecordTime,
    /// The number of password changes.
    pub password_changes: i32,
}

/// Changes to an account; `None` leaves a column unchanged.
#[derive(Clone, Default, AsChangeset)]
#[diesel(table_name = accounts)]
pub struct AccountChanges {
    pub display_name: Option<String>,
    pub password_hash: Option<String>,
    /// The number of password changes, including this one.
    pub password_changes: Option<i32>,
    pub role: Option<Role>,
    pub updated_at: i64,
}

/// The credentials of an account that had none.
#[derive(Clone)]
pub struct Credentials {
    /// As the player typed it.
    pub username: String,
    /// The username case-folded.
    pub username_key: String,
    /// Argon2id in PHC form.
    pub password_hash: String,
}

/// Inserts a new account, full or guest.
///
/// # Errors
/// [`StoreError::UsernameTaken`].
pub fn insert(conn: &mut Connection, account: &AccountRow) -> Result<()> {
    diesel::insert_into(accounts::table)
        .values(account)
        .execute(conn)
        .map_err(|e| StoreError::or_duplicate(e, || StoreError::UsernameTaken))?;
    Ok(())
}

pub fn find(conn: &mut Connection, id: &AccountId) -> Result<Option<AccountRow>> {
    Ok(accounts::table.find(id).select(AccountRow::as_select()).first(conn).optional()?)
}

pub fn find_by_username_key(conn: &mut Connection, key: &str) -> Result<Option<AccountRow>> {
    let query = AccountRow::query().filter(accounts::username_key.eq(key));
    Ok(query.first(conn).optional()?)
}

/// The display names of several accounts, as pairs of id and name. Unknown ids are left out.
pub fn display_names(conn: &mut Connection, ids: &[AccountId]) -> Result<Vec<(AccountId, String)>> {
    let query =
        accounts::table.filter(accounts::id.eq_any(ids)).select((accounts::id, accounts::display_name));
    Ok(query.load(conn)?)
}

/// Those of these accounts that have a role besides playing.
pub fn roles_of(conn: &mut Connection, ids: &[AccountId]) -> Result<Vec<AccountId>> {
    let query = accounts::table
        .filter(accounts::id.eq_any(ids))
        .filter(accounts::role.ne(Role::Player))
        .select(accounts::id);
    Ok(query.load(conn)?)
}

/// The accounts with exactly this display name, at most `limit`.
pub fn named(conn: &mut Connection, name: &str, limit: i64) -> Result<Vec<AccountId>> {
    let query = accounts::table
        .filter(accounts::display_name.eq(name))
        .order(accounts::id)
        .limit(limit)
        .select(accounts::id);
    Ok(query.load(conn)?)
}

/// The accounts with another role than this one, as pairs of id and role. For audits.
pub fn with_other_role(conn: &mut Connection, role: &str) -> Result<Vec<(AccountId, String)>> {
    let query = accounts::table.filter(accounts::role.ne(role)).select((accounts::id, accounts::role));
    Ok(query.load(conn)?)
}

/// An account, whose row no other transaction changes until this one ends.
pub fn find_locked(conn: &mut Connection, id: &AccountId) -> Result<Option<AccountRow>> {
    if let Connection::Postgres(conn) = conn {
        let query = accounts::table.filter(accounts::id.eq(id)).select(accounts::id);
        query.for_update().load::<AccountId>(conn)?;
    }
    find(conn, id)
}

/// # Errors
/// [`StoreError::NotFound`].
pub fn update(conn: &mut Connection, id: &AccountId, changes: &AccountChanges) -> Result<()> {
    let changed = diesel::update(accounts::table.find(id)).set(changes).execute(conn)?;
    if changed == 0 {
        return Err(StoreError::NotFound);
    }
    if changes.role.is_some() { raise_authority(conn, id) } else { Ok(()) }
}

/// Guests created before `before` with no session used since, at most `limit`.
pub fn inactive_guests(conn: &mut Connection, before: i64, limit: i64) -> Result<Vec<AccountId>> {
    let used = sessions::table
        .filter(sessions::account_id.eq(accounts::id))
        .filter(sessions::last_used_at.ge(before))
        .select(sessions::id);
    let query = accounts::table
        .filter(accounts::kind.eq("guest"))
        .filter(accounts::created_at.lt(before))
        .filter(diesel::dsl::not(diesel::dsl::exists(used)))
        .select(accounts::id)
        .limit(limit);
    Ok(query.load(conn)?)
}

/// Gives credentials to an account without any, which is full from then on. Returns false when the account has some.
///
/// # Errors
/// [`StoreError::UsernameTaken`].
pub fn give_credentials(
    conn: &mut Connection,
    id: &AccountId,
    credentials: &Credentials,
    at: i64,
) -> Result<bool> {
    let without = accounts::table.find(id).filter(accounts::username_key.is_null());
    let changed = diesel::update(without)
        .set((
            accounts::username.eq(&credentials.username),
            accounts::username_key.eq(&credentials.username_key),
            accounts::password_hash.eq(&credentials.password_hash),
            accounts::kind.eq("full"),
            accounts::updated_at.eq(at),
        ))
        .execute(conn)
        .map_err(|e| StoreError::or_duplicate(e, || StoreError::UsernameTaken))?;
    Ok(changed == 1)
}

/// Makes a guest a full account, which signs in with an identity. Does nothing to a full account.
pub fn end_guesthood(conn: &mut Connection, id: &AccountId, at: i64) -> Result<()> {
    let guest = accounts::table.find(id).filter(accounts::kind.eq("guest"));
    diesel::update(guest).set((accounts::kind.eq("full"), accounts::updated_at.eq(at))).execute(conn)?;
    Ok(())
}

/// Deletes an account with its sessions and tokens. Returns false when there was none. Games stay unchanged.
///
/// # Errors
/// [`StoreError::LastAdmin`] when no admin would remain.
pub fn delete(conn: &mut Connection, id: &AccountId) -> Result<bool> {
    role_grants::lock_admins(conn)?;
    role_grants::keep_another_admin(conn, id)?;
    Ok(diesel::delete(accounts::table.find(id)).execute(conn)? == 1)
}
