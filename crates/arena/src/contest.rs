//! A contest: blocks of games, spread over threads.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::dice::Dice;
use crate::entrant::Entrant;
use crate::game::{Outcome, Thinking, play};
use crate::tally::Tally;
use estimation_engine::ruleset::Ruleset;

/// The settings of a contest.
pub struct Contest {
    pub rules: Ruleset,
    /// The players, one per seat.
    pub players: Vec<Entrant>,
    /// The minimum number of games; they are played in blocks of as many as there are seats.
    pub games: u64,
    /// The seed of deals and choices.
    pub seed: u64,
    /// The bots' budget per command.
    pub thinking: Thinking,
    /// The number of threads.
    pub threads: usize,
}

/// A game that did not reach its end.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("game {game} did not come to its end")]
pub struct Unfinished {
    /// The game's number, from 0.
    game: u64,
}

impl Contest {
    /// Plays all games and calls `done` with the number of games after each block.
    ///
    /// # Errors
    /// A game did not reach its end.
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

    /// One deal of a whole game, played once for each rotation of the players.
    fn block(&self, block: u64) -> Result<Vec<(Vec<Entrant>, Outcome)>, Unfinished> {
        let mut seated = self.players.clone();
        let mut dice = Dice::of([self.seed, block, 0, 0]);
        dice.shuffle(&mut seated);
        let deals = dice.number();
        let games = (0..seated.len() as u64).map(|turn| {
            seated.rotate_left(1);
            let outcome = play(&self.rules, &seated, deals, dice.number(), self.thinking);
            let game = block * self.players.len() as u64 + turn;
            outcome.map(|outcome| (seated.clone(), outcome)).ok_or(Unfinished { game })
        });
        games.collect()
    }
}
