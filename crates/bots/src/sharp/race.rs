//! A race: tries options in the same sampled worlds and drops those that fall behind.

use super::super::budget::Budget;
use super::super::dice::Dice;

/// The number of worlds before the first check.
const FIRST_LAP: usize = 12;
/// An option this many standard errors behind the best is dropped.
const BEHIND: f32 = 2.2;

/// The results of one option.
struct Runner {
    option: usize,
    values: Vec<f32>,
}

pub(super) struct RaceWinner {
    /// The option's index.
    pub option: usize,
    /// The number of playouts of all options.
    pub playouts: u32,
}

/// Finds the option with the best average: `world` samples, `play` tries an option. The race ends before the
/// budget when only one option is left.
pub(super) fn race<W>(
    options: usize,
    budget: Budget<'_>,
    dice: &mut Dice,
    mut world: impl FnMut(&mut Dice) -> W,
    mut play: impl FnMut(&W, usize) -> f32,
) -> Option<RaceWinner> {
    let mut runners: Vec<Runner> = (0..options).map(|option| Runner { option, values: Vec::new() }).collect();
    let mut played = 0;
    let (mut worlds, mut lap) = (0, FIRST_LAP);
    while runners.len() > 1 || worlds == 0 {
        let next = runners.len() as u32;
        if worlds > 0 && (played + next > budget.max_playouts() || !budget.allows(played)) {
            break;
        }
        let world = world(dice);
        for runner in &mut runners {
            runner.values.push(play(&world, runner.option));
        }
        played += next;
        worlds += 1;
        if worlds == lap {
            // Each lap is a quarter of all worlds so far, so that checks are cheap.
            lap += FIRST_LAP.max(worlds / 4);
            drop_behind(&mut runners);
        }
    }
    best(&runners).map(|best| RaceWinner { option: best.option, playouts: played })
}

fn best(runners: &[Runner]) -> Option<&Runner> {
    runners.iter().max_by(|one, other| mean(&one.values).total_cmp(&mean(&other.values)))
}

/// Drops every option that is significantly behind the best, compared world by world.
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
