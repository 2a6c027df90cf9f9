//! The lobby: joining, leaving, starting and cancelling a table, its limits, and what an invitation code shows.
//!
//! Reading a past state replays the whole record, so the record of a lobby table is bounded. One account may not use up the
//! whole bound.

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use super::change::{Change, Request};
use super::commit::CommitResult;
use super::committed_event::event_of;
use super::create::is_invitation_code;
use super::view::{GameView, PersonView, SeatView, host, seats};
use super::{Games, LoadedGame};
use crate::auth::authority::RequiredAuthority;
use crate::auth::caller::Caller;
use crate::base::failure::Failure;
use crate::base::locale::Language;
use crate::games::idempotency::{IdempotencyKey, IdempotentResult, Reservation};
use crate::rulesets::RulesetSummary;
use estimation_engine::event::{Event, EventKind, Visibility};
use estimation_engine::game::GameStatus;
use estimation_engine::rejection::Rejection;
use estimation_engine::seat::Place;
use estimation_engine::table::{Decided, TableCommand, decide_table};
use estimation_record::fairness::SeededChance;
use estimation_store::{GameId, StoreError, audit_accesses, event_reads, games as rows, matchmaking};

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
    async fn invited_to(&self, code: &str) -> Result<GameId, Failure> {
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

/// The record length from which joining, seating bots and handing over are refused. Leaving, starting and
/// cancelling always work; they add at most one event per seat.
pub(super) const EVENTS: u64 = 500;

/// How many times an account may join a table, and how many times it may commit to a seed there.
const CHANGES: u64 = 20;

impl Games {
    /// Refuses a lobby command that would make the record too long.
    ///
    /// # Errors
    /// [`Failure::TooManyChanges`].
    async fn may_grow(
        &self,
        loaded: &LoadedGame,
        caller: &Caller,
        command: &TableCommand,
    ) -> Result<(), Failure> {
        let counted = match command {
            TableCommand::Join { .. } => Some(EventKind::PlayerJoined),
            TableCommand::CommitSeed { .. } => Some(EventKind::SeedCommitted),
            _ => None,
        };
        let grows = counted.is_some()
            || matches!(command, TableCommand::SeatBot { .. } | TableCommand::HandOver { .. });
        if !grows || loaded.game.status() != GameStatus::Lobby {
            return Ok(());
        }
        if loaded.version >= EVENTS {
            return Err(Failure::TooManyChanges { limit: EVENTS, by_table: true });
        }
        // No account has more events than the log, and few logs are that long.
        if let Some(kind) = counted
            && loaded.version > CHANGES
            && self.events_of(loaded, caller, kind).await? >= CHANGES
        {
            return Err(Failure::TooManyChanges { limit: CHANGES, by_table: false });
        }
        Ok(())
    }

    /// How many events of a kind an account has at the table.
    async fn events_of(&self, loaded: &LoadedGame, caller: &Caller, kind: EventKind) -> Result<u64, Failure> {
        let game = loaded.id;
        let log = self.database.read(move |conn| event_reads::after(conn, game, 0, EVENTS as i64)).await?;
        // The place that the account holds; the host's first one is 0.
        let mut own = None;
        let mut count = 0;
        for stored in &log {
            let (_, event) = event_of(game, stored)?;
            let place = match &event {
                Event::GameCreated(created) => {
                    own = (created.host == caller.account).then_some(Place::new(0));
                    continue;
                }
                Event::PlayerJoined { place, account, .. } if *account == caller.account => {
                    own = Some(*place);
                    *place
                }
                Event::SeedCommitted { place, .. } => *place,
                Event::PlayerLeft { place, .. } => {
                    own = own.filter(|own| own != place);
                    continue;
                }
                _ => continue,
            };
            count += u64::from(own == Some(place) && event.kind() == kind);
        }
        Ok(count)
    }
}

/// A table in the lobby, as an invitation shows it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Invitation {
    /// The rules, with the options of the table.
    pub ruleset: RulesetSummary,
    /// The host of the table.
    pub host: PersonView,
    /// Seconds per turn; null for no clock.
    #[schema(minimum = 10, maximum = 604_800)]
    pub turn_seconds: Option<u32>,
    /// The places in the lobby. One is free if its `player` is null.
    #[schema(min_items = 2, max_items = 5)]
    pub seats: Vec<SeatView>,
}

impl Games {
    /// The table to which a code invites.
    ///
    /// # Errors
    /// As for joining: not found for an unknown code, [`Rejection::NotInLobby`] after the start.
    pub async fn invitation(&self, code: &str) -> Result<Invitation, Failure> {
        let code = code.to_ascii_uppercase();
        let loaded = self.present(self.invited_to(&code).await?).await?;
        // The host may have withdrawn the code meanwhile.
        if loaded.join_code.as_ref() != Some(&code) {
            return Err(Failure::NotFound { what: "invitation" });
        }
        let status = loaded.game.status();
        if status != GameStatus::Lobby {
            return Err(Rejection::NotInLobby { status }.into());
        }
        let table = &loaded.game.table;
        let (names, attendance) = (self.names_at(&loaded).await?, self.attendance(&loaded).await?);
        Ok(Invitation {
            ruleset: RulesetSummary::of(&table.ruleset),
            host: host(table, &names),
            turn_seconds: table.turn_seconds,
            seats: seats(&loaded, &names, attendance, Language::English),
        })
    }
}
