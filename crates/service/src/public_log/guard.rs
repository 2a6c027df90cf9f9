//! Checks the log before it grows and before it is signed. A node goes on only with a log that continues the largest
//! checkpoint that it has seen, on the database where it saw it, and that no witness contradicts. The times of the log come from
//! the clock; a stored time that was changed moves none.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use jiff::Timestamp;

use estimation_tlog::{Checkpoint, Hash, Note};

use super::promise::WITHIN;
use super::state_file::{LogState, StoredState};
use super::{PublicLog, StoredTiles, unreadable, verifiers};
use crate::base::failure::{Failure, milliseconds};
use crate::public_log::failure::LogFailure;
use estimation_record::RecordTime;
use estimation_store::public_log;
use estimation_store::public_log::tree::{self, Tree};
use estimation_store::{Connection, PostgresServer, StoreError, postgres_server};

/// A log that may grow and be signed.
pub(super) struct SignableLog {
    pub(super) tree: Tree,
    pub(super) server: Option<PostgresServer>,
    /// The time of the last checkpoint by its cosignature, in milliseconds since 1970 in UTC; 0 before the first.
    pub(super) signed_at: i64,
    /// The state to keep, if the file has another one.
    keep: Option<LogState>,
}

/// Why the log is not signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRefusal {
    /// As `/readyz` names it.
    pub reason: &'static str,
    pub detail: String,
}

/// What the database has of the log.
pub(super) struct StoredLog {
    pub(super) tree: Tree,
    pub(super) server: Option<PostgresServer>,
    /// The names of the former logs.
    former: Vec<String>,
    /// Whether the log has never been signed, and either has no entries in a database without games, or was begun by
    /// [`begin_again`](super::begin_again).
    is_new: bool,
}

/// The last checkpoint, and its time by the cosignature of the log itself, in milliseconds since 1970 in UTC.
struct LastCheckpoint {
    checkpoint: Checkpoint,
    at: i64,
}

