//! A batch: the units of work that share one transaction.
//!
//! A failed unit costs the others little. The insert itself leaves out a stale append, in the same
//! transaction. When an effect fails or an idempotency key is taken, the batch is rolled back once, all
//! failed units are removed, and the rest runs again as a batch.

use std::collections::BTreeSet;
use std::time::Instant;

use super::observer::{BatchSize, StoreObserver};
use super::transaction::{self, TransactionId};
use super::unit::{Append, Effect, Reply, UnitFailure, Work};
use super::{admission, game_events, keys};
use crate::connection::Connection;
use crate::error::StoreError;
use crate::{break_offs, games, idempotency, matchmaking, moderation, players, public_log, seeds, snapshots};

/// At most one append per game, sorted by game, and any number of other units in queue order.
#[derive(Default)]
pub(super) struct Batch {
    pub appends: Vec<(Append, Reply)>,
    pub works: Vec<Box<dyn Work>>,
    /// Refused appends with the reason. The database holds nothing of them.
    refused: Vec<(Reply, StoreError)>,
    /// When the oldest unit was queued.
    oldest: Option<Instant>,
    /// Whether the transaction must write something, so that standbys confirm the commit.
    pub must_confirm: bool,
}

/// Why a batch was not committed, or may not have been.
pub(super) enum Failure {
    RolledBack(StoreError),
    /// It was rolled back, and the failed units were refused. The rest can run again.
    Refused,
    /// COMMIT was sent and an error came back.
    AtCommit {
        error: StoreError,
        /// The transaction's id in PostgreSQL.
        transaction: Option<TransactionId>,
    },
}

impl Batch {
    pub fn size(&self) -> BatchSize {
        BatchSize {
            units: self.appends.len() + self.works.len(),
            events: self.appends.iter().map(|(append, _)| append.events.len()).sum(),
        }
    }

    /// Notes the queue time of a unit that joins the batch.
    pub fn take(&mut self, queued: Instant) {
        self.oldest = Some(self.oldest.map_or(queued, |oldest| oldest.min(queued)));
    }

    /// When the oldest unit was queued.
    pub fn oldest(&self) -> Option<Instant> {
        self.oldest
    }

    /// Whether standbys confirm the batch's commit and all commits before it. Standbys do not confirm a
    /// transaction that writes nothing.
    pub fn confirms(&self) -> bool {
        self.must_confirm || !self.appends.is_empty()
    }

    /// Splits the batch into batches of one unit. Answers the refused units first.
    pub fn into_singles(mut self) -> impl Iterator<Item = Self> {
        self.answer_refused();
        let must_confirm = self.must_confirm;
        let single = move || Self { must_confirm, ..Self::default() };
        let appends = self.appends.into_iter().map(move |one| Self { appends: vec![one], ..single() });
        let works = self.works.into_iter().map(move |one| Self { works: vec![one], ..single() });
        appends.chain(works)
    }

    /// The number of stale appends.
    pub fn stale(&self) -> usize {
        let stale = |(_, error): &&(Reply, StoreError)| matches!(error, StoreError::VersionConflict { .. });
        self.refused.iter().filter(stale).count()
    }

    fn answer_refused(&mut self) {
        for (reply, error) in self.refused.drain(..) {
            reply.send(Some(error));
        }
    }

    /// Removes the appends at these indexes and keeps the reasons. The indexes are ascending.
    fn refuse(&mut self, failed: Vec<(usize, StoreError)>) {
        // Backwards, so that the earlier indexes stay valid.
        for (index, error) in failed.into_iter().rev() {
            let (_, reply) = self.appends.remove(index);
            self.refused.push((reply, error));
        }
    }

    /// Answers all callers after a commit. All appends that are left were written.
    pub fn answer(mut self) {
        self.answer_refused();
        for (_, reply) in self.appends {
            reply.send(None);
        }
        for work in self.works {
            work.answer(None);
        }
    }

    /// Answers all callers with the same error, except those already refused for another reason.
    pub fn fail(mut self, error: &StoreError) {
        self.answer_refused();
        for (_, reply) in self.appends {
            reply.send(Some(error.clone()));
        }
        for work in self.works {
            work.answer(Some(error.clone()));
        }
    }

    /// Runs everything in one transaction.
    pub fn execute(&mut self, conn: &mut Connection, observer: &dyn StoreObserver) -> Result<(), Failure> {
        transaction::begin(conn).map_err(Failure::RolledBack)?;
        let id = match self.fill(conn) {
            Ok(Filled::Ready { transaction }) => transaction,
            Ok(Filled::Nothing) => {
                transaction::roll_back(conn);
                return Ok(());
            }
            Ok(Filled::Refused) => {
                transaction::roll_back(conn);
                return Err(Failure::Refused);
            }
            Err(StoreError::KeyTaken) => {
                transaction::roll_back(conn);
                return Err(match self.refuse_taken_keys(conn) {
                    Ok(true) => Failure::Refused,
                    Ok(false) => Failure::RolledBack(StoreError::KeyTaken),
                    Err(error) => Failure::RolledBack(error),
                });
            }
            Err(error) => {
                transaction::roll_back(conn);
                return Err(Failure::RolledBack(error));
            }
        };
        observer.committing(self.size());
        transaction::commit(conn).map_err(|error| Failure::AtCommit { error, transaction: id })
    }

