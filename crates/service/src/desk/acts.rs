//! Who did what: the acts of moderators.

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Desk;
use crate::auth::caller::Caller;
use crate::auth::standing::end;
use crate::auth::tokens::Role;
use crate::base::cursor::ListTag;
use crate::base::failure::Failure;
use crate::games::view::PersonView;
use crate::moderation::{Act, ChangedValue};
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_store::GameId;
use estimation_store::Id;
use estimation_store::moderation::{self, ModerationAct};

/// An act of a moderator, as moderators see it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ModeratorAct {
    /// The act's id.
    pub id: Uuid,
    /// What was done.
    pub act: Act,
    /// The account; null for an act about a game.
    pub account: Option<PersonView>,
    /// The game; null for an act about an account.
    pub game: Option<GameId>,
    /// Who did it; null for the command line.
    pub actor: Option<PersonView>,
    /// Why.
    #[schema(min_length = 1, max_length = 1000)]
    pub reason: String,
    /// How to appeal; null for `POST /v1/appeals` alone.
    #[schema(min_length = 1, max_length = 1000)]
    pub appeal: Option<String>,
    /// Until when; null for no end, and for acts that last no time.
    pub until: Option<RecordTime>,
    /// The report that led to it; null for none.
    pub report: Option<Uuid>,
    /// When it was done.
    pub at: RecordTime,
    /// What it changed.
    #[schema(max_items = 16)]
    pub changes: Vec<ChangedValue>,
    /// Why the person is not told; null if the person is, and for a note.
    #[schema(min_length = 1, max_length = 200)]
    pub untold: Option<String>,
}

/// A page of acts.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ModeratorActPage {
    /// The acts, newest first.
    #[schema(max_items = 100)]
    pub items: Vec<ModeratorAct>,
    /// The `cursor` of the next page; null on the last page.
    #[schema(min_length = 1, max_length = 512)]
    pub next_cursor: Option<String>,
}

impl Desk {
    /// All acts of moderators, newest first; without notes for auditors.
    pub async fn acts(
        &self,
        caller: &Caller,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<ModeratorActPage, Failure> {
        self.require_any(caller)?;
        let with_notes = caller.role != Role::Auditor;
        let tag = ListTag::of(&["acts"]);
        let behind: Option<Uuid> = tag.position(cursor)?;
        let (behind, asked) = (behind.map(Id), limit as i64 + 1);
        let read = move |conn: &mut estimation_store::Connection| {
            moderation::acts_before(conn, behind, with_notes, asked)
        };
        let mut rows = self.database.read(read).await?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next_cursor = rows.last().filter(|_| more).map(|act| tag.cursor(act.id));
        Ok(ModeratorActPage { items: self.views(rows).await?, next_cursor })
    }

    /// An act with the names of people.
    pub(super) async fn view(&self, row: ModerationAct) -> Result<ModeratorAct, Failure> {
        let view = self.views(vec![row]).await?.pop();
        view.ok_or_else(|| Failure::Defect("an act has no view".to_owned()))
    }

    /// Acts with the names of people.
    pub(super) async fn views(&self, rows: Vec<ModerationAct>) -> Result<Vec<ModeratorAct>, Failure> {
        let people: Vec<AccountId> =
            rows.iter().flat_map(|row| row.account_id.iter().chain(&row.acted_by)).cloned().collect();
        let names = self.names.names_of(&people).await?;
        let person = |id: AccountId| PersonView { name: names.of(&id), id };
        rows.into_iter()
            .map(|row| {
                let changes = serde_json::from_str(&row.changes);
                Ok(ModeratorAct {
                    id: row.id.0,
                    act: row.act,
                    account: row.account_id.map(person),
                    game: row.game_id,
                    actor: row.acted_by.map(person),
                    reason: row.reason,
                    appeal: row.appeal,
                    until: row.until_at.map(end).transpose()?.flatten(),
                    report: row.report_id.map(|id| id.0),
                    at: row.created_at,
                    changes: changes.map_err(|error| Failure::Defect(error.to_string()))?,
                    untold: row.untold,
                })
            })
            .collect()
    }
}
