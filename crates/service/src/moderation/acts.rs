//! What moderators do to accounts, and what an account sees of it.

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::failure::ModerationFailure;
use super::reports::checked_answer;
use super::{Moderation, tell};
use crate::auth::caller::Caller;
use crate::auth::security;
use crate::auth::standing::{FOREVER, end};
use crate::base::failure::{Failure, milliseconds, stored_id};
use crate::base::field_error::FieldCode;
use crate::base::names::{choose_display_name, neutral};
use crate::games::failure::GameFailure;
use crate::notifications::NoticeKind;
use estimation_engine::choice::Choice;
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_store::accounts::{self, AccountChanges, StoredName};
use estimation_store::moderation::{self, ModerationAct, StandingRow};
use estimation_store::{Connection, StoreError};
use jiff::Timestamp;

/// The most acts that an account sees.
const LISTED: i64 = 50;

/// The seats that a node frees at a time.
const SEATS: i64 = 64;

estimation_engine::choices! {
    /// What a moderator did. More are added over time.
    pub enum Act {
        /// The display name was replaced.
        Renamed = "renamed",
        /// The account may not talk for some time.
        Muted = "muted",
        /// The account may not play for some time.
        Suspended = "suspended",
        /// The account may not play, and its identities may not come back with another account.
        Banned = "banned",
        /// All measures ended.
        Lifted = "lifted",
        /// A report about the account was upheld.
        ReportUpheld = "report_upheld",
        /// A report about the account was dismissed, or an appeal.
        ReportDismissed = "report_dismissed",
    }
}

/// What a moderator does to an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Replaces the display name; by a neutral one without a name.
    Rename(Option<String>),
    Mute(Timestamp),
    Suspend(Timestamp),
    /// Without a time, the ban has no end.
    Ban(Option<Timestamp>),
    /// Ends mutes, suspensions and bans.
    Lift,
}

impl Measure {
    /// What it is called.
    pub fn act(&self) -> Act {
        match self {
            Measure::Rename(_) => Act::Renamed,
            Measure::Mute(_) => Act::Muted,
            Measure::Suspend(_) => Act::Suspended,
            Measure::Ban(_) => Act::Banned,
            Measure::Lift => Act::Lifted,
        }
    }

    fn until(&self) -> Option<i64> {
        match self {
            Measure::Rename(_) | Measure::Lift => None,
            Measure::Mute(until) | Measure::Suspend(until) | Measure::Ban(Some(until)) => {
                Some(milliseconds(*until).min(FOREVER))
            }
            Measure::Ban(None) => Some(FOREVER),
        }
    }
}

/// An act of a moderator, as the account sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ModerationAction {
    /// The act's id.
    pub id: Uuid,
    /// What was done.
    pub act: Act,
    /// Until when; null for no end, and for acts that last no time.
    pub until: Option<RecordTime>,
    /// Why, in the moderator's words.
    #[schema(min_length = 1, max_length = 1000)]
    pub reason: String,
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

impl ModerationAction {
    pub(crate) fn of(row: ModerationAct) -> Result<ModerationAction, Failure> {
        let act = Act::from_name(&row.act);
        let until = row.until_at.filter(|until| *until < FOREVER);
        Ok(ModerationAction {
            id: stored_id(&row.id)?,
            act: act.ok_or_else(|| Failure::Defect(format!("{:?} is no act", row.act)))?,
            until: until.map(RecordTime::from_milliseconds).transpose()?,
            reason: row.reason,
            at: RecordTime::from_milliseconds(row.created_at)?,
        })
    }
}

impl Moderation {
    /// What moderators allow the caller, and what they did.
    pub async fn standing(&self, caller: &Caller) -> Result<StandingView, ModerationFailure> {
        let (account, now) = (caller.account.clone(), self.now());
        let read = move |conn: &mut Connection| {
            Ok((moderation::standing(conn, &account)?, moderation::acts_of(conn, &account, LISTED)?))
        };
        let (row, acts) = self.database.read(read).await?;
        let in_effect = |until: Option<i64>| until.filter(|until| *until > now);
        let suspended = in_effect(row.suspended_until.max(row.banned_until));
        let muted = in_effect(row.muted_until).max(suspended);
        Ok(StandingView {
            may_talk: muted.is_none(),
            may_play: suspended.is_none(),
            muted_until: muted.map(end).transpose()?.flatten(),
            suspended_until: suspended.map(end).transpose()?.flatten(),
            acts: acts.into_iter().map(ModerationAction::of).collect::<Result<_, _>>()?,
        })
    }

