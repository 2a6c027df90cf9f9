//! A player's statistics, by ruleset.

use std::collections::BTreeMap;

use serde::Serialize;
use uuid::Uuid;

use super::Players;
use super::rating::{Rating, RatingView};
use crate::app::failure::Failure;
use crate::app::games::view::PersonView;
use crate::engine::player::AccountId;
use crate::engine::ruleset::RulesetId;
use crate::store::{ratings, results};

#[derive(Clone, Debug, Serialize)]
pub struct PlayerStatistics {
    pub player: PersonView,
    /// One entry per ruleset with a finished game.
    pub rulesets: Vec<RulesetStatistics>,
}

/// Statistics in one ruleset. Finished games count, with or without bots; abandoned ones do not.
#[derive(Clone, Debug, Serialize)]
pub struct RulesetStatistics {
    pub ruleset: RulesetId,
    pub games: i64,
    /// Games won, alone or tied.
    pub wins: i64,
    /// Games the player forfeited. The statistics below exclude them.
    pub forfeits: i64,
    /// Rounds played, excluding folded ones.
    pub rounds: i64,
    /// Rounds in which the player took exactly as many tricks as called.
    pub rounds_made: i64,
    /// The average final total of games not forfeited; `None` without one.
    pub average_points: Option<f64>,
    /// `None` without a rated game.
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
    pub async fn statistics(&self, id: Uuid) -> Result<PlayerStatistics, Failure> {
        let profile = self.profile(id).await?;
        let account = id.to_string();
        let read = self.database.read(move |conn| {
            Ok((results::sums_of_account(conn, &account)?, ratings::of_account(conn, &account)?))
        });
        let (sums, ratings) = read.await?;
        let mut rulesets: BTreeMap<RulesetId, (RulesetStatistics, i64)> = BTreeMap::new();
        for sum in sums {
            let ruleset = sum.ruleset.parse()?;
            let (figures, points) =
                rulesets.entry(ruleset).or_insert_with(|| (RulesetStatistics::none_of(ruleset), 0));
            figures.games += sum.games;
            if sum.forfeited != 0 {
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
        let player =
            PersonView { id: AccountId::new(id.to_string()), name: profile.display_name.as_str().into() };
        Ok(PlayerStatistics { player, rulesets: rulesets.collect() })
    }
}
