//! Account deletion. Personal data is deleted at once; past games stay, under a pseudonym.
//!
//! The account and its sessions are deleted first. Then its lobby seats are freed, and bots take its seats in
//! running games. A job frees any seats that were missed.

use std::net::IpAddr;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::Accounts;
use super::banned;
use crate::auth::authority::{CallerAuthority, RequiredAuthority};
use crate::auth::caller::Caller;
use crate::auth::keys::RefreshKey;
use crate::auth::security;
use crate::base::completion::run_to_completion;
use crate::base::failure::{Failure, milliseconds};
use crate::base::field_error::FieldCode;
use crate::games::skipped_games::Job;
use estimation_engine::player::AccountId;
use estimation_store::players::{self, OrphanedPlace};
use estimation_store::{Connection, StoreError, accounts, games, idempotency, identities};

/// How long a guest account may go unused.
const GUEST_LIFETIME: SignedDuration = SignedDuration::from_hours(90 * 24);

/// Orphaned seats read per query.
const SEAT_BATCH: i64 = 200;

const GUEST_BATCH: i64 = 200;

/// Deletes the rows of an account, and remembers what identified it if it is banned. Returns false if it was deleted before.
///
/// # Errors
/// [`StoreError::LastAdmin`].
pub(crate) fn rows(
    conn: &mut Connection,
    account: &AccountId,
    key: &RefreshKey,
    now: i64,
) -> Result<bool, StoreError> {
    banned::remember(conn, account, key, now)?;
    idempotency::forget_account(conn, account)?;
    identities::revoke_grants(conn, account, now)?;
    accounts::delete(conn, account)
}

impl Accounts {
    /// Deletes the caller's account. A full account must confirm with its password, or without one by a sign-in of the last
    /// five minutes. Grants of issuers are revoked after that.
    ///
    /// # Errors
    /// [`Failure::LastAdmin`] if no other account is an admin.
    pub async fn erase_me(
        self: &Arc<Accounts>,
        caller: &Caller,
        password: Option<&str>,
        address: Option<IpAddr>,
    ) -> Result<(), Failure> {
        match (self.own_row(caller).await?.password_hash, password) {
            (None, _) => self.require_recent_sign_in(caller).await?,
            (Some(_), None) => {
                let reason = "must be given to delete a full account";
                return Err(Failure::field("/password", FieldCode::Missing, reason));
            }
            (Some(_), Some(password)) => drop(self.confirmed(caller, password, address).await?),
        }
        let by = caller.authority(RequiredAuthority::SignedIn, self.clock.now());
        self.erase(&caller.account, Some(by), "asked for").await
    }

    /// Deletes guests unused for 90 days.
    pub(crate) async fn sweep_guests(self: &Arc<Accounts>) -> Result<(), Failure> {
        let before = self.clock.now().checked_sub(GUEST_LIFETIME).unwrap_or(Timestamp::UNIX_EPOCH);
        let before = milliseconds(before);
        let find = self.database.read(move |conn| accounts::inactive_guests(conn, before, GUEST_BATCH));
        let mut failed = None;
        for guest in find.await? {
            match self.erase(&guest, None, "forsaken").await {
                // The last admin stays, used or not.
                Ok(()) | Err(Failure::LastAdmin) => {}
                // One failing deletion does not block the others.
                Err(failure) => failed = Some(failure),
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// Deletes the account, then frees its seats. Every transaction that seats an account checks that the
    /// account exists, so no seat is added after the deletion.
    async fn erase(
        self: &Arc<Accounts>,
        account: &AccountId,
        by: Option<CallerAuthority>,
        reason: &'static str,
    ) -> Result<(), Failure> {
        let (app, account) = (Arc::clone(self), account.clone());
        run_to_completion(async move { app.erase_at_once(&account, by, reason).await }).await
    }

    async fn erase_at_once(
        self: &Arc<Accounts>,
        account: &AccountId,
        by: Option<CallerAuthority>,
        reason: &str,
    ) -> Result<(), Failure> {
        let (id, now) = (account.clone(), milliseconds(self.clock.now()));
        let key = self.sessions.refresh_key();
        let erase = move |conn: &mut Connection| {
            rows(conn, &id, &key, now).map_err(|error| match error {
                StoreError::LastAdmin => Failure::LastAdmin,
                error => error.into(),
            })
        };
        if self.database.write(by, erase).await? {
            self.erased(account, reason).await;
        }
        Ok(())
    }

    /// What follows from the deletion of an account.
    pub(crate) async fn erased(self: &Arc<Accounts>, account: &AccountId, reason: &str) {
        self.sessions.sessions_ended(account, None);
        self.names.forget(account);
        security::account_erased(account, reason);
        if let Err(error) = self.free_seats(account).await {
            tracing::warn!(%error, %account, "a seat of a deleted account is left for the sweep");
        }
    }

    /// Frees every seat of a deleted account. One failing seat does not block the others.
    async fn free_seats(self: &Arc<Accounts>, account: &AccountId) -> Result<(), Failure> {
        let id = account.clone();
        let mut failed = None;
        for game in self.database.read(move |conn| games::open_of(conn, &id)).await? {
            if let Err(failure) = self.games.free_seat(game, account).await {
                failed = Some(failure);
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// Frees seats of deleted accounts that a crashed node or another program left. Returns how many seats it
    /// tried.
    pub async fn free_forsaken_seats(self: &Arc<Accounts>) -> Result<usize, Failure> {
        let (mut tried, mut behind, mut failed) = (0, None, None);
        loop {
            let read = move |conn: &mut Connection| players::orphaned(conn, behind.as_ref(), SEAT_BATCH);
            let places = self.database.read(read).await?;
            for OrphanedPlace { game, account, .. } in &places {
                let result = self.games.free_seat(*game, account).await;
                failed = self.skipped_games.settle(Job::Seats, *game, result).err().or(failed);
            }
            tried += places.len();
            behind = places.into_iter().next_back();
            if behind.is_none() {
                return failed.map_or(Ok(tried), Err);
            }
        }
    }
}
