//! What a report is kept with: what its reporter could see when reporting.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Moderation;
use crate::auth::caller::Caller;
use crate::base::failure::Failure;
use crate::games::view::accounts_at;
use crate::games::{Games, LoadedGame};
use estimation_engine::command::Position;
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_store::relations::{self, Relation};
use estimation_store::{Connection, reactions};

/// The most reactions in a report.
const REACTIONS: i64 = 200;

/// What the reporter could see when reporting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The display name of the reported player.
    pub name: String,
    /// The game; none for a report about no game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<GameEvidence>,
}

/// What the reporter could see of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameEvidence {
    /// The game's version.
    pub version: u64,
    /// The position of the reporter; none for a spectator, or after the reporter has left.
    pub reporter: Option<Value>,
    /// The players, with the names that they had.
    pub players: Vec<SeatedName>,
    /// What the players said, without those that the reporter muted.
    pub reactions: Vec<Said>,
    /// The finished rounds, as in the score sheet.
    pub rounds: Value,
}

/// A player's name at a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeatedName {
    pub account: String,
    pub position: Option<Value>,
    pub name: String,
}

/// A reaction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Said {
    pub account: String,
    pub reaction: String,
    pub at: RecordTime,
}

impl Moderation {
    /// The evidence of a report about a player.
    pub(super) async fn evidence(
        &self,
        caller: &Caller,
        subject: &AccountId,
        game: Option<&LoadedGame>,
    ) -> Result<Evidence, Failure> {
        let names = self.names.names_of([subject]).await?;
        let game = match game {
            Some(loaded) => Some(self.of_game(caller, loaded).await?),
            None => None,
        };
        Ok(Evidence { name: names.of(subject).to_string(), game })
    }

    async fn of_game(&self, caller: &Caller, loaded: &LoadedGame) -> Result<GameEvidence, Failure> {
        // Reactions of the last moments may wait to be written.
        self.talk.write().await?;
        let (account, game) = (caller.account.clone(), loaded.id);
        let read = move |conn: &mut Connection| {
            let own = relations::of_account(conn, &account)?;
            Ok((own, reactions::of_game(conn, game, REACTIONS)?))
        };
        let (own, said) = self.database.read(read).await?;
        let was_muted = |author: &AccountId, at: RecordTime| {
            let mute = own.iter().find(|row| row.kind == Relation::Mute && row.other_id == *author);
            mute.is_some_and(|mute| mute.since <= at)
        };
        let said = said.into_iter().filter(|row| !was_muted(&row.account_id, row.at)).map(|row| Said {
            account: row.account_id.to_string(),
            reaction: row.reaction,
            at: row.at,
        });
        let reactions = said.collect::<Vec<_>>();
        let table = &loaded.game.table;
        let names = self.names.names_of(accounts_at(table)).await?;
        let players = accounts_at(table).map(|account| SeatedName {
            account: account.to_string(),
            position: loaded.position_of(account).map(written).transpose().ok().flatten(),
            name: names.of(account).to_string(),
        });
        Ok(GameEvidence {
            version: loaded.version,
            reporter: loaded.position_of(&caller.account).map(written).transpose()?,
            players: players.collect(),
            reactions,
            rounds: Games::rounds_as_json(loaded)?,
        })
    }
}

fn written(position: Position) -> Result<Value, Failure> {
    serde_json::to_value(position).map_err(|error| Failure::Defect(error.to_string()))
}
