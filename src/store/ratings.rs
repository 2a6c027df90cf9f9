//! Ratings by account and ruleset, in millionths of a point. How they are computed is for others to know.

use diesel::prelude::*;

use super::connection::Connection;
use super::error::StoreError;
use super::schema::ratings;

/// How strong an account is in a ruleset, in millionths of a point.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = ratings)]
pub struct RatingRow {
    /// The account.
    pub account_id: String,
    /// The ruleset's id.
    pub ruleset: String,
    /// The estimate of its strength.
    pub mean: i64,
    /// How uncertain that is.
    pub deviation: i64,
    /// What it is ranked by.
    pub ordinal: i64,
    /// How many rated games it has played.
    pub games: i64,
}

/// Where a page of a leaderboard begins: behind this row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Behind {
    /// Its ordinal.
    pub ordinal: i64,
    /// Its account.
    pub account: String,
}

/// The rating of an account in a ruleset, if it has one.
///
/// # Errors
/// What reading met.
pub fn find(conn: &mut Connection, account: &str, ruleset: &str) -> Result<Option<RatingRow>, StoreError> {
    let query = ratings::table.find((account, ruleset)).select(RatingRow::as_select());
    Ok(query.first(conn).optional()?)
}

/// The ratings of an account, by ruleset.
///
/// # Errors
/// What reading met.
pub fn of_account(conn: &mut Connection, account: &str) -> Result<Vec<RatingRow>, StoreError> {
    let query = ratings::table
        .filter(ratings::account_id.eq(account))
        .order(ratings::ruleset)
        .select(RatingRow::as_select());
    Ok(query.load(conn)?)
}

/// Keeps a rating in place of the one before.
///
/// # Errors
/// What writing met.
pub fn save(conn: &mut Connection, rating: &RatingRow) -> Result<(), StoreError> {
    diesel::delete(ratings::table.find((&rating.account_id, &rating.ruleset))).execute(conn)?;
    diesel::insert_into(ratings::table).values(rating).execute(conn)?;
    Ok(())
}

/// One page of a ruleset's leaderboard, best first: accounts with so many rated games at least.
///
/// # Errors
/// What reading met.
pub fn leaderboard(
    conn: &mut Connection,
    ruleset: &str,
    games: i64,
    behind: Option<&Behind>,
    limit: i64,
) -> Result<Vec<RatingRow>, StoreError> {
    let mut query = ratings::table
        .filter(ratings::ruleset.eq(ruleset))
        .filter(ratings::games.ge(games))
        .order((ratings::ordinal.desc(), ratings::account_id))
        .limit(limit)
        .select(RatingRow::as_select())
        .into_boxed();
    if let Some(Behind { ordinal, account }) = behind {
        let level = ratings::ordinal.eq(*ordinal).and(ratings::account_id.gt(account));
        query = query.filter(ratings::ordinal.lt(*ordinal).or(level));
    }
    Ok(query.load(conn)?)
}
