//! Offline proofs that the start or the end of a game is in the log.

use super::served::signed;
use super::{PublicLog, StoredTiles, unreadable};
use crate::public_log::failure::LogFailure;
use estimation_engine::hex::Hex;
use estimation_record::{Opening, canonical_json};
use estimation_store::public_log::EntryKind;
use estimation_store::public_log::games::{self, LoggedEntry};
use estimation_store::public_log::tree::{self, Tree};
use estimation_store::{Connection, GameId, StoreError};
use estimation_tlog::tree::inclusion_proof;
use estimation_tlog::{Note, ProofFile};

impl PublicLog {
    /// The proof file of the start or the end of a game; none while no signed checkpoint has it. The caller checks who may
    /// read it.
    pub async fn proof(&self, game: GameId, kind: EntryKind) -> Result<Option<String>, LogFailure> {
        let read = move |conn: &mut Connection| {
            let Some(LoggedEntry { entry, salt, position: Some((log, index)) }) =
                games::find_entry(conn, game, kind)?
            else {
                return Ok(None);
            };
            match SignedLog::find(conn, log)? {
                Some(log) => log.proof(conn, index, Opening { entry, salt: salt.map(Hex) }),
                None => Ok(None),
            }
        };
        Ok(self.database.read(read).await?)
    }
}

/// A log with its last checkpoint.
pub(super) struct SignedLog {
    pub(super) tree: Tree,
    /// The number of entries in the checkpoint.
    size: u64,
    /// The checkpoint with its cosignatures.
    checkpoint: Note,
}

impl SignedLog {
    /// A log with its last checkpoint; none before the first.
    pub(super) fn find(conn: &mut Connection, log: i32) -> Result<Option<SignedLog>, StoreError> {
        let Some(tree) = tree::find_log(conn, log)? else { return Ok(None) };
        let Some((size, note)) = signed(conn, tree.clone())? else { return Ok(None) };
        let checkpoint = note.parse().map_err(|error| corrupt(&tree, error))?;
        Ok(Some(SignedLog { tree, size, checkpoint }))
    }

    /// The proof file of an entry with what opens it; none beyond the checkpoint.
    pub(super) fn proof(
        &self,
        conn: &mut Connection,
        index: u64,
        opening: Opening,
    ) -> Result<Option<String>, StoreError> {
        if index >= self.size {
            return Ok(None);
        }
        let mut tiles = StoredTiles { conn, log: self.tree.id };
        let proof = inclusion_proof(&mut tiles, index, self.size).map_err(unreadable)?;
        let extra = canonical_json(&opening).map_err(|error| corrupt(&self.tree, error))?;
        let (extra, checkpoint) = (Some(extra.into_bytes()), self.checkpoint.clone());
        Ok(Some(ProofFile { extra, index, proof, checkpoint }.to_string()))
    }
}

/// The failure of a log whose rows cannot be read.
pub(super) fn corrupt(tree: &Tree, error: impl std::fmt::Display) -> StoreError {
    StoreError::Corrupt { detail: format!("the public log {}: {error}", tree.origin) }
}
