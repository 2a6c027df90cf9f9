//! Units of work: what callers submit to the writer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use tokio::sync::oneshot;

use crate::break_offs::NewBreakOff;
use crate::event_reads::StoredEvent;
use crate::games::{GameChanges, NewGame};
use crate::idempotency::RememberedRequest;
use crate::matchmaking::NewWaiting;
use crate::moderation::ActToRecord;
use crate::public_log::games::StartedGame;
use crate::seeds::SealedSeed;
use crate::snapshots::Snapshot;
use crate::{Connection, GameId, Hash, StoreError};
use estimation_engine::player::AccountId;

pub use estimation_record::GENESIS;

/// New events of one game, and the effects that are written with them in one transaction.
#[derive(Clone)]
pub struct Append {
    pub game: GameId,
    /// The hash at the version that they were decided on; [`GENESIS`] when the first event has the number 1.
    pub previous_hash: Hash,
    /// The events, at least one, numbered without gaps.
    pub events: Vec<StoredEvent>,
    /// Changes that are committed together with the events.
    pub effects: Vec<Effect>,
    /// The session that asked for it; `None` for what the server does by itself. Fails with
    /// [`StoreError::AuthorityChanged`].
    pub by: Option<SessionAuthority>,
}

/// A session, and what its authority was when a request of it was admitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionAuthority {
    pub session: String,
    pub authority: i64,
}

impl SessionAuthority {
    /// Whether the session has the same authority now; `None` for a session that is not active.
    pub(crate) fn holds(&self, now: Option<i64>) -> bool {
        now == Some(self.authority)
    }
}

/// A change to other tables for the same game.
#[derive(Clone)]
pub enum Effect {
    /// Inserts the game's row. Fails with [`StoreError::JoinCodeTaken`] or [`StoreError::RematchTaken`].
    InsertGame(NewGame),
    /// Stores the server's seed.
    InsertSeed(SealedSeed),
    /// Changes the game's row. Fails with [`StoreError::JoinCodeTaken`] if it has a new invitation code.
    UpdateGame(GameChanges),
    /// Makes an account the host of the game's table. Fails with [`StoreError::NoAccount`], and for tables in
    /// the lobby that matchmaking did not open, with [`StoreError::TooManyTables`].
    HostTable {
        account: AccountId,
        /// The maximum number of such tables per host; `None` for no limit.
        limit: Option<u32>,
    },
    /// Occupies a place. Fails with [`StoreError::PlaceTaken`] or [`StoreError::NoAccount`].
    SeatPlayer {
        /// The place, from 0.
        place: i32,
        /// The person's account id; `None` for a bot.
        account: Option<AccountId>,
        /// `human` or `bot`.
        kind: String,
    },
    /// Frees a place.
    UnseatPlayer {
        /// The place, from 0.
        place: i32,
    },
    /// Adds an account to the queue of the game's table. Fails with [`StoreError::WaitsAlready`].
    JoinQueue(NewWaiting),
    /// Adds an account to the queue of a table that is opened for it. Fails like `JoinQueue`, and with
    /// [`StoreError::QueueBusy`] when another table has room.
    OpenQueue {
        waiting: NewWaiting,
        /// Tables at which the account may not sit, even if they have room.
        barred: Vec<GameId>,
    },
    /// Moves an account that waits at another table to the queue of the game's table. Fails with
    /// [`StoreError::QueueBusy`].
    MoveQueue {
        account: AccountId,
        /// The table at which the account waits, and still has a seat.
        from: GameId,
    },
    /// Removes an account from the queue of the game's table, if it is there, or finishes its move from there.
    LeaveQueue { account: AccountId },
    /// Fails with [`StoreError::VersionConflict`] while an account that was moved to another table has a seat at this one.
    RequireNoMove,
    /// Empties the table's queue, because the game has begun. Fails like `RequireNoMove`.
    BeginQueued,
    /// Removes the table from matchmaking, because the game is over.
    EndQueued,
    /// Stores a started game for the public log. Fails with [`StoreError::LogTimePassed`], and with
    /// [`StoreError::NoAccount`] if a player's account was deleted.
    LogStart(StartedGame),
    /// Counts a break-off, unless the account was deleted.
    CountBreakOff(NewBreakOff),
    /// Records an act of a moderator.
    RecordAct(Box<ActToRecord>),
    /// Stores a snapshot, unless a newer one exists.
    SaveSnapshot(Snapshot),
    /// Stores the request's idempotency key and outcome. Fails with [`StoreError::KeyTaken`].
    RememberRequest(RememberedRequest),
}

