//! Random legal games per second of the engine on one core, from the deal to the score.
//!
//! `cargo bench --bench engine`, or `… -- 10` for another number of seconds per ruleset. Every step asks
//! for the legal commands, picks one at random, decides it and evolves the state. Whole games are played,
//! including void deals; only scored rounds count. Time is the thread's processor time on Linux, so that
//! other load does not matter, and the wall clock elsewhere.
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a bench prints, and stops where it cannot go on"
)]

use std::time::{Duration, Instant};

use estimation_engine::card::Pack;
use estimation_engine::chance::Chance;
use estimation_engine::command::Actor;
use estimation_engine::decide::decide;
use estimation_engine::event::Event;
use estimation_engine::evolve::evolve;
use estimation_engine::game::Game;
use estimation_engine::hex::{Hex, Salt};
use estimation_engine::legal::legal;
use estimation_engine::round::DealNumber;
use estimation_engine::ruleset::{Ruleset, RulesetId};
use estimation_engine::table::{TableCommand, decide_table};
use estimation_test_support::{SeededChance, Table};

/// Default seconds per ruleset.
const SECONDS: f64 = 3.0;

fn main() {
    let arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let seconds = arguments.filter_map(|argument| argument.parse().ok()).next().unwrap_or(SECONDS);
    println!("{:<28}{:>12}{:>14}{:>14}{:>12}", "ruleset", "rounds/s", "commands/s", "ns/command", "ns/round");
    for id in RulesetId::ALL {
        report(id.as_str(), &play(Ruleset::preset(id), seconds));
    }
}

fn report(name: &str, played: &Played) {
    let seconds = played.time.as_secs_f64();
    let (rounds, commands) = (played.rounds as f64, played.commands as f64);
    println!(
        "{name:<28}{:>12.0}{:>14.0}{:>14.1}{:>12.0}",
        rounds / seconds,
        commands / seconds,
        seconds / commands * 1e9,
        seconds / rounds * 1e9,
    );
}

/// The work done.
struct Played {
    rounds: u64,
    commands: u64,
    time: Duration,
}

/// Plays whole games of a ruleset for `seconds`.
fn play(rules: Ruleset, seconds: f64) -> Played {
    let mut dice = Dice(0x853C_49E6_748F_EA9B);
    let table = Table::seated(rules, SeededChance(0)).game;
    let mut played = Played { rounds: 0, commands: 0, time: Duration::ZERO };
    let (began, on_core) = (Instant::now(), time_on_core());
    while began.elapsed().as_secs_f64() < seconds {
        for _ in 0..100 {
            play_game(table.clone(), &mut dice, &mut played);
        }
    }
    played.time = match (on_core, time_on_core()) {
        (Some(before), Some(after)) => after - before,
        _ => began.elapsed(),
    };
    played
}

/// The thread's processor time, where the system provides it.
fn time_on_core() -> Option<Duration> {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    statistics.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

fn play_game(mut game: Game, dice: &mut Dice, played: &mut Played) {
    let host = game.table.host.clone();
    let start = decide_table(&game, &host, &TableCommand::Start, dice).expect("every place is taken");
    start.events.iter().for_each(|event| evolve(&mut game, event));
    while let Some(chair) = game.to_act() {
        let legal = legal(&game, chair);
        let command = legal.nth(dice.below(legal.len())).expect("something is legal");
        let decided = decide(&game, Actor::at(chair), &command, dice);
        for event in decided.as_ref().expect("what is legal is accepted") {
            evolve(&mut game, event);
            played.rounds += u64::from(matches!(event, Event::RoundScored(_)));
        }
        played.commands += 1;
    }
}

/// A cheap generator (SplitMix64), as chance and for the choice of commands.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }
}

impl Chance for Dice {
    fn shuffle(&mut self, _: DealNumber, pack: &mut Pack) {
        for i in (1..pack.len()).rev() {
            pack.swap(i, self.below(i + 1));
        }
    }

    fn salt(&mut self) -> Salt {
        let [one, other] = [self.next(), self.next()];
        Hex((u128::from(one) << 64 | u128::from(other)).to_le_bytes())
    }

    fn reveal(&mut self, _: u32) -> Hex<32> {
        Hex([0; 32])
    }

    fn recommit(&mut self, _: u32) -> Hex<32> {
        Hex([0; 32])
    }
}
