//! Acts of moderators: what they are, how they are asked for, how accounts and moderators see them, and how they are sealed.
//!
//! The seal is a keyed hash of an act and its number. The audit with the keys of a node checks it: only nodes, and the command
//! line with their keys, can have written the act.

use std::sync::Arc;

use garde::Validate;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{LONGEST_APPEAL, LONGEST_REASON, LONGEST_UNTOLD, Moderation};
use crate::auth::caller::Caller;
use crate::auth::keys::{BindingCheck, Bound, RecordKeys};
use crate::auth::permission::{ActingModerator, Staff};
use crate::auth::restrictions::end;
use crate::auth::tokens::Role;
use crate::base::cursor::ListTag;
use crate::base::failure::Failure;
use crate::games::view::PersonView;
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
pub use estimation_store::moderation::Act;
use estimation_store::moderation::{self, ModerationAct, Seal, SealedAct, StandingRow};
use estimation_store::{Binding, Connection, GameId, Id, StoreError};

/// The most acts that an account sees.
const LISTED: i64 = 50;

/// An act of a moderator, as the account sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ModerationAction {
    /// The act's id.
    pub id: Uuid,
    /// What was done.
    pub act: Act,
    /// The game that was ended; null for an act about the account.
    pub game: Option<GameId>,
    /// Until when; null for no end, and for acts that last no time.
    pub until: Option<RecordTime>,
    /// Why, in the moderator's words.
    #[schema(min_length = 1, max_length = 1000)]
    pub reason: String,
    /// How to appeal, in the moderator's words; null for `POST /v1/appeals` alone.
    #[schema(min_length = 1, max_length = 1000)]
    pub appeal: Option<String>,
    /// When it was done.
    pub at: RecordTime,
}

/// What moderators allow the caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct StandingView {
    /// Whether the account may talk: react, invite, and ask for friendship.
    pub may_talk: bool,
    /// Whether the account may take seats.
    pub may_play: bool,
    /// Until when the account may not talk; null if it may, and for no end.
    pub muted_until: Option<RecordTime>,
    /// Until when the account may not play; null if it may, and for no end.
    pub suspended_until: Option<RecordTime>,
    /// What moderators did to the account, newest first.
    #[schema(max_items = 50)]
    pub acts: Vec<ModerationAction>,
}

/// A value that an act changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChangedValue {
    /// What it is called.
    #[schema(min_length = 1, max_length = 32, example = "muted_until")]
    pub field: String,
    /// The value before; null for none.
    #[schema(min_length = 0, max_length = 2560)]
    pub before: Option<String>,
    /// The value after; null for none.
    #[schema(min_length = 0, max_length = 2560)]
    pub after: Option<String>,
}

impl ChangedValue {
    pub(crate) fn new(
        field: &str,
        before: Option<impl Into<String>>,
        after: Option<impl Into<String>>,
    ) -> ChangedValue {
        ChangedValue { field: field.to_owned(), before: before.map(Into::into), after: after.map(Into::into) }
    }

    /// The text of changes, as it is stored.
    pub(crate) fn stored(changes: &[ChangedValue]) -> Result<String, StoreError> {
        serde_json::to_string(changes).map_err(|error| StoreError::Corrupt { detail: error.to_string() })
    }
}

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

/// A request to act on an account.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub struct ActRequest {
    /// What to do; not `report_upheld`, `report_dismissed` and `game_ended`, which have operations of their own.
    pub act: Act,
    /// Why. The player is told.
    #[schema(min_length = 1, max_length = 600, example = "Insults at three tables.")]
    #[garde(length(chars, min = 1, max = LONGEST_REASON))]
    pub reason: String,
    /// Until when; for `muted` and `suspended`, and for a ban with an end.
    #[schema(required = false)]
    pub until: Option<RecordTime>,
    /// The new name, for `renamed`; a neutral one if absent.
    #[schema(min_length = 1, max_length = 40, required = false)]
    #[garde(length(chars, min = 1, max = 40))]
    pub display_name: Option<String>,
    /// How to appeal, for `suspended` and `banned`.
    #[schema(min_length = 1, max_length = 400, required = false)]
    #[garde(length(chars, min = 1, max = LONGEST_APPEAL))]
    pub appeal: Option<String>,
    /// The report that led to it.
    #[schema(required = false)]
    pub report: Option<Uuid>,
    /// Why the player is not told, for acts of which the player would be.
    #[schema(min_length = 1, max_length = 200, required = false)]
    #[garde(length(chars, min = 1, max = LONGEST_UNTOLD))]
    pub untold: Option<String>,
}

/// What was done to an account.
#[derive(Clone, Serialize, ToSchema)]
pub struct ActDone {
    /// The act.
    pub act: ModeratorAct,
    /// For `access_given`, the token of the link `/account#reset=TOKEN`; it is shown only now. Null for others.
    #[schema(min_length = 43, max_length = 43)]
    pub token: Option<String>,
}

impl ActRequest {
    /// A request of which the account is told, without what only some acts need.
    pub fn new(act: Act, reason: impl Into<String>) -> ActRequest {
        let (until, display_name, appeal) = (None, None, None);
        ActRequest { act, reason: reason.into(), until, display_name, appeal, report: None, untold: None }
    }
}

