//! The witnesses: other people's services that cosign a checkpoint if it continues the last one they saw
//! (c2sp.org/tlog-witness).

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use thiserror::Error;
use tokio::task::JoinSet;

use super::{PublicLog, StoredTiles, unreadable};
use crate::base::failure::Failure;
use crate::public_log::failure::LogFailure;
use estimation_audit::agent;
use estimation_store::Connection;
use estimation_store::public_log::tree::{self, Tree};
use estimation_tlog::tree::consistency_proof;
use estimation_tlog::witness::{ADD_CHECKPOINT, AddCheckpoint, Answer};
use estimation_tlog::{BadKey, KeyType, Note, VerifierKey};

/// The longest time of a request.
const TIMEOUT: Duration = Duration::from_secs(5);

/// After how long a witness is asked again to cosign a log that has not grown, so that its cosignature has a recent time.
const REFRESH: Duration = Duration::from_secs(300);

/// The most bytes that are read of an answer.
const MOST: u64 = 16 << 10;

/// A witness of the log. As text: the URL, a comma, the verifier key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The prefix of its URLs, without a slash at the end.
    pub url: String,
    pub key: VerifierKey,
}

/// What a node knows of a witness.
#[derive(Debug, Default)]
pub(super) struct WitnessState {
    /// When it last cosigned for this node, on the monotonic clock.
    cosigned_at: Option<Duration>,
    /// Why it did not cosign when it was last asked.
    trouble: Option<Trouble>,
}

/// Why a witness did not cosign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trouble {
    /// It does not answer, or refuses.
    NotCosigned,
    /// The node could not ask it.
    NotAsked,
    /// It has seen a larger log.
    RolledBack,
}

impl WitnessState {
    /// Notes the outcome of a request. Returns whether it differs from the last one.
    fn changes_to(&mut self, trouble: Option<Trouble>) -> bool {
        std::mem::replace(&mut self.trouble, trouble) != trouble
    }
}

/// The text names no witness.
#[derive(Debug, Error)]
pub enum WitnessError {
    #[error("a witness has the form URL,KEY, with an http or https URL and a verifier key name+hex8+base64")]
    Form,
    #[error(transparent)]
    Key(#[from] BadKey),
    #[error("the key of a witness has the type 0x04")]
    KeyType,
}

impl FromStr for Witness {
    type Err = WitnessError;

    fn from_str(text: &str) -> Result<Witness, WitnessError> {
        let (url, key) = text.split_once(',').ok_or(WitnessError::Form)?;
        if !url.starts_with("https://") && !url.starts_with("http://") {
            return Err(WitnessError::Form);
        }
        let key: VerifierKey = key.parse()?;
        if key.kind() != KeyType::Cosignature {
            return Err(WitnessError::KeyType);
        }
        Ok(Witness { url: url.trim_end_matches('/').to_owned(), key })
    }
}

impl fmt::Display for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.url, self.key)
    }
}

impl PublicLog {
    /// The witnesses at present.
    pub fn witnesses(&self) -> Arc<Vec<Witness>> {
        self.witnesses.get()
    }

    /// Replaces the witnesses.
    pub(crate) fn change_witnesses(&self, witnesses: Vec<Witness>) {
        self.witnesses.set(witnesses);
    }

    /// Asks a witness, unless it has cosigned the last checkpoint recently. Logs its failures when they begin and end.
    pub async fn ask_witness(&self, witness: &Witness) {
        let name = witness.key.name();
        let (trouble, detail) = match self.ask(witness).await {
            Ok(None) => (None, String::new()),
            Ok(Some(answer)) => (Some(Trouble::NotCosigned), format!("{answer:?}")),
            Err(failure @ LogFailure::RolledBack { .. }) => (Some(Trouble::RolledBack), failure.to_string()),
            Err(failure) => (Some(Trouble::NotAsked), failure.to_string()),
        };
        if !self.witness_states().entry(name.to_string()).or_default().changes_to(trouble) {
            return;
        }
        match trouble {
            None => tracing::info!(witness = %name, "the witness cosigns again"),
            Some(Trouble::NotCosigned) => {
                tracing::warn!(witness = %name, detail, "a witness does not cosign")
            }
            Some(Trouble::NotAsked) => tracing::warn!(witness = %name, detail, "cannot ask a witness"),
            Some(Trouble::RolledBack) => {
                tracing::error!(witness = %name, detail, "the public log is not signed");
            }
        }
    }

