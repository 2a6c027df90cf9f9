//! The arena's statistics: ratios with confidence intervals, by level and pair of levels.
//!
//! Games come in blocks: one deal of the whole game, played once for each rotation of the players. The games
//! of a block are correlated, so the blocks are the independent samples.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::entrant::Entrant;
use crate::game::Outcome;

/// The half-width of a 95 % confidence interval in standard errors.
const TWO_SIDED_95: f64 = 1.96;

/// A ratio of two sums over blocks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ratio {
    blocks: f64,
    above: f64,
    below: f64,
    above_squared: f64,
    product: f64,
    below_squared: f64,
}

/// A ratio with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    pub mean: f64,
    /// Half the width of the confidence interval; none with fewer than two blocks.
    pub within: Option<f64>,
}

impl Ratio {
    /// Adds a block.
    pub fn add(&mut self, above: f64, below: f64) {
        self.blocks += 1.0;
        self.above += above;
        self.below += below;
        self.above_squared += above * above;
        self.product += above * below;
        self.below_squared += below * below;
    }

    fn merge(&mut self, other: &Ratio) {
        self.blocks += other.blocks;
        self.above += other.above;
        self.below += other.below;
        self.above_squared += other.above_squared;
        self.product += other.product;
        self.below_squared += other.below_squared;
    }

    /// The ratio with its confidence interval, from the deviations of the blocks.
    pub fn estimate(&self) -> Estimate {
        let mean = if self.below > 0.0 { self.above / self.below } else { 0.0 };
        let squares = self.above_squared - 2.0 * mean * self.product + mean * mean * self.below_squared;
        let within = (self.blocks > 1.0 && self.below > 0.0).then(|| {
            let variance = squares.max(0.0) * self.blocks / (self.blocks - 1.0);
            TWO_SIDED_95 * variance.sqrt() / self.below
        });
        Estimate { mean, within }
    }
}

/// The sums of one level.
#[derive(Clone, Copy, Debug, Default)]
pub struct LevelTally {
    /// Games times seats.
    pub games: u64,
    /// Games won (a shared win in parts) per game.
    pub wins: Ratio,
    /// Points per game.
    pub points: Ratio,
    /// Rounds with a made call per round played.
    pub made: Ratio,
}

/// The sums of a contest.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub games: u64,
    pub levels: BTreeMap<Entrant, LevelTally>,
    /// By pair of levels: how often the first ends ahead of the second; a tie counts half.
    pub pairs: BTreeMap<(Entrant, Entrant), Ratio>,
}

/// The sums of numerator and denominator over one block.
type Sums = (f64, f64);

impl Tally {
    /// Adds a block of games: the level at each place, and the outcome.
    pub fn add(&mut self, block: &[(Vec<Entrant>, Outcome)]) {
        let mut levels: BTreeMap<Entrant, [Sums; 3]> = BTreeMap::new();
        let mut pairs: BTreeMap<(Entrant, Entrant), Sums> = BTreeMap::new();
        for (seated, outcome) in block {
            let winners = outcome.ranks.iter().filter(|&&rank| rank == 1).count() as f64;
            for (place, &level) in seated.iter().enumerate() {
                let won = if outcome.ranks[place] == 1 { 1.0 / winners } else { 0.0 };
                let made = (f64::from(outcome.made[place]), f64::from(outcome.rounds));
                let sums = levels.entry(level).or_default();
                for (sum, (above, below)) in
                    sums.iter_mut().zip([(won, 1.0), (f64::from(outcome.totals[place]), 1.0), made])
                {
                    *sum = (sum.0 + above, sum.1 + below);
                }
                for (other, &against) in seated.iter().enumerate().filter(|&(_, &against)| against != level) {
                    let ahead = match outcome.ranks[place].cmp(&outcome.ranks[other]) {
                        std::cmp::Ordering::Less => 1.0,
                        std::cmp::Ordering::Equal => 0.5,
                        std::cmp::Ordering::Greater => 0.0,
                    };
                    let sum = pairs.entry((level, against)).or_default();
                    *sum = (sum.0 + ahead, sum.1 + 1.0);
                }
            }
        }
        self.games += block.len() as u64;
        for (level, [wins, points, made]) in levels {
            let tally = self.levels.entry(level).or_default();
            tally.games += wins.1 as u64;
            tally.wins.add(wins.0, wins.1);
            tally.points.add(points.0, points.1);
            tally.made.add(made.0, made.1);
        }
        for (pair, (above, below)) in pairs {
            self.pairs.entry(pair).or_default().add(above, below);
        }
    }

    /// Adds another thread's sums.
    pub fn merge(&mut self, other: &Tally) {
        self.games += other.games;
        for (&level, theirs) in &other.levels {
            let ours = self.levels.entry(level).or_default();
            ours.games += theirs.games;
            ours.wins.merge(&theirs.wins);
            ours.points.merge(&theirs.points);
            ours.made.merge(&theirs.made);
        }
        for (&pair, theirs) in &other.pairs {
            self.pairs.entry(pair).or_default().merge(theirs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_has_the_textbook_interval() {
        // 30 of 100: 0.3 ± 1.96 · sqrt(0.3 · 0.7 / 99).
        let mut ratio = Ratio::default();
        (0..100).for_each(|game| ratio.add(f64::from(u8::from(game < 30)), 1.0));
        let Estimate { mean, within } = ratio.estimate();
        assert!((mean - 0.3).abs() < 1e-12);
        assert!((within.unwrap() - 1.96 * (0.3 * 0.7 / 99.0_f64).sqrt()).abs() < 1e-9);
    }

    #[test]
    fn a_single_block_has_no_interval() {
        let mut ratio = Ratio::default();
        ratio.add(2.0, 4.0);
        assert_eq!(ratio.estimate(), Estimate { mean: 0.5, within: None });
    }

    #[test]
    fn wins_are_shared_and_pairs_are_counted_both_ways() {
        let mut tally = Tally::default();
        let outcome = Outcome { totals: vec![9, 9, 3], ranks: vec![1, 1, 3], rounds: 2, made: vec![2, 1, 0] };
        tally.add(&[(vec![Entrant::Sharp, Entrant::Easy, Entrant::Easy], outcome)]);
        let mean = |ratio: &Ratio| ratio.estimate().mean;
        assert_eq!(mean(&tally.levels[&Entrant::Sharp].wins), 0.5);
        assert_eq!(mean(&tally.levels[&Entrant::Easy].wins), 0.25);
        assert_eq!(mean(&tally.levels[&Entrant::Easy].points), 6.0);
        assert_eq!(mean(&tally.levels[&Entrant::Easy].made), 0.25);
        assert_eq!(mean(&tally.pairs[&(Entrant::Sharp, Entrant::Easy)]), 0.75);
        assert_eq!(mean(&tally.pairs[&(Entrant::Easy, Entrant::Sharp)]), 0.25);
    }
}
