//! The auditor access log: who read which game, up to which event, and when. Entries never change.

use diesel::dsl::exists;
use diesel::prelude::*;

use super::schema::looks;
use super::{Connection, GameId, StoreError, hash};
use crate::engine::player::AccountId;

/// An entry of the access log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// Newer entries have greater positions.
    pub position: i64,
    /// The auditor's account id.
    pub account: AccountId,
    pub game: GameId,
    /// The last event that was shown.
    pub version: u64,
    /// Milliseconds since 1970 in UTC.
    pub looked_at: i64,
}

pub fn record(
    conn: &mut Connection,
    account: &AccountId,
    game: GameId,
    version: u64,
    looked_at: i64,
) -> Result<(), StoreError> {
    diesel::insert_into(looks::table)
        .values((
            looks::account_id.eq(account),
            looks::game_id.eq(game),
            looks::version.eq(hash::to_stored(version)?),
            looks::looked_at.eq(looked_at),
        ))
        .execute(conn)?;
    Ok(())
}

/// Whether an account has accessed a game.
pub fn has_accessed(conn: &mut Connection, account: &AccountId, game: GameId) -> Result<bool, StoreError> {
    let looked = looks::table.filter(looks::game_id.eq(game)).filter(looks::account_id.eq(account));
    Ok(diesel::select(exists(looked)).get_result(conn)?)
}

/// The entries for one game or all games before a position (`None`: from the newest), newest first, at most
/// `limit`.
pub fn before(
    conn: &mut Connection,
    game: Option<GameId>,
    position: Option<i64>,
    limit: i64,
) -> Result<Vec<Look>, StoreError> {
    let mut query = looks::table.order(looks::position.desc()).limit(limit).into_boxed();
    if let Some(game) = game {
        query = query.filter(looks::game_id.eq(game));
    }
    if let Some(position) = position {
        query = query.filter(looks::position.lt(position));
    }
    let rows: Vec<(i64, AccountId, GameId, i64, i64)> = query.load(conn)?;
    rows.into_iter()
        .map(|(position, account, game, version, looked_at)| {
            Ok(Look { position, account, game, version: hash::from_stored(version)?, looked_at })
        })
        .collect()
}