/// The result of an append: the events are durably in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AppendResult {
    /// The game's version now.
    pub last_seq: u64,
    /// The chain's hash at that version.
    pub hash: Hash,
}

impl Effect {
    /// Whether the effect may fail in normal operation, because another caller was faster.
    pub(crate) fn may_fail(&self) -> bool {
        match self {
            Effect::InsertGame(_)
            | Effect::SeatPlayer { .. }
            | Effect::UnseatPlayer { .. }
            | Effect::JoinQueue(_)
            | Effect::OpenQueue { .. }
            | Effect::MoveQueue { .. }
            | Effect::RequireNoMove
            | Effect::BeginQueued
            | Effect::LogStart(_) => true,
            Effect::UpdateGame(changes) => changes.join_code.is_some(),
            // The admission check has already verified hosts and players.
            Effect::HostTable { .. }
            | Effect::InsertSeed(_)
            | Effect::LeaveQueue { .. }
            | Effect::EndQueued
            | Effect::CountBreakOff(_)
            | Effect::RecordAct(_)
            | Effect::SaveSnapshot(_)
            | Effect::RememberRequest(_) => false,
        }
    }
}

impl Append {
    /// The idempotency records among the effects.
    pub(crate) fn requests(&self) -> impl Iterator<Item = &RememberedRequest> {
        self.effects.iter().filter_map(|effect| match effect {
            Effect::RememberRequest(request) => Some(request),
            _ => None,
        })
    }

    /// The number of the first event: one more than the version that the events were decided on. 0 without events.
    pub fn first_seq(&self) -> u64 {
        self.events.first().map_or(0, |event| event.seq)
    }

    /// The error for a stale append.
    pub(crate) fn conflict(&self) -> StoreError {
        StoreError::VersionConflict { game: self.game }
    }

    /// Rejects a contradictory append. Returns the log's end after the append.
    pub(crate) fn outcome(&self) -> Result<AppendResult, StoreError> {
        let malformed = |reason| Err(StoreError::Malformed { reason });
        let Some(last) = self.events.last() else { return malformed("no events") };
        let first = self.first_seq();
        if first == 0 {
            return malformed("sequence numbers start at 1");
        }
        if (first == 1) != (self.previous_hash == GENESIS) {
            return malformed("the first event, and no other, links to 32 zero bytes");
        }
        if self.events.windows(2).any(|pair| pair[0].seq.checked_add(1) != Some(pair[1].seq)) {
            return malformed("sequence numbers with a gap");
        }
        if i64::try_from(last.seq).is_err() {
            return malformed("sequence numbers beyond 63 bits");
        }
        Ok(AppendResult { last_seq: last.seq, hash: last.hash })
    }
}

/// The way back to the caller of an append.
pub(crate) struct Reply {
    /// The answer if the append is written.
    pub outcome: AppendResult,
    pub claim: Claim,
    pub answer: oneshot::Sender<Result<AppendResult, StoreError>>,
}

/// Any other queued unit of work.
pub(crate) struct PendingWork {
    pub work: Box<dyn Work>,
    pub claim: Claim,
    /// Whether the caller waits for a commit that confirms all earlier commits.
    pub confirms: bool,
}

/// The right to process a queued unit: either the writer takes it or the caller withdraws it, never both.
#[derive(Clone)]
pub(crate) struct Claim {
    queued: Instant,
    taken: Arc<AtomicBool>,
}

impl Claim {
    pub fn new() -> Self {
        Self { queued: Instant::now(), taken: Arc::default() }
    }

    /// Takes the unit; false if the other side already has.
    pub fn take(&self) -> bool {
        !self.taken.swap(true, Ordering::AcqRel)
    }

    /// When the unit was queued.
    pub fn queued(&self) -> Instant {
        self.queued
    }
}

impl Reply {
    /// Answers the caller. The caller may be gone; what was written stays.
    pub fn send(self, error: Option<StoreError>) {
        let _ = self.answer.send(error.map_or(Ok(self.outcome), Err));
    }
}

