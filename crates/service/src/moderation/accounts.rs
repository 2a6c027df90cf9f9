//! Accounts at the desk: finding one, and everything about it.

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Moderation;
use super::acts::{InEffect, ModeratorAct};
use super::games::Facts;
use super::queue::QueuedReport;
use crate::accounts::access_link::AccessLink;
use crate::auth::permission::Moderator;
use crate::auth::restrictions::end;
use crate::auth::tokens::Role;
use crate::base::failure::Failure;
use crate::games::view::PersonView;
use estimation_engine::game::GameStatus;
use estimation_engine::player::AccountId;
use estimation_engine::ruleset::RulesetId;
use estimation_record::RecordTime;
use estimation_store::accounts::{self, AccountKind, AccountRow};
use estimation_store::games::{GameFilter, GameRow, Page};
use estimation_store::moderation::{self, StandingRow};
use estimation_store::role_grants::RoleGrant;
use estimation_store::{
    Connection, GameId, StoreError, email_addresses, games, people_settings, players, reports, role_grants,
    second_steps, sessions,
};

/// The most accounts that a search finds.
const FOUND: i64 = 20;

/// The most sessions, acts, reports and games of an account.
const SESSIONS: i64 = 50;
const ACTS: i64 = 50;
const REPORTS: i64 = 20;
const GAMES: i64 = 10;
const ROLES: i64 = 20;

/// The seats that a node frees at a time.
const SEATS: i64 = 64;

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

impl Moderation {
    /// The accounts that a text names exactly: an id, a username, a friend code or a display name; or the players of the game
    /// with this id.
    pub async fn find_accounts(&self, _by: &Moderator, text: &str) -> Result<FoundAccounts, Failure> {
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
    pub async fn inspect_account(&self, by: &Moderator, id: &AccountId) -> Result<InspectedAccount, Failure> {
        let (account, now) = (id.clone(), self.now());
        let began_after = self.sessions.sessions_began_after();
        let rows = self.database.read(move |conn| read(conn, &account, (now, began_after))).await?;
        let mut rows = rows.ok_or(Failure::NotFound { what: "account" })?;
        if by.is(id) {
            // Nobody reads what others note and report about them.
            rows.acts.clear();
            rows.reports.clear();
        }
        let granted = rows.roles.iter().filter_map(|grant| grant.granted_by.as_ref());
        let names = self.names.names_of(granted).await?;
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
            muted_until: end(muted)?,
            suspended_until: end(suspended)?,
            has_email: rows.has_email,
            second_step: rows.second_step,
            access_link: AccessLink::of(rows.access.as_ref()),
            sessions: rows.sessions.into_iter().map(session).collect::<Result<_, _>>()?,
            roles: rows.roles.into_iter().map(role).collect::<Result<_, _>>()?,
            acts: self.act_views(rows.acts).await?,
            games: rows.games.iter().map(played).collect::<Result<_, _>>()?,
            reports: self.queued(rows.reports).await?,
        })
    }

    /// The account with an id, a username, or a friend code.
    ///
    /// # Errors
    /// [`Failure::NotFound`].
    pub async fn find_account(&self, _by: &Moderator, text: &str) -> Result<AccountId, Failure> {
        let text = text.to_owned();
        let found = self.database.read(move |conn| named(conn, &text)).await?;
        found.into_iter().next().ok_or(Failure::NotFound { what: "player" })
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
fn named(conn: &mut Connection, text: &str) -> Result<Vec<AccountId>, StoreError> {
    let by_id = accounts::find(conn, &AccountId::new(text))?;
    let by_username = accounts::find_by_username_key(conn, &text.to_ascii_lowercase())?;
    let mut found: Vec<AccountId> = by_id.into_iter().chain(by_username).map(|row| row.id).collect();
    found.extend(people_settings::find_by_code(conn, &text.to_ascii_uppercase())?);
    Ok(found)
}

fn summary(row: &AccountRow, standing: &StandingRow, now: i64) -> AccountSummary {
    let InEffect { muted, suspended } = InEffect::at(standing, now);
    AccountSummary {
        id: row.id.clone(),
        username: row.username.clone(),
        display_name: row.display_name.clone(),
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
