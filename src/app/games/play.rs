//! Playing: commands of seated players.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::Games;
use super::change::{Change, Request};
use super::commit::Committed;
use super::events::PublishedEvent;
use super::view::GameView;
use super::{LoadedGame, LogPosition};
use crate::app::failure::Failure;
use crate::app::idempotency::{Done, IdempotencyKey};
use crate::app::metrics::Metrics;
use crate::auth::caller::Caller;
use crate::engine::command::{Actor, Command};
use crate::engine::decide::decide;
use crate::engine::rejection::Rejection;
use crate::engine::table::Decided;
use crate::store::GameId;
use estimation_record::fairness::SeededChance;

#[derive(Debug, Serialize)]
pub struct Played {
    pub version: u64,
    /// The events it caused, as the caller may see them.
    pub events: Vec<PublishedEvent>,
    pub game: GameView,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub struct NewVersion {
    pub version: u64,
}

/// The caller's budget of refused commands.
pub trait RefusalBudget {
    /// Takes one refusal from the budget; false if it is empty.
    fn take(&self) -> bool;
}

pub struct Unlimited;

impl RefusalBudget for Unlimited {
    fn take(&self) -> bool {
        true
    }
}

/// A command that a seated player posted.
pub struct Play<'a, B> {
    pub caller: &'a Caller,
    pub game: GameId,
    /// The version that the command requires, if any.
    pub expected: Option<LogPosition>,
    pub command: &'a Command,
    pub key: Option<&'a IdempotencyKey>,
    /// Legal commands never consume it and work when it is empty.
    pub refusals: &'a B,
}

impl<B: RefusalBudget> Change for Play<'_, B> {
    fn decide(&self, state: &LoadedGame, chance: &mut SeededChance<'_>) -> Result<Decided, Failure> {
        let Some(position) = state.position_of(&self.caller.account) else {
            state.admit(&self.caller.account)?;
            return Err(Rejection::NotSeated.into());
        };
        let actor = Actor::at(position);
        Ok(Decided { actor, events: decide(&state.game, actor, self.command, chance)? })
    }

    fn expected(&self) -> Option<LogPosition> {
        self.expected
    }

    fn take_refusal(&self) -> bool {
        self.refusals.take()
    }

    fn measure(&self, metrics: &Metrics, took: Duration) {
        metrics.command(took);
    }
}

impl Games {
    /// Executes a play command and returns its events.
    ///
    /// # Errors
    /// [`Failure::TooManyRefusals`] if the command would be refused and the budget of refusals is empty.
    pub async fn play(
        self: &Arc<Games>,
        play: &Play<'_, impl RefusalBudget>,
    ) -> Result<Done<Played>, Failure> {
        let done = self.carry_out(play).await?;
        let (committed, account) = (&done.value, &play.caller.account);
        Ok(done.with(Played {
            version: committed.state.version,
            events: committed.events(committed.state.viewer(account))?,
            game: self.view_of(&committed.state, account).await?,
        }))
    }

    /// Executes a play command like [`Games::play`], and returns the resulting version only.
    pub async fn play_briefly(
        self: &Arc<Games>,
        play: &Play<'_, impl RefusalBudget>,
    ) -> Result<Done<NewVersion>, Failure> {
        let done = self.carry_out(play).await?;
        Ok(done.with(NewVersion { version: done.value.state.version }))
    }

    async fn carry_out(
        self: &Arc<Games>,
        play: &Play<'_, impl RefusalBudget>,
    ) -> Result<Done<Committed>, Failure> {
        self.change(play.game, play.caller, Request::Own(play.key), play).await
    }
}
