//! The one door for changing a game that is there: a change is decided on a recent state and committed on that
//! state alone; where the game has moved on meanwhile, it is decided again.
//!
//! - A refusal never rests on the cache: it is told only where it was decided on the present head.
//! - A repeated idempotency key is answered with what the first request did, on whichever node.
//! - A change that is accepted takes nothing out of its sender's budget of refusals.

use std::sync::Arc;
use std::time::{Duration, Instant};

use uuid::Uuid;

use super::Games;
use super::commit::Committed;
use super::events::Use;
use super::{LoadedGame, LogPosition};
use crate::app::failure::Failure;
use crate::app::idempotency::{Admission, Done, IdempotencyKey, PriorOutcome, Reservation};
use crate::app::metrics::Metrics;
use crate::auth::caller::Caller;
use crate::engine::table::Decided;
use crate::store::StoreError;
use estimation_record::fairness::SeededChance;

/// How often a change is decided at most, where the game moves on meanwhile.
const TRIES: usize = 8;

/// The most events told to a caller whose version was stale.
const MISSED_EVENTS: usize = 100;

/// A change of a game: how it is decided on a state, and what it depends on besides.
pub(in crate::app) trait Change {
    /// Decides on a state. May be called for several states, and more than once for the same.
    fn decide(&self, state: &LoadedGame, chance: &mut SeededChance<'_>) -> Result<Decided, Failure>;

    /// The position that the change is meant for alone; none to decide on whatever the present state is.
    fn expected(&self) -> Option<LogPosition> {
        None
    }

    /// Takes one refusal out of the sender's budget; false if there is none left.
    fn take_refusal(&self) -> bool {
        true
    }

    /// Whether the change may be made at all. Asked once, when its request has been admitted.
    fn may_begin(&self, _: &Games) -> impl Future<Output = Result<(), Failure>> + Send {
        std::future::ready(Ok(()))
    }

    /// Whether what was decided on a state may be committed: for conditions that take a query.
    fn may_commit(&self, _: &Games, _: &LoadedGame) -> impl Future<Output = Result<(), Failure>> + Send {
        std::future::ready(Ok(()))
    }

    /// What is done instead where the database refuses what was decided, other than for a state that is outdated or
    /// a request that was done before.
    fn instead(
        &self,
        _: &Arc<Games>,
        _: &Reservation,
        refusal: StoreError,
    ) -> impl Future<Output = Result<Done<Committed>, Failure>> + Send {
        std::future::ready(Err(refusal.into()))
    }

    /// Counts the time from admission to commit.
    fn measure(&self, _: &Metrics, _: Duration) {}
}

/// The request that a change belongs to.
pub(in crate::app) enum Request<'a> {
    /// One of its own, which is done once where it has a key.
    Own(Option<&'a IdempotencyKey>),
    /// One that has been admitted already.
    Admitted(&'a Reservation),
}

/// Why a change is refused on a state.
enum Refusal {
    Stale,
    Failure(Failure),
}

type Verdict = Result<Decided, Refusal>;

impl Games {
    /// Changes a game, or answers with what the same request did before.
    ///
    /// # Errors
    /// What [`Change::decide`] refuses on the present state; [`Failure::TooManyRefusals`] where it would refuse and
    /// the budget is empty; [`Failure::StaleVersion`]; [`Failure::Busy`] where others were quicker again and again.
    pub(in crate::app) async fn change(
        self: &Arc<Games>,
        id: Uuid,
        caller: &Caller,
        request: Request<'_>,
        change: &impl Change,
    ) -> Result<Done<Committed>, Failure> {
        let mut state = self.recent(id).await?;
        let mut verdict = self.decide(&state, change);
        // Before anything is asked of the database for it. A repeated request looks refused here as well.
        if verdict.is_err() && !change.take_refusal() {
            (state, verdict) = self.accepted_at_present(state, change).await?;
        }
        let own;
        let reservation = match request {
            Request::Admitted(reservation) => reservation,
            Request::Own(key) => match self.idempotency.admit(caller, key).await? {
                Admission::Fresh(reservation) => {
                    own = reservation;
                    &own
                }
                Admission::Replay(past) => return self.done_before(caller, &past).await,
            },
        };
        change.may_begin(self).await?;
        let began = Instant::now();
        for _ in 0..TRIES {
            match verdict {
                Ok(decided) => {
                    change.may_commit(self, &state).await?;
                    match self.commit(&state, decided, reservation).await {
                        Err(Failure::Store(error)) if has_moved_on(&error) => {}
                        Err(Failure::Store(StoreError::KeyTaken)) => {
                            return self
                                .done_before(caller, &self.idempotency.lost_race(reservation).await?)
                                .await;
                        }
                        Err(Failure::Store(refusal)) => {
                            return change.instead(self, reservation, refusal).await;
                        }
                        Err(failure) => return Err(failure),
                        Ok(value) => {
                            change.measure(&self.metrics, began.elapsed());
                            return Ok(Done { value, replayed: false });
                        }
                    }
                }
                // Nothing is refused on a state that is not the present one, nor what was done on another node.
                Err(refusal) => {
                    if !self.is_outdated(&state).await? {
                        if let Some(past) = self.idempotency.prior_outcome(reservation).await? {
                            return self.done_before(caller, &past).await;
                        }
                        return Err(match refusal {
                            Refusal::Failure(failure) => failure,
                            Refusal::Stale => self.stale(&state, caller, change.expected()).await?,
                        });
                    }
                }
            }
            state = self.recent(id).await?;
            verdict = self.decide(&state, change);
        }
        Err(Failure::Busy)
    }

    /// Commits what was decided on a state, on that state alone. Returns whether it did: not where the game has
    /// moved on.
    pub(in crate::app) async fn change_on(
        self: &Arc<Games>,
        state: &LoadedGame,
        decided: Decided,
    ) -> Result<bool, Failure> {
        match self.commit(state, decided, &Reservation::FREE).await {
            Ok(_) => Ok(true),
            Err(Failure::Store(error)) if has_moved_on(&error) => Ok(false),
            Err(failure) => Err(failure),
        }
    }

    /// What was done before, to be answered again.
    pub(in crate::app) async fn done_before(
        &self,
        caller: &Caller,
        past: &PriorOutcome,
    ) -> Result<Done<Committed>, Failure> {
        Ok(Done { value: self.committed_before(caller, past).await?, replayed: true })
    }

    fn decide(&self, state: &LoadedGame, change: &impl Change) -> Verdict {
        if change.expected().is_some_and(|expected| !expected.is_end_of(state)) {
            return Err(Refusal::Stale);
        }
        change.decide(state, &mut self.chance(state)).map_err(Refusal::Failure)
    }

    /// The present state with what was decided on it, for a change that is refused on an older state: another node
    /// may have changed the game meanwhile. Asks the database for the head of the log at the most, together with
    /// all others who ask, as long as the game has not moved on.
    ///
    /// # Errors
    /// [`Failure::TooManyRefusals`] where the change is refused on the present state as well.
    async fn accepted_at_present(
        &self,
        mut state: Arc<LoadedGame>,
        change: &impl Change,
    ) -> Result<(Arc<LoadedGame>, Verdict), Failure> {
        for _ in 0..TRIES {
            // A version never comes back: what is refused at its own version, or comes too late, stays refused.
            let stays = change.expected().is_some_and(|expected| expected.seq <= state.version);
            if stays || !self.is_outdated(&state).await? {
                return Err(Failure::TooManyRefusals);
            }
            state = self.recent(state.id).await?;
            let verdict = self.decide(&state, change);
            if verdict.is_ok() {
                return Ok((state, verdict));
            }
        }
        Err(Failure::Busy)
    }

    /// The refusal of a change that was meant for another version. Where the log does not have that version, no
    /// event is told: none follows it.
    async fn stale(
        &self,
        state: &LoadedGame,
        caller: &Caller,
        expected: Option<LogPosition>,
    ) -> Result<Failure, Failure> {
        state.admit(&caller.account)?;
        let (viewer, expected) = (state.viewer(&caller.account), expected.unwrap_or_default());
        let events = self.events_after(state, viewer, expected, MISSED_EVENTS, Use::Acknowledge).await?;
        Ok(Failure::StaleVersion { current_version: state.version, events: events.unwrap_or_default() })
    }
}

/// Whether a commit failed because the game, or who sits in it, has changed since the state.
fn has_moved_on(error: &StoreError) -> bool {
    matches!(error, StoreError::VersionConflict { .. } | StoreError::PlaceTaken { .. })
}
