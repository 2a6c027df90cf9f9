//! Accounts at the desk: finding one, everything about it, and acting on it.

use garde::Validate;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::acts::ModeratorAct;
use super::games::Facts;
use super::{Desk, LONGEST_APPEAL, LONGEST_REASON, LONGEST_UNTOLD, check_length};
use crate::accounts::access_link::AccessLink;
use crate::auth::caller::Caller;
use crate::auth::standing::end;
use crate::auth::tokens::Role;
use crate::base::failure::Failure;
use crate::base::field_error::FieldCode;
use crate::base::names::shown;
use crate::games::view::PersonView;
use crate::moderation::{Act, InEffect, Measure, NewAct, QueuedReport, named};
use estimation_engine::game::GameStatus;
use estimation_engine::player::AccountId;
use estimation_engine::ruleset::RulesetId;
use estimation_record::RecordTime;
use estimation_store::accounts::AccountKind;
use estimation_store::accounts::{self, AccountRow};
use estimation_store::games::{GameFilter, GameRow, Page};
use estimation_store::moderation::{self, StandingRow};
use estimation_store::role_grants::RoleGrant;
use estimation_store::{
    Connection, GameId, StoreError, email_addresses, games, players, reports, role_grants, second_steps,
    sessions,
};

/// The most accounts that a search finds.
const FOUND: i64 = 20;

/// The most sessions, acts, reports and games of an account.
const SESSIONS: i64 = 50;
const ACTS: i64 = 50;
const REPORTS: i64 = 20;
const GAMES: i64 = 10;
const ROLES: i64 = 20;

/// An account in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct AccountSummary {
    /// The account's id.
    pub id: AccountId,
    /// The username; null for a guest, and for a player who signs in with an issuer alone.
    #[schema(min_length = 3, max_length = 32)]
    pub username: Option<String>,
    /// The display name that other players see.
    #[schema(min_length = 1, max_length = 40)]
    pub display_name: String,
    /// Whether the account is full or a guest's.
    pub kind: AccountKind,
    /// The account's permissions besides playing.
    pub role: Role,
    /// When the account was created.
    pub created_at: RecordTime,
    /// Whether it may talk: react, invite, and ask for friendship.
    pub may_talk: bool,
    /// Whether it may take seats.
    pub may_play: bool,
}

/// The accounts that a search finds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FoundAccounts {
    /// The accounts.
    #[schema(max_items = 20)]
    pub items: Vec<AccountSummary>,
}

/// A session of an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct InspectedSession {
    /// The session's id.
    pub id: Uuid,
    /// The client's name for itself; null for none.
    #[schema(min_length = 0, max_length = 80)]
    pub device: Option<String>,
    /// When it began.
    pub created_at: RecordTime,
    /// When it was last used.
    pub last_used_at: RecordTime,
}

/// A change of an account's role.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct RoleChange {
    /// The role from then on.
    pub role: Role,
    /// The role before.
    pub former_role: Role,
    /// Who granted it; null for the command line.
    pub by: Option<PersonView>,
    /// When it was granted.
    pub at: RecordTime,
}

/// A game of an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PlayedGame {
    /// The game's id.
    pub id: GameId,
    /// The ruleset.
    pub ruleset: RulesetId,
    /// The status.
    pub status: GameStatus,
    /// When its table was opened.
    pub opened_at: RecordTime,
}

/// Everything that the desk shows of an account.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct InspectedAccount {
    /// The account.
    pub account: AccountSummary,
    /// Until when it may not talk; null if it may, and for no end.
    pub muted_until: Option<RecordTime>,
    /// Until when it may not play; null if it may, and for no end.
    pub suspended_until: Option<RecordTime>,
    /// Whether it has a verified email address.
    pub has_email: bool,
    /// Whether its sign-ins need a second step.
    pub second_step: bool,
    /// The access link of the account; nulls without one.
    pub access_link: AccessLink,
    /// The sessions that have not ended, newest first.
    #[schema(max_items = 50)]
    pub sessions: Vec<InspectedSession>,
    /// The changes of the role, newest first.
    #[schema(max_items = 20)]
    pub roles: Vec<RoleChange>,
    /// What moderators did, notes too, newest first.
    #[schema(max_items = 50)]
    pub acts: Vec<ModeratorAct>,
    /// The newest games.
    #[schema(max_items = 10)]
    pub games: Vec<PlayedGame>,
    /// The newest reports about the account.
    #[schema(max_items = 20)]
    pub reports: Vec<QueuedReport>,
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

