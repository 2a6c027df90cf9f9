//! Erasing accounts: personal data is gone at once, and past games stay as they are under a pseudonym.
//!
//! The account goes first, with its sessions. Then its seats in lobbies are freed, and those in games that are
//! being played go to bots. A job does the same for seats that were left over.

use std::net::IpAddr;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::Accounts;
use crate::app::completion::run_to_completion;
use crate::app::failure::{Failure, FieldCode, milliseconds, stored_id};
use crate::app::games::Request;
use crate::app::skipped_games::Job;
use crate::auth::caller::Caller;
use crate::auth::security;
use crate::auth::tokens::Role;
use crate::engine::command::Position;
use crate::engine::player::AccountId;
use crate::engine::table::TableCommand;
use crate::store::players::{self, OrphanedPlace};
use crate::store::{Connection, accounts, games, idempotency};

/// How long a guest may stay away.
const GUEST_LIFETIME: SignedDuration = SignedDuration::from_hours(90 * 24);

/// How often a table is looked at until the account has left it.
const LOOKS: usize = 4;

/// How many seats of accounts that are gone are looked for in one query.
const SEATS_AT_ONCE: i64 = 200;

/// How many guests are erased in one sweep.
const GUESTS_AT_ONCE: i64 = 200;

impl Accounts {
    /// Erases the caller's account; a full account's password has to be said again.
    pub async fn erase_me(
        self: &Arc<Accounts>,
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
    pub(in crate::app) async fn sweep_guests(self: &Arc<Accounts>) -> Result<(), Failure> {
        let before = self.clock.now().checked_sub(GUEST_LIFETIME).unwrap_or(Timestamp::UNIX_EPOCH);
        let before = milliseconds(before);
        let find = self.database.read(move |conn| accounts::inactive_guests(conn, before, GUESTS_AT_ONCE));
        let mut failed = None;
        for guest in find.await? {
            // One that cannot be erased does not keep the others.
            if let Err(failure) = self.erase(&AccountId::new(guest), "forsaken").await {
                failed = Some(failure);
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// Deletes an account, and frees its seats then. Each transaction that seats an account checks that
    /// the account is there, so the seats that are found afterwards are all there will be.
    async fn erase(self: &Arc<Accounts>, account: &AccountId, reason: &'static str) -> Result<(), Failure> {
        let (app, account) = (Arc::clone(self), account.clone());
        run_to_completion(async move { app.erase_at_once(&account, reason).await }).await
    }

    async fn erase_at_once(self: &Arc<Accounts>, account: &AccountId, reason: &str) -> Result<(), Failure> {
        let id = account.to_string();
        let erased = self.database.write(move |conn| {
            idempotency::forget_account(conn, &id)?;
            accounts::delete(conn, &id)
        });
        let erased = erased.await?;
        self.sessions.sessions_ended(account.as_str(), None);
        self.names.forget(account);
        if erased {
            security::account_erased(account.as_str(), reason);
        }
        if let Err(error) = self.free_seats(account).await {
            tracing::warn!(%error, %account, "a seat of a deleted account is left for the sweep");
        }
        Ok(())
    }

    /// Frees every seat of an account that is gone. One that cannot be freed does not keep the others.
    async fn free_seats(self: &Arc<Accounts>, account: &AccountId) -> Result<(), Failure> {
        let id = account.to_string();
        let mut failed = None;
        for game in self.database.read(move |conn| games::open_of(conn, &id)).await? {
            if let Err(failure) = self.free_seat(&game, account).await {
                failed = Some(failure);
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// Frees the seats of accounts that are gone: what a node left that died over it, or an outsider. Returns
    /// how many places were looked at.
    pub async fn free_forsaken_seats(self: &Arc<Accounts>) -> Result<usize, Failure> {
        let (mut looked_at, mut behind, mut failed) = (0, None, None);
        loop {
            let read = move |conn: &mut Connection| players::orphaned(conn, behind.as_ref(), SEATS_AT_ONCE);
            let places = self.database.read(read).await?;
            for OrphanedPlace { game, account, .. } in &places {
                match self.free_seat(game, &AccountId::new(account.clone())).await {
                    Ok(()) => self.skipped_games.handled(Job::Seats, game),
                    Err(failure) => {
                        failed = self.skipped_games.skip(Job::Seats, game, failure).err().or(failed)
                    }
                }
            }
            looked_at += places.len();
            behind = places.into_iter().next_back();
            if behind.is_none() {
                return failed.map_or(Ok(looked_at), Err);
            }
        }
    }

    /// Has an account that is gone stand up from a table that is not over: its seat is free, or a bot's.
    async fn free_seat(self: &Arc<Accounts>, game: &str, account: &AccountId) -> Result<(), Failure> {
        let id = stored_id(game)?;
        let caller = Caller { account: account.clone(), session: Uuid::nil(), role: Role::Player };
        // A table that starts meanwhile has other numbers for its seats: the second look finds them.
        for _ in 0..LOOKS {
            let Some(chair) = self.open_chair(id, account).await? else { return Ok(()) };
            let leave = TableCommand::Leave { place: chair.number().index() as u8 };
            match self.games.settle(Request::Own(None), &caller, id, &leave, None).await {
                Ok(_) | Err(Failure::Rejected(_) | Failure::NotFound { .. } | Failure::Withheld { .. }) => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(())
    }

    /// Where an account sits in a game that is not over. A game that cannot be read keeps nobody from going.
    async fn open_chair(&self, game: Uuid, account: &AccountId) -> Result<Option<Position>, Failure> {
        match self.games.present(game).await {
            Ok(loaded) => Ok(loaded.position_of(account).filter(|_| !loaded.game.is_over())),
            Err(Failure::UnreadableLog { .. }) => Ok(None),
            Err(failure) => Err(failure),
        }
    }
}
