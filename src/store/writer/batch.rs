//! A batch: the units that share one transaction, and running them in it.

use diesel::connection::{AnsiTransactionManager, TransactionManager, TransactionManagerStatus};
use diesel::prelude::*;
use diesel::sql_types::Text;

use super::observer::{BatchSize, StoreObserver};
use super::unit::{Append, Effect, PendingAppend, Work};
use super::{keys, log};
use crate::store::connection::Connection;
use crate::store::error::StoreError;
use crate::store::{games, matchmaking, players, seeds, snapshots};

/// At most one append per game, sorted by game, and any number of other units in the order they came.
#[derive(Default)]
pub(super) struct Batch {
    pub appends: Vec<PendingAppend>,
    pub works: Vec<Box<dyn Work>>,
}

/// What became of each of the other units; the appends of a committed batch have all been written.
pub(super) type Verdicts = Vec<Result<(), StoreError>>;

/// Why a batch was not committed, or not to our knowledge.
pub(super) enum Failure {
    /// It was rolled back.
    RolledBack(StoreError),
    /// COMMIT was sent and an error came back.
    AtCommit {
        error: StoreError,
        /// What the units became, should the commit have taken place.
        verdicts: Verdicts,
        /// PostgreSQL's id of the transaction.
        transaction: Option<String>,
    },
}

impl Batch {
    pub fn size(&self) -> BatchSize {
        BatchSize {
            units: self.appends.len() + self.works.len(),
            events: self.appends.iter().map(|pending| pending.append.events.len()).sum(),
        }
    }

    /// Each unit as a batch of its own.
    pub fn into_singles(self) -> impl Iterator<Item = Self> {
        let appends = self.appends.into_iter().map(|one| Self { appends: vec![one], works: Vec::new() });
        let works = self.works.into_iter().map(|one| Self { appends: Vec::new(), works: vec![one] });
        appends.chain(works)
    }

    /// Answers everybody after a commit.
    pub fn answer(self, verdicts: Verdicts) {
        for pending in self.appends {
            // Whoever asked may have gone away; what was written stays written.
            let _ = pending.answer.send(Ok(pending.outcome));
        }
        for (work, verdict) in self.works.into_iter().zip(verdicts) {
            work.answer(verdict);
        }
    }

    /// Answers everybody with the same error.
    pub fn fail(self, error: &StoreError) {
        for pending in self.appends {
            let _ = pending.answer.send(Err(error.clone()));
        }
        for work in self.works {
            work.answer(Err(error.clone()));
        }
    }

    /// Runs everything in one transaction.
    pub fn execute(
        &mut self,
        conn: &mut Connection,
        observer: &dyn StoreObserver,
    ) -> Result<Verdicts, Failure> {
        begin(conn).map_err(|e| Failure::RolledBack(e.into()))?;
        let (verdicts, transaction) = match self.fill(conn) {
            Ok(filled) => filled,
            Err(error) => {
                // When even this fails the connection counts as spent, and its transaction ends with it.
                let _ = <Connection as TransactionManager<Connection>>::rollback_transaction(conn);
                return Err(Failure::RolledBack(error));
            }
        };
        observer.committing(self.size());
        match <Connection as TransactionManager<Connection>>::commit_transaction(conn) {
            Ok(()) => Ok(verdicts),
            Err(error) => Err(Failure::AtCommit { error: error.into(), verdicts, transaction }),
        }
    }

    /// The order of tables is the same in every batch of every node, and the rows of each are sorted.
    fn fill(&mut self, conn: &mut Connection) -> Result<(Verdicts, Option<String>), StoreError> {
        let mut transaction = None;
        if !self.appends.is_empty() {
            transaction = log::insert(conn, &self.appends)?;
            keys::insert(conn, &self.appends)?;
            for PendingAppend { append, .. } in &self.appends {
                append.effects.iter().try_for_each(|effect| apply(conn, append, effect))?;
            }
        }
        let mut verdicts = Vec::with_capacity(self.works.len());
        for work in &mut self.works {
            verdicts.push(run_alone(conn, work.as_mut())?);
        }
        if transaction.is_none() {
            transaction = transaction_id(conn)?;
        }
        Ok((verdicts, transaction))
    }
}

/// SQLite takes the write lock at once: a transaction that reads first cannot wait for it later.
fn begin(conn: &mut Connection) -> QueryResult<()> {
    match conn {
        Connection::Sqlite(conn) => AnsiTransactionManager::begin_transaction_sql(conn, "BEGIN IMMEDIATE"),
        Connection::Postgres(conn) => AnsiTransactionManager::begin_transaction_sql(conn, "BEGIN"),
    }
}

fn apply(conn: &mut Connection, append: &Append, effect: &Effect) -> Result<(), StoreError> {
    let game = append.game.as_str();
    match effect {
        Effect::InsertGame(new) => games::insert(conn, game, new),
        Effect::InsertSeed(seed) => seeds::insert(conn, game, seed),
        Effect::UpdateGame(changes) => games::update(conn, game, changes),
        Effect::SeatPlayer { place, account, kind } => {
            players::seat(conn, game, *place, account.as_deref(), kind)
        }
        Effect::UnseatPlayer { place } => players::unseat(conn, game, *place),
        Effect::JoinQueue(waiting) => matchmaking::join(conn, game, waiting),
        Effect::OpenQueue { waiting, barred } => matchmaking::open(conn, game, waiting, barred),
        Effect::LeaveQueue { account } => matchmaking::leave(conn, game, account),
        Effect::BeginQueued => matchmaking::begin(conn, game),
        Effect::EndQueued => matchmaking::end(conn, game),
        Effect::SaveSnapshot(snapshot) => snapshots::save(conn, game, snapshot),
        // Written for the whole batch at once.
        Effect::RememberRequest(_) => Ok(()),
    }
}

/// Runs a unit inside a savepoint. The outer error means that the whole transaction is lost with it.
fn run_alone(conn: &mut Connection, work: &mut dyn Work) -> Result<Result<(), StoreError>, StoreError> {
    let verdict = diesel::Connection::transaction(conn, |conn| work.run(conn));
    let intact = match <Connection as TransactionManager<Connection>>::transaction_manager_status_mut(conn) {
        TransactionManagerStatus::Valid(status) => status.transaction_depth().map(u32::from) == Some(1),
        TransactionManagerStatus::InError => false,
    };
    match verdict {
        Err(error) if !intact || !error.leaves_connection_sound() => Err(error),
        Ok(()) if !intact => {
            Err(StoreError::Defect { detail: "a unit of work ended the transaction it ran in".to_owned() })
        }
        verdict => Ok(verdict),
    }
}

/// Asks PostgreSQL for the id under which it can be asked later what became of the transaction.
fn transaction_id(conn: &mut Connection) -> Result<Option<String>, StoreError> {
    match conn {
        Connection::Sqlite(_) => Ok(None),
        Connection::Postgres(conn) => {
            let id = diesel::dsl::sql::<Text>("SELECT pg_current_xact_id()::text").get_result(conn)?;
            Ok(Some(id))
        }
    }
}
