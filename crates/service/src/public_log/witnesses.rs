//! The witnesses: other people's services that cosign a checkpoint if it continues the last one they saw
//! (c2sp.org/tlog-witness).

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use thiserror::Error;
use tokio::task::JoinSet;

use super::guard::StoredLog;
use super::{PublicLog, StoredTiles, unreadable};
use crate::base::failure::{Failure, milliseconds};
use crate::public_log::failure::LogFailure;
use estimation_command::agent;
use estimation_store::public_log::tree::{self, Tree};
use estimation_store::{Connection, Server};
use estimation_tlog::tree::consistency_proof;
use estimation_tlog::witness::{ADD_CHECKPOINT, AddCheckpoint, Answer};
use estimation_tlog::{BadKey, Checkpoint, Hash, KeyType, Note, SignatureLine, VerifierKey};

/// The longest time of a request.
const TIMEOUT: Duration = Duration::from_secs(5);

/// After how long a witness is asked again to cosign a log that has not grown, so that its cosignature has a recent time.
const REFRESH: Duration = Duration::from_secs(300);

/// The most bytes that are read of an answer.
const MAX: u64 = 16 << 10;

/// A witness of the log. As text: the URL, a comma, the verifier key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The prefix of its URLs, without a slash at the end.
    pub url: String,
    pub key: VerifierKey,
}

/// What a node knows of a witness.
#[derive(Debug, Default)]
pub(crate) struct WitnessState {
    /// When it last cosigned for this node, on the monotonic clock.
    cosigned_at: Option<Duration>,
    /// The size of the log that it has seen.
    seen: Option<u64>,
    /// Why it did not cosign when it was last asked.
    trouble: Option<CosignFailure>,
    /// The same in words.
    detail: String,
}

/// Why a witness did not cosign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CosignFailure {
    /// It does not answer, or refuses.
    NotCosigned,
    /// The node could not ask it.
    NotAsked,
    /// It has seen a larger log, or another one.
    RolledBack,
}

/// The outcome of a request.
enum CosignOutcome {
    /// There was no request: the witness has cosigned recently, or nothing is signed yet.
    NotDue,
    Cosigned,
    /// It had not seen the log before.
    CosignedFirst,
    /// It knows nothing of a log that has not been signed.
    KnowsNone,
    /// An answer that is no cosignature.
    Other(Answer),
}

impl WitnessState {
    /// Notes the outcome of a request. Returns whether it differs from the last one.
    fn changes_to(&mut self, trouble: Option<CosignFailure>) -> bool {
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
        let asked = self.ask(witness).await;
        self.note_answer(witness, &asked);
    }

    /// Notes the outcome of a request.
    fn note_answer(&self, witness: &Witness, asked: &Result<CosignOutcome, LogFailure>) {
        let name = witness.key.name();
        let (trouble, detail) = match asked {
            Ok(CosignOutcome::NotDue) => return,
            Ok(CosignOutcome::Cosigned | CosignOutcome::CosignedFirst) => (None, String::new()),
            Ok(CosignOutcome::KnowsNone) => {
                (Some(CosignFailure::NotCosigned), "it does not know the log".to_owned())
            }
            Ok(CosignOutcome::Other(answer)) => (Some(CosignFailure::NotCosigned), format!("{answer:?}")),
            Err(LogFailure::RolledBack { detail }) => (Some(CosignFailure::RolledBack), detail.clone()),
            Err(failure) => (Some(CosignFailure::NotAsked), failure.to_string()),
        };
        {
            let mut states = self.witness_states();
            let state = states.entry(name.to_string()).or_default();
            // What it has seen does not become untrue while it does not answer.
            if state.trouble == Some(CosignFailure::RolledBack)
                && !matches!(trouble, None | Some(CosignFailure::RolledBack))
                && !matches!(asked, Ok(CosignOutcome::KnowsNone))
            {
                return;
            }
            state.detail.clone_from(&detail);
            if !state.changes_to(trouble) {
                return;
            }
        }
        match trouble {
            None => tracing::info!(witness = %name, "the witness cosigns again"),
            Some(CosignFailure::NotCosigned) => {
                tracing::warn!(witness = %name, detail, "a witness does not cosign")
            }
            Some(CosignFailure::NotAsked) => tracing::warn!(witness = %name, detail, "cannot ask a witness"),
            Some(CosignFailure::RolledBack) => {
                tracing::error!(witness = %name, detail, "a witness contradicts the public log");
            }
        }
    }

