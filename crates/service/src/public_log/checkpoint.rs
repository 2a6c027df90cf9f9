//! Checkpoints: the size and root of the log, signed by the log's key and cosigned with the time.

use std::sync::Arc;

use super::guard::is_overdue;
use super::state_file::LogState;
use super::{PublicLog, verifiers};
use crate::base::failure::{Failure, milliseconds};
use crate::public_log::failure::LogFailure;
use estimation_store::public_log::tree::{self, Tree};
use estimation_store::{Connection, Server, postgres_server, public_log};
use estimation_tlog::{Checkpoint, Hash, Note, SignatureLine};

/// After how many milliseconds an unchanged log is signed again, so that its checkpoint has a recent time.
const REFRESH: u64 = 60_000;

impl PublicLog {
    /// Signs the log if it has grown, or if its checkpoint is old. Returns whether it was signed.
    ///
    /// # Errors
    /// Those with a [`reason`](LogFailure::reason), if the log may not be signed.
    pub async fn sign_checkpoint(self: &Arc<Self>) -> Result<bool, LogFailure> {
        let now = milliseconds(self.clock.now());
        // The queue before the tree: a start that leaves the queue meanwhile is in the tree.
        let read = |conn: &mut Connection| Ok((public_log::first_waiting_start(conn)?, tree::find(conn)?));
        let (waiting, tree) = self.database.read(read).await?;
        if tree.is_none_or(|tree| is_signed(&tree, now)) {
            return Ok(false);
        }
        let Some(checked) = self.check().await? else { return Ok(false) };
        if let Some(start) = waiting.filter(|start| is_overdue(*start, now)) {
            let detail = format!("a start of {start} ms since 1970 waits");
            return Err(LogFailure::StartOverdue { detail });
        }
        let (tree, server) = (checked.tree, checked.server);
        let now = now.max(checked.signed_at);
        let checkpoint = Checkpoint { origin: self.origin()?, size: tree.size, root: Hash(tree.root) };
        let note = self.note(&tree.kid, &checkpoint, now)?.to_string();
        // Before the database: a signed checkpoint that only the file has is harmless, as its entries are stored.
        if let Some(file) = &self.settings.state_file {
            file.write(&LogState { checkpoint, server: server.clone() }).await?;
        }
        let Tree { id, signed_size, signed_at, size, .. } = tree;
        let sign = move |conn: &mut Connection| {
            // The connection that writes may be to a server that was promoted meanwhile.
            if postgres_server(conn)? != server {
                return Ok(false);
            }
            tree::sign(conn, id, (signed_size, signed_at), (size, now), &note)
        };
        Ok(self.database.write(Server, sign).await?)
    }

    /// A checkpoint, signed with the keys that belong to a record key at a time in milliseconds since 1970 in UTC.
    pub(super) fn note(&self, kid: &str, checkpoint: &Checkpoint, at: i64) -> Result<Note, LogFailure> {
        let keys = self.signers(kid)?;
        let verifiers = verifiers(&checkpoint.origin, &keys)?;
        let text = checkpoint.to_string();
        let mut note = Note::new(text.clone()).map_err(|error| Failure::Defect(error.to_string()))?;
        note.add(SignatureLine::sign(&verifiers.log, &text, |bytes| keys.log.sign(bytes)));
        let seconds = at.unsigned_abs() / 1000;
        note.add(SignatureLine::cosign(&verifiers.cosigner, &text, seconds, |bytes| {
            keys.cosigner.sign(bytes)
        }));
        Ok(note)
    }
}

/// Whether all entries are signed, and the checkpoint is recent.
fn is_signed(tree: &Tree, now: i64) -> bool {
    tree.size == tree.signed_size && !tree.note.is_empty() && now.abs_diff(tree.signed_at) < REFRESH
}
