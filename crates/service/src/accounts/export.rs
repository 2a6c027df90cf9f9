//! Export of all data held about an account, for its owner.

use std::collections::HashMap;

use serde::Serialize;
use utoipa::ToSchema;

use super::changes::AccountChange;
use super::{Account, Accounts};
use crate::accounts::failure::AccountFailure;
use crate::auth::caller::Caller;
use crate::auth::sessions::role_named;
use crate::auth::tokens::Role;
use crate::base::failure::Failure;
use crate::notifications::{NoticeKind, NotificationChoices};
use crate::players::rating::{Rating, RatingView};
use estimation_engine::break_off::BreakOffKind;
use estimation_engine::hex::Hex;
use estimation_engine::player::AccountId;
use estimation_engine::ruleset::RulesetId;
use estimation_engine::seat::{Place, Seat};
use estimation_record::RecordTime;
use estimation_store::account_changes::AccountChangeRow;
use estimation_store::break_offs::BreakOffRow;
use estimation_store::email_addresses::EmailAddressRow;
use estimation_store::identities::IdentityRow;
use estimation_store::matchmaking::WaitingRow;
use estimation_store::notifications::NotificationRow;
use estimation_store::push_subscriptions::PushSubscription;
use estimation_store::ratings::RatingRow;
use estimation_store::refresh_tokens::TokenTimes;
use estimation_store::results::ResultRow;
use estimation_store::{
    Connection, GameId, StoreError, account_changes, break_offs, email_addresses, idempotency, identities,
    matchmaking, notifications, players, public_log, push_subscriptions, ratings, recovery_codes,
    refresh_tokens, results, role_grants, sessions,
};

/// All data held about an account. Moves are in the games' records, which name accounts by id.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Export {
    /// When the export was made.
    pub exported_at: RecordTime,
    /// The account.
    pub account: Account,
    /// The display name as it is stored. `display_name` in `account` is the name that other players see.
    #[schema(min_length = 1, max_length = 2560)]
    pub stored_display_name: String,
    /// The number of times that the password was changed.
    #[schema(minimum = 0, maximum = 2147483647)]
    pub password_changes: i32,
    /// The sessions, ended ones included, oldest first.
    #[schema(max_items = 1000000)]
    pub sessions: Vec<ExportedSession>,
    /// The games in which the account has or had a place.
    #[schema(max_items = 1000000)]
    pub games: Vec<ExportedSeat>,
    /// The results of finished games, oldest first.
    #[schema(max_items = 1000000)]
    pub results: Vec<ExportedResult>,
    /// What the account broke off, as its public statistics count it, oldest first.
    #[schema(max_items = 1000000)]
    pub broken_off: Vec<ExportedBreakOff>,
    /// The ratings, one for each ruleset with a rated game.
    #[schema(max_items = 100)]
    pub ratings: Vec<ExportedRating>,
    /// The entry in the matchmaking queue, while the account waits and after it was seated; null if there is
    /// none.
    pub matchmaking: Option<ExportedWait>,
    /// The requests with idempotency keys that the server still stores; by default those of the last 24 hours.
    #[schema(max_items = 1000000)]
    pub requests: Vec<ExportedRequest>,
    /// The roles that the account was granted.
    #[schema(max_items = 1000000)]
    pub roles: Vec<ExportedGrant>,
    /// What proves which pseudonym of the public log is the account's, for each started game.
    #[schema(max_items = 1000000)]
    pub pseudonyms: Vec<ExportedPseudonym>,
    /// Who issuers say that the player is, oldest first.
    #[schema(max_items = 16)]
    pub identities: Vec<ExportedIdentity>,
    /// The verified email address; null for none.
    pub email: Option<ExportedEmail>,
    /// The changes of the ways into the account of the last 90 days, newest first.
    #[schema(max_items = 1000000)]
    pub account_changes: Vec<AccountChange>,
    /// The number of recovery codes that are not used.
    #[schema(minimum = 0, maximum = 10)]
    pub recovery_codes: i64,
    /// What the account chose about notices; null if it chose nothing.
    pub notification_choices: Option<NotificationChoices>,
    /// The notices of the last days, oldest first.
    #[schema(max_items = 1000000)]
    pub notifications: Vec<ExportedNotice>,
    /// Where browsers take pushes.
    #[schema(max_items = 16)]
    pub push_subscriptions: Vec<ExportedPushSubscription>,
}