    /// How a witness contradicts the log; none if none does.
    pub(super) fn contradiction_of_a_witness(&self) -> Option<String> {
        let (witnesses, states) = (self.witnesses(), self.witness_states());
        let mut known = witnesses.iter().filter_map(|witness| states.get(witness.key.name().as_str()));
        known.find(|state| state.trouble == Some(CosignFailure::RolledBack)).map(|state| state.detail.clone())
    }

    /// Whether a witness contradicted the log when it last answered.
    fn contradicts(&self, witness: &Witness) -> bool {
        let states = self.witness_states();
        let state = states.get(witness.key.name().as_str());
        state.is_some_and(|state| state.trouble == Some(CosignFailure::RolledBack))
    }

    /// The size that a witness has seen, and why it did not cosign, as far as it was asked.
    pub(super) fn told_by(&self, name: &str) -> (Option<u64>, Option<String>) {
        let states = self.witness_states();
        let Some(state) = states.get(name) else { return (None, None) };
        (state.seen, state.trouble.map(|_| state.detail.clone()))
    }

    fn witness_states(&self) -> MutexGuard<'_, HashMap<String, WitnessState>> {
        self.witness_states.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks a witness to cosign the last checkpoint; before the first one, only whether it still contradicts the log.
    ///
    /// # Errors
    /// [`LogFailure::RolledBack`] if the witness has seen a larger log, or another one.
    async fn ask(&self, witness: &Witness) -> Result<CosignOutcome, LogFailure> {
        let name = witness.key.name().to_string();
        let read = move |conn: &mut Connection| {
            let Some(tree) = tree::find(conn)? else { return Ok(None) };
            let known = tree::cosignatures(conn, tree.id)?.into_iter().find(|line| line.witness == name);
            Ok(Some((tree, known.map_or(0, |line| line.size))))
        };
        let Some((mut tree, mut old)) = self.database.read(read).await? else {
            return Ok(CosignOutcome::NotDue);
        };
        if tree.note.is_empty() {
            return match self.contradicts(witness) {
                true => self.ask_about_new(witness, &tree).await,
                false => Ok(CosignOutcome::NotDue),
            };
        }
        if old == tree.signed_size && self.has_cosigned_lately(witness, old) {
            return Ok(CosignOutcome::NotDue);
        }
        let mut last = CosignOutcome::NotDue;
        // Again with the size that the witness has named.
        for _ in 0..3 {
            let answer = self.add_checkpoint(witness, &tree, old).await?;
            match &answer {
                Answer::Cosigned { line, .. } => {
                    self.save_cosignature(witness, tree.id, tree.signed_size, line).await?;
                    let is_first = old == 0 && tree.signed_size > 0;
                    return Ok(if is_first { CosignOutcome::CosignedFirst } else { CosignOutcome::Cosigned });
                }
                Answer::Conflict { size } if *size > tree.signed_size => {
                    self.has_seen(witness, *size);
                    // Another node may have signed meanwhile.
                    let present = self.database.read(tree::find).await?;
                    match present.filter(|now| now.id == tree.id && now.signed_size >= *size) {
                        Some(present) => (tree, old) = (present, *size),
                        None => return Err(seen_more(tree.signed_size, witness, *size)),
                    }
                }
                Answer::Conflict { size } => {
                    self.has_seen(witness, *size);
                    old = *size;
                }
                Answer::Inconsistent => {
                    let name = witness.key.name();
                    let detail =
                        format!("the witness {name} has seen other entries than the first {old} of the log");
                    return Err(LogFailure::RolledBack { detail });
                }
                _ => return Ok(CosignOutcome::Other(answer)),
            }
            last = CosignOutcome::Other(answer);
        }
        Ok(last)
    }

    /// Asks a witness about a log without a checkpoint: whether it cosigns that of the empty log, which is not published.
    ///
    /// # Errors
    /// [`LogFailure::RolledBack`] if the witness has seen a log with entries.
    async fn ask_about_new(&self, witness: &Witness, tree: &Tree) -> Result<CosignOutcome, LogFailure> {
        let empty = Checkpoint { origin: self.origin()?, size: 0, root: Hash::empty_root() };
        let note = self.note(&tree.kid, &empty, milliseconds(self.clock.now()))?.to_string();
        let empty = Tree { signed_size: 0, note, ..tree.clone() };
        match self.add_checkpoint(witness, &empty, 0).await? {
            Answer::Cosigned { line, .. } => {
                self.save_cosignature(witness, tree.id, 0, &line).await?;
                Ok(CosignOutcome::Cosigned)
            }
            Answer::Conflict { size } if size > 0 => {
                self.has_seen(witness, size);
                Err(seen_more(0, witness, size))
            }
            Answer::UnknownLog => Ok(CosignOutcome::KnowsNone),
            answer => Ok(CosignOutcome::Other(answer)),
        }
    }

