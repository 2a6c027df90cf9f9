//! What an operator sees of the log: `estimation log status`.

use std::path::PathBuf;
use std::sync::Arc;

use super::PublicLog;
use super::guard::{LogRefusal, found, is_overdue};
use super::state_file::StoredState;
use crate::base::failure::milliseconds;
use crate::public_log::failure::LogFailure;
use estimation_store::public_log::tree::{self, StoredCosignature, Tree};
use estimation_store::{Connection, PostgresServer, public_log};
use jiff::Timestamp;

/// The state of the log, of a node's state file and of the witnesses.
#[derive(Debug)]
pub struct LogStatus {
    pub origin: String,
    /// The number of entries.
    pub size: u64,
    /// The number of entries in the last checkpoint.
    pub signed_size: u64,
    /// The time of the last checkpoint; none before the first.
    pub signed_at: Option<Timestamp>,
    /// The path of the state file, and what it holds, or why it holds nothing.
    pub state_file: Option<(PathBuf, String)>,
    /// None on SQLite.
    pub server: Option<PostgresServer>,
    pub witnesses: Vec<WitnessStatus>,
    /// The number of entries that wait for their positions.
    pub waiting: u64,
    /// The number of rows that no node enters.
    pub refused: u64,
    /// Why the log is not signed; none if it is.
    pub refusal: Option<LogRefusal>,
    /// The time of a start that the log should have by now: no running node signs before it is entered. If no node runs,
    /// the next one enters it.
    pub overdue_start: Option<Timestamp>,
}

/// What a witness knows of the log.
#[derive(Debug)]
pub struct WitnessStatus {
    pub name: String,
    /// The size that it has seen, as far as it was told.
    pub size: Option<u64>,
    /// Why it does not cosign; none if it does.
    pub trouble: Option<String>,
}

/// What the database and this node know of the log, without asking anybody.
#[derive(Debug)]
pub(crate) struct LogGlimpse {
    pub(crate) tree: Option<Tree>,
    pub(crate) witnesses: Vec<WitnessStatus>,
    /// As in [`LogStatus`].
    pub(crate) waiting: u64,
    pub(crate) refused: u64,
    pub(crate) refusal: Option<LogRefusal>,
    pub(crate) overdue_start: Option<i64>,
}

impl PublicLog {
    /// What the database and this node know of the log.
    pub(crate) async fn glimpse(&self) -> Result<LogGlimpse, LogFailure> {
        let read = move |conn: &mut Connection| {
            let counts = (public_log::count_waiting(conn)?, public_log::count_refused(conn)?);
            let tree = tree::find(conn)?;
            let cosigned = match &tree {
                Some(tree) => tree::cosignatures(conn, tree.id)?,
                None => Vec::new(),
            };
            Ok((counts, public_log::first_waiting_start(conn)?, tree, cosigned))
        };
        let ((waiting, refused), start, tree, cosigned) = self.database.read(read).await?;
        let now = milliseconds(self.clock.now());
        Ok(LogGlimpse {
            tree,
            witnesses: self.told_by_all(&cosigned),
            waiting,
            refused,
            refusal: self.refusal(),
            overdue_start: start.filter(|start| is_overdue(*start, now)),
        })
    }

    /// What each witness knows, as far as this node was told.
    fn told_by_all(&self, cosigned: &[StoredCosignature]) -> Vec<WitnessStatus> {
        let witnesses = self.witnesses();
        let status = |name: String| {
            let (seen, trouble) = self.told_by(&name);
            let stored = cosigned.iter().find(|line| line.witness == name).map(|line| line.size);
            WitnessStatus { size: seen.or(stored), name, trouble }
        };
        witnesses.iter().map(|witness| status(witness.key.name().to_string())).collect()
    }

    /// Asks the witnesses, and reads everything else. None before the first start of a node.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn status(self: &Arc<Self>) -> Result<Option<LogStatus>, LogFailure> {
        let Some(found) = self.database.read(found).await? else { return Ok(None) };
        let state_file = match &self.settings.state_file {
            None => None,
            Some(file) => {
                let text = match file.read().await? {
                    StoredState::State(state) => state.to_string(),
                    StoredState::Missing => "missing".to_owned(),
                    StoredState::Unreadable(reason) => format!("unreadable: {reason}"),
                };
                Some((file.path().to_owned(), text))
            }
        };
        let examined = match self.has_set_origin(&found.tree) {
            Ok(()) => {
                // Those that the examination did not need to ask.
                let asked = self.ask_all(&found).await.map(drop);
                self.examine().await.map(drop).and(asked)
            }
            Err(failure) => Err(failure),
        };
        let refusal = match examined {
            Ok(()) => None,
            Err(failure) if failure.reason().is_some() => Some(failure),
            Err(failure) => return Err(failure),
        };
        let refusal = refusal
            .and_then(|failure| Some(LogRefusal { reason: failure.reason()?, detail: failure.to_string() }));
        let LogGlimpse { witnesses, waiting, refused, overdue_start, .. } = self.glimpse().await?;
        let signed_at = found.tree.checkpoint_at().and_then(|at| Timestamp::from_millisecond(at).ok());
        let Tree { origin, size, signed_size, .. } = found.tree;
        Ok(Some(LogStatus {
            origin,
            size,
            signed_size,
            signed_at,
            state_file,
            server: found.server,
            witnesses,
            waiting,
            refused,
            refusal,
            overdue_start: overdue_start.and_then(|start| Timestamp::from_millisecond(start).ok()),
        }))
    }
}