/// An email address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExportedEmail {
    /// The address.
    #[schema(min_length = 3, max_length = 254)]
    pub address: String,
    /// When it was verified.
    pub verified_at: RecordTime,
}

/// An identity of an issuer that signs in to the account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExportedIdentity {
    /// The identity's id.
    #[schema(value_type = uuid::Uuid)]
    pub id: String,
    /// The issuer's URL.
    #[schema(min_length = 1, max_length = 2000)]
    pub issuer: String,
    /// The issuer's name for the player.
    #[schema(min_length = 1, max_length = 255)]
    pub subject: String,
    /// How the issuer knows the app.
    #[schema(min_length = 1, max_length = 255)]
    pub audience: String,
    /// Whether the server has a token with which it revokes the player's grant when the account is deleted.
    pub revocable: bool,
    /// When the identity was linked.
    pub linked_at: RecordTime,
}

/// A session of an account, with the times of its refresh tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExportedSession {
    /// The session's id.
    #[schema(value_type = uuid::Uuid)]
    pub id: String,
    /// The client's name for the device; null if the client gave none.
    #[schema(min_length = 0, max_length = 80)]
    pub device: Option<String>,
    /// When the session began.
    pub created_at: RecordTime,
    /// When the session last got new tokens.
    pub last_used_at: RecordTime,
    /// When the session ended; null if it has not ended.
    pub ended_at: Option<RecordTime>,
    /// The session's refresh tokens; only their times are exported.
    #[schema(max_items = 1000000)]
    pub refresh_tokens: Vec<ExportedToken>,
}

/// The times of a refresh token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExportedToken {
    /// When the token was issued.
    pub issued_at: RecordTime,
    /// When the token expires.
    pub expires_at: RecordTime,
    /// When the token was exchanged; null if it is unused.
    pub used_at: Option<RecordTime>,
}

/// A place of an account at a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExportedSeat {
    /// The game's id.
    pub game: GameId,
    /// The place in the lobby, numbered in order of joining.
    #[schema(value_type = Place)]
    pub place: i32,
}

/// The result of a finished game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExportedResult {
    /// The game's id.
    pub game: GameId,
    /// The ruleset's id.
    #[schema(value_type = RulesetId)]
    pub ruleset: String,
    /// The player's seat.
    #[schema(value_type = Seat)]
    pub seat: i32,
    /// The rank, from 1. Players who forfeited share the last rank.
    #[schema(minimum = 1, maximum = 5)]
    pub rank: i32,
    /// The final total of the seat.
    pub total: i32,
    /// The number of rounds played; 0 for a forfeited game.
    #[schema(minimum = 0, maximum = 255)]
    pub rounds: i32,
    /// The number of rounds in which the player took exactly the tricks they called.
    #[schema(minimum = 0, maximum = 255)]
    pub rounds_made: i32,
    /// Whether the player forfeited the game.
    pub forfeited: bool,
    /// When the game ended.
    pub ended_at: RecordTime,
}

/// A table, an opening or a game that the account broke off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExportedBreakOff {
    /// The game's id.
    pub game: GameId,
    /// The number of the event in the game's record.
    #[schema(minimum = 1, maximum = 9_007_199_254_740_991_u64)]
    pub seq: i64,
    /// What was broken off.
    #[schema(value_type = BreakOffKind)]
    pub kind: String,
    /// When it happened.
    pub at: RecordTime,
}

/// The rating of an account in a ruleset.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ExportedRating {
    /// The ruleset's id.
    #[schema(value_type = RulesetId)]
    pub ruleset: String,
    /// The rating.
    pub rating: RatingView,
}

/// An entry in the matchmaking queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExportedWait {
    /// The id of the game in which the account has a seat.
    pub game: GameId,
    /// When the account joined the queue.
    pub since: RecordTime,
    /// The time from which the account agreed to play with bots; null if it did not agree.
    pub bots_at: Option<RecordTime>,
}

/// A request with an idempotency key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExportedRequest {
    /// The HTTP method.
    #[schema(min_length = 1, max_length = 16)]
    pub method: String,
    /// The path.
    #[schema(min_length = 1, max_length = 2048)]
    pub path: String,
    /// When the request was made.
    pub created_at: RecordTime,
}

/// A grant of a role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExportedGrant {
    /// The role that was granted.
    pub role: Role,
    /// The role before the grant.
    pub former_role: Role,
    /// The admin's account; null for the command line.
    pub granted_by: Option<AccountId>,
    /// When the role was granted.
    pub created_at: RecordTime,
}

