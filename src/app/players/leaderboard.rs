//! Leaderboards: who is strongest in a ruleset.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use super::Players;
use super::rating::{Rating, RatingView};
use crate::app::cursor::ListTag;
use crate::app::failure::Failure;
use crate::app::games::view::PersonView;
use crate::engine::player::AccountId;
use crate::engine::ruleset::RulesetId;
use crate::store::ratings::{self, Cursor};

/// Who has fewer rated games in a ruleset is not on its leaderboard: chance has too much of a say.
pub const LEADERBOARD_GAMES: i64 = 10;

/// A page of a leaderboard, best first.
#[derive(Clone, Debug, Serialize)]
pub struct LeaderboardPage {
    pub items: Vec<RankedPlayer>,
    /// What to give as `cursor` for the next page; none on the last.
    pub next_cursor: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct RankedPlayer {
    /// The rank, from 1; those level share it.
    pub rank: u64,
    pub player: PersonView,
    pub rating: RatingView,
}

/// Where a page begins. It carries the rank along, so that a page costs the same wherever it is.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LeaderboardCursor {
    /// How many players are on the pages before.
    shown: u64,
    /// The rank of the last of them.
    rank: u64,
    behind: Cursor,
}

/// A text that is no place on a leaderboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("that is no place on a leaderboard")]
struct NoSuchPlace;

impl fmt::Display for LeaderboardCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}.{}", self.shown, self.rank, self.behind.ordinal, self.behind.account)
    }
}

impl FromStr for LeaderboardCursor {
    type Err = NoSuchPlace;

    fn from_str(text: &str) -> Result<LeaderboardCursor, NoSuchPlace> {
        let mut parts = text.splitn(4, '.');
        let mut part = || parts.next().ok_or(NoSuchPlace);
        let small = |text: &str| text.parse::<u32>().map(u64::from).map_err(|_| NoSuchPlace);
        let (shown, rank) = (small(part()?)?, small(part()?)?);
        let ordinal = part()?.parse().map_err(|_| NoSuchPlace)?;
        let account: uuid::Uuid = part()?.parse().map_err(|_| NoSuchPlace)?;
        Ok(LeaderboardCursor { shown, rank, behind: Cursor { ordinal, account: account.to_string() } })
    }
}

impl Players {
    /// A page of a ruleset's leaderboard.
    pub async fn leaderboard(
        &self,
        ruleset: &str,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<LeaderboardPage, Failure> {
        let ruleset: RulesetId = ruleset.parse().map_err(|_| Failure::NotFound { what: "ruleset" })?;
        let tag = ListTag::of(&["leaderboard", ruleset.as_str()]);
        let cursor: Option<LeaderboardCursor> = tag.position(cursor)?;
        let behind = cursor.as_ref().map(|cursor| cursor.behind.clone());
        // One more than is shown tells whether another page follows.
        let asked = limit as i64 + 1;
        let read = self.database.read(move |conn| {
            ratings::leaderboard(conn, ruleset.as_str(), LEADERBOARD_GAMES, behind.as_ref(), asked)
        });
        let mut rows = read.await?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        let accounts: Vec<AccountId> = rows.iter().map(|row| AccountId::new(&*row.account_id)).collect();
        let names = self.names.names_of(&accounts).await?;
        let mut at = cursor;
        let mut items = Vec::with_capacity(rows.len());
        for (row, account) in rows.into_iter().zip(accounts) {
            let shown = at.as_ref().map_or(0, |last| last.shown);
            let level = at.as_ref().filter(|last| last.behind.ordinal == row.ordinal);
            let rank = level.map_or(shown + 1, |last| last.rank);
            items.push(RankedPlayer {
                rank,
                player: PersonView { name: names.of(&account), id: account },
                rating: RatingView::of(Rating { mean: row.mean, deviation: row.deviation }, row.games),
            });
            let behind = Cursor { ordinal: row.ordinal, account: row.account_id };
            at = Some(LeaderboardCursor { shown: shown + 1, rank, behind });
        }
        let next_cursor = at.filter(|_| more).map(|at| tag.cursor(at));
        Ok(LeaderboardPage { items, next_cursor })
    }
}
