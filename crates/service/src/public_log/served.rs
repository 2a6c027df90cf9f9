//! What the log serves: its checkpoint with the cosignatures, its tiles and its entries.

use super::PublicLog;
use crate::public_log::failure::LogFailure;
use estimation_store::public_log::tree::{self, Tree};
use estimation_store::{Connection, StoreError, public_log};
use estimation_tlog::{BundleId, Resource, TILE_WIDTH, TileId, encode_entries};

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
