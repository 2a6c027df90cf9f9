//! The public log: started and ended games as entries of a C2SP tiled log, which clients can verify.
//!
//! The start of a game queues its entry in the transaction of the start, and a step after its end (`endings/log.rs`)
//! that of the end; `estimation games adopt` queues one for each game that it adopts. A job gives entries their
//! positions, grows the tree and signs checkpoints, on one node at a time; another asks the witnesses.

mod bundle;
mod checkpoint;
mod comparison;
mod entries;
pub mod failure;
mod grow;
mod guard;
mod opened;
mod origin;
mod promise;
mod queue;
mod requeue;
mod served;
mod start_check;
mod state_file;
mod status;
mod witnesses;

pub use guard::LogRefusal;
pub use opened::{OpenedEntry, OpenedEntryPage};
pub use origin::{BegunLog, begin_again};
pub use promise::PromiseView;
pub(crate) use requeue::ENTRY_PAUSE;
pub use state_file::{BadLogState, LogState, LogStateFile};
pub use status::{LogStatus, WitnessStatus};
pub use witnesses::{Witness, WitnessError};

pub(super) use comparison::{
    Comparable, ComparableEnd, NOT_SEALED, adoption_faults, end_faults, read, start_faults,
};
pub(super) use entries::{LoggedEntry, adopted_entry, bind_entry, end_entry, leaf};
pub(super) use guard::is_ahead;
pub(super) use promise::{promise_statement, promised_log};
pub(super) use queue::{adopt_entries, check_entry, stated_head};
pub(super) use requeue::LostEntry;
pub(super) use start_check::{StartCheck, check_start};

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI64};
use std::sync::{Arc, Mutex};

use estimation_tlog::{Checkpoint, Hash, KeyName, KeyType, Tile, TileId, TileSource, VerifierKey};

use self::witnesses::WitnessState;
use crate::auth::active_keys::ActiveKeys;
use crate::auth::keys::{LogKeys, RecordKeys};
use crate::base::clock::Clock;
use crate::base::entropy::Entropy;
use crate::base::failure::Failure;
use crate::base::live::Live;
use crate::base::metrics::Metrics;
use crate::base::pacing::Pacer;
use crate::base::pauses::Pauses;
use crate::public_log::failure::LogFailure;
use estimation_store::public_log::EntryKind;
use estimation_store::public_log::tree::{self, Tree};
use estimation_store::{Connection, Database, GameId, StoreError};

/// The origin of a log if the settings name none.
pub const DEFAULT_ORIGIN: &str = "estimation.localhost/log";

/// Settings of the public log.
#[derive(Clone, Debug)]
pub struct LogSettings {
    /// The name of the log: its public address without the scheme. Without spaces and `+`.
    pub origin: String,
    /// The file, outside the database, with the largest checkpoint that the node has seen. Only tests have none: they
    /// trust the database unless there are witnesses.
    pub state_file: Option<LogStateFile>,
    pub witnesses: Vec<Witness>,
    /// Whether failovers promote synchronous standbys only, so that a new timeline of PostgreSQL has every checkpoint.
    pub synchronous_standbys: bool,
}

pub struct PublicLog {
    pub(crate) database: Database,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) keys: Arc<ActiveKeys>,
    pub(crate) pacer: Arc<Pacer>,
    pub(crate) metrics: Arc<Metrics>,
    /// Without the witnesses, which can change.
    pub(crate) settings: LogSettings,
    /// The origin, shared with views.
    pub(crate) name: Arc<str>,
    pub(crate) witnesses: Live<Vec<Witness>>,
    /// Whether the witnesses were asked since the start of the node, and confirmed the log if they had to.
    pub(crate) witnesses_asked: AtomicBool,
    /// The tree that was last found to continue these checkpoints.
    pub(crate) compared: Mutex<Option<(Tree, Vec<Checkpoint>)>>,
    /// Why the log is not signed.
    pub(crate) refusal: Mutex<Option<LogRefusal>>,
    /// The latest time of an entry for which the log refused an earlier one, in milliseconds since 1970 in UTC.
    pub(crate) latest: AtomicI64,
    /// What this node knows of each witness, by name.
    pub(crate) witness_states: Mutex<HashMap<String, WitnessState>>,
    pub(crate) damaged: opened::DamagedRows,
    /// The starts and adoptions that could not be queued.
    pub(crate) paused_entries: Pauses<(GameId, EntryKind)>,
}

