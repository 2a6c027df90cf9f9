//! Looks at games by an auditor's right: who, at which game, how far, when. Never changed.

use diesel::dsl::exists;
use diesel::prelude::*;

use super::connection::Connection;
use super::error::StoreError;
use super::hash;
use super::schema::looks;

/// A look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// Newer looks have greater positions.
    pub position: i64,
    /// Who looked.
    pub account: String,
    /// At which game.
    pub game: String,
    /// Up to which event.
    pub version: u64,
    /// When, in milliseconds since 1970 in UTC.
    pub looked_at: i64,
}

/// Records a look.
///
/// # Errors
/// What writing met.
pub fn record(
    conn: &mut Connection,
    account: &str,
    game: &str,
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

/// Whether an account has looked at a game.
///
/// # Errors
/// What reading met.
pub fn has_looked(conn: &mut Connection, account: &str, game: &str) -> Result<bool, StoreError> {
    let looked = looks::table.filter(looks::game_id.eq(game)).filter(looks::account_id.eq(account));
    Ok(diesel::select(exists(looked)).get_result(conn)?)
}

/// Looks at a game, or at all games, before a position (none: from the newest), newest first, at most `limit`.
///
/// # Errors
/// What reading met.
pub fn before(
    conn: &mut Connection,
    game: Option<&str>,
    position: Option<i64>,
    limit: i64,
) -> Result<Vec<Look>, StoreError> {
    let mut query = looks::table.order(looks::position.desc()).limit(limit).into_boxed();
    if let Some(game) = game {
        query = query.filter(looks::game_id.eq(game.to_owned()));
    }
    if let Some(position) = position {
        query = query.filter(looks::position.lt(position));
    }
    let rows: Vec<(i64, String, String, i64, i64)> = query.load(conn)?;
    rows.into_iter()
        .map(|(position, account, game, version, looked_at)| {
            Ok(Look { position, account, game, version: hash::from_stored(version)?, looked_at })
        })
        .collect()
}