struct Rows {
    account: AccountRow,
    standing: StandingRow,
    has_email: bool,
    second_step: bool,
    access: Option<email_addresses::EmailLinkRow>,
    sessions: Vec<sessions::SessionRow>,
    roles: Vec<RoleGrant>,
    acts: Vec<moderation::ModerationAct>,
    games: Vec<GameRow>,
    reports: Vec<reports::ReportRow>,
}

fn read(
    conn: &mut Connection,
    id: &AccountId,
    (now, began_after): (i64, i64),
) -> Result<Option<Rows>, StoreError> {
    let Some(account) = accounts::find(conn, id)? else { return Ok(None) };
    let newest = Page { after: None, limit: GAMES };
    Ok(Some(Rows {
        account,
        standing: moderation::standing(conn, id)?,
        has_email: email_addresses::find(conn, id)?.is_some(),
        second_step: second_steps::find(conn, id)?.is_some_and(|row| row.confirmed_at.is_some()),
        access: email_addresses::access_link(conn, id, now)?,
        sessions: sessions::of_account(conn, id, began_after, SESSIONS)?,
        roles: role_grants::newest_of(conn, id, ROLES)?,
        acts: moderation::acts_of(conn, id, ACTS)?,
        games: games::list_mine(conn, id, &GameFilter::default(), &newest)?,
        reports: reports::of_subject(conn, id, REPORTS)?,
    }))
}

/// The accounts that a text names: by id, username, friend code or display name, or the players of a game.
fn found(conn: &mut Connection, text: &str) -> Result<Vec<(AccountRow, StandingRow)>, StoreError> {
    let mut ids = named(conn, text)?;
    match text.parse::<GameId>() {
        Ok(game) => ids.extend(players::of_game(conn, game)?.into_iter().filter_map(|seat| seat.account_id)),
        Err(_) => ids.extend(accounts::named(conn, text, FOUND)?),
    }
    let mut found: Vec<(AccountRow, StandingRow)> = Vec::new();
    for id in ids {
        if found.iter().any(|(row, _)| row.id == id) {
            continue;
        }
        if let Some(row) = accounts::find(conn, &id)? {
            let standing = moderation::standing(conn, &id)?;
            found.push((row, standing));
        }
    }
    found.truncate(FOUND as usize);
    Ok(found)
}

impl Desk {
    /// The accounts that a text names exactly: an id, a username, a friend code or a display name; or the players of the game
    /// with this id.
    pub async fn find_accounts(&self, caller: &Caller, text: &str) -> Result<FoundAccounts, Failure> {
        self.require_moderator(caller)?;
        let text = text.trim().to_owned();
        // PostgreSQL has no text with such a character.
        if text.contains(char::is_control) {
            return Ok(FoundAccounts { items: Vec::new() });
        }
        let found = self.database.read(move |conn| found(conn, &text)).await?;
        let now = self.now();
        let items = found.into_iter().map(|(row, standing)| summary(&row, &standing, now));
        Ok(FoundAccounts { items: items.collect() })
    }

    /// Everything that the desk shows of an account.
    ///
    /// # Errors
    /// [`Failure::NotFound`].
    pub async fn inspect_account(
        &self,
        caller: &Caller,
        id: &AccountId,
    ) -> Result<InspectedAccount, Failure> {
        self.require_moderator(caller)?;
        let (account, now) = (id.clone(), self.now());
        let began_after = self.sessions.sessions_began_after();
        let rows = self.database.read(move |conn| read(conn, &account, (now, began_after))).await?;
        let mut rows = rows.ok_or(Failure::NotFound { what: "account" })?;
        if *id == caller.account {
            // Nobody reads what others note and report about them.
            rows.acts.clear();
            rows.reports.clear();
        }
        let granted: Vec<AccountId> =
            rows.roles.iter().filter_map(|grant| grant.granted_by.clone()).collect();
        let names = self.names.names_of(&granted).await?;
        let role = |grant: RoleGrant| {
            Ok::<_, Failure>(RoleChange {
                role: grant.role,
                former_role: grant.former_role,
                by: grant.granted_by.map(|id| PersonView { name: names.of(&id), id }),
                at: grant.created_at,
            })
        };
        let session = |row: sessions::SessionRow| {
            Ok::<_, Failure>(InspectedSession {
                id: row.id.0,
                device: row.device,
                created_at: row.created_at,
                last_used_at: row.last_used_at,
            })
        };
        let InEffect { muted, suspended } = InEffect::at(&rows.standing, now);
        Ok(InspectedAccount {
            account: summary(&rows.account, &rows.standing, now),
            muted_until: muted.map(end).transpose()?.flatten(),
            suspended_until: suspended.map(end).transpose()?.flatten(),
            has_email: rows.has_email,
            second_step: rows.second_step,
            access_link: AccessLink::of(rows.access.as_ref()),
            sessions: rows.sessions.into_iter().map(session).collect::<Result<_, _>>()?,
            roles: rows.roles.into_iter().map(role).collect::<Result<_, _>>()?,
            acts: self.views(rows.acts).await?,
            games: rows.games.iter().map(played).collect::<Result<_, _>>()?,
            reports: self.moderation.queued(rows.reports).await?,
        })
    }

