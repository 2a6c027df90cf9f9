//! Ratings by account and ruleset, in millionths of a point. Other modules compute them.

use diesel::prelude::*;

use super::schema::ratings;
use super::{AccountId, Connection, Result};

/// The rating of an account in a ruleset, in millionths of a point.
#[derive(Debug, Clone, PartialEq, Eq, HasQuery, Insertable)]
#[diesel(table_name = ratings)]
pub struct RatingRow {
    pub account_id: AccountId,
    pub ruleset: String,
    /// The estimated strength.
    pub mean: i64,
    /// The uncertainty of `mean`.
    pub deviation: i64,
    /// The value for ranking.
    pub ordinal: i64,
    /// The number of rated games.
    pub games: i64,
}

/// The last row of the previous page of a leaderboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    pub ordinal: i64,
    pub account: AccountId,
}

pub fn find(conn: &mut Connection, account: &AccountId, ruleset: &str) -> Result<Option<RatingRow>> {
    let query = ratings::table.find((account, ruleset)).select(RatingRow::as_select());
    Ok(query.first(conn).optional()?)
}

/// The ratings of an account, by ruleset.
pub fn of_account(conn: &mut Connection, account: &AccountId) -> Result<Vec<RatingRow>> {
    let query = RatingRow::query().filter(ratings::account_id.eq(account)).order(ratings::ruleset);
    Ok(query.load(conn)?)
}

/// Inserts or replaces a rating.
pub fn save(conn: &mut Connection, rating: &RatingRow) -> Result<()> {
    diesel::delete(ratings::table.find((&rating.account_id, &rating.ruleset))).execute(conn)?;
    diesel::insert_into(ratings::table).values(rating).execute(conn)?;
    Ok(())
}

/// One page of a ruleset's leaderboard, best first, of accounts with at least `games` rated games.
pub fn leaderboard(
    conn: &mut Connection,
    ruleset: &str,
    games: i64,
    behind: Option<&Cursor>,
    limit: i64,
) -> Result<Vec<RatingRow>> {
    let mut query = RatingRow::query()
        .filter(ratings::ruleset.eq(ruleset))
        .filter(ratings::games.ge(games))
        .order((ratings::ordinal.desc(), ratings::account_id))
        .limit(limit)
        .into_boxed();
    if let Some(Cursor { ordinal, account }) = behind {
        let level = ratings::ordinal.eq(*ordinal).and(ratings::account_id.gt(account));
        query = query.filter(ratings::ordinal.lt(*ordinal).or(level));
    }
    Ok(query.load(conn)?)
}

/// Ratings by account and ruleset, after one of them, at most `limit`.
pub fn after(conn: &mut Connection, (account, ruleset): (&str, &str), limit: i64) -> Result<Vec<RatingRow>> {
    let query = RatingRow::query()
        .filter(ratings::account_id.ge(account))
        .filter(ratings::account_id.gt(account).or(ratings::ruleset.gt(ruleset)))
        .order((ratings::account_id, ratings::ruleset))
        .limit(limit);
    Ok(query.load(conn)?)
}