/// The salt of the account's pseudonym in a game: the pseudonym is the SHA-256 of the salt and the account's id as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExportedPseudonym {
    /// The game's id.
    pub game: GameId,
    /// The salt.
    pub salt: Hex<32>,
}

/// A notice to the account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExportedNotice {
    /// The notice's id.
    #[schema(value_type = uuid::Uuid)]
    pub id: String,
    /// `webhook`, or the session of a push subscription.
    #[schema(min_length = 1, max_length = 36)]
    pub destination: String,
    /// What it is about.
    #[schema(value_type = NoticeKind)]
    pub kind: String,
    /// The game's id; null if it is about no game.
    pub game: Option<GameId>,
    /// When the notice became due.
    pub created_at: RecordTime,
    /// When it was sent, or given up; null while it waits.
    pub settled_at: Option<RecordTime>,
}

/// Where a browser takes pushes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExportedPushSubscription {
    /// The session's id.
    #[schema(value_type = uuid::Uuid)]
    pub session: String,
    /// The URL of the push service.
    #[schema(min_length = 9, max_length = 2000)]
    pub endpoint: String,
    /// When the browser subscribed.
    pub created_at: RecordTime,
}

struct Rows {
    sessions: Vec<sessions::SessionRow>,
    tokens: Vec<TokenTimes>,
    places: Vec<players::PlayerRow>,
    results: Vec<ResultRow>,
    break_offs: Vec<BreakOffRow>,
    ratings: Vec<RatingRow>,
    waiting: Option<WaitingRow>,
    requests: Vec<(String, String, i64)>,
    grants: Vec<role_grants::RoleGrant>,
    salts: Vec<(GameId, [u8; 32])>,
    identities: Vec<IdentityRow>,
    email: Option<EmailAddressRow>,
    changes: Vec<AccountChangeRow>,
    recovery_codes: i64,
    choices: Option<String>,
    notices: Vec<NotificationRow>,
    subscriptions: Vec<PushSubscription>,
}

fn read(conn: &mut Connection, account: &AccountId) -> Result<Rows, StoreError> {
    let own = std::slice::from_ref(account);
    Ok(Rows {
        identities: identities::of_account(conn, account)?,
        email: email_addresses::find(conn, account)?,
        changes: account_changes::of_account(conn, account, i64::MAX)?,
        recovery_codes: recovery_codes::count(conn, account)?,
        choices: notifications::choices(conn, own)?.pop().map(|(_, choices)| choices),
        notices: notifications::of_account(conn, account)?,
        subscriptions: push_subscriptions::of_accounts(conn, own)?,
        sessions: sessions::all_of_account(conn, account)?,
        tokens: refresh_tokens::times_of_account(conn, account)?,
        places: players::of_account(conn, account)?,
        results: results::of_account(conn, account)?,
        break_offs: break_offs::of_account(conn, account)?,
        ratings: ratings::of_account(conn, account)?,
        waiting: matchmaking::find(conn, account)?,
        requests: idempotency::of_account(conn, account)?,
        grants: role_grants::of_account(conn, account)?,
        salts: public_log::games::salts_of(conn, account)?,
    })
}

