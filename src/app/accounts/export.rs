//! Export of all data held about an account, for its owner.

use std::collections::HashMap;

use serde::Serialize;

use super::{Account, Accounts};
use crate::app::failure::Failure;
use crate::app::players::rating::{Rating, RatingView};
use crate::auth::caller::Caller;
use crate::store::matchmaking::WaitingRow;
use crate::store::ratings::RatingRow;
use crate::store::refresh_tokens::TokenTimes;
use crate::store::results::ResultRow;
use crate::store::{
    Connection, GameId, StoreError, idempotency, matchmaking, players, ratings, refresh_tokens, results,
    role_grants, sessions,
};
use estimation_record::RecordTime;

/// All data held about an account. Moves are in the games' records, which name accounts by id.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Export {
    pub exported_at: RecordTime,
    pub account: Account,
    /// The stored display name, which may predate the name rule.
    pub stored_display_name: String,
    pub password_changes: i32,
    /// Includes ended sessions, oldest first.
    pub sessions: Vec<ExportedSession>,
    pub games: Vec<ExportedSeat>,
    /// Results of finished games, oldest first.
    pub results: Vec<ExportedResult>,
    pub ratings: Vec<ExportedRating>,
    /// The matchmaking queue entry, open or seated.
    pub matchmaking: Option<ExportedWait>,
    /// Requests with idempotency keys in the last 24 hours.
    pub requests: Vec<ExportedRequest>,
    pub roles: Vec<ExportedGrant>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExportedSession {
    pub id: String,
    pub device: Option<String>,
    pub created_at: RecordTime,
    pub last_used_at: RecordTime,
    pub ended_at: Option<RecordTime>,
    /// Refresh tokens; only their times are exported.
    pub refresh_tokens: Vec<ExportedToken>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExportedToken {
    pub issued_at: RecordTime,
    pub expires_at: RecordTime,
    pub used_at: Option<RecordTime>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExportedSeat {
    pub game: GameId,
    /// The lobby slot, numbered in joining order.
    pub place: i32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExportedResult {
    pub game: GameId,
    pub ruleset: String,
    pub seat: i32,
    /// From 1.
    pub rank: i32,
    pub total: i32,
    pub rounds: i32,
    /// Rounds in which the player took exactly the tricks they called.
    pub rounds_made: i32,
    pub forfeited: bool,
    pub ended_at: RecordTime,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExportedRating {
    pub ruleset: String,
    pub rating: RatingView,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExportedWait {
    pub game: GameId,
    pub since: RecordTime,
    /// When the account agreed to play with bots; `None` if it did not.
    pub bots_at: Option<RecordTime>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExportedRequest {
    pub method: String,
    pub path: String,
    pub created_at: RecordTime,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExportedGrant {
    /// The role granted.
    pub role: String,
    pub former_role: String,
    /// The admin's account; null for the command line.
    pub granted_by: Option<String>,
    pub created_at: RecordTime,
}

struct Rows {
    sessions: Vec<sessions::SessionRow>,
    tokens: Vec<TokenTimes>,
    places: Vec<players::PlayerRow>,
    results: Vec<ResultRow>,
    ratings: Vec<RatingRow>,
    waiting: Option<WaitingRow>,
    requests: Vec<(String, String, i64)>,
    grants: Vec<role_grants::RoleGrant>,
}

fn read(conn: &mut Connection, account: &str) -> Result<Rows, StoreError> {
    Ok(Rows {
        sessions: sessions::all_of_account(conn, account)?,
        tokens: refresh_tokens::times_of_account(conn, account)?,
        places: players::of_account(conn, account)?,
        results: results::of_account(conn, account)?,
        ratings: ratings::of_account(conn, account)?,
        waiting: matchmaking::find(conn, account)?,
        requests: idempotency::of_account(conn, account)?,
        grants: role_grants::of_account(conn, account)?,
    })
}

impl Accounts {
    pub async fn export(&self, caller: &Caller) -> Result<Export, Failure> {
        let own = self.own_row(caller).await?;
        let account = Account::from_row(&own)?;
        let id = caller.account.to_string();
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
        let rating = |row: RatingRow| ExportedRating {
            rating: RatingView::of(Rating { mean: row.mean, deviation: row.deviation }, row.games),
            ruleset: row.ruleset,
        };
        let waiting = |row: WaitingRow| {
            Ok::<_, Failure>(ExportedWait {
                game: row.game_id,
                since: time(row.since)?,
                bots_at: row.bots_at.map(time).transpose()?,
            })
        };
        let request = |(method, path, at)| Ok(ExportedRequest { method, path, created_at: time(at)? });
        let grant = |grant: role_grants::RoleGrant| {
            Ok(ExportedGrant {
                role: grant.role,
                former_role: grant.former_role,
                granted_by: grant.granted_by,
                created_at: time(grant.created_at)?,
            })
        };
        Ok(Export {
            exported_at: RecordTime::of(self.clock.now(), None),
            account,
            stored_display_name: own.display_name.as_stored().to_owned(),
            password_changes: own.password_changes,
            sessions: rows.sessions.into_iter().map(session).collect::<Result<_, Failure>>()?,
            games: rows.places.into_iter().map(seat).collect(),
            results: rows.results.into_iter().map(result).collect::<Result<_, Failure>>()?,
            ratings: rows.ratings.into_iter().map(rating).collect(),
            matchmaking: rows.waiting.map(waiting).transpose()?,
            requests: rows.requests.into_iter().map(request).collect::<Result<_, Failure>>()?,
            roles: rows.grants.into_iter().map(grant).collect::<Result<_, Failure>>()?,
        })
    }
}

fn time(milliseconds: i64) -> Result<RecordTime, Failure> {
    Ok(RecordTime::from_milliseconds(milliseconds)?)
}
