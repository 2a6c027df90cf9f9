//! Rematches: the first player to ask opens the table, and the others join it.

use std::sync::Arc;

use super::change::Request;
use super::commit::removed;
use super::committed_event::{envelope_of, read_event};
use super::create::Terms;
use super::lobby::EVENTS;
use super::view::GameView;
use super::{Games, LoadedGame};
use crate::auth::authority::RequiredAuthority;
use crate::auth::caller::Caller;
use crate::base::failure::Failure;
use crate::games::idempotency::{Admission, IdempotencyKey, IdempotentResult, Reservation};
use estimation_engine::hex::Hex;
use estimation_engine::player::{AccountId, Player};
use estimation_engine::rejection::Rejection;
use estimation_engine::seat::Place;
use estimation_engine::table::TableCommand;
use estimation_store::{GameId, StoreError, event_reads, games, relations};

impl Games {
    /// Seats the caller at the rematch of a game they played. The first caller opens it with the same rules,
    /// terms and bots, and becomes host.
    ///
    /// # Errors
    /// [`Failure::GameNotOver`] while the game runs; [`Rejection::NotSeated`] if the caller had no seat.
    pub async fn rematch(
        self: &Arc<Games>,
        caller: &Caller,
        id: GameId,
        commitment: Option<Hex<32>>,
        once: Option<&IdempotencyKey>,
    ) -> Result<IdempotentResult<GameView>, Failure> {
        caller.restrictions.require_playing(self.clock.now())?;
        let reservation = match self.idempotency.admit(caller, RequiredAuthority::Playing, once).await? {
            Admission::Fresh(reservation) => reservation,
            Admission::Replay(past) => return self.seated_before(caller, &past).await,
        };
        let before = self.present(id).await?;
        self.admit(&before, &caller.account).await?;
        let place = before.game.table.place_held_by(&caller.account).ok_or(Rejection::NotSeated)?;
        if !before.game.is_over() {
            return Err(Failure::GameNotOver);
        }
        let sat = before.game.table.places.values().flatten();
        let mut invited: Vec<_> = sat.filter_map(|sitter| sitter.player.account().cloned()).collect();
        let account = caller.account.clone();
        let blocked = self.database.read(move |conn| relations::blocked_with(conn, &account)).await?;
        invited.retain(|account| !blocked.contains(account));
        loop {
            if let Some(rematch) = self.rematch_of(id).await? {
                return self.sit_down_again(caller, rematch, (place, commitment), &reservation).await;
            }
            match self
                .open_table(caller, same_table(&before, caller, commitment), &invited, &reservation)
                .await
            {
                Err(Failure::Store(StoreError::RematchTaken)) => {}
                opened => return opened,
            }
        }
    }

    async fn rematch_of(&self, game: GameId) -> Result<Option<GameId>, Failure> {
        let row = self.database.read(move |conn| games::rematch_of(conn, game)).await?;
        Ok(row.map(|row| row.id))
    }

    /// Whether the host removed the account from the table.
    async fn was_removed(&self, loaded: &LoadedGame, account: &AccountId) -> Result<bool, Failure> {
        let game = loaded.id;
        let log = self.database.read(move |conn| event_reads::after(conn, game, 0, EVENTS as i64)).await?;
        for stored in &log {
            let envelope = envelope_of(game, stored)?;
            if removed(envelope.actor, &read_event(game, &envelope)?) == Some(account) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Takes the caller's former slot, or another if it is taken. A caller already seated stays.
    async fn sit_down_again(
        self: &Arc<Games>,
        caller: &Caller,
        rematch: GameId,
        (place, commitment): (Place, Option<Hex<32>>),
        reservation: &Reservation,
    ) -> Result<IdempotentResult<GameView>, Failure> {
        let present = self.present(rematch).await?;
        // The host's removal withdraws the invitation.
        let invitation = match &present.join_code {
            Some(code) if !self.was_removed(&present, &caller.account).await? => Some(code.clone()),
            _ => None,
        };
        for place in [Some(place.index() as u8), None] {
            let join = TableCommand::Join { place, commitment };
            match self
                .settle(Request::Admitted(reservation), caller, rematch, &join, invitation.as_deref())
                .await
            {
                Ok(done) => return Ok(done.with(self.view_of(&done.value.state, &caller.account).await?)),
                Err(Failure::Rejected(Rejection::SeatTaken { .. })) => {}
                Err(Failure::Rejected(Rejection::AlreadySeated { .. })) => break,
                // The caller joined before, and the game has started.
                Err(Failure::Rejected(Rejection::NotInLobby { .. })) => break,
                Err(failure) => return Err(failure),
            }
        }
        let present = self.present(rematch).await?;
        if present.position_of(&caller.account).is_none() {
            let status = present.game.status();
            return Err(Rejection::NotInLobby { status }.into());
        }
        Ok(IdempotentResult { value: self.view_of(&present, &caller.account).await?, replayed: false })
    }
}

/// The same table with the caller as host. The caller takes slot 0; other bots keep their slots. A bot from
/// slot 0 takes the caller's former slot.
fn same_table(before: &LoadedGame, caller: &Caller, seed_commitment: Option<Hex<32>>) -> Terms {
    let table = &before.game.table;
    let own = table.place_held_by(&caller.account).unwrap_or(Place::new(0));
    let bots = table.places.iter().filter_map(|(seat, sitter)| match sitter.as_ref()?.player {
        Player::Bot { level } if seat.index() == 0 => Some((own, level)),
        Player::Bot { level } => Some((seat.as_place(), level)),
        Player::Human { .. } => None,
    });
    Terms {
        ruleset: table.ruleset.clone(),
        visibility: table.visibility,
        spectators: table.spectators,
        turn_seconds: table.turn_seconds,
        opening_seconds: Some(table.opening_seconds),
        seed_commitment,
        bots: bots.collect(),
        starts: false,
        rematch_of: Some(before.id),
        talk: before.talk,
        strangers: false,
    }
}
