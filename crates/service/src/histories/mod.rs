//! Histories: the complete record of a game, streamed page by page to accounts that may read it. The events
//! are the stored text, unchanged.

pub(crate) mod access_log;
mod audit_accesses;
mod pages;

pub use audit_accesses::{AccessLine, AccessPage, AuditAccess, AuditAccessPage};
pub use pages::{History, SignedHistory};

use std::sync::Arc;

use pages::{Permission, end_of};

use crate::auth::active_keys::ActiveKeys;
use crate::auth::caller::Caller;
use crate::base::clock::Clock;
use crate::base::failure::Failure;
use crate::games::Games;
use estimation_record::verify::Proofs;
use estimation_store::{Database, GameId};

pub struct Records {
    pub(crate) database: Database,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) keys: Arc<ActiveKeys>,
    pub(crate) games: Arc<Games>,
}

/// A history with its proofs.
pub struct Bundle {
    pub history: History,
    pub proofs: Proofs,
}

impl Records {
    /// The bundle of a game that is over, for everyone who may read its history.
    ///
    /// An access that only an auditor may have is recorded before this returns.
    ///
    /// # Errors
    /// [`Failure::GameNotOver`] for a game that is not over; [`Failure::NotLogged`] until a checkpoint has its end;
    /// [`Withheld`](crate::base::failure::Failure::Withheld) for a game that the caller may not see.
    pub async fn bundle(&self, caller: &Caller, id: GameId) -> Result<Bundle, Failure> {
        let loaded = self.games.present(id).await?;
        let permission = Permission::of(&self.games, caller, &loaded).await?;
        // Before the history, which has the signature by then: the log gets the end of a signed game.
        let proofs = self.games.proofs(&loaded).await?;
        if permission == Permission::Auditor {
            self.record_audit_access(caller, id, loaded.version).await?;
        }
        Ok(Bundle { history: self.begin(&loaded, end_of(&loaded)).await?, proofs })
    }

    /// The bundle of a public game that is over, for anyone; none for every other id.
    ///
    /// # Errors
    /// [`Failure::NotLogged`] until a checkpoint has the end.
    pub async fn public_bundle(&self, id: GameId) -> Result<Option<Bundle>, Failure> {
        let Some(loaded) = self.games.public_and_over(id).await? else { return Ok(None) };
        let proofs = self.games.proofs(&loaded).await?;
        Ok(Some(Bundle { history: self.begin(&loaded, end_of(&loaded)).await?, proofs }))
    }
}
