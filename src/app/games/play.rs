//! Playing: a command is decided on a recent state, and on the present one before it is refused.

use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;
use uuid::Uuid;

use super::commit::Committed;
use super::events::{PublishedEvent, Use};
use super::view::GameView;
use super::{LoadedGame, LogPosition};
use crate::app::caller::Caller;
use crate::app::failure::Failure;
use crate::app::idempotency::{Admission, Done, IdempotencyKey, PriorOutcome};
use crate::app::state::App;
use crate::engine::command::{Actor, Command};
use crate::engine::decide::decide;
use crate::engine::event::Events;
use crate::engine::rejection::Rejection;
use crate::store::StoreError;

/// How often a command is decided again because the game has moved on meanwhile.
pub(super) const TRIES: usize = 8;

/// The most events told to a caller whose version was stale.
const MISSED_EVENTS: usize = 100;

/// What a command came to.
#[derive(Debug, Serialize)]
pub struct Played {
    /// The game's version now.
    pub version: u64,
    /// The events it caused, as the caller may see them.
    pub events: Vec<PublishedEvent>,
    /// The view after them.
    pub game: GameView,
}

/// A game's version, alone.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct NewVersion {
    /// The version now.
    pub version: u64,
}

/// What refused commands cost their sender.
pub trait RefusalBudget {
    /// Takes one refusal out of the budget; false if there is none left.
    fn take(&self) -> bool;
}

/// A budget that is never spent.
pub struct Unlimited;

impl RefusalBudget for Unlimited {
    fn take(&self) -> bool {
        true
    }
}

/// What a command comes to on a state.
#[expect(clippy::large_enum_variant, reason = "accepted is what almost every verdict is")]
enum Verdict {
    Accepted(Actor, Events),
    Refused(Rejection),
    Stale,
}

impl Verdict {
    fn is_accepted(&self) -> bool {
        matches!(self, Verdict::Accepted(..))
    }
}

impl App {
    /// Carries out a command of play, and shows what came of it.
    ///
    /// `expected` is the version the caller saw, if the command is meant for that alone. A legal command takes
    /// nothing out of `refusals`, and is carried out whatever is left in it.
    ///
    /// # Errors
    /// [`Failure::TooManyRefusals`] where the command would be refused and `refusals` is empty.
    pub async fn play(
        self: &Arc<App>,
        caller: &Caller,
        id: Uuid,
        expected: Option<LogPosition>,
        command: &Command,
        once: Option<&IdempotencyKey>,
        refusals: &impl RefusalBudget,
    ) -> Result<Done<Played>, Failure> {
        let done = self.carry_out(caller, id, expected, command, once, refusals).await?;
        let committed = &done.value;
        let viewer = committed.state.viewer(&caller.account);
        Ok(done.with(Played {
            version: committed.state.version,
            events: committed.events(viewer)?,
            game: self.view_of(&committed.state, &caller.account).await?,
        }))
    }

    /// Carries out a command of play like [`App::play`], and tells the version it led to.
    ///
    /// # Errors
    /// As [`App::play`].
    pub async fn play_briefly(
        self: &Arc<App>,
        caller: &Caller,
        id: Uuid,
        expected: Option<LogPosition>,
        command: &Command,
        once: Option<&IdempotencyKey>,
        refusals: &impl RefusalBudget,
    ) -> Result<Done<NewVersion>, Failure> {
        let done = self.carry_out(caller, id, expected, command, once, refusals).await?;
        Ok(done.with(NewVersion { version: done.value.state.version }))
    }

