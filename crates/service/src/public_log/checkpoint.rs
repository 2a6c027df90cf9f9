//! Checkpoints: the size and root of the log, signed by the log's key and cosigned with the time.

use std::sync::Arc;

use super::guard::contradiction;
use super::{PublicLog, verifiers};
use crate::base::failure::{Failure, milliseconds};
use crate::public_log::failure::LogFailure;
use estimation_store::Connection;
use estimation_store::public_log::tree::{self, Tree};
use estimation_tlog::{Checkpoint, Hash, Note, SignatureLine};

/// After how many milliseconds an unchanged log is signed again, so that its checkpoint has a recent time.
const REFRESH: i64 = 60_000;

impl PublicLog {
    /// Signs the log if it has grown, or if its checkpoint is old. Returns whether it was signed.
    ///
    /// # Errors
    /// [`LogFailure::RolledBack`] if the log is older than what was signed before.
    pub async fn sign_checkpoint(self: &Arc<Self>) -> Result<bool, LogFailure> {
        let Some(tree) = self.database.read(tree::find).await? else { return Ok(false) };
        let now = milliseconds(self.clock.now()).max(tree.signed_at);
        if tree.size == tree.signed_size && !tree.note.is_empty() && now - tree.signed_at < REFRESH {
            return Ok(false);
        }
        // The first checkpoint is of the empty log: a witness that has seen more refuses it.
        let (size, root) = match tree.note.is_empty() {
            true => (0, Hash::empty_root()),
            false => (tree.size, Hash(tree.root)),
        };
        let checkpoint = Checkpoint { origin: self.origin()?, size, root };
        self.check(&tree, &checkpoint).await?;
        let keys = self.signers(&tree.kid)?;
        let verifiers = verifiers(&checkpoint.origin, &keys)?;
        let text = checkpoint.to_string();
        let mut note = Note::new(text.clone()).map_err(|error| Failure::Defect(error.to_string()))?;
        note.add(SignatureLine::sign(&verifiers.log, &text, |bytes| keys.log.sign(bytes)));
        let seconds = now.unsigned_abs() / 1000;
        note.add(SignatureLine::cosign(&verifiers.cosigner, &text, seconds, |bytes| {
            keys.cosigner.sign(bytes)
        }));
        let note = note.to_string();
        // Before the database: a signed checkpoint that only the file has is harmless, as its entries are stored.
        if let Some(file) = &self.settings.state_file {
            file.write(&checkpoint).await?;
        }
        let Tree { id, signed_size, signed_at, .. } = tree;
        let sign =
            move |conn: &mut Connection| tree::sign(conn, id, (signed_size, signed_at), (size, now), &note);
        Ok(self.database.write(sign).await?)
    }

    /// Refuses to sign a log that does not continue what was signed before.
    async fn check(self: &Arc<Self>, tree: &Tree, next: &Checkpoint) -> Result<(), LogFailure> {
        let mut signed = Vec::new();
        if let Some(file) = &self.settings.state_file {
            let kept = file.read().await?;
            signed.extend(kept.filter(|kept| kept.origin == next.origin));
        } else {
            self.confirm(tree).await?;
        }
        if let Ok(note) = tree.note.parse::<Note>()
            && let Ok(stored) = note.text().parse::<Checkpoint>()
        {
            signed.push(stored);
        }
        let (log, size) = (tree.id, next.size);
        let read = move |conn: &mut Connection| {
            for signed in &signed {
                if let Some(contradiction) = contradiction(conn, (log, size), signed)? {
                    return Ok(Some(contradiction));
                }
            }
            Ok(None)
        };
        match self.database.read(read).await? {
            None => Ok(()),
            Some(detail) => Err(LogFailure::RolledBack { detail }),
        }
    }
}