/// By whose authority a unit of work writes.
pub trait Authority<E>: Send + 'static {
    /// Refuses the unit if the authority no longer holds. Runs before the unit, in its transaction.
    ///
    /// # Errors
    /// Why it no longer holds.
    fn assert(&self, conn: &mut Connection) -> Result<(), E>;
}

/// The authority of the server itself: for its own work, for the command line, and for requests whose proof the unit itself
/// checks, such as a password or a token of a link.
#[derive(Debug, Clone, Copy)]
pub struct Server;

impl<E> Authority<E> for Server {
    fn assert(&self, _: &mut Connection) -> Result<(), E> {
        Ok(())
    }
}

/// The authority of the server for `None`.
impl<E, A: Authority<E>> Authority<E> for Option<A> {
    fn assert(&self, conn: &mut Connection) -> Result<(), E> {
        self.as_ref().map_or(Ok(()), |by| by.assert(conn))
    }
}

/// Why a unit of work failed. It is rolled back, whatever the reason.
pub trait UnitError: From<StoreError> + Send + 'static {
    /// The store's own error, if it is one: it decides whether the connection can still be used.
    fn store_error(&self) -> Option<&StoreError>;
}

impl UnitError for StoreError {
    fn store_error(&self) -> Option<&StoreError> {
        Some(self)
    }
}

/// Any other unit of work. It may run more than once; failed runs leave no trace in the database.
pub(crate) trait Work: Send {
    /// Does the work inside an open transaction. Keeps the caller's error.
    fn run(&mut self, conn: &mut Connection) -> Result<(), UnitFailure<()>>;
    /// The last run was rolled back, though it may have succeeded.
    fn failed(&mut self, error: StoreError);
    /// Answers with the outcome of the last run, or with the error of the whole batch.
    fn answer(self: Box<Self>, failed: Option<StoreError>);
}

/// Why a unit of work failed, for units that are refused with `R`.
#[derive(Debug, PartialEq, Eq)]
pub enum UnitFailure<R> {
    Refused(R),
    Store(StoreError),
}

impl<R> From<StoreError> for UnitFailure<R> {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl<R> From<diesel::result::Error> for UnitFailure<R> {
    fn from(error: diesel::result::Error) -> Self {
        Self::Store(error.into())
    }
}

impl<R: Send + 'static> UnitError for UnitFailure<R> {
    fn store_error(&self) -> Option<&StoreError> {
        match self {
            Self::Refused(_) => None,
            Self::Store(error) => Some(error),
        }
    }
}

/// A closure as a unit of work, with the outcome of its last run.
pub(crate) struct Closure<T, E, F> {
    pub work: F,
    pub outcome: Option<Result<T, E>>,
    pub answer: oneshot::Sender<Result<T, E>>,
}

impl<T, E, F> Work for Closure<T, E, F>
where
    T: Send,
    E: UnitError,
    F: FnMut(&mut Connection) -> Result<T, E> + Send,
{
    fn run(&mut self, conn: &mut Connection) -> Result<(), UnitFailure<()>> {
        self.outcome = None;
        let outcome = catch_unwind(AssertUnwindSafe(|| (self.work)(conn)))
            .map_err(|_| StoreError::Defect { detail: "a unit of work panicked".to_owned() })?;
        let failed = outcome.as_ref().err().map(|error| match error.store_error() {
            Some(error) => UnitFailure::Store(error.clone()),
            None => UnitFailure::Refused(()),
        });
        self.outcome = Some(outcome);
        failed.map_or(Ok(()), Err)
    }

    fn failed(&mut self, error: StoreError) {
        if !matches!(self.outcome, Some(Err(_))) {
            self.outcome = Some(Err(error.into()));
        }
    }

    fn answer(self: Box<Self>, failed: Option<StoreError>) {
        let Self { outcome, answer, .. } = *self;
        let unfinished =
            || StoreError::Defect { detail: "a unit of work was committed without running".to_owned() };
        let answered = match failed {
            Some(error) => Err(error.into()),
            None => outcome.unwrap_or_else(|| Err(unfinished().into())),
        };
        // The caller may be gone. The write stays.
        let _ = answer.send(answered);
    }
}