    /// Does something to an account.
    ///
    /// # Errors
    /// [`Failure::NotFound`], the fields that are wrong, [`Failure::AccountProtected`],
    /// [`Failure::NoEmailAddress`], [`Failure::NoSecondStep`].
    pub async fn act(
        &self,
        caller: &Caller,
        account: &AccountId,
        request: &ActRequest,
    ) -> Result<ActDone, Failure> {
        self.require_moderator_now(caller)?;
        let measure = measure(request)?;
        if measure == Measure::RemoveSecondStep && caller.role != Role::Admin {
            return Err(Failure::RoleRequired { role: Role::Admin });
        }
        check_length("reason", Some(&request.reason), LONGEST_REASON)?;
        check_length("untold", request.untold.as_deref(), LONGEST_UNTOLD)?;
        check_length("appeal", request.appeal.as_deref(), LONGEST_APPEAL)?;
        let act = NewAct {
            measure,
            reason: &request.reason,
            appeal: request.appeal.as_deref(),
            report: request.report,
            untold: request.untold.as_deref(),
            by: Some(caller),
        };
        let acted = self.moderation.act(account, act).await?;
        Ok(ActDone { act: self.view(acted.row).await?, token: acted.token })
    }
}

/// The measure of a request, with the fields that it needs and no others.
fn measure(request: &ActRequest) -> Result<Measure, Failure> {
    let ActRequest { act, until, display_name, appeal, untold, .. } = request;
    let until = until.map(RecordTime::timestamp);
    let needed = || until.ok_or_else(|| Failure::field("until", FieldCode::Missing, "must be given"));
    let refused = |field: &'static str, is_given: bool| {
        let reason = format!("must not be given for `{}`", act.as_str());
        if is_given { Err(Failure::field(field, FieldCode::Contradiction, reason)) } else { Ok(()) }
    };
    let is_timed = matches!(act, Act::Muted | Act::Suspended | Act::Banned);
    refused("until", until.is_some() && !is_timed)?;
    refused("display_name", display_name.is_some() && *act != Act::Renamed)?;
    // Of these the account is told by a mail, by a change of its ways in, or not at all.
    let is_told_otherwise = matches!(
        act,
        Act::Noted | Act::Deleted | Act::AccessGiven | Act::ExportSent | Act::SecondStepRemoved
    );
    refused("untold", untold.is_some() && is_told_otherwise)?;
    refused("appeal", appeal.is_some() && !matches!(act, Act::Suspended | Act::Banned))?;
    Ok(match act {
        Act::Noted => Measure::Note,
        Act::SessionsEnded => Measure::EndSessions,
        Act::Renamed => Measure::Rename(display_name.clone()),
        Act::Muted => Measure::Mute(needed()?),
        Act::Suspended => Measure::Suspend(needed()?),
        Act::Banned => Measure::Ban(until),
        Act::Lifted => Measure::Lift,
        Act::AccessGiven => Measure::GiveAccess,
        Act::ExportSent => Measure::SendExport,
        Act::SecondStepRemoved => Measure::RemoveSecondStep,
        Act::Deleted => Measure::Delete,
        Act::ReportUpheld | Act::ReportDismissed | Act::GameEnded => {
            let reason = "must not be an act with an operation of its own";
            return Err(Failure::field("act", FieldCode::NotAChoice, reason));
        }
    })
}

fn summary(row: &AccountRow, standing: &StandingRow, now: i64) -> AccountSummary {
    let InEffect { muted, suspended } = InEffect::at(standing, now);
    AccountSummary {
        id: row.id.clone(),
        username: row.username.clone(),
        display_name: shown(&row.id, &row.display_name),
        kind: row.kind,
        role: row.role,
        created_at: row.created_at,
        may_talk: muted.is_none(),
        may_play: suspended.is_none(),
    }
}

fn played(row: &GameRow) -> Result<PlayedGame, Failure> {
    let Facts { status, ruleset, opened_at, .. } = Facts::of(row)?;
    Ok(PlayedGame { id: row.id, ruleset, status, opened_at })
}
