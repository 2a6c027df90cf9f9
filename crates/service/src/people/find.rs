//! Finding people: by exact display name, by friend code, and among those of the last games.

use serde::Serialize;
use utoipa::ToSchema;

use super::People;
use crate::auth::caller::Caller;
use crate::base::failure::Failure;
use crate::base::names::normal;
use crate::games::view::PersonView;
use estimation_engine::player::AccountId;
use estimation_store::people_settings::{self, PeopleSettingsRow};
use estimation_store::{Connection, StoreError, players, relations};

/// The most players that a search finds.
const FOUND: i64 = 20;

/// The games whose players are shown.
const RECENT: i64 = 10;

/// The length of a friend code. With 5 bits for each character there are 2⁶⁰ of them.
const CODE_LENGTH: usize = 12;

/// Players that the caller may ask for friendship.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct FoundPlayers {
    /// The players.
    #[schema(max_items = 50)]
    pub items: Vec<PersonView>,
}

impl People {
    /// The players with this exact display name who chose to be found by it, or the player with this friend code. Leaves out
    /// the caller, and players with a block between them and the caller.
    pub async fn find(
        &self,
        caller: &Caller,
        name: Option<&str>,
        code: Option<&str>,
    ) -> Result<FoundPlayers, Failure> {
        self.count(caller).await?;
        let account = caller.account.clone();
        let (name, code) = (name.map(normal), code.map(str::to_ascii_uppercase));
        // PostgreSQL has no text with such a character.
        let has_control =
            |text: &Option<String>| text.as_ref().is_some_and(|text| text.contains(char::is_control));
        if has_control(&name) || has_control(&code) {
            return Ok(FoundPlayers { items: Vec::new() });
        }
        let read = move |conn: &mut Connection| {
            let mut found = match (&name, &code) {
                (Some(name), _) => people_settings::find_by_name(conn, name, FOUND)?,
                (None, Some(code)) => people_settings::find_by_code(conn, code)?.into_iter().collect(),
                (None, None) => Vec::new(),
            };
            without_hidden(conn, &account, &mut found)?;
            Ok(found)
        };
        let found = self.database.read(read).await?;
        self.named(found).await
    }

    /// The people of the caller's last ten games that are over, the latest first.
    pub async fn recent(&self, caller: &Caller) -> Result<FoundPlayers, Failure> {
        let account = caller.account.clone();
        let read = move |conn: &mut Connection| {
            let mut recent = players::recent_company(conn, &account, RECENT)?;
            without_hidden(conn, &account, &mut recent)?;
            Ok(recent)
        };
        let recent = self.database.read(read).await?;
        self.named(recent).await
    }

    /// Gives the caller a new friend code, which replaces the former one.
    pub async fn draw_code(&self, caller: &Caller) -> Result<String, Failure> {
        self.count(caller).await?;
        let code = self.games.draw_code::<CODE_LENGTH>();
        self.set_code(caller, Some(code.clone())).await?;
        Ok(code)
    }

    /// Takes the caller's friend code away. Does nothing if there is none.
    pub async fn remove_code(&self, caller: &Caller) -> Result<(), Failure> {
        self.set_code(caller, None).await
    }

    async fn set_code(&self, caller: &Caller, friend_code: Option<String>) -> Result<(), Failure> {
        let account = caller.account.clone();
        let write = move |conn: &mut Connection| {
            let row = people_settings::find(conn, &account)?;
            Ok(people_settings::put(conn, &PeopleSettingsRow { friend_code: friend_code.clone(), ..row })?)
        };
        self.database.write(self.signed_in(caller), write).await
    }

    async fn named(&self, accounts: Vec<AccountId>) -> Result<FoundPlayers, Failure> {
        let names = self.names.names_of(&accounts).await?;
        let items = accounts.into_iter().map(|id| PersonView { name: names.of(&id), id });
        Ok(FoundPlayers { items: items.collect() })
    }
}

/// Removes the account itself, and accounts with a block between them and it.
fn without_hidden(
    conn: &mut Connection,
    account: &AccountId,
    found: &mut Vec<AccountId>,
) -> Result<(), StoreError> {
    let hidden = relations::blocked_with(conn, account)?;
    found.retain(|one| one != account && !hidden.contains(one));
    Ok(())
}
