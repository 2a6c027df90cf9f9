//! A race: options are tried in the same sampled worlds, and those that fall behind are dropped.

use super::super::budget::Budget;
use super::super::dice::Dice;

/// How many worlds pass between two looks at who has fallen behind.
const LAP: usize = 12;
/// How many standard errors behind the best an option is dropped.
const BEHIND: f32 = 2.2;

/// What a race has shown of one option.
struct Runner {
    option: usize,
    values: Vec<f32>,
}

/// Which of so many options does best on average, and how well: `world` samples, `play` tries an option.
pub(super) fn race<W>(
    options: usize,
    budget: Budget<'_>,
    dice: &mut Dice,
    mut world: impl FnMut(&mut Dice) -> W,
    mut play: impl FnMut(&W, usize) -> f32,
) -> Option<(usize, f32)> {
    let mut runners: Vec<Runner> = (0..options).map(|option| Runner { option, values: Vec::new() }).collect();
    let mut played = 0;
    let mut worlds = 0;
    while runners.len() > 1 || worlds == 0 {
        let next = runners.len() as u32;
        if worlds > 0 && (played + next > budget.most() || !budget.allows(played)) {
            break;
        }
        let world = world(dice);
        for runner in &mut runners {
            runner.values.push(play(&world, runner.option));
        }
        played += next;
        worlds += 1;
        if worlds % LAP == 0 {
            drop_behind(&mut runners);
        }
    }
    let best = best(&runners)?;
    Some((best.option, mean(&best.values)))
}

fn best(runners: &[Runner]) -> Option<&Runner> {
    runners.iter().max_by(|one, other| mean(&one.values).total_cmp(&mean(&other.values)))
}

/// Drops every runner whose distance to the best is no chance any more, world by world.
fn drop_behind(runners: &mut Vec<Runner>) {
    let Some(best) = best(runners) else { return };
    let (leader, lead) = (best.option, best.values.clone());
    runners.retain(|runner| {
        if runner.option == leader {
            return true;
        }
        let count = lead.len() as f32;
        let differences = lead.iter().zip(&runner.values).map(|(lead, value)| lead - value);
        let (sum, squares) = differences.fold((0.0, 0.0), |(sum, squares), by| (sum + by, squares + by * by));
        let behind = sum / count;
        let error = ((squares / count - behind * behind).max(0.0) / count).sqrt();
        behind <= BEHIND * error
    });
}

fn mean(values: &[f32]) -> f32 {
    values.iter().sum::<f32>() / values.len().max(1) as f32
}