impl ModerationAction {
    pub(crate) fn of(row: ModerationAct) -> Result<ModerationAction, Failure> {
        Ok(ModerationAction {
            id: row.id.0,
            act: row.act,
            until: end(row.until_at)?,
            game: row.game_id,
            reason: row.reason,
            appeal: row.appeal,
            at: row.created_at,
        })
    }
}

impl Moderation {
    /// What moderators allow the caller, and what they did.
    pub async fn standing(&self, caller: &Caller) -> Result<StandingView, Failure> {
        let (account, now) = (caller.account.clone(), self.now());
        let read = move |conn: &mut Connection| {
            Ok((moderation::standing(conn, &account)?, moderation::told_acts_of(conn, &account, LISTED)?))
        };
        let (row, acts) = self.database.read(read).await?;
        let InEffect { muted, suspended } = InEffect::at(&row, now);
        Ok(StandingView {
            may_talk: muted.is_none(),
            may_play: suspended.is_none(),
            muted_until: end(muted)?,
            suspended_until: end(suspended)?,
            acts: acts.into_iter().map(ModerationAction::of).collect::<Result<_, _>>()?,
        })
    }

    /// All acts of moderators, newest first; without notes for auditors.
    pub async fn acts(
        &self,
        by: &Staff,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<ModeratorActPage, Failure> {
        let with_notes = by.role() != Role::Auditor;
        let tag = ListTag::of(&["acts"]);
        let behind: Option<Uuid> = tag.position(cursor)?;
        let (behind, asked) = (behind.map(Id), limit as i64 + 1);
        let read = move |conn: &mut Connection| moderation::acts_before(conn, behind, with_notes, asked);
        let mut rows = self.database.read(read).await?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next_cursor = rows.last().filter(|_| more).map(|act| tag.cursor(act.id));
        Ok(ModeratorActPage { items: self.act_views(rows).await?, next_cursor })
    }

    /// The row of an act that is about nothing yet, and changes nothing.
    pub(super) fn new_act(&self, by: &ActingModerator, act: Act, reason: &str) -> ModerationAct {
        ModerationAct {
            id: Id(self.draw_id()),
            account_id: None,
            game_id: None,
            act,
            until_at: None,
            reason: reason.to_owned(),
            appeal: None,
            changes: String::new(),
            report_id: None,
            acted_by: by.account().cloned(),
            untold: None,
            created_at: self.clock.now().into(),
        }
    }

    /// An act with the names of people.
    pub(super) async fn act_view(&self, row: ModerationAct) -> Result<ModeratorAct, Failure> {
        let view = self.act_views(vec![row]).await?.pop();
        view.ok_or_else(|| Failure::Defect("an act has no view".to_owned()))
    }

    /// Acts with the names of people.
    pub(super) async fn act_views(&self, rows: Vec<ModerationAct>) -> Result<Vec<ModeratorAct>, Failure> {
        let people = rows.iter().flat_map(|row| row.account_id.iter().chain(&row.acted_by));
        let names = self.names.names_of(people).await?;
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
                    until: end(row.until_at)?,
                    report: row.report_id.map(|id| id.0),
                    at: row.created_at,
                    changes: changes.map_err(|error| Failure::Defect(error.to_string()))?,
                    untold: row.untold,
                })
            })
            .collect()
    }
}

/// The measures against an account that are in effect at a time, in milliseconds since 1970 in UTC.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InEffect {
    /// Until when the account may not talk.
    pub(crate) muted: Option<i64>,
    /// Until when it may not play.
    pub(crate) suspended: Option<i64>,
}

impl InEffect {
    pub(crate) fn at(row: &StandingRow, now: i64) -> InEffect {
        let until = |until: Option<i64>| until.filter(|until| *until > now);
        let suspended = until(row.suspended_until.max(row.banned_until));
        // An account that may not play may not talk either.
        InEffect { muted: until(row.muted_until).max(suspended), suspended }
    }
}

impl Moderation {
    /// Binds acts under the key that signs now.
    pub(crate) fn seal(&self) -> Seal {
        let (keys, now) = (self.keys.ring().record_keys(), self.clock.now());
        Arc::new(move |act, number| bind(&keys, act, number, now))
    }
}

fn bind(keys: &RecordKeys, act: &ModerationAct, number: i64, now: Timestamp) -> Result<Binding, StoreError> {
    let bound = keys.bind(Bound::Act, &statement(act, number)?, now);
    bound.ok_or_else(|| StoreError::Defect { detail: "every record key is retired".to_owned() })
}

/// What the binding of an act is worth.
pub(crate) fn check_seal(sealed: &SealedAct, keys: &RecordKeys) -> Result<BindingCheck, StoreError> {
    let statement = statement(&sealed.act, sealed.number)?;
    let check = |binding| keys.check(Bound::Act, &statement, binding);
    Ok(sealed.binding.as_ref().map_or(BindingCheck::Forged, check))
}

/// The bytes that a binding covers: every column but itself, as a list in JSON.
fn statement(act: &ModerationAct, number: i64) -> Result<Vec<u8>, StoreError> {
    let ModerationAct {
        id,
        account_id,
        game_id,
        act,
        until_at,
        reason,
        appeal,
        changes,
        report_id,
        acted_by,
        untold,
        created_at,
    } = act;
    let about = (account_id, game_id.map(|game| game.0));
    let words = (reason, appeal, changes, untold);
    let columns = (number, id, about, act, until_at, words, report_id, acted_by, created_at.milliseconds());
    serde_json::to_vec(&columns).map_err(|error| StoreError::Defect { detail: error.to_string() })
}
