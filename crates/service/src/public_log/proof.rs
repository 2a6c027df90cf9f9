//! Offline proofs that the start or the end of a game is in the log.

use super::served::signed;
use super::{PublicLog, StoredTiles, unreadable};
use crate::base::failure::Failure;
use crate::public_log::failure::LogFailure;
use estimation_engine::hex::Hex;
use estimation_record::{Opening, canonical_json};
use estimation_store::public_log::{EntryKind, games, tree};
use estimation_store::{Connection, GameId};
use estimation_tlog::tree::inclusion_proof;
use estimation_tlog::{Note, ProofFile};

impl PublicLog {
    /// The proof file of the start or the end of a game; none while no signed checkpoint has it. The caller checks who may
    /// read it.
    pub async fn proof(&self, game: GameId, kind: EntryKind) -> Result<Option<String>, LogFailure> {
        let read = move |conn: &mut Connection| {
            let found = games::find_entry(conn, game, kind)?;
            let Some((found, (log, index))) =
                found.and_then(|found| found.position.map(|position| (found, position)))
            else {
                return Ok(None);
            };
            let Some(tree) = tree::find_log(conn, log)? else { return Ok(None) };
            let Some((size, note)) = signed(conn, tree)?.filter(|(size, _)| index < *size) else {
                return Ok(None);
            };
            let proof = inclusion_proof(&mut StoredTiles { conn, log }, index, size).map_err(unreadable)?;
            Ok(Some((found, index, proof, note)))
        };
        let Some((found, index, proof, note)) = self.database.read(read).await? else { return Ok(None) };
        let checkpoint: Note = note.parse().map_err(|error| Failure::Defect(format!("{error}")))?;
        let opening = Opening { entry: found.entry, salt: found.salt.map(Hex) };
        let extra = Some(canonical_json(&opening)?.into_bytes());
        Ok(Some(ProofFile { extra, index, proof, checkpoint }.to_string()))
    }
}
