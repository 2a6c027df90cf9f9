//! Ratings by the method of Weng and Lin for several players (the Bradley-Terry model with full pairs,
//! Journal of Machine Learning Research 12, 2011).
//!
//! Ratings are stored in millionths of a point, rounded after every game. So counting the same games in the
//! same order gives the same numbers.

use serde::Serialize;
use skillratings::MultiTeamOutcome;
use skillratings::weng_lin::{WengLinConfig, WengLinRating, weng_lin_multi_team};
use utoipa::ToSchema;

/// Millionths per point.
const MILLION: f64 = 1_000_000.0;

/// In millionths of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rating {
    pub mean: i64,
    /// The uncertainty: one standard deviation.
    pub deviation: i64,
}

impl Rating {
    /// The initial rating: 25, with a deviation of 25/3.
    pub const NEW: Rating = Rating { mean: 25_000_000, deviation: 8_333_333 };

    /// The ranking value: the mean minus three deviations.
    pub const fn ordinal(self) -> i64 {
        self.mean - 3 * self.deviation
    }
}

/// The rating of a player in a ruleset, in points. It starts at a mean of 25 with a deviation of 8.333.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = Rating)]
pub struct RatingView {
    /// The ranking value: the mean minus three deviations.
    #[schema(minimum = -1000000.0, maximum = 1000000.0, example = 15.72)]
    pub ordinal: f64,
    /// The estimated strength.
    #[schema(minimum = -1000000.0, maximum = 1000000.0, example = 28.41)]
    pub mean: f64,
    /// The uncertainty: one standard deviation.
    #[schema(minimum = 0.0, maximum = 1000.0, example = 4.23)]
    pub deviation: f64,
    /// The number of rated games.
    #[schema(minimum = 1, maximum = 9_007_199_254_740_991_u64, example = 31)]
    pub games: i64,
}

impl RatingView {
    pub fn of(rating: Rating, games: i64) -> RatingView {
        let points = |millionths: i64| (millionths as f64 / 1_000.0).round() / 1_000.0;
        RatingView {
            ordinal: points(rating.ordinal()),
            mean: points(rating.mean),
            deviation: points(rating.deviation),
            games,
        }
    }
}

/// The ratings after a game, from the ratings before it and the ranks, from 1.
pub fn rated(before: &[(Rating, u8)]) -> Vec<Rating> {
    let teams: Vec<[WengLinRating; 1]> = before.iter().map(|(rating, _)| [in_points(*rating)]).collect();
    let ranked: Vec<(&[WengLinRating], MultiTeamOutcome)> = teams
        .iter()
        .zip(before)
        .map(|(team, &(_, rank))| (&team[..], MultiTeamOutcome::new(rank.into())))
        .collect();
    let after = weng_lin_multi_team(&ranked, &WengLinConfig::new());
    after.into_iter().flatten().map(in_millionths).collect()
}

fn in_points(rating: Rating) -> WengLinRating {
    WengLinRating { rating: rating.mean as f64 / MILLION, uncertainty: rating.deviation as f64 / MILLION }
}

fn in_millionths(rating: WengLinRating) -> Rating {
    Rating {
        mean: (rating.rating * MILLION).round() as i64,
        deviation: ((rating.uncertainty * MILLION).round() as i64).max(1),
    }
}
