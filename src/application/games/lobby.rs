//! The lobby: sitting down, standing up, starting, calling off.

use uuid::Uuid;

use super::play::TRIES;
use super::view::GameView;
use crate::application::app::App;
use crate::application::caller::Caller;
use crate::application::failure::Failure;
use crate::engine::event::Visibility;
use crate::engine::table::{TableCommand, decide_table};
use crate::store::{StoreError, games};

impl App {
    /// Carries out a command about the table. A stranger to a private table needs its invitation code.
    pub async fn at_table(
        &self,
        caller: &Caller,
        id: Uuid,
        command: &TableCommand,
        join_code: Option<&str>,
    ) -> Result<GameView, Failure> {
        for _ in 0..TRIES {
            let loaded = self.recent(id).await?;
            let stranger = loaded.chair_of(&caller.account).is_none();
            let invited = join_code.is_some() && join_code == loaded.join_code.as_deref();
            let decided = if stranger && loaded.game.table.visibility == Visibility::Private && !invited {
                Err(Failure::NotFound { what: "game" })
            } else {
                decide_table(&loaded.game, &caller.account, command, &mut self.chance(&loaded))
                    .map_err(Failure::from)
            };
            let decided = match decided {
                Ok(decided) => decided,
                Err(_) if self.is_outdated(&loaded).await? => continue,
                Err(refusal) => return Err(refusal),
            };
            match self.commit(&loaded, decided.actor, decided.events).await {
                Err(Failure::Store(StoreError::VersionConflict { .. } | StoreError::PlaceTaken { .. })) => {}
                Err(failure) => return Err(failure),
                Ok(committed) => return self.view_of(&committed.state, &caller.account).await,
            }
        }
        Err(Failure::Busy)
    }

    /// Sits down by invitation code.
    pub async fn join_by_code(
        &self,
        caller: &Caller,
        code: &str,
        command: &TableCommand,
    ) -> Result<GameView, Failure> {
        let code = code.to_ascii_uppercase();
        let asked = code.clone();
        let row = self.database.read(move |conn| games::find_by_join_code(conn, &asked)).await?;
        let row = row.ok_or(Failure::NotFound { what: "invitation" })?;
        let id = row.id.parse().map_err(|_| Failure::Defect(format!("{:?} is no id", row.id)))?;
        self.at_table(caller, id, command, Some(&code)).await
    }
}
