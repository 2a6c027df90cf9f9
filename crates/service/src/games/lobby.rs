//! The lobby: joining, leaving, starting and cancelling a table.

use std::sync::Arc;

use super::change::{Change, Request};
use super::commit::CommitResult;
use super::create::is_invitation_code;
use super::view::GameView;
use super::{Games, LoadedGame};
use crate::auth::authority::RequiredAuthority;
use crate::auth::caller::Caller;
use crate::base::failure::Failure;
use crate::games::idempotency::{IdempotencyKey, IdempotentResult, Reservation};
use estimation_engine::event::Visibility;
use estimation_engine::game::GameStatus;
use estimation_engine::table::{Decided, TableCommand, decide_table};
use estimation_record::fairness::SeededChance;
use estimation_store::{GameId, StoreError, audit_accesses, games as rows, matchmaking};

/// A table command. An outsider at a private table needs its invitation code.
struct TableChange<'a> {
    caller: &'a Caller,
    id: GameId,
    command: &'a TableCommand,
    join_code: Option<&'a str>,
}

impl Change for TableChange<'_> {
    fn decide(&self, state: &LoadedGame, chance: &mut SeededChance<'_>) -> Result<Decided, Failure> {
        let account = &self.caller.account;
        let stranger = state.position_of(account).is_none();
        let invited = self.join_code.is_some() && self.join_code == state.join_code.as_deref();
        if stranger && state.game.table.visibility == Visibility::Private && !invited {
            return Err(Failure::Withheld { what: "game" });
        }
        Ok(decide_table(&state.game, account, self.command, chance)?)
    }

    async fn may_begin(&self, games: &Games) -> Result<(), Failure> {
        games.bar_blocked(self.id, &self.caller.account).await?;
        match self.command {
            TableCommand::Join { .. } => games.bar_auditor(self.caller, self.id).await,
            _ => Ok(()),
        }
    }

    fn required(&self) -> RequiredAuthority {
        match self.command {
            TableCommand::Join { .. } => RequiredAuthority::Playing,
            _ => RequiredAuthority::SignedIn,
        }
    }

    async fn may_commit(&self, games: &Games, state: &LoadedGame) -> Result<(), Failure> {
        games.may_grow(state, self.caller, self.command).await
    }

    async fn instead(
        &self,
        games: &Arc<Games>,
        reservation: &Reservation,
        refusal: StoreError,
    ) -> Result<IdempotentResult<CommitResult>, Failure> {
        games.when_barred(reservation, self.caller, self.id, self.command, refusal).await
    }
}

impl Games {
    /// Executes a table command. An outsider at a private table needs its invitation code.
    pub async fn at_table(
        self: &Arc<Games>,
        caller: &Caller,
        id: GameId,
        command: &TableCommand,
        join_code: Option<&str>,
        once: Option<&IdempotencyKey>,
    ) -> Result<IdempotentResult<GameView>, Failure> {
        if matches!(command, TableCommand::Join { .. }) {
            caller.restrictions.require_playing(self.clock.now())?;
        }
        self.forbid_host_commands(caller, id, command).await?;
        let done = self.settle(Request::Own(once), caller, id, command, join_code).await?;
        Ok(done.with(self.view_of(&done.value.state, &caller.account).await?))
    }

    pub(crate) async fn settle(
        self: &Arc<Games>,
        request: Request<'_>,
        caller: &Caller,
        id: GameId,
        command: &TableCommand,
        join_code: Option<&str>,
    ) -> Result<IdempotentResult<CommitResult>, Failure> {
        self.change(id, caller, request, &TableChange { caller, id, command, join_code }).await
    }

    pub async fn join_by_code(
        self: &Arc<Games>,
        caller: &Caller,
        code: &str,
        command: &TableCommand,
        once: Option<&IdempotencyKey>,
    ) -> Result<IdempotentResult<GameView>, Failure> {
        let code = code.to_ascii_uppercase();
        let id = self.invited_to(&code).await?;
        match self.at_table(caller, id, command, Some(&code), once).await {
            Err(Failure::Blocked) => Err(Failure::NotFound { what: "invitation" }),
            joined => joined,
        }
    }

    /// The game to which a code in capitals invites.
    pub(super) async fn invited_to(&self, code: &str) -> Result<GameId, Failure> {
        let not_found = Failure::NotFound { what: "invitation" };
        if !is_invitation_code(code) {
            return Err(not_found);
        }
        let asked = code.to_owned();
        let row = self.database.read(move |conn| rows::find_by_join_code(conn, &asked)).await?;
        Ok(row.ok_or(not_found)?.id)
    }

    /// At a matchmade table that has not started, refuses all commands except leaving and those about the
    /// caller's client seed.
    async fn forbid_host_commands(
        &self,
        caller: &Caller,
        id: GameId,
        command: &TableCommand,
    ) -> Result<(), Failure> {
        if !self.database.read(move |conn| matchmaking::is_open(conn, id)).await? {
            return Ok(());
        }
        let present = self.present(id).await?;
        if present.game.status() != GameStatus::Lobby {
            return Ok(());
        }
        let own = present.position_of(&caller.account);
        let own = own.map(|position| position.number().index() as u8);
        match command {
            TableCommand::Leave { place } if own == Some(*place) => Ok(()),
            TableCommand::CommitSeed { .. } | TableCommand::OpenSeed { .. } if own.is_some() => Ok(()),
            _ => Err(Failure::StrangersTable),
        }
    }

    /// Refuses a caller who has accessed the game as an auditor.
    async fn bar_auditor(&self, caller: &Caller, id: GameId) -> Result<(), Failure> {
        let account = caller.account.clone();
        let looked = self.database.read(move |conn| audit_accesses::has_accessed(conn, &account, id)).await?;
        if looked { Err(Failure::AuditorBarred) } else { Ok(()) }
    }
}
