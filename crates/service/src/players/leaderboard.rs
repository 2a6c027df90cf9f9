//! Leaderboards: the strongest players of a ruleset.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use utoipa::ToSchema;

use super::Players;
use super::rating::{Rating, RatingView};
use crate::auth::caller::Caller;
use crate::base::cursor::ListTag;
use crate::base::failure::Failure;
use crate::games::view::PersonView;
use estimation_engine::player::AccountId;
use estimation_engine::ruleset::RulesetId;
use estimation_store::ratings::{self, Cursor};
use estimation_store::relations;

/// Rated games required for the leaderboard; with fewer, chance dominates.
pub const LEADERBOARD_GAMES: i64 = 10;

/// A page of a leaderboard, best players first.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct LeaderboardPage {
    /// The players.
    #[schema(max_items = 100)]
    pub items: Vec<RankedPlayer>,
    /// The `cursor` of the next page; null on the last page.
    #[schema(min_length = 1, max_length = 512)]
    pub next_cursor: Option<String>,
}

/// A player on a leaderboard.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RankedPlayer {
    /// The rank, from 1; equal players share a rank.
    #[schema(minimum = 1, maximum = 9_007_199_254_740_991_u64, example = 1)]
    pub rank: u64,
    /// The player; null if there is a block between you.
    pub player: Option<PersonView>,
    /// The player's rating.
    pub rating: RatingView,
}

/// The position of a page. It includes the rank, so that every page costs the same.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LeaderboardCursor {
    /// Players on the previous pages.
    preceding: u64,
    /// The rank of the last of them.
    rank: u64,
    behind: Cursor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("that is no place on a leaderboard")]
struct NoSuchPlace;

impl fmt::Display for LeaderboardCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}.{}", self.preceding, self.rank, self.behind.ordinal, self.behind.account)
    }
}

impl FromStr for LeaderboardCursor {
    type Err = NoSuchPlace;

    fn from_str(text: &str) -> Result<LeaderboardCursor, NoSuchPlace> {
        let mut parts = text.splitn(4, '.');
        let mut part = || parts.next().ok_or(NoSuchPlace);
        let small = |text: &str| text.parse::<u32>().map(u64::from).map_err(|_| NoSuchPlace);
        let (preceding, rank) = (small(part()?)?, small(part()?)?);
        let ordinal = part()?.parse().map_err(|_| NoSuchPlace)?;
        let account: uuid::Uuid = part()?.parse().map_err(|_| NoSuchPlace)?;
        Ok(LeaderboardCursor {
            preceding,
            rank,
            behind: Cursor { ordinal, account: AccountId::new(account) },
        })
    }
}

impl Players {
    pub async fn leaderboard(
        &self,
        caller: &Caller,
        ruleset: &str,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<LeaderboardPage, Failure> {
        let ruleset: RulesetId = ruleset.parse().map_err(|_| Failure::NotFound { what: "ruleset" })?;
        let tag = ListTag::of(&["leaderboard", ruleset.as_str()]);
        let cursor: Option<LeaderboardCursor> = tag.position(cursor)?;
        let behind = cursor.as_ref().map(|cursor| cursor.behind.clone());
        // One extra row shows whether another page follows.
        let (asked, viewer) = (limit as i64 + 1, caller.account.clone());
        let read = self.database.read(move |conn| {
            let rows =
                ratings::leaderboard(conn, ruleset.as_str(), LEADERBOARD_GAMES, behind.as_ref(), asked)?;
            Ok((rows, relations::blocked_with(conn, &viewer)?))
        });
        let (mut rows, blocked) = read.await?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        let names = self.names.names_of(rows.iter().map(|row| &row.account_id)).await?;
        let mut at = cursor;
        let mut items = Vec::with_capacity(rows.len());
        for row in rows {
            let preceding = at.as_ref().map_or(0, |last| last.preceding);
            let level = at.as_ref().filter(|last| last.behind.ordinal == row.ordinal);
            let rank = level.map_or(preceding + 1, |last| last.rank);
            items.push(RankedPlayer {
                rank,
                player: (!blocked.contains(&row.account_id))
                    .then(|| PersonView { name: names.of(&row.account_id), id: row.account_id.clone() }),
                rating: RatingView::of(Rating { mean: row.mean, deviation: row.deviation }, row.games),
            });
            let behind = Cursor { ordinal: row.ordinal, account: row.account_id };
            at = Some(LeaderboardCursor { preceding: preceding + 1, rank, behind });
        }
        let next_cursor = at.filter(|_| more).map(|at| tag.cursor(at));
        Ok(LeaderboardPage { items, next_cursor })
    }
}
