//! The lobby: sitting down, standing up, starting, calling off.

use std::sync::Arc;

use uuid::Uuid;

use super::commit::Committed;
use super::create::is_invitation_code;
use super::play::TRIES;
use super::view::GameView;
use crate::app::caller::Caller;
use crate::app::failure::Failure;
use crate::app::idempotency::{Admission, Done, IdempotencyKey, Reservation};
use crate::app::state::App;
use crate::engine::event::Visibility;
use crate::engine::table::{TableCommand, decide_table};
use crate::store::{StoreError, games};

impl App {
    /// Carries out a command about the table. A stranger to a private table needs its invitation code.
    pub async fn at_table(
        self: &Arc<App>,
        caller: &Caller,
        id: Uuid,
        command: &TableCommand,
        join_code: Option<&str>,
        once: Option<&IdempotencyKey>,
    ) -> Result<Done<GameView>, Failure> {
        self.forbid_host_commands(caller, id, command).await?;
        let done = self.settle(caller, id, command, join_code, once).await?;
        Ok(done.with(self.view_of(&done.value.state, &caller.account).await?))
    }

    async fn settle(
        self: &Arc<App>,
        caller: &Caller,
        id: Uuid,
        command: &TableCommand,
        join_code: Option<&str>,
        once: Option<&IdempotencyKey>,
    ) -> Result<Done<Committed>, Failure> {
        match self.admit_request(caller, once).await? {
            Admission::Fresh(reservation) => {
                self.settle_in(&reservation, caller, id, command, join_code).await
            }
            Admission::Replay(past) => self.done_before(caller, &past).await,
        }
    }

    /// Carries out a command about the table in a request's reservation.
    pub(in crate::app) async fn settle_in(
        self: &Arc<App>,
        reservation: &Reservation,
        caller: &Caller,
        id: Uuid,
        command: &TableCommand,
        join_code: Option<&str>,
    ) -> Result<Done<Committed>, Failure> {
        if matches!(command, TableCommand::Join { .. }) {
            self.bar_auditor(caller, id).await?;
        }
        for _ in 0..TRIES {
            let loaded = self.recent(id).await?;
            let stranger = loaded.position_of(&caller.account).is_none();
            let invited = join_code.is_some() && join_code == loaded.join_code.as_deref();
            let decided = if stranger && loaded.game.table.visibility == Visibility::Private && !invited {
                Err(Failure::Withheld { what: "game" })
            } else {
                decide_table(&loaded.game, &caller.account, command, &mut self.chance(&loaded))
                    .map_err(Failure::from)
            };
            let decided = match decided {
                Ok(decided) => decided,
                Err(_) if self.is_outdated(&loaded).await? => continue,
                Err(refusal) => {
                    return match self.prior_outcome_of(reservation).await? {
                        Some(past) => self.done_before(caller, &past).await,
                        None => Err(refusal),
                    };
                }
            };
            self.may_grow(&loaded, caller, command).await?;
            match self.commit(&loaded, decided.actor, decided.events, reservation).await {
                Err(Failure::Store(StoreError::VersionConflict { .. } | StoreError::PlaceTaken { .. })) => {}
                Err(Failure::Store(
                    refusal @ (StoreError::NoAccount { .. } | StoreError::TooManyTables { .. }),
                )) => return self.without_successor(reservation, caller, id, command, refusal).await,
                Err(Failure::Store(StoreError::KeyTaken)) => {
                    return self.done_before(caller, &self.lost_race(reservation).await?).await;
                }
                Err(failure) => return Err(failure),
                Ok(value) => return Ok(Done { value, replayed: false }),
            }
        }
        Err(Failure::Busy)
    }

    /// Sits down by invitation code.
    pub async fn join_by_code(
        self: &Arc<App>,
        caller: &Caller,
        code: &str,
        command: &TableCommand,
        once: Option<&IdempotencyKey>,
    ) -> Result<Done<GameView>, Failure> {
        let code = code.to_ascii_uppercase();
        if !is_invitation_code(&code) {
            return Err(Failure::NotFound { what: "invitation" });
        }
        let asked = code.clone();
        let row = self.database.read(move |conn| games::find_by_join_code(conn, &asked)).await?;
        let row = row.ok_or(Failure::NotFound { what: "invitation" })?;
        let id = row.id.parse().map_err(|_| Failure::Defect(format!("{:?} is no id", row.id)))?;
        self.at_table(caller, id, command, Some(&code), once).await
    }
}
