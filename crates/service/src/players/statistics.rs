//! A player's statistics: results by ruleset, and break-offs.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

use super::Players;
use super::rating::{Rating, RatingView};
use crate::auth::caller::Caller;
use crate::base::failure::Failure;
use crate::games::view::PersonView;
use estimation_engine::break_off::BreakOffKind;
use estimation_engine::choice::Choice;
use estimation_engine::player::AccountId;
use estimation_engine::ruleset::RulesetId;
use estimation_store::{Connection, StoreError, break_offs, ratings, results};

/// The statistics of a player.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PlayerStatistics {
    /// The player.
    pub player: PersonView,
    /// The statistics, one entry for each ruleset with a finished game.
    #[schema(max_items = 100)]
    pub rulesets: Vec<RulesetStatistics>,
    /// What the player broke off, in all rulesets.
    pub broken_off: BrokenOff,
}

/// How often a player broke off what others waited for, or a game that they had looked at. Private tables and games with
/// bots count too. Zeros for a deleted account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct BrokenOff {
    /// The number of tables that the player cancelled as their host while another person had a seat.
    #[schema(minimum = 0, maximum = 9_007_199_254_740_991_u64, example = 2)]
    pub tables_cancelled: i64,
    /// The number of openings of client seeds in which the player did not open a seed to which they had committed, or left
    /// after a seed was opened.
    #[schema(minimum = 0, maximum = 9_007_199_254_740_991_u64, example = 0)]
    pub openings_missed: i64,
    /// The number of games that the player left after the first deal, or let expire when it was their turn. Those that
    /// were played to their end are also among the `forfeits`.
    #[schema(minimum = 0, maximum = 9_007_199_254_740_991_u64, example = 1)]
    pub games_left: i64,
}

impl BrokenOff {
    pub(super) fn of(conn: &mut Connection, account: &AccountId) -> Result<BrokenOff, StoreError> {
        let mut broken_off = BrokenOff::default();
        for (kind, count) in break_offs::counts(conn, account)? {
            let figure = match BreakOffKind::from_name(&kind) {
                Some(BreakOffKind::TableCancelled) => &mut broken_off.tables_cancelled,
                Some(BreakOffKind::OpeningMissed) => &mut broken_off.openings_missed,
                Some(BreakOffKind::GameLeft) => &mut broken_off.games_left,
                None => continue,
            };
            *figure = count;
        }
        Ok(broken_off)
    }
}

/// The statistics of a player in a ruleset. Finished games count, with or without bots; abandoned games do
/// not.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RulesetStatistics {
    /// The ruleset's id.
    pub ruleset: RulesetId,
    /// The number of finished games.
    #[schema(minimum = 1, maximum = 9_007_199_254_740_991_u64, example = 42)]
    pub games: i64,
    /// The number of games won, alone or tied.
    #[schema(minimum = 0, maximum = 9_007_199_254_740_991_u64, example = 13)]
    pub wins: i64,
    /// The number of games that the player forfeited. The numbers below exclude these games.
    #[schema(minimum = 0, maximum = 9_007_199_254_740_991_u64, example = 1)]
    pub forfeits: i64,
    /// The number of rounds played. A round without a bid is not counted.
    #[schema(minimum = 0, maximum = 9_007_199_254_740_991_u64, example = 738)]
    pub rounds: i64,
    /// The number of rounds in which the player took exactly as many tricks as called.
    #[schema(minimum = 0, maximum = 9_007_199_254_740_991_u64, example = 352)]
    pub rounds_made: i64,
    /// The average final total of the games that were not forfeited; null if there is no such game.
    #[schema(minimum = -2147483648.0, maximum = 2147483647.0, example = 87.5)]
    pub average_points: Option<f64>,
    /// The rating; null without a rated game.
    pub rating: Option<RatingView>,
}

impl RulesetStatistics {
    fn none_of(ruleset: RulesetId) -> RulesetStatistics {
        RulesetStatistics {
            ruleset,
            games: 0,
            wins: 0,
            forfeits: 0,
            rounds: 0,
            rounds_made: 0,
            average_points: None,
            rating: None,
        }
    }
}

impl Players {
    /// Empty for a deleted account.
    pub async fn statistics(&self, caller: &Caller, id: &AccountId) -> Result<PlayerStatistics, Failure> {
        let profile = self.profile(caller, id).await?;
        let account = id.clone();
        let read = self.database.read(move |conn| {
            let (sums, ratings) =
                (results::sums_of_account(conn, &account)?, ratings::of_account(conn, &account)?);
            Ok((sums, ratings, BrokenOff::of(conn, &account)?))
        });
        let (sums, ratings, broken_off) = read.await?;
        let mut rulesets: BTreeMap<RulesetId, (RulesetStatistics, i64)> = BTreeMap::new();
        for sum in sums {
            let ruleset = sum.ruleset.parse()?;
            let (figures, points) =
                rulesets.entry(ruleset).or_insert_with(|| (RulesetStatistics::none_of(ruleset), 0));
            figures.games += sum.games;
            if sum.forfeited {
                figures.forfeits += sum.games;
                continue;
            }
            if sum.rank == 1 {
                figures.wins += sum.games;
            }
            figures.rounds += sum.rounds.unwrap_or(0);
            figures.rounds_made += sum.rounds_made.unwrap_or(0);
            *points += sum.total.unwrap_or(0);
        }
        for row in ratings {
            if let Some((figures, _)) = rulesets.get_mut(&row.ruleset.parse()?) {
                let rating = Rating { mean: row.mean, deviation: row.deviation };
                figures.rating = Some(RatingView::of(rating, row.games));
            }
        }
        let rulesets = rulesets.into_values().map(|(mut figures, points)| {
            let ended = figures.games - figures.forfeits;
            let average = |ended: i64| (points as f64 / ended as f64 * 100.0).round() / 100.0;
            figures.average_points = Some(ended).filter(|&ended| ended > 0).map(average);
            figures
        });
        let player = PersonView { id: profile.id, name: profile.display_name.as_str().into() };
        Ok(PlayerStatistics { player, rulesets: rulesets.collect(), broken_off })
    }
}