impl PublicLog {
    /// Why this node does not sign the log; none while it does.
    pub fn refusal(&self) -> Option<LogRefusal> {
        self.refusal.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes whether the log was signed. Logs the reason when it changes.
    pub(super) fn report(&self, outcome: &Result<(), LogFailure>) {
        let refusal = match outcome {
            Ok(()) => None,
            Err(failure) => match failure.reason() {
                // The next attempt tells.
                None => return,
                Some(reason) => Some(LogRefusal { reason, detail: failure.to_string() }),
            },
        };
        self.metrics.log_refused(refusal.is_some());
        let mut known = self.refusal.lock().unwrap_or_else(PoisonError::into_inner);
        if *known == refusal {
            return;
        }
        match &refusal {
            Some(LogRefusal { reason, detail }) => {
                tracing::error!(reason, detail, "the public log is not signed");
            }
            None => tracing::info!("the public log is signed again"),
        }
        *known = refusal;
    }

    /// Checks the log, and keeps its last checkpoint in the state file. None without a log, and on a server that only
    /// reads.
    ///
    /// # Errors
    /// Those with a [`reason`](LogFailure::reason), if the log may not go on.
    pub(super) async fn check(self: &Arc<Self>) -> Result<Option<SignableLog>, LogFailure> {
        let Some(checked) = self.examine().await? else { return Ok(None) };
        if let (Some(file), Some(keep)) = (&self.settings.state_file, &checked.keep) {
            file.write(keep).await?;
        }
        Ok(Some(checked))
    }

    /// As [`check`](Self::check), without a change of the file.
    pub(super) async fn examine(self: &Arc<Self>) -> Result<Option<SignableLog>, LogFailure> {
        let Some(found) = self.database.read(found).await? else { return Ok(None) };
        if found.server.as_ref().is_some_and(|server| server.timeline == 0) {
            return Ok(None);
        }
        let signed = self.signed(&found.tree)?;
        self.check_times(&found.tree, signed.as_ref())?;
        if let Some(detail) = self.contradiction_of_a_witness() {
            return Err(LogFailure::RolledBack { detail });
        }
        let kept = match &self.settings.state_file {
            Some(file) => Some(file.read().await?),
            None => None,
        };
        self.continues(&found, signed.as_ref(), kept.as_ref()).await?;
        let unconfirmed = self.unconfirmed(&found, kept.as_ref());
        let is_asked = self.witnesses_asked.load(Ordering::Relaxed);
        let must_confirm =
            unconfirmed.is_some() || (found.is_new && !self.witnesses().is_empty() && !is_asked);
        if must_confirm || !is_asked {
            let is_confirmed = self.ask_all(&found).await?;
            if must_confirm && !is_confirmed {
                let detail = unconfirmed.unwrap_or_else(|| "it is new".to_owned());
                let detail = match self.witnesses().is_empty() {
                    true => format!("{detail}. Run `estimation log init` if the database was not restored"),
                    false => format!("{detail}, and no witness has confirmed the log"),
                };
                return Err(LogFailure::Unconfirmed { detail });
            }
            self.witnesses_asked.store(true, Ordering::Relaxed);
        }
        let StoredLog { tree, server, .. } = found;
        let keep = signed.as_ref().map(|signed| {
            let checkpoint = match &kept {
                // A node stopped while it signed: only its file has the checkpoint.
                Some(StoredState::State(kept)) if is_later(&kept.checkpoint, &signed.checkpoint) => {
                    &kept.checkpoint
                }
                _ => &signed.checkpoint,
            };
            LogState { checkpoint: checkpoint.clone(), server: server.clone() }
        });
        let keep = keep.filter(|keep| !matches!(&kept, Some(StoredState::State(kept)) if kept == keep));
        Ok(Some(SignableLog { tree, server, signed_at: signed.map_or(0, |signed| signed.at), keep }))
    }

    /// The last checkpoint with its time; none before the first.
    fn signed(&self, tree: &Tree) -> Result<Option<LastCheckpoint>, LogFailure> {
        if tree.note.is_empty() {
            return Ok(None);
        }
        let changed =
            || LogFailure::RolledBack { detail: "its last checkpoint is not one that it signed".to_owned() };
        let verifiers = verifiers(&self.origin()?, &self.signers(&tree.kid)?)?;
        let note: Note = tree.note.parse().map_err(|_| changed())?;
        let checkpoint = estimation_tlog::checkpoint::verify(&note, &verifiers.log).map_err(|_| changed())?;
        let time = note.verify(&verifiers.cosigner).map_err(|_| changed())?.time.ok_or_else(changed)?;
        if checkpoint.size != tree.signed_size {
            return Err(changed());
        }
        Ok(Some(LastCheckpoint {
            checkpoint,
            at: i64::try_from(time).unwrap_or(i64::MAX / 1000).saturating_mul(1000),
        }))
    }

    /// Refuses times that are ahead of the clock: the next checkpoint and the next promises would have them.
    fn check_times(&self, tree: &Tree, signed: Option<&LastCheckpoint>) -> Result<(), LogFailure> {
        let now = milliseconds(self.clock.now());
        let stored = [
            (tree.entered_at, "last entry"),
            (tree.signed_at, "last checkpoint"),
            (signed.map_or(0, |signed| signed.at), "last cosignature"),
        ];
        match stored.into_iter().find(|(at, _)| is_ahead(*at, now)) {
            None => Ok(()),
            Some((at, what)) => {
                let detail = format!("the {what} is of {at} ms since 1970, the clock says {now}");
                Err(LogFailure::TimeAhead { detail })
            }
        }
    }

    /// Refuses a log that does not continue its stored checkpoint or that of the file.
    async fn continues(
        &self,
        found: &StoredLog,
        signed: Option<&LastCheckpoint>,
        kept: Option<&StoredState>,
    ) -> Result<(), LogFailure> {
        let mut before: Vec<Checkpoint> =
            signed.map(|signed| signed.checkpoint.clone()).into_iter().collect();
        if let Some(StoredState::State(kept)) = kept
            && kept.checkpoint.origin.as_str() == found.tree.origin
            && !before.contains(&kept.checkpoint)
        {
            before.push(kept.checkpoint.clone());
        }
        // The same tree was compared with the same checkpoints before.
        let compared = (found.tree.clone(), before.clone());
        if *self.compared.lock().unwrap_or_else(PoisonError::into_inner) == Some(compared.clone()) {
            return Ok(());
        }
        let tree = found.tree.clone();
        let read = move |conn: &mut Connection| contradiction(conn, &tree, &before);
        if let Some(detail) = self.database.read(read).await? {
            return Err(LogFailure::RolledBack { detail });
        }
        *self.compared.lock().unwrap_or_else(PoisonError::into_inner) = Some(compared);
        Ok(())
    }

    /// Why a witness has to confirm the log; none if the file knows the log on this database.
    fn unconfirmed(&self, found: &StoredLog, kept: Option<&StoredState>) -> Option<String> {
        let is_synchronous = self.settings.synchronous_standbys;
        match kept {
            // Only tests have no state file.
            None => {
                let confirmed = self.witnesses_asked.load(Ordering::Relaxed) || self.witnesses().is_empty();
                (!confirmed && !found.tree.note.is_empty()).then(|| "there is no state file".to_owned())
            }
            Some(_) if found.is_new => None,
            Some(StoredState::Missing) => Some("the state file is missing".to_owned()),
            Some(StoredState::Unreadable(reason)) => Some(format!("the state file cannot be read: {reason}")),
            Some(StoredState::State(kept)) => {
                let origin = kept.checkpoint.origin.as_str();
                if origin != found.tree.origin
                    && (found.server.is_none() || !found.former.iter().any(|former| former == origin))
                {
                    return Some(format!("the state file is of the log {origin}"));
                }
                match (&kept.server, &found.server) {
                    (kept, found) if kept == found => None,
                    (Some(kept), Some(found))
                        if (&kept.system, kept.database) == (&found.system, found.database) =>
                    {
                        let (then, now) = (kept.timeline, found.timeline);
                        (!is_synchronous || now < then).then(|| {
                            format!("PostgreSQL is on timeline {now}, the state file is of timeline {then}")
                        })
                    }
                    _ => Some("the state file is of another database".to_owned()),
                }
            }
        }
    }

    /// Accepts the log of the database as the one to continue, and keeps its last checkpoint in the state file. Returns
    /// what the file then has.
    ///
    /// # Errors
    /// [`LogFailure::Command`] without a log or a state file; [`LogFailure::RolledBack`] if the log contradicts the state
    /// file, if it can be read, or a witness.
    pub async fn init(self: &Arc<Self>) -> Result<LogState, LogFailure> {
        let command = |text: &str| LogFailure::Command(text.to_owned());
        let file = self.settings.state_file.as_ref().ok_or_else(|| command("there is no state file"))?;
        let found = self.database.read(found).await?;
        let found = found.ok_or_else(|| command("there is no log yet: start a node"))?;
        self.has_set_origin(&found.tree)?;
        if found.server.as_ref().is_some_and(|server| server.timeline == 0) {
            return Err(command("the server only reads, as a standby does"));
        }
        let signed = self.signed(&found.tree)?;
        self.continues(&found, signed.as_ref(), Some(&file.read().await?)).await?;
        self.ask_all(&found).await?;
        let checkpoint = match signed {
            Some(signed) => signed.checkpoint,
            None => Checkpoint { origin: self.origin()?, size: 0, root: Hash::empty_root() },
        };
        let state = LogState { checkpoint, server: found.server };
        file.write(&state).await?;
        Ok(state)
    }

    /// Refuses to go on with a log of another name.
    pub(super) fn has_set_origin(&self, tree: &Tree) -> Result<(), LogFailure> {
        let (stored, set) = (&tree.origin, &self.settings.origin);
        if stored == set {
            return Ok(());
        }
        Err(Failure::Defect(format!("the log's origin is {stored}, the settings have {set}")).into())
    }
}

/// Whether a checkpoint is a later one of the same log.
fn is_later(checkpoint: &Checkpoint, other: &Checkpoint) -> bool {
    checkpoint.origin == other.origin && checkpoint.size > other.size
}

/// What the database has of the newest log.
pub(super) fn found(conn: &mut Connection) -> Result<Option<StoredLog>, StoreError> {
    let Some(tree) = tree::find(conn)? else { return Ok(None) };
    let is_unsigned = tree.note.is_empty();
    let is_new = is_unsigned && (tree.id > 1 || (tree.size == 0 && public_log::is_unused(conn)?));
    let former = match tree.id {
        1 => Vec::new(),
        _ => tree::origins(conn)?.into_iter().skip(1).collect(),
    };
    Ok(Some(StoredLog { server: postgres_server(conn)?, former, is_new, tree }))
}

/// How a log contradicts checkpoints that were signed before; none if it continues them.
fn contradiction(
    conn: &mut Connection,
    tree: &Tree,
    signed: &[Checkpoint],
) -> Result<Option<String>, StoreError> {
    for before in signed {
        if before.size > tree.size {
            let detail = format!("the log has {} entries; one with {} was signed", tree.size, before.size);
            return Ok(Some(detail));
        }
        let mut tiles = StoredTiles { conn, log: tree.id };
        let root: Hash = estimation_tlog::tree::root(&mut tiles, before.size).map_err(unreadable)?;
        if root != before.root {
            return Ok(Some(format!(
                "the log's first {} entries are not those that were signed",
                before.size
            )));
        }
    }
    Ok(None)
}

/// The milliseconds by which a stored time may be ahead of the clock.
const AHEAD: i64 = 60_000;

/// Whether a stored time is too far ahead of the clock. Both are in milliseconds since 1970 in UTC.
pub(crate) fn is_ahead(stored: i64, now: i64) -> bool {
    stored.saturating_sub(now) > AHEAD
}

/// Whether the log must have a start of this time. Both are in milliseconds since 1970 in UTC.
pub(super) fn is_overdue(start: i64, now: i64) -> bool {
    i128::from(now.saturating_sub(start)) > WITHIN.as_millis()
}

impl PublicLog {
    /// The time for a start: not before the last entry of the log, as far as this node knows it.
    pub(crate) fn start_time(&self, now: Timestamp, previous: RecordTime) -> RecordTime {
        let latest = Timestamp::from_millisecond(self.latest.load(Ordering::Relaxed)).unwrap_or_default();
        RecordTime::of(now.max(latest), Some(previous))
    }

    /// Learns from a refusal that the log has an entry of a later time. A time that is too far ahead of the clock is not
    /// learned.
    pub(crate) fn learn(&self, error: &StoreError) {
        if let StoreError::LogTimePassed { latest } = error
            && !is_ahead(*latest, milliseconds(self.clock.now()))
        {
            self.latest.fetch_max(*latest, Ordering::Relaxed);
        }
    }
}
