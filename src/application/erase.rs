//! Erasing accounts: personal data is gone at once, and past games stay as they are under a pseudonym.
//!
//! Seats in lobbies are freed, and seats in games that are being played go to bots.

use std::net::IpAddr;

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::app::App;
use super::caller::Caller;
use super::failure::{Failure, FieldCode, milliseconds};
use super::security;
use super::tokens::Role;
use crate::engine::command::Chair;
use crate::engine::player::AccountId;
use crate::engine::table::TableCommand;
use crate::store::{accounts, games, idempotency};

/// How long a guest may stay away.
const GUEST_LIFETIME: SignedDuration = SignedDuration::from_hours(90 * 24);

/// How often a table is looked at until the account has left it.
const LOOKS: usize = 4;

/// How many guests are erased in one sweep.
const GUESTS_AT_ONCE: i64 = 200;

impl App {
    /// Erases the caller's account; a full account's password has to be said again.
    pub async fn erase_me(
        &self,
        caller: &Caller,
        password: Option<&str>,
        address: Option<IpAddr>,
    ) -> Result<(), Failure> {
        match (self.own_row(caller).await?.password_hash, password) {
            (None, _) => {}
            (Some(_), None) => {
                let reason = "must be given to delete a full account";
                return Err(Failure::field("password", FieldCode::Missing, reason));
            }
            (Some(_), Some(password)) => drop(self.confirmed(caller, password, address).await?),
        }
        self.erase(&caller.account, "asked for").await
    }

    /// Erases guests that nobody has been for 90 days.
    pub(super) async fn sweep_guests(&self) -> Result<(), Failure> {
        let before = self.now().checked_sub(GUEST_LIFETIME).unwrap_or(Timestamp::UNIX_EPOCH);
        let before = milliseconds(before);
        let find = self.database.read(move |conn| accounts::forsaken_guests(conn, before, GUESTS_AT_ONCE));
        for guest in find.await? {
            self.erase(&AccountId::new(guest), "forsaken").await?;
        }
        Ok(())
    }

    async fn erase(&self, account: &AccountId, reason: &str) -> Result<(), Failure> {
        self.leave_tables(account).await?;
        let id = account.to_string();
        let erased = self.database.write(move |conn| {
            idempotency::forget_account(conn, &id)?;
            accounts::delete(conn, &id)
        });
        erased.await?;
        self.sessions_ended(account.as_str(), None);
        self.forget_name(account);
        security::account_erased(account.as_str(), reason);
        Ok(())
    }

    /// Stands up from every table that is not over.
    async fn leave_tables(&self, account: &AccountId) -> Result<(), Failure> {
        let id = account.to_string();
        let caller = Caller { account: account.clone(), session: Uuid::nil(), role: Role::Player };
        for game in self.database.read(move |conn| games::open_of(conn, &id)).await? {
            let game = game.parse().map_err(|_| Failure::Defect(format!("{game:?} is no id")))?;
            // A table that starts meanwhile has other numbers for its seats: the second look finds them.
            for _ in 0..LOOKS {
                let Some(chair) = self.open_chair(game, account).await? else { break };
                let leave = TableCommand::Leave { place: chair.number().index() as u8 };
                match self.at_table(&caller, game, &leave, None, None).await {
                    Ok(_) | Err(Failure::Rejected(_) | Failure::Withheld { .. }) => {}
                    Err(failure) => return Err(failure),
                }
            }
        }
        Ok(())
    }

    /// Where an account sits in a game that is not over. A game that cannot be read keeps nobody from going.
    async fn open_chair(&self, game: Uuid, account: &AccountId) -> Result<Option<Chair>, Failure> {
        match self.present(game).await {
            Ok(loaded) => Ok(loaded.chair_of(account).filter(|_| !loaded.game.is_over())),
            Err(Failure::UnreadableLog { .. }) => Ok(None),
            Err(failure) => Err(failure),
        }
    }
}
