//! What a report is kept with: what its reporter could see when reporting.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

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

/// A player of the game of a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EvidencePlayer {
    /// The account.
    pub account: AccountId,
    /// The name at that time.
    #[schema(min_length = 1, max_length = 2560)]
    pub name: String,
}

/// What a player of the game of a report said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EvidenceReaction {
    /// The account.
    pub account: AccountId,
    /// The reaction.
    #[schema(min_length = 1, max_length = 32)]
    pub reaction: String,
    /// When.
    pub at: RecordTime,
}

/// What the author of a report could see when writing it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReportEvidence {
    /// The reported player's name at that time.
    #[schema(min_length = 0, max_length = 2560)]
    pub name: String,
    /// The version of the game; null without one.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub version: Option<u64>,
    /// The players with their names.
    #[schema(max_items = 16)]
    pub players: Vec<EvidencePlayer>,
    /// The reactions of the players, without those of players that the author had muted.
    #[schema(max_items = 200)]
    pub reactions: Vec<EvidenceReaction>,
    /// The finished rounds as JSON, as in the score sheet: an array.
    #[schema(min_length = 2, max_length = 1000000)]
    pub rounds: String,
}

impl Moderation {
    /// The evidence of a report about a player. The players are in the order of the table, as their scores in the rounds.
    pub(super) async fn evidence(
        &self,
        caller: &Caller,
        subject: &AccountId,
        game: Option<&LoadedGame>,
    ) -> Result<ReportEvidence, Failure> {
        let name = self.names.names_of([subject]).await?.of(subject).to_string();
        let Some(loaded) = game else {
            let (players, reactions) = (Vec::new(), Vec::new());
            return Ok(ReportEvidence { name, version: None, players, reactions, rounds: "[]".to_owned() });
        };
        // Reactions of the last moments may wait to be written.
        self.reactions.write().await?;
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
        let said = said
            .into_iter()
            .filter(|row| !was_muted(&row.account_id, row.at))
            .map(|row| EvidenceReaction { account: row.account_id, reaction: row.reaction, at: row.at });
        let mut accounts: Vec<&AccountId> = accounts_at(&loaded.game.table).collect();
        accounts.sort_by_key(|account| loaded.position_of(account).map(number));
        let names = self.names.names_of(accounts.iter().copied()).await?;
        let player = |account: &AccountId| EvidencePlayer {
            account: account.clone(),
            name: names.of(account).to_string(),
        };
        Ok(ReportEvidence {
            name,
            version: Some(loaded.version),
            players: accounts.into_iter().map(player).collect(),
            reactions: said.collect(),
            rounds: Games::rounds_as_json(loaded)?.to_string(),
        })
    }
}

fn number(position: Position) -> usize {
    match position {
        Position::Place(place) => place.index(),
        Position::Seat(seat) => seat.index(),
    }
}