impl Accounts {
    pub async fn export(&self, caller: &Caller) -> Result<Export, AccountFailure> {
        let own = self.own_row(caller).await?;
        let account = Account::from_row(&own)?;
        let id = caller.account.clone();
        let rows = self.database.read(move |conn| read(conn, &id)).await?;
        let mut tokens: HashMap<String, Vec<ExportedToken>> = HashMap::new();
        for TokenTimes { session_id, issued_at, expires_at, used_at } in rows.tokens {
            tokens.entry(session_id).or_default().push(ExportedToken {
                issued_at: time(issued_at)?,
                expires_at: time(expires_at)?,
                used_at: used_at.map(time).transpose()?,
            });
        }
        let session = |row: sessions::SessionRow| {
            Ok(ExportedSession {
                refresh_tokens: tokens.remove(&row.id).unwrap_or_default(),
                id: row.id,
                device: row.device,
                created_at: time(row.created_at)?,
                last_used_at: time(row.last_used_at)?,
                ended_at: row.ended_at.map(time).transpose()?,
            })
        };
        let seat = |row: players::PlayerRow| ExportedSeat { game: row.game_id, place: row.place };
        let result = |row: ResultRow| {
            Ok(ExportedResult {
                game: row.game_id,
                ruleset: row.ruleset,
                seat: row.seat,
                rank: row.rank,
                total: row.total,
                rounds: row.rounds,
                rounds_made: row.rounds_made,
                forfeited: row.forfeited != 0,
                ended_at: time(row.ended_at)?,
            })
        };
        let break_off = |row: BreakOffRow| {
            let BreakOffRow { game_id: game, seq, kind, at, .. } = row;
            Ok(ExportedBreakOff { game, seq, kind, at: time(at)? })
        };
        let rating = |row: RatingRow| ExportedRating {
            rating: RatingView::of(Rating { mean: row.mean, deviation: row.deviation }, row.games),
            ruleset: row.ruleset,
        };
        let waiting = |row: WaitingRow| {
            Ok::<_, AccountFailure>(ExportedWait {
                game: row.game_id,
                since: time(row.since)?,
                bots_at: row.bots_at.map(time).transpose()?,
            })
        };
        let request = |(method, path, at)| Ok(ExportedRequest { method, path, created_at: time(at)? });
        let grant = |grant: role_grants::RoleGrant| {
            Ok(ExportedGrant {
                role: role_named(&grant.role)?,
                former_role: role_named(&grant.former_role)?,
                granted_by: grant.granted_by,
                created_at: time(grant.created_at)?,
            })
        };
        let pseudonym = |(game, salt)| ExportedPseudonym { game, salt: Hex(salt) };
        let notice = |row: NotificationRow| {
            Ok(ExportedNotice {
                id: row.id,
                destination: row.destination,
                kind: row.kind,
                game: row.game_id,
                created_at: time(row.created_at)?,
                settled_at: row.settled_at.map(time).transpose()?,
            })
        };
        let subscription = |row: PushSubscription| {
            let PushSubscription { session_id: session, endpoint, created_at, .. } = row;
            Ok(ExportedPushSubscription { session, endpoint, created_at: time(created_at)? })
        };
        let identity = |row: IdentityRow| {
            Ok(ExportedIdentity {
                id: row.id,
                issuer: row.issuer,
                subject: row.subject,
                audience: row.audience,
                revocable: row.grant_token.is_some(),
                linked_at: time(row.linked_at)?,
            })
        };
        let email = |row: EmailAddressRow| {
            let EmailAddressRow { address, verified_at, .. } = row;
            Ok::<_, AccountFailure>(ExportedEmail { address, verified_at: time(verified_at)? })
        };
        let change = |row| Ok(AccountChange::of(row, caller.session)?);
        let choices = rows.choices.map(|text| serde_json::from_str(&text)).transpose();
        Ok(Export {
            identities: rows.identities.into_iter().map(identity).collect::<Result<_, AccountFailure>>()?,
            email: rows.email.map(email).transpose()?,
            account_changes: rows.changes.into_iter().map(change).collect::<Result<_, AccountFailure>>()?,
            recovery_codes: rows.recovery_codes,
            notification_choices: choices.map_err(|error| Failure::Defect(error.to_string()))?,
            notifications: rows.notices.into_iter().map(notice).collect::<Result<_, AccountFailure>>()?,
            push_subscriptions: rows
                .subscriptions
                .into_iter()
                .map(subscription)
                .collect::<Result<_, AccountFailure>>()?,
            exported_at: RecordTime::of(self.clock.now(), None),
            account,
            stored_display_name: own.display_name.as_stored().to_owned(),
            password_changes: own.password_changes,
            sessions: rows.sessions.into_iter().map(session).collect::<Result<_, AccountFailure>>()?,
            games: rows.places.into_iter().map(seat).collect(),
            results: rows.results.into_iter().map(result).collect::<Result<_, AccountFailure>>()?,
            broken_off: rows.break_offs.into_iter().map(break_off).collect::<Result<_, AccountFailure>>()?,
            ratings: rows.ratings.into_iter().map(rating).collect(),
            matchmaking: rows.waiting.map(waiting).transpose()?,
            requests: rows.requests.into_iter().map(request).collect::<Result<_, AccountFailure>>()?,
            roles: rows.grants.into_iter().map(grant).collect::<Result<_, AccountFailure>>()?,
            pseudonyms: rows.salts.into_iter().map(pseudonym).collect(),
        })
    }
}

fn time(milliseconds: i64) -> Result<RecordTime, AccountFailure> {
    Ok(RecordTime::from_milliseconds(milliseconds)?)
}
