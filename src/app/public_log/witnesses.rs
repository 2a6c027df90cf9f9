//! The witnesses: other people's services that cosign a checkpoint if it continues the last one they saw
//! (c2sp.org/tlog-witness).

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use thiserror::Error;

use super::{PublicLog, StoredTiles, unreadable};
use crate::app::failure::Failure;
use crate::store::Connection;
use crate::store::public_log::tree::{self, Tree};
use estimation_audit::agent;
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
    /// Asks the witnesses that have not cosigned the last checkpoint, or not recently. One that does not answer holds up no other.
    pub async fn ask_witnesses(&self) -> Result<(), Failure> {
        for witness in &self.settings.witnesses {
            let name = witness.key.name();
            match self.ask(witness).await {
                Ok(None) => {}
                Ok(Some(answer)) => tracing::warn!(witness = %name, ?answer, "a witness did not cosign"),
                Err(failure @ Failure::LogRolledBack { .. }) => {
                    tracing::error!(witness = %name, %failure, "the public log is not signed");
                }
                Err(failure) => tracing::warn!(witness = %name, %failure, "cannot ask a witness"),
            }
        }
        Ok(())
    }

    fn cosigned(&self) -> MutexGuard<'_, HashMap<String, Duration>> {
        self.cosigned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks a witness for the last checkpoint. Returns an answer that is no cosignature.
    ///
    /// # Errors
    /// [`Failure::LogRolledBack`] if the witness has seen a larger log.
    async fn ask(&self, witness: &Witness) -> Result<Option<Answer>, Failure> {
        let name = witness.key.name().to_string();
        let read = move |conn: &mut Connection| {
            let Some(tree) = tree::find(conn)?.filter(|tree| !tree.note.is_empty()) else { return Ok(None) };
            let known = tree::cosignatures(conn, tree.id)?.into_iter().find(|line| line.witness == name);
            Ok(Some((tree, known.map_or(0, |line| line.size))))
        };
        let Some((tree, mut old)) = self.database.read(read).await? else { return Ok(None) };
        let cosigned = self.cosigned().get(witness.key.name().as_str()).copied();
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
                    self.cosigned().insert(name.clone(), self.clock.monotonic());
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
                    return Err(Failure::LogRolledBack { detail });
                }
                Answer::Conflict { size } => old = size,
                answer => return Ok(Some(answer)),
            }
        }
        Ok(None)
    }

    /// Sends the last checkpoint to a witness that has seen one of `old` entries.
    async fn add_checkpoint(&self, witness: &Witness, tree: &Tree, old: u64) -> Result<Answer, Failure> {
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
        posted.await.map_err(|error| Failure::Defect(error.to_string()))
    }

    /// Asks the witnesses, once in the life of a node, whether they have seen a larger log.
    ///
    /// # Errors
    /// [`Failure::LogRolledBack`] if one has; [`Failure::Busy`] while none of them answers.
    pub(super) async fn confirm(&self, tree: &Tree) -> Result<(), Failure> {
        if self.settings.witnesses.is_empty()
            || tree.note.is_empty()
            || self.confirmed.load(Ordering::Relaxed)
        {
            return Ok(());
        }
        for witness in &self.settings.witnesses {
            match self.ask(witness).await {
                Err(failure @ Failure::LogRolledBack { .. }) => return Err(failure),
                _ if self.confirmed.load(Ordering::Relaxed) => return Ok(()),
                _ => {}
            }
        }
        Err(Failure::Busy)
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
