//! Units of work: what callers hand to the writer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use tokio::sync::oneshot;

use crate::store::connection::Connection;
use crate::store::error::StoreError;
use crate::store::games::{GameChanges, NewGame};
use crate::store::hash::Hash;
use crate::store::idempotency::RememberedRequest;
use crate::store::matchmaking::NewWaiting;
use crate::store::seeds::SealedSeed;
use crate::store::snapshots::Snapshot;

pub use estimation_record::GENESIS;

/// An event decided and hashed, not yet written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvent {
    /// The chain's hash at this event.
    pub hash: Hash,
    /// The canonical JSON that was hashed, byte for byte.
    pub body: String,
}

/// What happens to one game: events at the end of its log, and what goes with them in one transaction.
#[derive(Clone)]
pub struct Append {
    /// The game's id.
    pub game: String,
    /// The sequence number of the first event: one more than the version they were decided on.
    pub first_seq: u64,
    /// The hash at that version; [`GENESIS`] when `first_seq` is 1.
    pub previous_hash: Hash,
    /// The events, at least one.
    pub events: Vec<NewEvent>,
    /// Everything else that must be true exactly when the events are in the log.
    pub effects: Vec<Effect>,
}

/// Something written beside events, on the same game.
#[derive(Clone)]
pub enum Effect {
    /// Lists the game. Fails with [`StoreError::JoinCodeTaken`] or [`StoreError::RematchTaken`].
    InsertGame(NewGame),
    /// Keeps the server's seed.
    InsertSeed(SealedSeed),
    /// Changes the game's row.
    UpdateGame(GameChanges),
    /// Makes an account the host of the game's table. Fails with [`StoreError::NoAccount`], and with
    /// [`StoreError::TooManyTables`] where the table is in the lobby and not one of strangers.
    HostTable {
        /// The host's account id.
        account: String,
        /// How many such tables a host may have; `None` for any number.
        most: Option<u32>,
    },
    /// Takes a place. Fails with [`StoreError::PlaceTaken`], and with [`StoreError::NoAccount`].
    SeatPlayer {
        /// The place, from 0.
        place: i32,
        /// The person's account id; `None` for a bot.
        account: Option<String>,
        /// `human` or `bot`.
        kind: String,
    },
    /// Frees a place.
    UnseatPlayer {
        /// The place, from 0.
        place: i32,
    },
    /// Has an account wait at the game's table. Fails with [`StoreError::WaitsAlready`].
    JoinQueue(NewWaiting),
    /// The same at a table that is opened for it. Fails with [`StoreError::QueueBusy`] as well, where another
    /// has room.
    OpenQueue {
        /// Who.
        waiting: NewWaiting,
        /// The tables at which the account may not sit, room or not.
        barred: Vec<String>,
    },
    /// Has an account wait at the game's table no more, if it did.
    LeaveQueue {
        /// Who.
        account: String,
    },
    /// Says that nobody waits at the game's table any more: it has begun.
    BeginQueued,
    /// Forgets that the game's table was one of strangers: it is over.
    EndQueued,
    /// Keeps a snapshot, unless a newer one is there.
    SaveSnapshot(Snapshot),
    /// Keeps what the request did. Fails with [`StoreError::KeyTaken`].
    RememberRequest(RememberedRequest),
}

/// The events are in the log, durably.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appended {
    /// The game's version now.
    pub last_seq: u64,
    /// The chain's hash at it.
    pub hash: Hash,
}

impl Effect {
    /// Whether this fails now and then in the course of things, because another caller was quicker.
    pub(in crate::store) fn may_fail(&self) -> bool {
        match self {
            Effect::InsertGame(_)
            | Effect::SeatPlayer { .. }
            | Effect::UnseatPlayer { .. }
            | Effect::JoinQueue(_)
            | Effect::OpenQueue { .. } => true,
            // What a host or a player has to be is found out before anything is written.
            Effect::HostTable { .. }
            | Effect::InsertSeed(_)
            | Effect::UpdateGame(_)
            | Effect::LeaveQueue { .. }
            | Effect::BeginQueued
            | Effect::EndQueued
            | Effect::SaveSnapshot(_)
            | Effect::RememberRequest(_) => false,
        }
    }
}

