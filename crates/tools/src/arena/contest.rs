//! A contest: blocks of games, spread over threads, counted together.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::game::{Outcome, Thinking, key, play};
use super::tally::Tally;
use estimation_bots::Level;
use estimation_engine::ruleset::Ruleset;

/// What is contested, and how.
pub struct Contest {
    /// The rules.
    pub rules: Ruleset,
    /// The players, as many as the rules seat.
    pub players: Vec<Level>,
    /// How many games at least; they are played in blocks of as many as there are seats.
    pub games: u64,
    /// What deals and choices follow from.
    pub seed: u64,
    /// How long the players may think.
    pub thinking: Thinking,
    /// On how many threads.
    pub threads: usize,
}

/// A game that did not come to its end.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("game {game} did not come to its end")]
pub struct Unfinished {
    /// Its number, from 0.
    game: u64,
}

impl Contest {
    /// Plays all games; `done` is told after each block how many it had.
    ///
    /// Fails if a game does not come to its end.
    pub fn run(&self, done: impl Fn(u64) + Sync) -> Result<Tally, Unfinished> {
        let seats = self.players.len() as u64;
        let blocks = self.games.div_ceil(seats.max(1));
        let next = AtomicU64::new(0);
        let all: Mutex<Result<Tally, Unfinished>> = Mutex::new(Ok(Tally::default()));
        let work = || {
            let mut tally = Tally::default();
            let mut failed = None;
            while failed.is_none() {
                let block = next.fetch_add(1, Ordering::Relaxed);
                if block >= blocks {
                    break;
                }
                match self.block(block) {
                    Ok(games) => tally.add(&games),
                    Err(unfinished) => failed = Some(unfinished),
                }
                done(seats);
            }
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            match (&mut *all, failed) {
                (Ok(sum), None) => sum.merge(&tally),
                (Ok(_), Some(unfinished)) => *all = Err(unfinished),
                (Err(_), _) => {}
            }
        };
        std::thread::scope(|scope| {
            (0..self.threads).for_each(|_| drop(scope.spawn(work)));
        });
        all.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// One deal of a whole game, played once with everybody in each place.
    fn block(&self, block: u64) -> Result<Vec<(Vec<Level>, Outcome)>, Unfinished> {
        let mut seated = self.players.clone();
        let mut words = ChaCha8Rng::from_seed(key([self.seed, block, 0, 0]));
        for i in (1..seated.len()).rev() {
            seated.swap(i, ((u64::from(words.next_u32()) * (i as u64 + 1)) >> 32) as usize);
        }
        let deals = words.next_u64();
        let games = (0..seated.len() as u64).map(|turn| {
            seated.rotate_left(1);
            let outcome = play(&self.rules, &seated, deals, words.next_u64(), self.thinking);
            let game = block * self.players.len() as u64 + turn;
            outcome.map(|outcome| (seated.clone(), outcome)).ok_or(Unfinished { game })
        });
        games.collect()
    }
}