    /// Whether a witness has cosigned a log of this size, and no larger one, and recently.
    fn has_cosigned_lately(&self, witness: &Witness, size: u64) -> bool {
        let states = self.witness_states();
        let state = states.get(witness.key.name().as_str());
        let state = state.filter(|state| state.trouble.is_none() && state.seen == Some(size));
        let at = state.and_then(|state| state.cosigned_at);
        at.is_some_and(|at| self.clock.monotonic().saturating_sub(at) < REFRESH)
    }

    fn has_seen(&self, witness: &Witness, size: u64) {
        self.witness_states().entry(witness.key.name().to_string()).or_default().seen = Some(size);
    }

    async fn save_cosignature(
        &self,
        witness: &Witness,
        log: i32,
        size: u64,
        line: &SignatureLine,
    ) -> Result<(), LogFailure> {
        let (name, line) = (witness.key.name().to_string(), line.to_string());
        {
            let mut states = self.witness_states();
            let state = states.entry(name.clone()).or_default();
            (state.cosigned_at, state.seen) = (Some(self.clock.monotonic()), Some(size));
        }
        let save = move |conn: &mut Connection| tree::save_cosignature(conn, log, &name, size, &line);
        Ok(self.database.write(Server, save).await?)
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

    /// Asks all witnesses at once. Returns whether one of them has confirmed that the log was not rolled back. A witness
    /// that does not know a new log confirms it.
    ///
    /// # Errors
    /// [`LogFailure::RolledBack`] if a witness has seen a larger log, or another one.
    pub(super) async fn ask_all(self: &Arc<Self>, found: &StoredLog) -> Result<bool, LogFailure> {
        let mut asked = JoinSet::new();
        for witness in Vec::clone(&self.witnesses()) {
            let (log, tree) = (Arc::clone(self), found.tree.clone());
            asked.spawn(async move {
                let answer = match tree.note.is_empty() {
                    true => log.ask_about_new(&witness, &tree).await,
                    false => log.ask(&witness).await,
                };
                log.note_answer(&witness, &answer);
                match answer {
                    // A witness that saw this log for the first time knows of no earlier one.
                    Ok(CosignOutcome::CosignedFirst) => Ok(tree.note.is_empty()),
                    Ok(CosignOutcome::NotDue | CosignOutcome::Cosigned | CosignOutcome::KnowsNone) => {
                        Ok(true)
                    }
                    Err(failure @ LogFailure::RolledBack { .. }) => Err(failure),
                    Ok(CosignOutcome::Other(_)) | Err(_) => Ok(false),
                }
            });
        }
        let mut is_confirmed = false;
        while let Some(answer) = asked.join_next().await {
            is_confirmed |= answer.map_err(|error| Failure::Defect(error.to_string()))??;
        }
        Ok(is_confirmed)
    }
}

/// A contradiction: a witness has seen a larger log than was signed.
fn seen_more(signed: u64, witness: &Witness, seen: u64) -> LogFailure {
    let name = witness.key.name();
    let detail = format!("the log has signed {signed} entries; the witness {name} has seen {seen}");
    LogFailure::RolledBack { detail }
}

fn post(url: &str, body: &str, text: &str, key: &VerifierKey) -> Answer {
    let answered = agent(Some(TIMEOUT)).post(url).header("content-type", "text/plain").send(body);
    let mut response = match answered {
        Ok(response) => response,
        Err(error) => return Answer::Unusable(error.to_string()),
    };
    let kind = response.headers().get("content-type").and_then(|kind| kind.to_str().ok());
    let kind = kind.unwrap_or_default().to_owned();
    match response.body_mut().with_config().limit(MAX).read_to_string() {
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
            Some(CosignFailure::NotCosigned),
            Some(CosignFailure::NotCosigned),
            Some(CosignFailure::NotAsked),
            None,
            None,
        ];
        let logged = outcomes.map(|trouble| state.changes_to(trouble));
        assert_eq!(logged, [false, true, false, true, true, false]);
    }
}
