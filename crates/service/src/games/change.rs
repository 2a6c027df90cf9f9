//! The only way to change an existing game. A change is decided on a recent state and committed on that state
//! alone. If the game has advanced meanwhile, the change is decided again.
//!
//! - A refusal is only final when it was decided on the present head, never on a cached state.
//! - A repeated idempotency key gets the first request's outcome, on any node.
//! - Only refused changes consume the caller's refusal budget.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;

use super::Games;
use super::commit::CommitResult;
use super::events::Use;
use super::view::accounts_at;
use super::{LoadedGame, LogPosition};
use crate::auth::authority::{CallerAuthority, RequiredAuthority};
use crate::auth::caller::Caller;
use crate::base::failure::Failure;
use crate::base::metrics::Metrics;
use crate::games::idempotency::{Admission, IdempotencyKey, IdempotentResult, PriorOutcome, Reservation};
use estimation_engine::player::AccountId;
use estimation_engine::table::{Decided, end};
use estimation_record::fairness::SeededChance;
use estimation_store::moderation::{ActToRecord, ModerationAct};
use estimation_store::{Effect, GameId, StoreError};

/// How many times a change is decided before it fails as busy.
pub(super) const TRIES: usize = 8;

/// The most events returned with a stale version.
const MISSED_EVENTS: usize = 100;

