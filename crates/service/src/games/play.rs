//! Playing: commands of seated players.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use utoipa::ToSchema;

use super::Games;
use super::change::{Change, Request};
use super::events::PublishedEvent;
use super::view::{GameView, HeadView};
use super::{LoadedGame, LogPosition};
use crate::auth::caller::Caller;
use crate::base::failure::Failure;
use crate::base::metrics::Metrics;
use crate::games::idempotency::{IdempotencyKey, IdempotentResult};
use estimation_engine::command::{Actor, Command};
use estimation_engine::decide::{check, decide};
use estimation_engine::rejection::Rejection;
use estimation_engine::table::Decided;
use estimation_record::fairness::SeededChance;
use estimation_store::GameId;

/// The answer to a command.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CommandAnswer)]
pub struct CommandAnswer {
    /// The game's version after the command.
    #[schema(minimum = 1, maximum = 9_007_199_254_740_991_u64)]
    pub version: u64,
    /// The last event of that version. Keep it: it proves that the log was not rewritten or cut.
    pub head: HeadView,
    /// The events that the command caused, as the caller may see them; absent with `Prefer: return=minimal`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<PublishedEvent>>, nullable = false, min_items = 1, max_items = 16)]
    pub events: Option<Vec<Arc<PublishedEvent>>>,
    /// The game after the events; absent with `Prefer: return=minimal`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub game: Option<GameView>,
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
        let actor = Actor::at(state.position_of(&self.caller.account).ok_or(Rejection::NotSeated)?);
        Ok(Decided::led(actor, decide(&state.game, actor, self.command, chance)?))
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
    /// Executes a play command. The answer has events and view unless it is to be `brief`.
    ///
    /// # Errors
    /// [`Failure::TooManyRequests`] if the command would be refused and the budget of refusals is empty.
    pub async fn play(
        self: &Arc<Games>,
        play: &Play<'_, impl RefusalBudget>,
        brief: bool,
    ) -> Result<IdempotentResult<CommandAnswer>, Failure> {
        let done = match self.change(play.game, play.caller, Request::Own(play.key), play).await {
            // An outsider may not even learn that the game is there.
            Err(Failure::Rejected(Rejection::NotSeated)) => {
                self.admit(&*self.recent(play.game).await?, &play.caller.account).await?;
                return Err(Rejection::NotSeated.into());
            }
            done => done?,
        };
        let (committed, account) = (&done.value, &play.caller.account);
        let state = &committed.state;
        let mut played =
            CommandAnswer { version: state.version, head: HeadView::of(state), events: None, game: None };
        if !brief {
            played.events = Some(committed.published(committed.state.viewer(account))?);
            played.game = Some(self.view_of(&committed.state, account).await?);
        }
        Ok(done.with(played))
    }

    /// Checks that a command is in `legal` of the caller's view. Changes nothing.
    ///
    /// # Errors
    /// The rule that the command breaks; [`Failure::StaleVersion`].
    pub async fn check(
        &self,
        caller: &Caller,
        id: GameId,
        expected: Option<LogPosition>,
        command: &Command,
    ) -> Result<(), Failure> {
        let loaded = self.present(id).await?;
        let position = self.seated(&loaded, &caller.account).await?;
        if expected.is_some_and(|expected| !expected.is_end_of(&loaded)) {
            return Err(self.stale(&loaded, caller, expected).await?);
        }
        Ok(check(&loaded.game, position, command)?)
    }
}
