//! The arena's report.

use serde::Serialize;

use crate::entrant::Entrant;
use crate::tally::{Estimate, Tally};

/// The result of a contest.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    pub ruleset: String,
    pub games: u64,
    /// The levels, the best first.
    pub levels: Vec<LevelReport>,
    /// The pairs of levels.
    pub pairs: Vec<PairReport>,
}

/// The result of one level.
#[derive(Clone, Debug, Serialize)]
pub struct LevelReport {
    pub level: Entrant,
    /// Games times seats.
    pub games: u64,
    /// The share of games that one seat of the level won.
    pub wins: Estimate,
    /// Points per game.
    pub points: Estimate,
    /// The share of rounds with a made call.
    pub made: Estimate,
}

/// How often one level ends ahead of another; a tie counts half.
#[derive(Clone, Debug, Serialize)]
pub struct PairReport {
    pub level: Entrant,
    pub against: Entrant,
    /// The share of games.
    pub ahead: Estimate,
}

impl Report {
    /// Makes the report of a tally.
    pub fn of(ruleset: &str, tally: &Tally) -> Report {
        let levels = tally.levels.iter().rev().map(|(&level, tally)| LevelReport {
            level,
            games: tally.games,
            wins: tally.wins.estimate(),
            points: tally.points.estimate(),
            made: tally.made.estimate(),
        });
        let better = tally.pairs.iter().rev().filter(|((level, against), _)| level > against);
        let pairs =
            better.map(|(&(level, against), ratio)| PairReport { level, against, ahead: ratio.estimate() });
        Report {
            ruleset: ruleset.to_owned(),
            games: tally.games,
            levels: levels.collect(),
            pairs: pairs.collect(),
        }
    }

    /// The report as a text table.
    pub fn text(&self) -> String {
        let mut text = format!("{}, {} games (± is 95 % confidence)\n", self.ruleset, self.games);
        text += &format!("{:<10}{:>8}{:>18}{:>20}{:>18}\n", "level", "games", "won", "points", "call made");
        for level in &self.levels {
            let (wins, made) = (percent(level.wins), percent(level.made));
            let points = plus_minus(level.points, 1.0, "");
            text +=
                &format!("{:<10}{:>8}{wins:>18}{points:>20}{made:>18}\n", level.level.name(), level.games);
        }
        for pair in &self.pairs {
            let (level, against) = (pair.level.name(), pair.against.name());
            text += &format!("{level} ends ahead of {against} in {}\n", percent(pair.ahead));
        }
        text
    }
}

fn percent(share: Estimate) -> String {
    plus_minus(share, 100.0, " %")
}

fn plus_minus(estimate: Estimate, scale: f64, unit: &str) -> String {
    let within = estimate.within.map_or("?".to_owned(), |within| format!("{:.1}", within * scale));
    format!("{:.1} ± {within}{unit}", estimate.mean * scale)
}
