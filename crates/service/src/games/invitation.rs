//! What an invitation code shows before its holder joins.

use serde::Serialize;
use utoipa::ToSchema;

use super::Games;
use super::view::{PersonView, SeatView, host, seats};
use crate::base::failure::Failure;
use crate::base::locale::Language;
use crate::rulesets::RulesetSummary;
use estimation_engine::game::GameStatus;
use estimation_engine::rejection::Rejection;

/// A table in the lobby, as an invitation shows it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Invitation {
    /// The rules, with the options of the table.
    pub ruleset: RulesetSummary,
    /// The host of the table.
    pub host: PersonView,
    /// Seconds per turn; null for no clock.
    #[schema(minimum = 10, maximum = 604_800)]
    pub turn_seconds: Option<u32>,
    /// The places in the lobby. One is free if its `player` is null.
    #[schema(min_items = 2, max_items = 5)]
    pub seats: Vec<SeatView>,
}

impl Games {
    /// The table to which a code invites.
    ///
    /// # Errors
    /// As for joining: not found for an unknown code, [`Rejection::NotInLobby`] after the start.
    pub async fn invitation(&self, code: &str) -> Result<Invitation, Failure> {
        let code = code.to_ascii_uppercase();
        let loaded = self.present(self.invited_to(&code).await?).await?;
        // The host may have withdrawn the code meanwhile.
        if loaded.join_code.as_ref() != Some(&code) {
            return Err(Failure::NotFound { what: "invitation" });
        }
        let status = loaded.game.status();
        if status != GameStatus::Lobby {
            return Err(Rejection::NotInLobby { status }.into());
        }
        let table = &loaded.game.table;
        let (names, attendance) = (self.names_at(&loaded).await?, self.attendance(&loaded).await?);
        Ok(Invitation {
            ruleset: RulesetSummary::of(&table.ruleset),
            host: host(table, &names),
            turn_seconds: table.turn_seconds,
            seats: seats(&loaded, &names, attendance, Language::English),
        })
    }
}
