//! What moderators do to accounts, and what an account sees of it.

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Moderation;
use crate::auth::caller::Caller;
use crate::auth::standing::{FOREVER, end};
use crate::base::failure::{Failure, milliseconds};
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
pub use estimation_store::moderation::Act;
use estimation_store::moderation::{self, ModerationAct, StandingRow};
use estimation_store::{Connection, GameId, StoreError, accounts, people_settings};
use jiff::Timestamp;

/// The most acts that an account sees.
const LISTED: i64 = 50;

/// The seats that a node frees at a time.
const SEATS: i64 = 64;

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
    /// Changes nothing.
    Note,
    EndSessions,
    /// Issues an access link, which works after 24 hours.
    GiveAccess,
    /// Mails the account's export to its address.
    SendExport,
    RemoveSecondStep,
    Delete,
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
            Measure::Note => Act::Noted,
            Measure::EndSessions => Act::SessionsEnded,
            Measure::GiveAccess => Act::AccessGiven,
            Measure::SendExport => Act::ExportSent,
            Measure::RemoveSecondStep => Act::SecondStepRemoved,
            Measure::Delete => Act::Deleted,
        }
    }

    pub(super) fn until(&self) -> Option<i64> {
        match self {
            Measure::Mute(until) | Measure::Suspend(until) | Measure::Ban(Some(until)) => {
                Some(milliseconds(*until).min(FOREVER))
            }
            Measure::Ban(None) => Some(FOREVER),
            _ => None,
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

impl ModerationAction {
    pub(crate) fn of(row: ModerationAct) -> Result<ModerationAction, Failure> {
        Ok(ModerationAction {
            id: row.id.0,
            act: row.act,
            until: row.until_at.map(end).transpose()?.flatten(),
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
            muted_until: muted.map(end).transpose()?.flatten(),
            suspended_until: suspended.map(end).transpose()?.flatten(),
            acts: acts.into_iter().map(ModerationAction::of).collect::<Result<_, _>>()?,
        })
    }

    /// The account with an id, a username, or a friend code.
    ///
    /// # Errors
    /// [`Failure::NotFound`].
    pub async fn find_account(&self, text: &str) -> Result<AccountId, Failure> {
        let text = text.to_owned();
        let mut found = self.database.read(move |conn| named(conn, &text)).await?;
        let first = (!found.is_empty()).then(|| found.swap_remove(0));
        first.ok_or(Failure::NotFound { what: "player" })
    }

    /// Frees seats of accounts that may not play, as for a player who leaves (A9).
    pub(crate) async fn free_seats(&self) -> Result<(), Failure> {
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

/// The accounts that an id, a username or a friend code names.
pub(crate) fn named(conn: &mut Connection, text: &str) -> Result<Vec<AccountId>, StoreError> {
    let by_id = accounts::find(conn, &AccountId::new(text))?;
    let by_username = accounts::find_by_username_key(conn, &text.to_ascii_lowercase())?;
    let mut found: Vec<AccountId> = by_id.into_iter().chain(by_username).map(|row| row.id).collect();
    found.extend(people_settings::find_by_code(conn, &text.to_ascii_uppercase())?);
    Ok(found)
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
