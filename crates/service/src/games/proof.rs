//! The proofs that the public log has the start and the end of a game.

use std::sync::Arc;

use super::{Games, LoadedGame};
use crate::auth::caller::Caller;
use crate::base::failure::Failure;
use estimation_engine::event::Visibility;
use estimation_engine::game::GameStatus;
use estimation_record::verify::Proofs;
use estimation_store::public_log::EntryKind;
use estimation_store::{GameId, games};

/// What a proof is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProvenEntry {
    Start,
    End,
}

impl Games {
    /// The proof file of the start or the end of a game, for accounts that sat in it, and for everybody if it was public.
    ///
    /// # Errors
    /// [`Failure::GameNotOver`] for the end of a game that is not over; [`Failure::NotLogged`] until a checkpoint has
    /// the entry; [`Withheld`](crate::base::failure::Failure::Withheld) for a game that the caller may not see.
    pub async fn proof(&self, caller: &Caller, id: GameId, entry: ProvenEntry) -> Result<String, Failure> {
        let loaded = self.present(id).await?;
        if loaded.game.table.visibility != Visibility::Public && !loaded.game.sat_in(&caller.account) {
            self.admit(&loaded, &caller.account).await?;
            return Err(refusal(&loaded, entry));
        }
        self.proof_of(&loaded, entry).await
    }

    /// The proof file of a public game, for anyone; none for every other id.
    ///
    /// # Errors
    /// [`Failure::NotLogged`] until a checkpoint has the entry.
    pub async fn public_proof(&self, id: GameId, entry: ProvenEntry) -> Result<Option<String>, Failure> {
        let loaded = match entry {
            ProvenEntry::Start => self.public_and_started(id).await?,
            ProvenEntry::End => self.public_and_over(id).await?,
        };
        match loaded {
            Some(loaded) => self.proof_of(&loaded, entry).await.map(Some),
            None => Ok(None),
        }
    }

    /// The proofs in the bundle of a game. The caller checks who may read them.
    ///
    /// # Errors
    /// [`Failure::GameNotOver`] for a game that is not over; [`Failure::NotLogged`] until a checkpoint has its end.
    pub(crate) async fn proofs(&self, loaded: &LoadedGame) -> Result<Proofs, Failure> {
        let proofs = match loaded.game.is_over() {
            true => self.public_log.proofs(loaded.id).await?,
            false => None,
        };
        proofs.ok_or_else(|| refusal(loaded, ProvenEntry::End))
    }

    async fn proof_of(&self, loaded: &LoadedGame, entry: ProvenEntry) -> Result<String, Failure> {
        let kind = match entry {
            ProvenEntry::Start => EntryKind::Start,
            ProvenEntry::End => EntryKind::End,
        };
        self.public_log.proof(loaded.id, kind).await?.ok_or_else(|| refusal(loaded, entry))
    }

    /// A public game that started; none for every other id. Its start is public in the log.
    async fn public_and_started(&self, id: GameId) -> Result<Option<Arc<LoadedGame>>, Failure> {
        let row = self.database.read(move |conn| games::find(conn, id)).await?;
        if row.is_none_or(|row| row.visibility != Visibility::Public.as_str()) {
            return Ok(None);
        }
        let loaded = self.present(id).await?;
        let is_open = loaded.game.table.visibility == Visibility::Public;
        Ok(Some(loaded).filter(|loaded| is_open && loaded.game.status() != GameStatus::Lobby))
    }

    /// A public game that is over; none for every other id: without an account, a caller learns nothing about other
    /// games.
    pub(crate) async fn public_and_over(&self, id: GameId) -> Result<Option<Arc<LoadedGame>>, Failure> {
        let row = self.database.read(move |conn| games::find(conn, id)).await?;
        let public = Visibility::Public.as_str();
        if row.is_none_or(|row| row.visibility != public || row.ended_at.is_none()) {
            return Ok(None);
        }
        let loaded = self.present(id).await?;
        let is_open = loaded.game.is_over() && loaded.game.table.visibility == Visibility::Public;
        Ok(is_open.then_some(loaded))
    }
}

/// Why a game has no proof.
fn refusal(loaded: &LoadedGame, entry: ProvenEntry) -> Failure {
    match entry {
        ProvenEntry::End if !loaded.game.is_over() => Failure::GameNotOver,
        _ => Failure::NotLogged,
    }
}