/// A change of a game.
pub(crate) trait Change {
    /// Decides on a state. May be called several times, also for the same state.
    fn decide(&self, state: &LoadedGame, chance: &mut SeededChance<'_>) -> Result<Decided, Failure>;

    /// The position the change requires; `None` to decide on any present state.
    fn expected(&self) -> Option<LogPosition> {
        None
    }

    /// What the caller's session must have.
    fn required(&self) -> RequiredAuthority {
        RequiredAuthority::SignedIn
    }

    /// Takes one refusal from the caller's budget; false if it is empty.
    fn take_refusal(&self) -> bool {
        true
    }

    /// Whether the change is allowed at all. Called once, after the request was admitted.
    fn may_begin(&self, _: &Games) -> impl Future<Output = Result<(), Failure>> + Send {
        std::future::ready(Ok(()))
    }

    /// Whether a decision may be committed, for conditions that need a query.
    fn may_commit(&self, _: &Games, _: &LoadedGame) -> impl Future<Output = Result<(), Failure>> + Send {
        std::future::ready(Ok(()))
    }

    /// Handles a commit that the database refuses, other than for an outdated state or a repeated request.
    fn instead(
        &self,
        _: &Arc<Games>,
        _: &Reservation,
        refusal: StoreError,
    ) -> impl Future<Output = Result<IdempotentResult<CommitResult>, Failure>> + Send {
        std::future::ready(Err(refusal.into()))
    }

    /// Records the time from admission to commit.
    fn measure(&self, _: &Metrics, _: Duration) {}
}

/// The request that a change belongs to.
pub(crate) enum Request<'a> {
    /// A new request, done once if it has a key.
    Own(Option<&'a IdempotencyKey>),
    /// An already admitted request.
    Admitted(&'a Reservation),
}

enum Refusal {
    Stale,
    Failure(Failure),
}

type Verdict = Result<Decided, Refusal>;

impl Games {
    /// Changes a game, or returns the prior outcome of the same request.
    ///
    /// # Errors
    /// What [`Change::decide`] refuses on the present state; [`Failure::TooManyRequests`] if it would refuse
    /// and the budget is empty; [`Failure::StaleVersion`]; [`Failure::GameBusy`] if concurrent changes won every
    /// time.
    pub(crate) async fn change(
        self: &Arc<Games>,
        id: GameId,
        caller: &Caller,
        request: Request<'_>,
        change: &impl Change,
    ) -> Result<IdempotentResult<CommitResult>, Failure> {
        let mut state = self.recent(id).await?;
        let mut verdict = self.decide(&state, change);
        // Before any query. A repeated request also looks refused here.
        if verdict.is_err() && !change.take_refusal() {
            (state, verdict) = self.accepted_at_present(state, change).await?;
        }
        let own;
        let reservation = match request {
            Request::Admitted(reservation) => reservation,
            Request::Own(key) => match self.idempotency.admit(caller, change.required(), key).await? {
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
            let admitted = match verdict {
                Ok(decided) => {
                    change.may_commit(self, &state).await.map(|()| decided).map_err(Refusal::Failure)
                }
                refused => refused,
            };
            match admitted {
                Ok(decided) => match self.commit(&state, decided, reservation).await {
                    Err(Failure::Store(error)) if has_moved_on(&error) => {}
                    Err(Failure::Store(StoreError::AuthorityChanged)) => {
                        reservation.renew(&self.database).await?;
                    }
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
                        return Ok(IdempotentResult { value, replayed: false });
                    }
                },
                // The state may be outdated, or another node may have done this request.
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
        Err(Failure::GameBusy)
    }

    /// Commits a decision on its own state alone. Returns false if the game has advanced, or if the decision needs an
    /// account that was deleted, whose seat is then free.
    pub(crate) async fn change_on(
        self: &Arc<Games>,
        state: &LoadedGame,
        decided: Decided,
        reservation: &Reservation,
    ) -> Result<bool, Failure> {
        match self.commit(state, decided, reservation).await {
            Ok(_) => Ok(true),
            Err(Failure::Store(StoreError::AuthorityChanged)) => {
                reservation.renew(&self.database).await?;
                Ok(false)
            }
            Err(Failure::Store(error)) if has_moved_on(&error) => Ok(false),
            Err(Failure::Store(StoreError::NoAccount { account })) => {
                self.free_seat(state.id, &account).await?;
                Ok(false)
            }
            Err(failure) => Err(failure),
        }
    }

    /// The prior outcome of a request, for a replay.
    pub(crate) async fn done_before(
        &self,
        caller: &Caller,
        past: &PriorOutcome,
    ) -> Result<IdempotentResult<CommitResult>, Failure> {
        Ok(IdempotentResult { value: self.committed_before(caller, past).await?, replayed: true })
    }

    fn decide(&self, state: &LoadedGame, change: &impl Change) -> Verdict {
        if change.expected().is_some_and(|expected| !expected.is_end_of(state)) {
            return Err(Refusal::Stale);
        }
        change.decide(state, &mut self.chance(state)).map_err(Refusal::Failure)
    }

    /// Decides again on the present state after a refusal on an older one. While the game has not advanced,
    /// this costs at most one query for the head, shared with concurrent callers.
    ///
    /// # Errors
    /// [`Failure::TooManyRequests`] if the present state refuses the change as well.
    async fn accepted_at_present(
        &self,
        mut state: Arc<LoadedGame>,
        change: &impl Change,
    ) -> Result<(Arc<LoadedGame>, Verdict), Failure> {
        for _ in 0..TRIES {
            // Versions never repeat: a refusal at the expected version, or after it, is final.
            let stays = change.expected().is_some_and(|expected| expected.seq <= state.version);
            if stays || !self.is_outdated(&state).await? {
                return Err(Failure::TooManyRequests { policy: "commands", retry_after: 1 });
            }
            state = self.recent(state.id).await?;
            let verdict = self.decide(&state, change);
            if verdict.is_ok() {
                return Ok((state, verdict));
            }
        }
        Err(Failure::GameBusy)
    }

    /// The failure for a stale expected version. It carries no events if the log lacks that version.
    pub(super) async fn stale(
        &self,
        state: &LoadedGame,
        caller: &Caller,
        expected: Option<LogPosition>,
    ) -> Result<Failure, Failure> {
        self.admit(state, &caller.account).await?;
        let (viewer, expected) = (state.viewer(&caller.account), expected.unwrap_or_default());
        let events = self.events_after(state, viewer, expected, MISSED_EVENTS, Use::Acknowledge).await?;
        let events = json!(events.unwrap_or_default());
        Ok(Failure::StaleVersion { current_version: state.version, events })
    }
}

/// Whether a commit failed because the game, its seating or the last entry of the public log has changed since the
/// state, or because the drawn invitation code is another game's.
fn has_moved_on(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::VersionConflict { .. }
            | StoreError::PlaceTaken { .. }
            | StoreError::LogTimePassed { .. }
            | StoreError::JoinCodeTaken
    )
}

impl Games {
    /// Ends a game that is not over, as abandoned, with the act that is made for its present state, by the authority of a
    /// moderator; `None` for the operator. Returns the act and the players.
    ///
    /// # Errors
    /// What `act` refuses; [`Failure::GameBusy`] if other changes won every time.
    pub(crate) async fn end_early<E: From<Failure>>(
        self: &Arc<Games>,
        id: GameId,
        by: Option<CallerAuthority>,
        act: impl Fn(&LoadedGame) -> Result<ActToRecord, E>,
    ) -> Result<(ModerationAct, Vec<AccountId>), E> {
        let mut reservation = by.map_or_else(|| Reservation::of_server(Vec::new()), Reservation::free);
        for _ in 0..TRIES {
            let state = self.present(id).await?;
            let act = act(&state)?;
            let decided = end(&state.game, &mut self.chance(&state)).map_err(Failure::from)?;
            reservation.extra_effects = vec![Effect::RecordAct(Box::new(act.clone()))];
            match self.commit(&state, decided, &reservation).await {
                Ok(_) => return Ok((act.act, accounts_at(&state.game.table).cloned().collect())),
                Err(Failure::Store(error)) if has_moved_on(&error) => {}
                Err(Failure::Store(StoreError::AuthorityChanged)) => {
                    reservation.renew(&self.database).await?;
                }
                Err(failure) => return Err(failure.into()),
            }
        }
        Err(Failure::GameBusy.into())
    }
}