    /// Every batch of every node writes the tables in the same order and the rows of each table sorted, to
    /// avoid deadlocks.
    fn fill(&mut self, conn: &mut Connection) -> Result<Filled, StoreError> {
        let mut id = None;
        if !self.appends.is_empty() {
            let unfit = admission::refused(conn, self.appends.iter().map(|(append, _)| append))?;
            self.refuse(unfit);
            let inserted = game_events::insert(conn, &self.appends)?;
            id = inserted.transaction.and_then(|id| TransactionId::new(conn, id));
            self.refuse(inserted.stale);
            keys::insert(conn, &self.appends)?;
            let failed = self.apply_effects(conn)?;
            if !failed.is_empty() {
                // Their events are in this transaction, and the log is append-only, so the batch rolls back.
                self.refuse(failed);
                return Ok(Filled::Refused);
            }
        }
        if self.size().units == 0 {
            return Ok(Filled::Nothing);
        }
        for work in &mut self.works {
            if let Err(UnitFailure::Store(error)) = transaction::in_savepoint(conn, |conn| work.run(conn))? {
                work.failed(error);
            }
        }
        if id.is_none() {
            id = transaction::id(conn)?;
        }
        if self.must_confirm {
            transaction::write_something(conn)?;
        }
        Ok(Filled::Ready { transaction: id })
    }

    /// Applies the effects of all appends. Returns the appends whose effects failed in an expected way.
    fn apply_effects(&self, conn: &mut Connection) -> Result<Vec<(usize, StoreError)>, StoreError> {
        let mut failed = Vec::new();
        for (index, (append, _)) in self.appends.iter().enumerate() {
            let apply = |conn: &mut Connection| {
                append.effects.iter().try_for_each(|effect| apply(conn, append, effect))
            };
            if !append.effects.iter().any(Effect::may_fail) {
                apply(conn)?;
            } else if let Err(error) = transaction::in_savepoint(conn, apply)? {
                failed.push((index, error));
            }
        }
        Ok(failed)
    }

    /// Removes the appends whose idempotency keys are taken and returns whether there were any. Called after
    /// a rollback, because the database does not say which of several inserted keys existed.
    fn refuse_taken_keys(&mut self, conn: &mut Connection) -> Result<bool, StoreError> {
        let (mut taken, mut seen) = (Vec::new(), BTreeSet::new());
        for (index, (append, _)) in self.appends.iter().enumerate() {
            for request in append.requests() {
                if !seen.insert(&request.request) || idempotency::find(conn, &request.request)?.is_some() {
                    taken.push((index, StoreError::KeyTaken));
                    break;
                }
            }
        }
        let any = !taken.is_empty();
        self.refuse(taken);
        Ok(any)
    }
}

/// The state of a filled transaction.
enum Filled {
    /// The transaction holds all units that are left in the batch.
    Ready { transaction: Option<TransactionId> },
    /// No unit is left.
    Nothing,
    /// Some units were refused after they wrote to the transaction.
    Refused,
}

fn apply(conn: &mut Connection, append: &Append, effect: &Effect) -> Result<(), StoreError> {
    let game = append.game;
    match effect {
        Effect::InsertGame(new) => games::insert(conn, game, new),
        Effect::InsertSeed(seed) => seeds::insert(conn, game, seed),
        Effect::UpdateGame(changes) => games::update(conn, game, changes),
        Effect::SeatPlayer { place, account, kind } => {
            players::seat(conn, game, *place, account.as_ref(), kind)
        }
        Effect::UnseatPlayer { place } => players::unseat(conn, game, *place),
        Effect::JoinQueue(waiting) => matchmaking::join(conn, game, waiting),
        Effect::OpenQueue { waiting, barred } => matchmaking::open(conn, game, waiting, barred),
        Effect::MoveQueue { account, from } => matchmaking::take_over(conn, game, account, *from),
        Effect::RequireNoMove => matchmaking::require_no_move(conn, game),
        Effect::LeaveQueue { account } => matchmaking::leave(conn, game, account),
        Effect::BeginQueued => matchmaking::begin(conn, game),
        Effect::EndQueued => matchmaking::end(conn, game),
        Effect::LogStart(started) => public_log::games::start(conn, game, started),
        Effect::CountBreakOff(new) => break_offs::insert(conn, game, new),
        Effect::RecordAct(act) => moderation::record(conn, act),
        Effect::SaveSnapshot(snapshot) => snapshots::save(conn, game, snapshot),
        // Handled for the whole batch at once.
        Effect::RememberRequest(_) | Effect::HostTable { .. } => Ok(()),
    }
}
