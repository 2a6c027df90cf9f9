//! How others may find accounts, and friend codes.

use diesel::prelude::*;

use super::schema::{accounts, people_settings};
use super::{AccountId, Connection, Result};

/// How others may find an account.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = people_settings)]
#[diesel(treat_none_as_null = true)]
pub struct PeopleSettingsRow {
    pub account_id: AccountId,
    /// Whether friends see that the player is online.
    pub shows_presence: bool,
    /// Whether the exact display name finds the player.
    pub found_by_name: bool,
    /// Whether others may ask for friendship without the code.
    pub takes_requests: bool,
    pub friend_code: Option<String>,
}

impl PeopleSettingsRow {
    /// The settings of an account without a row.
    pub fn default_of(account: &AccountId) -> PeopleSettingsRow {
        PeopleSettingsRow {
            account_id: account.clone(),
            shows_presence: false,
            found_by_name: false,
            takes_requests: true,
            friend_code: None,
        }
    }
}

/// The settings of an account, also if it has chosen none.
pub fn find(conn: &mut Connection, account: &AccountId) -> Result<PeopleSettingsRow> {
    let row = people_settings::table.find(account).select(PeopleSettingsRow::as_select());
    let row = row.first(conn).optional()?;
    Ok(row.unwrap_or_else(|| PeopleSettingsRow::default_of(account)))
}

/// Replaces the settings of an account.
///
/// # Errors
/// [`StoreError::Constraint`](crate::StoreError::Constraint) if another account has the friend code.
pub fn put(conn: &mut Connection, row: &PeopleSettingsRow) -> Result<()> {
    let changed = diesel::update(people_settings::table.find(&row.account_id)).set(row).execute(conn)?;
    if changed == 0 {
        diesel::insert_into(people_settings::table).values(row).execute(conn)?;
    }
    Ok(())
}

/// Which of these accounts show their presence.
pub fn showing_presence(conn: &mut Connection, accounts: &[AccountId]) -> Result<Vec<AccountId>> {
    let query = people_settings::table
        .filter(people_settings::account_id.eq_any(accounts))
        .filter(people_settings::shows_presence.eq(true))
        .select(people_settings::account_id);
    Ok(query.load(conn)?)
}

/// The account with a friend code.
pub fn find_by_code(conn: &mut Connection, code: &str) -> Result<Option<AccountId>> {
    let query = people_settings::table
        .filter(people_settings::friend_code.eq(code))
        .select(people_settings::account_id);
    Ok(query.first(conn).optional()?)
}

/// The accounts with a display name that it finds, oldest first, at most `limit`.
pub fn find_by_name(conn: &mut Connection, name: &str, limit: i64) -> Result<Vec<AccountId>> {
    let query = accounts::table
        .inner_join(people_settings::table.on(people_settings::account_id.eq(accounts::id)))
        .filter(accounts::display_name.eq(name))
        .filter(people_settings::found_by_name.eq(true))
        .order(accounts::id)
        .limit(limit)
        .select(accounts::id);
    Ok(query.load(conn)?)
}