    async fn carry_out(
        self: &Arc<App>,
        caller: &Caller,
        id: Uuid,
        expected: Option<LogPosition>,
        command: &Command,
        once: Option<&IdempotencyKey>,
        refusals: &impl RefusalBudget,
    ) -> Result<Done<Committed>, Failure> {
        let mut loaded = self.recent(id).await?;
        let mut verdict = self.verdict(&loaded, caller, expected, command);
        // Before anything is asked of the database for it. A repeated request looks refused here as well.
        if !verdict.is_accepted() && !refusals.take() {
            (loaded, verdict) = self.accepted_at_present(loaded, caller, expected, command).await?;
        }
        let reservation = match self.admit_request(caller, once).await? {
            Admission::Fresh(reservation) => reservation,
            Admission::Replay(past) => return self.done_before(caller, &past).await,
        };
        let began = Instant::now();
        for _ in 0..TRIES {
            match verdict {
                Verdict::Accepted(actor, events) => {
                    match self.commit(&loaded, actor, events, &reservation).await {
                        Err(Failure::Store(StoreError::VersionConflict { .. })) => {}
                        Err(Failure::Store(StoreError::KeyTaken)) => {
                            return self.done_before(caller, &self.lost_race(&reservation).await?).await;
                        }
                        Err(failure) => return Err(failure),
                        Ok(value) => {
                            self.metrics.command(began.elapsed());
                            return Ok(Done { value, replayed: false });
                        }
                    }
                }
                // Nothing is refused on a state that is not the present one, nor what was done on another node.
                refusal => {
                    if !self.is_outdated(&loaded).await? {
                        if let Some(past) = self.prior_outcome_of(&reservation).await? {
                            return self.done_before(caller, &past).await;
                        }
                        loaded.admit(&caller.account)?;
                        return Err(match refusal {
                            Verdict::Refused(rejection) => rejection.into(),
                            _ => self.stale(&loaded, caller, expected.unwrap_or_default()).await?,
                        });
                    }
                }
            }
            loaded = self.recent(id).await?;
            verdict = self.verdict(&loaded, caller, expected, command);
        }
        Err(Failure::Busy)
    }

    /// The present state with a command that is accepted on it, for a command that is not accepted on an older
    /// state: another node may have played on meanwhile. Asks the database for the head of the log at the most,
    /// together with all others who ask, as long as the game has not moved on.
    ///
    /// # Errors
    /// [`Failure::TooManyRefusals`] where the command is not accepted either.
    async fn accepted_at_present(
        &self,
        mut loaded: Arc<LoadedGame>,
        caller: &Caller,
        expected: Option<LogPosition>,
        command: &Command,
    ) -> Result<(Arc<LoadedGame>, Verdict), Failure> {
        for _ in 0..TRIES {
            // A version never comes back: what is refused at its own version, or comes too late, stays refused.
            let stays = expected.is_some_and(|expected| expected.seq <= loaded.version);
            if stays || !self.is_outdated(&loaded).await? {
                return Err(Failure::TooManyRefusals);
            }
            loaded = self.recent(loaded.id).await?;
            let verdict = self.verdict(&loaded, caller, expected, command);
            if verdict.is_accepted() {
                return Ok((loaded, verdict));
            }
        }
        Err(Failure::Busy)
    }

    /// What was done before, to be answered again.
    pub(in crate::app) async fn done_before(
        &self,
        caller: &Caller,
        past: &PriorOutcome,
    ) -> Result<Done<Committed>, Failure> {
        Ok(Done { value: self.committed_before(caller, past).await?, replayed: true })
    }

    fn verdict(
        &self,
        loaded: &LoadedGame,
        caller: &Caller,
        expected: Option<LogPosition>,
        command: &Command,
    ) -> Verdict {
        if expected.is_some_and(|expected| !expected.is_end_of(loaded)) {
            return Verdict::Stale;
        }
        let Some(chair) = loaded.position_of(&caller.account) else {
            return Verdict::Refused(Rejection::NotSeated);
        };
        let actor = Actor::at(chair);
        match decide(&loaded.game, actor, command, &mut self.chance(loaded)) {
            Ok(events) => Verdict::Accepted(actor, events),
            Err(rejection) => Verdict::Refused(rejection),
        }
    }

    /// The refusal of a command that was meant for another version. Where the log does not have that version, no
    /// event is told: none follows it.
    async fn stale(
        &self,
        loaded: &LoadedGame,
        caller: &Caller,
        expected: LogPosition,
    ) -> Result<Failure, Failure> {
        let viewer = loaded.viewer(&caller.account);
        let events = self.events_after(loaded, viewer, expected, MISSED_EVENTS, Use::Acknowledge).await?;
        let (current_version, events) = (loaded.version, events.unwrap_or_default());
        Ok(Failure::StaleVersion { current_version, events })
    }
}