impl Append {
    /// The requests that are remembered with it.
    pub(in crate::store) fn requests(&self) -> impl Iterator<Item = &RememberedRequest> {
        self.effects.iter().filter_map(|effect| match effect {
            Effect::RememberRequest(request) => Some(request),
            _ => None,
        })
    }

    /// The error of an append that comes too late.
    pub(in crate::store) fn conflict(&self) -> StoreError {
        StoreError::VersionConflict { game: self.game.clone() }
    }

    /// Refuses a unit that contradicts itself, and says where it would end otherwise.
    pub(in crate::store) fn outcome(&self) -> Result<Appended, StoreError> {
        let malformed = |reason| Err(StoreError::Malformed { reason });
        let Some(last) = self.events.last() else { return malformed("no events") };
        if self.first_seq == 0 {
            return malformed("sequence numbers start at 1");
        }
        if (self.first_seq == 1) != (self.previous_hash == GENESIS) {
            return malformed("the first event, and no other, links to 32 zero bytes");
        }
        match self.first_seq.checked_add(self.events.len() as u64 - 1) {
            Some(last_seq) if i64::try_from(last_seq).is_ok() => Ok(Appended { last_seq, hash: last.hash }),
            _ => malformed("sequence numbers beyond 63 bits"),
        }
    }
}

/// An append on its way, with where its answer goes.
pub(in crate::store) struct PendingAppend {
    pub append: Append,
    pub outcome: Appended,
    pub place: Claim,
    pub answer: oneshot::Sender<Result<Appended, StoreError>>,
}

/// Any other unit of work on its way.
pub(in crate::store) struct PendingWork {
    pub work: Box<dyn Work>,
    pub place: Claim,
    /// Whether its caller waits for a commit that confirms all commits before it.
    pub confirms: bool,
}

/// A unit's place in the queue: the writer takes the unit, or its caller takes it back, but never both.
#[derive(Clone)]
pub(in crate::store) struct Claim {
    queued: Instant,
    taken: Arc<AtomicBool>,
}

impl Claim {
    pub fn new() -> Self {
        Self { queued: Instant::now(), taken: Arc::default() }
    }

    /// Takes the unit out of the queue; false if the other side has.
    pub fn take(&self) -> bool {
        !self.taken.swap(true, Ordering::AcqRel)
    }

    /// When the unit was handed in.
    pub fn queued(&self) -> Instant {
        self.queued
    }
}

impl PendingAppend {
    /// Tells the caller that it was not written.
    pub fn refuse(self, error: StoreError) {
        // The caller may have gone away.
        let _ = self.answer.send(Err(error));
    }

    /// Tells the caller that the game has moved on.
    pub fn refuse_as_stale(self) {
        let error = self.append.conflict();
        self.refuse(error);
    }
}

/// Any other unit of work. It may run more than once, each time on a database without traces of the last.
pub(in crate::store) trait Work: Send {
    /// Does the work inside an open transaction.
    fn run(&mut self, conn: &mut Connection) -> Result<(), StoreError>;
    /// Tells the caller.
    fn answer(self: Box<Self>, verdict: Result<(), StoreError>);
}

/// A closure as a unit of work, with the value it made last.
pub(in crate::store) struct Closure<T, F> {
    pub work: F,
    pub value: Option<T>,
    pub answer: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, F> Work for Closure<T, F>
where
    T: Send,
    F: FnMut(&mut Connection) -> Result<T, StoreError> + Send,
{
    fn run(&mut self, conn: &mut Connection) -> Result<(), StoreError> {
        self.value = None;
        let value = catch_unwind(AssertUnwindSafe(|| (self.work)(conn)))
            .map_err(|_| StoreError::Defect { detail: "a unit of work panicked".to_owned() })?;
        self.value = Some(value?);
        Ok(())
    }

    fn answer(self: Box<Self>, verdict: Result<(), StoreError>) {
        let Self { value, answer, .. } = *self;
        let unfinished = || StoreError::Defect { detail: "a unit of work was committed unrun".to_owned() };
        // The caller may have gone away; what was written stays written.
        let _ = answer.send(verdict.and_then(|()| value.ok_or_else(unfinished)));
    }
}
