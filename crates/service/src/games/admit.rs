//! Who may see a game: the one check for accounts without a seat.

use super::Games;
use super::loaded_game::LoadedGame;
use super::view::accounts_at;
use crate::base::failure::Failure;
use estimation_engine::command::Position;
use estimation_engine::player::AccountId;
use estimation_engine::rejection::Rejection;
use estimation_store::{GameId, relations};

impl Games {
    /// Refuses accounts that may not see the game: outsiders at a private table, outsiders at a running table without
    /// spectators, and outsiders with a block between them and a player. Players always see their own game.
    ///
    /// # Errors
    /// [`Failure::Blocked`], [`Withheld`](crate::base::failure::Failure::Withheld),
    /// [`Failure::SpectatorsBarred`].
    pub(crate) async fn admit(&self, loaded: &LoadedGame, account: &AccountId) -> Result<(), Failure> {
        if loaded.has_sat(account) {
            return Ok(());
        }
        if self.is_blocked_at(loaded, account).await? {
            return Err(Failure::Blocked);
        }
        loaded.admit_outsider()
    }

    /// Whether there is a block, in either direction, between an account and a player of a game.
    pub(crate) async fn is_blocked_at(
        &self,
        loaded: &LoadedGame,
        account: &AccountId,
    ) -> Result<bool, Failure> {
        let table = &loaded.game.table;
        let others: Vec<AccountId> = accounts_at(table).chain([&table.host]).cloned().collect();
        let account = account.clone();
        Ok(self.database.read(move |conn| relations::is_blocked_with(conn, &account, &others)).await?)
    }

    /// The position of an account that plays.
    ///
    /// # Errors
    /// [`Rejection::NotSeated`], or what [`admit`](Games::admit) refuses.
    pub(crate) async fn seated(&self, loaded: &LoadedGame, account: &AccountId) -> Result<Position, Failure> {
        if let Some(position) = loaded.position_of(account) {
            return Ok(position);
        }
        self.admit(loaded, account).await?;
        Err(Rejection::NotSeated.into())
    }

    /// Refuses a table command of an outsider with a block between them and a player, before it is decided.
    pub(super) async fn bar_blocked(&self, id: GameId, account: &AccountId) -> Result<(), Failure> {
        let loaded = self.recent(id).await?;
        if loaded.position_of(account).is_none() && self.is_blocked_at(&loaded, account).await? {
            return Err(Failure::Blocked);
        }
        Ok(())
    }
}