impl Default for LogSettings {
    /// For tests: no state file and no witnesses.
    fn default() -> LogSettings {
        LogSettings {
            origin: DEFAULT_ORIGIN.to_owned(),
            state_file: None,
            witnesses: Vec::new(),
            synchronous_standbys: false,
        }
    }
}

/// The verifier keys of a log.
pub struct LogVerifiers {
    /// Of the key that signs checkpoints; its name is the origin.
    pub log: VerifierKey,
    /// Of the key that cosigns them; its name is the origin and `/witness`.
    pub cosigner: VerifierKey,
}

impl PublicLog {
    /// The name of the log, for views.
    pub(super) fn name(&self) -> Arc<str> {
        Arc::clone(&self.name)
    }

    fn origin(&self) -> Result<KeyName, LogFailure> {
        KeyName::new(&*self.settings.origin).map_err(|error| Failure::Defect(error.to_string()).into())
    }

    /// The private keys of a log.
    fn signers(&self, kid: &str) -> Result<LogKeys, LogFailure> {
        let keys = self.keys.ring().record_keys().log_keys(kid, &self.settings.origin);
        keys.ok_or_else(|| {
            Failure::Defect(format!("the record key {kid} of the public log is missing")).into()
        })
    }

    /// The public keys of the log; none before it was begun.
    pub async fn verifiers(&self) -> Result<Option<LogVerifiers>, LogFailure> {
        let Some(Tree { kid, .. }) = self.database.read(tree::find).await? else { return Ok(None) };
        Ok(Some(verifiers(&self.origin()?, &self.signers(&kid)?)?))
    }
}

fn verifiers(origin: &KeyName, keys: &LogKeys) -> Result<LogVerifiers, LogFailure> {
    let defect = |error: estimation_tlog::BadKey| Failure::Defect(error.to_string());
    let cosigner = KeyName::new(format!("{origin}/witness")).map_err(defect)?;
    Ok(LogVerifiers {
        log: VerifierKey::new(origin.clone(), KeyType::Ed25519, &keys.log.public()).map_err(defect)?,
        cosigner: VerifierKey::new(cosigner, KeyType::Cosignature, &keys.cosigner.public())
            .map_err(defect)?,
    })
}

/// The public keys of a stored log; none without the record key from which they are derived.
pub(super) fn verifiers_of(tree: &Tree, keys: &RecordKeys) -> Option<LogVerifiers> {
    let keys = keys.log_keys(&tree.kid, &tree.origin)?;
    verifiers(&KeyName::new(&*tree.origin).ok()?, &keys).ok()
}

/// The tiles of a log in the database.
struct StoredTiles<'c> {
    conn: &'c mut Connection,
    /// The log's number.
    log: i32,
}

impl TileSource for StoredTiles<'_> {
    type Error = StoreError;

    fn tile(&mut self, id: TileId) -> Result<Vec<Hash>, StoreError> {
        let bytes = tree::tile(self.conn, self.log, id.level, id.index)?.unwrap_or_default();
        // The stored tile may have grown since.
        let wanted = bytes.get(..usize::from(id.width) * Hash::LENGTH).unwrap_or_default();
        id.decode(wanted).map_err(|error| StoreError::Corrupt { detail: format!("{id}: {error}") })
    }
}

fn save(conn: &mut Connection, log: i32, tile: &Tile) -> Result<(), StoreError> {
    tree::save_tile(conn, log, tile.id.level, tile.id.index, &tile.encode())
}

/// A failure of the tree as one of the store.
fn unreadable(error: estimation_tlog::TreeError<StoreError>) -> StoreError {
    match error {
        estimation_tlog::TreeError::Source(error) => error,
        error => StoreError::Corrupt { detail: format!("the tree of the public log: {error}") },
    }
}
