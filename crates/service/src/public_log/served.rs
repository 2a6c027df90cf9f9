//! What the log serves: its checkpoint with the cosignatures, its tiles and its entries, and offline proofs that it has the
//! start or the end of a game.

use super::{PublicLog, StoredTiles, unreadable};
use crate::public_log::failure::LogFailure;
use estimation_engine::hex::Hex;
use estimation_record::{Opening, canonical_json};
use estimation_store::public_log::EntryKind;
use estimation_store::public_log::games::{self, LoggedEntry};
use estimation_store::public_log::tree::{self, Tree};
use estimation_store::{Connection, GameId, StoreError, public_log};
use estimation_tlog::tree::inclusion_proof;
use estimation_tlog::{BundleId, Note, ProofFile, Resource, TILE_WIDTH, TileId, encode_entries};

impl PublicLog {
    /// The last checkpoint with its cosignatures, as a signed note; none before the first.
    pub async fn checkpoint(&self) -> Result<Option<String>, LogFailure> {
        Ok(self.database.read(checkpoint).await?.map(|(_, note)| note))
    }

    /// A tile or a bundle of entries; none if the signed log has no such one.
    pub async fn resource(&self, resource: Resource) -> Result<Option<Vec<u8>>, LogFailure> {
        Ok(self.database.read(move |conn| read(conn, resource)).await?)
    }
}

/// The size of the last checkpoint, and the checkpoint with its cosignatures.
fn checkpoint(conn: &mut Connection) -> Result<Option<(u64, String)>, StoreError> {
    let Some(tree) = tree::find(conn)? else { return Ok(None) };
    signed(conn, tree)
}

/// The size of a log's last checkpoint, and the checkpoint with its cosignatures.
pub(super) fn signed(conn: &mut Connection, tree: Tree) -> Result<Option<(u64, String)>, StoreError> {
    let mut note = tree.note;
    if note.is_empty() {
        return Ok(None);
    }
    for cosigned in tree::cosignatures(conn, tree.id)? {
        if cosigned.size == tree.signed_size {
            note.push_str(&cosigned.line);
        }
    }
    Ok(Some((tree.signed_size, note)))
}

fn read(conn: &mut Connection, resource: Resource) -> Result<Option<Vec<u8>>, StoreError> {
    let Some(Tree { id: log, signed_size: size, .. }) = tree::find(conn)? else { return Ok(None) };
    match resource {
        Resource::Tile(id) => {
            if TileId::of_tree(size, id.level, id.index).is_none_or(|whole| whole.width < id.width) {
                return Ok(None);
            }
            let bytes = tree::tile(conn, log, id.level, id.index)?;
            // The stored tile may have grown since.
            Ok(bytes.and_then(|mut bytes| {
                let length = usize::from(id.width) * 32;
                bytes.truncate(length);
                (bytes.len() == length).then_some(bytes)
            }))
        }
        Resource::Entries(id) => {
            if BundleId::of_tree(size, id.index).is_none_or(|whole| whole.width < id.width) {
                return Ok(None);
            }
            let first = id.index * u64::from(TILE_WIDTH);
            let entries = public_log::entries(conn, log, first, i64::from(id.width))?;
            if entries.len() != usize::from(id.width) {
                return Err(StoreError::Corrupt { detail: format!("{id} has {} entries", entries.len()) });
            }
            encode_entries(entries)
                .map(Some)
                .map_err(|error| StoreError::Corrupt { detail: format!("{id}: {error}") })
        }
    }
}

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