    /// Does something to an account, and tells it. `by` is the moderator; none for the command line. Nodes notice it within
    /// two seconds.
    ///
    /// # Errors
    /// [`Failure::NotFound`], and the fields that are wrong.
    pub async fn act(
        &self,
        account: &AccountId,
        measure: &Measure,
        reason: &str,
        report: Option<Uuid>,
        by: Option<&AccountId>,
    ) -> Result<(), ModerationFailure> {
        checked_answer(reason)?;
        let now = self.now();
        if measure.until().is_some_and(|until| until <= now) {
            return Err(Failure::field("until", FieldCode::OutOfRange, "must be in the future").into());
        }
        let name = match measure {
            Measure::Rename(Some(name)) => {
                let chosen = choose_display_name(name).map_err(|fault| {
                    Failure::field("name", FieldCode::WrongFormat, fault.refusal.to_string())
                })?;
                Some(chosen)
            }
            Measure::Rename(None) => Some(neutral("Player", account)),
            _ => None,
        };
        let act = ModerationAct {
            id: self.draw_id().to_string(),
            account_id: account.clone(),
            act: measure.act().as_str().to_owned(),
            until_at: measure.until(),
            reason: reason.to_owned(),
            report_id: report.map(|id| id.to_string()),
            acted_by: by.cloned(),
            created_at: now,
        };
        let (measure, notice) = (measure.clone(), self.draw_id());
        let logged = act.clone();
        let write = move |conn: &mut Connection| {
            if accounts::find(conn, &act.account_id)?.is_none() {
                return Ok(false);
            }
            if let Some(name) = &name {
                let display_name = Some(StoredName::new(name.clone()));
                let changes = AccountChanges { display_name, updated_at: now, ..AccountChanges::default() };
                accounts::update(conn, &act.account_id, &changes)?;
            }
            let standing = moderation::standing(conn, &act.account_id)?;
            if let Some(standing) = changed(standing, &measure) {
                moderation::set_standing(conn, &standing)?;
            }
            moderation::record(conn, &act)?;
            tell(conn, NoticeKind::StandingChanged, &act.account_id, notice, now)?;
            Ok(true)
        };
        if !self.database.write(write).await? {
            return Err(Failure::NotFound { what: "player" }.into());
        }
        self.names.forget(account);
        security::moderated(&logged.account_id, &logged.act, logged.acted_by.as_ref());
        Ok(())
    }

    /// The account with an id, a username, or a friend code.
    ///
    /// # Errors
    /// [`Failure::NotFound`].
    pub async fn find_account(&self, text: &str) -> Result<AccountId, ModerationFailure> {
        let text = text.to_owned();
        let read = move |conn: &mut Connection| -> Result<Option<AccountId>, StoreError> {
            if let Some(row) = accounts::find(conn, &AccountId::new(text.as_str()))? {
                return Ok(Some(row.id));
            }
            if let Some(row) = accounts::find_by_username_key(conn, &text.to_ascii_lowercase())? {
                return Ok(Some(row.id));
            }
            estimation_store::people_settings::find_by_code(conn, &text.to_ascii_uppercase())
        };
        let found = self.database.read(read).await?;
        Ok(found.ok_or(Failure::NotFound { what: "player" })?)
    }

    /// Frees seats of accounts that may not play, as for a player who leaves (A9).
    pub(crate) async fn free_seats(&self) -> Result<(), GameFailure> {
        let now = self.now();
        let seats = self.database.read(move |conn| moderation::seats_to_free(conn, now, SEATS)).await?;
        let mut failed = None;
        for (game, account) in seats {
            // One failing seat does not block the others.
            failed = self.games.free_seat(game, &account).await.err().or(failed);
        }
        failed.map_or(Ok(()), Err)
    }
}

/// The standing after a measure; none if it stays.
fn changed(standing: StandingRow, measure: &Measure) -> Option<StandingRow> {
    let until = measure.until();
    match measure {
        Measure::Rename(_) => None,
        Measure::Mute(_) => Some(StandingRow { muted_until: until, ..standing }),
        Measure::Suspend(_) => Some(StandingRow { suspended_until: until, ..standing }),
        Measure::Ban(_) => Some(StandingRow { banned_until: until, ..standing }),
        Measure::Lift => Some(StandingRow::good(&standing.account_id)),
    }
}
