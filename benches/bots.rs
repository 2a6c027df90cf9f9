//! Decisions per second of the bots on one core, in whole games of each ruleset.
//!
//! `cargo bench --bench bots`, or `… -- 10` for another number of seconds per row. All seats are played by
//! the level of the row; `sharp` has 1,000 playouts per decision. Only decisions with a choice count, without
//! choosing seats and cutting. A search stops early when one option is far ahead, so the last column shows
//! the average number of playouts; compare the product of both columns. Time is the thread's processor time
//! on Linux, and the wall clock elsewhere. The time of views and of the engine is not included.
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a bench prints, and stops where it cannot go on"
)]

use std::time::{Duration, Instant};

use estimation_bots::{Budget, Dice, Level, think};
use estimation_engine::chance::{Chance, Shuffles};
use estimation_engine::command::{Actor, Command};
use estimation_engine::decide::decide;
use estimation_engine::evolve::evolve;
use estimation_engine::ruleset::{Ruleset, RulesetId};
use estimation_engine::table::{TableCommand, decide_table};
use estimation_engine::view::{View, view};
use estimation_test_support::{SeededChance, Table};

/// Default seconds per row.
const SECONDS: f64 = 4.0;
/// The playouts per decision of `sharp`.
const PLAYOUTS: u32 = 1_000;

fn main() {
    let arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let seconds = arguments.filter_map(|argument| argument.parse().ok()).next().unwrap_or(SECONDS);
    println!(
        "{:<14}{:<10}{:>14}{:>16}{:>16}{:>12}",
        "ruleset", "level", "decisions/s", "mean", "slowest", "playouts"
    );
    for id in RulesetId::ALL {
        for level in [Level::Easy, Level::Steady, Level::Sharp] {
            let made = decide_for(Ruleset::preset(id), level, seconds);
            let spent = made.time.as_secs_f64();
            println!(
                "{:<14}{:<10}{:>14.0}{:>13.1} µs{:>13.1} µs{:>12.0}",
                id.as_str(),
                format!("{level:?}").to_lowercase(),
                made.decisions as f64 / spent,
                spent / made.decisions as f64 * 1e6,
                made.slowest.as_secs_f64() * 1e6,
                made.playouts as f64 / made.decisions as f64,
            );
        }
    }
}

/// The decisions made.
struct Made {
    decisions: u64,
    playouts: u64,
    time: Duration,
    slowest: Duration,
}

/// Plays games of a ruleset until its bots have thought for `seconds`.
fn decide_for(rules: Ruleset, level: Level, seconds: f64) -> Made {
    let mut made = Made { decisions: 0, playouts: 0, time: Duration::ZERO, slowest: Duration::ZERO };
    let table = Table::seated(rules, SeededChance(0)).game;
    let mut dice = Dice::numbered(1);
    let (mut shuffler, began) = (shuffler(1), Instant::now());
    while made.time.as_secs_f64() < seconds && began.elapsed().as_secs_f64() < 4.0 * seconds {
        let mut game = table.clone();
        let host = game.table.host.clone();
        let start = decide_table(&game, &host, &TableCommand::Start, &mut shuffler).expect("a full table");
        start.events.iter().for_each(|event| evolve(&mut game, event));
        while let Some(chair) = game.to_act() {
            let seen = view(&game, Some(chair));
            let before = now();
            let choice = think(&seen, level, &mut dice, Budget::Playouts(PLAYOUTS)).expect("a choice");
            let took = now().saturating_sub(before);
            if is_choice(&seen) {
                made.decisions += 1;
                made.playouts += u64::from(choice.playouts);
                made.time += took;
                made.slowest = made.slowest.max(took);
            }
            let events =
                decide(&game, Actor::at(chair), &choice.command, &mut shuffler).expect("a legal command");
            events.iter().for_each(|event| evolve(&mut game, event));
            if made.time.as_secs_f64() >= seconds {
                return made;
            }
        }
    }
    made
}

/// Whether there is more than one command to choose from.
fn is_choice(view: &View) -> bool {
    let by_lot = matches!(view.legal.first(), Some(Command::ChooseSeat { .. } | Command::Cut { .. }));
    view.legal.len() > 1 && !by_lot
}

/// The thread's processor time, or the wall clock where the system does not provide it.
fn now() -> Duration {
    #[cfg(target_os = "linux")]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }
    #[cfg(not(target_os = "linux"))]
    {
        static BEGAN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
        BEGAN.get_or_init(Instant::now).elapsed()
    }
}

/// A cheap generator (SplitMix64) as chance.
fn shuffler(mut state: u64) -> impl Chance {
    Shuffles(move |_, pack| {
        for i in (1..pack.len()).rev() {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB) >> 32;
            pack.swap(i, ((z * (i as u64 + 1)) >> 32) as usize);
        }
    })
}