    fn witness_states(&self) -> MutexGuard<'_, HashMap<String, WitnessState>> {
        self.witness_states.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks a witness for the last checkpoint. Returns an answer that is no cosignature.
    ///
    /// # Errors
    /// [`LogFailure::RolledBack`] if the witness has seen a larger log.
    async fn ask(&self, witness: &Witness) -> Result<Option<Answer>, LogFailure> {
        let name = witness.key.name().to_string();
        let read = move |conn: &mut Connection| {
            let Some(tree) = tree::find(conn)?.filter(|tree| !tree.note.is_empty()) else { return Ok(None) };
            let known = tree::cosignatures(conn, tree.id)?.into_iter().find(|line| line.witness == name);
            Ok(Some((tree, known.map_or(0, |line| line.size))))
        };
        let Some((tree, mut old)) = self.database.read(read).await? else { return Ok(None) };
        let cosigned =
            self.witness_states().get(witness.key.name().as_str()).and_then(|state| state.cosigned_at);
        let is_recent = cosigned.is_some_and(|at| self.clock.monotonic().saturating_sub(at) < REFRESH);
        if old == tree.signed_size && is_recent && self.confirmed.load(Ordering::Relaxed) {
            return Ok(None);
        }
        // The second time with the size that the witness has named.
        for _ in 0..2 {
            match self.add_checkpoint(witness, &tree, old).await? {
                Answer::Cosigned { line, .. } => {
                    self.confirmed.store(true, Ordering::Relaxed);
                    let (name, line) = (witness.key.name().to_string(), line.to_string());
                    self.witness_states().entry(name.clone()).or_default().cosigned_at =
                        Some(self.clock.monotonic());
                    let (log, size) = (tree.id, tree.signed_size);
                    let save =
                        move |conn: &mut Connection| tree::save_cosignature(conn, log, &name, size, &line);
                    self.database.write(save).await?;
                    return Ok(None);
                }
                Answer::Conflict { size } if size > tree.signed_size => {
                    let detail = format!(
                        "the log has signed {} entries; the witness {} has seen {size}",
                        tree.signed_size,
                        witness.key.name()
                    );
                    return Err(LogFailure::RolledBack { detail });
                }
                Answer::Conflict { size } => old = size,
                answer => return Ok(Some(answer)),
            }
        }
        Ok(None)
    }

    /// Sends the last checkpoint to a witness that has seen one of `old` entries.
    async fn add_checkpoint(&self, witness: &Witness, tree: &Tree, old: u64) -> Result<Answer, LogFailure> {
        let (log, size, note) = (tree.id, tree.signed_size, tree.note.clone());
        let prove = move |conn: &mut Connection| {
            if old == 0 || old >= size {
                return Ok(Vec::new());
            }
            consistency_proof(&mut StoredTiles { conn, log }, old, size).map_err(unreadable)
        };
        let proof = self.database.read(prove).await?;
        let checkpoint: Note = note.parse().map_err(|error| Failure::Defect(format!("{error}")))?;
        let text = checkpoint.text().to_owned();
        let body = AddCheckpoint { old, proof, checkpoint }.to_string();
        let (url, key) = (format!("{}/{ADD_CHECKPOINT}", witness.url), witness.key.clone());
        let posted = tokio::task::spawn_blocking(move || post(&url, &body, &text, &key));
        posted.await.map_err(|error| Failure::Defect(error.to_string()).into())
    }

    /// Asks all witnesses at once, until one has answered in the life of a node, whether they have seen a larger log.
    ///
    /// # Errors
    /// [`LogFailure::RolledBack`] if one has; [`LogFailure::NoWitness`] while none of them answers.
    pub(super) async fn confirm(self: &Arc<Self>, tree: &Tree) -> Result<(), LogFailure> {
        let witnesses = self.witnesses();
        if witnesses.is_empty() || tree.note.is_empty() || self.confirmed.load(Ordering::Relaxed) {
            return Ok(());
        }
        let mut asked = JoinSet::new();
        for witness in Vec::clone(&witnesses) {
            let log = Arc::clone(self);
            asked.spawn(async move { log.ask(&witness).await });
        }
        while let Some(answer) = asked.join_next().await {
            match answer {
                Ok(Err(failure @ LogFailure::RolledBack { .. })) => return Err(failure),
                _ if self.confirmed.load(Ordering::Relaxed) => return Ok(()),
                _ => {}
            }
        }
        Err(LogFailure::NoWitness)
    }
}

fn post(url: &str, body: &str, text: &str, key: &VerifierKey) -> Answer {
    let answered = agent(Some(TIMEOUT)).post(url).header("content-type", "text/plain").send(body);
    let mut response = match answered {
        Ok(response) => response,
        Err(error) => return Answer::Unusable(error.to_string()),
    };
    let kind = response.headers().get("content-type").and_then(|kind| kind.to_str().ok());
    let kind = kind.unwrap_or_default().to_owned();
    match response.body_mut().with_config().limit(MOST).read_to_string() {
        Ok(read) => Answer::read(response.status().as_u16(), &kind, &read, text, key),
        Err(error) => Answer::Unusable(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_witness_that_keeps_failing_is_logged_once() {
        let mut state = WitnessState::default();
        let outcomes = [
            None,
            Some(Trouble::NotCosigned),
            Some(Trouble::NotCosigned),
            Some(Trouble::NotAsked),
            None,
            None,
        ];
        let logged = outcomes.map(|trouble| state.changes_to(trouble));
        assert_eq!(logged, [false, true, false, true, true, false]);
    }
}
