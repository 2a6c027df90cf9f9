//! The proofs in the bundle of a game: of its start, of its end, and of the entries between their two logs.

use std::collections::BTreeMap;

use super::served::{SignedLog, corrupt};
use super::{LogVerifiers, PublicLog, verifiers_of};
use crate::auth::keys::RecordKeys;
use crate::base::failure::Failure;
use crate::public_log::failure::LogFailure;
use estimation_engine::hex::Hex;
use estimation_record::verify::{MAX_ORIGINS, Proofs};
use estimation_record::{LogEntry, Opening};
use estimation_store::public_log::games::{LoggedEntry, find_entry};
use estimation_store::public_log::{self, EntryKind, audit_reads};
use estimation_store::{Connection, GameId, StoreError};
use estimation_tlog::{Checkpoint, Note};

impl PublicLog {
    /// The proofs of a game that is over; none while no signed checkpoint has its end. The caller checks who may read them.
    pub async fn proofs(&self, game: GameId) -> Result<Option<Proofs>, LogFailure> {
        let keys = self.keys.ring().record_keys();
        let found = self.database.read(move |conn| found(conn, game, &keys)).await?;
        let Some(StoredProofs { start, end, origins, log_keys }) = found else { return Ok(None) };
        let jwks = self.keys.jwks().record_keys().map_err(|error| Failure::Defect(error.to_string()))?;
        Ok(Some(Proofs { start, end, origins, log_keys, jwks }))
    }
}

/// What the database has for a bundle.
struct StoredProofs {
    start: Option<String>,
    end: String,
    origins: Vec<String>,
    log_keys: Vec<String>,
}

/// Reads all proofs of a game. Those of one log have one checkpoint.
fn found(conn: &mut Connection, game: GameId, keys: &RecordKeys) -> Result<Option<StoredProofs>, StoreError> {
    let mut logs = SignedLogs::default();
    let Some(end) = find_entry(conn, game, EntryKind::End)? else { return Ok(None) };
    let Some((last, end)) = logs.proof(conn, end)? else { return Ok(None) };
    let (start, origins) = match find_entry(conn, game, EntryKind::Start)? {
        None => (None, Vec::new()),
        Some(start) => {
            let Some((first, start)) = logs.proof(conn, start)? else { return Ok(None) };
            (Some(start), logs.origins(conn, last, first)?)
        }
    };
    Ok(Some(StoredProofs { start, end, origins, log_keys: logs.verifier_keys(keys) }))
}

/// The logs that the proofs are of, by number. Each is read once, so that its proofs fit each other.
#[derive(Default)]
struct SignedLogs(BTreeMap<i32, SignedLog>);

impl SignedLogs {
    /// A log with its last checkpoint; none before the first.
    fn get(&mut self, conn: &mut Connection, log: i32) -> Result<Option<&SignedLog>, StoreError> {
        if !self.0.contains_key(&log)
            && let Some(signed) = SignedLog::find(conn, log)?
        {
            self.0.insert(log, signed);
        }
        Ok(self.0.get(&log))
    }

    /// The number of the log that has the start or the end of a game, and the proof; none while no checkpoint has it.
    fn proof(
        &mut self,
        conn: &mut Connection,
        found: LoggedEntry,
    ) -> Result<Option<(i32, String)>, StoreError> {
        let LoggedEntry { entry, salt, position: Some((number, index)) } = found else { return Ok(None) };
        let Some(log) = self.get(conn, number)? else { return Ok(None) };
        let proof = log.proof(conn, index, Opening { entry, salt: salt.map(Hex) })?;
        Ok(proof.map(|proof| (number, proof)))
    }

    /// The proofs of the first entries of the logs from the last one back to the one after the first. Each names the log
    /// before it.
    fn origins(&mut self, conn: &mut Connection, last: i32, first: i32) -> Result<Vec<String>, StoreError> {
        let (mut proofs, mut number) = (Vec::new(), last);
        while number != first && proofs.len() < MAX_ORIGINS {
            let (proof, former) = self.origin(conn, number)?;
            proofs.push(proof);
            number = former;
        }
        Ok(proofs)
    }

    /// The proof of the first entry of a log, and the number of the log that the entry names.
    fn origin(&mut self, conn: &mut Connection, number: i32) -> Result<(String, i32), StoreError> {
        let missing = || StoreError::Corrupt {
            detail: format!("the public log {number} does not continue the log that has the start of a game"),
        };
        let entry = public_log::entries(conn, number, 0, 1)?.pop().ok_or_else(missing)?;
        let log = self.get(conn, number)?.ok_or_else(missing)?;
        let LogEntry::Origin { checkpoint } =
            serde_json::from_str(&entry).map_err(|error| corrupt(&log.tree, error))?
        else {
            return Err(missing());
        };
        let proof = log.proof(conn, 0, Opening { entry, salt: None })?.ok_or_else(missing)?;
        let note: Note = checkpoint.parse().map_err(|error| corrupt(&log.tree, error))?;
        let former: Checkpoint = note.text().parse().map_err(|error| corrupt(&log.tree, error))?;
        let mut logs = audit_reads::logs(conn)?.into_iter();
        let former = logs.find(|log| log.id < number && log.origin == former.origin.as_str());
        Ok((proof, former.ok_or_else(missing)?.id))
    }

    /// The verifier keys of the logs, the last log first. Those of a log whose record key is lost are not there.
    fn verifier_keys(&self, keys: &RecordKeys) -> Vec<String> {
        let known = self.0.values().rev().filter_map(|log| verifiers_of(&log.tree, keys));
        known.flat_map(|LogVerifiers { log, cosigner }| [log.to_string(), cosigner.to_string()]).collect()
    }
}
