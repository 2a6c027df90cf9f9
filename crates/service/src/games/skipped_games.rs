//! Games that a background job skips because they fail: a damaged row, an event of a newer version, an effect
//! that the database refuses.
//!
//! A failing game does not block others. The job retries it after 2 seconds, then after twice as long each
//! time, up to 5 minutes. The list is in memory: after a restart the job retries at once.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::base::failure::{Failure, StoreError};
use estimation_store::GameId;

/// The first and the longest pause before a retry.
const FIRST_PAUSE: Duration = Duration::from_secs(2);
const LONGEST_PAUSE: Duration = Duration::from_secs(5 * 60);

/// A skipped game without another failure for this long counts as handled, perhaps by another node. Longer
/// than any job takes to return to a game.
const LAPSE: Duration = Duration::from_secs(60);

/// A job that skips games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Job {
    /// Verifies and signs ended games.
    Sign,
    /// Gives the ends of games to the public log.
    Log,
    /// Counts ended games in results and ratings.
    Count,
    Pack,
    /// Bot moves, expired turns, table expiry.
    Timers,
    Matchmaking,
    Seats,
    /// Lists of games for clients.
    Pages,
}

impl Job {
    pub const ALL: [Job; 8] =
        [Job::Sign, Job::Log, Job::Count, Job::Pack, Job::Timers, Job::Matchmaking, Job::Seats, Job::Pages];

    /// Its name in metrics and logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Job::Sign => "sign",
            Job::Log => "log",
            Job::Count => "count",
            Job::Pack => "pack",
            Job::Timers => "timers",
            Job::Matchmaking => "matchmaking",
            Job::Seats => "seats",
            Job::Pages => "pages",
        }
    }
}

#[derive(Default)]
pub(crate) struct SkippedGames(Mutex<HashMap<(Job, GameId), SkippedGame>>);

struct SkippedGame {
    reason: String,
    /// The reason without what is stored.
    public_reason: String,
    /// Whether the database has the reason.
    is_recorded: bool,
    pause: Duration,
    retry_at: Instant,
}

impl SkippedGames {
    fn lock(&self) -> MutexGuard<'_, HashMap<(Job, GameId), SkippedGame>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn paused_at(&self, job: Job, now: Instant) -> HashSet<GameId> {
        let games = self.lock();
        let paused = games.iter().filter(|((of, _), trouble)| *of == job && trouble.retry_at > now);
        paused.map(|((_, game), _)| *game).collect()
    }

    /// Records a failure. Returns whether it is the first, or has a new reason.
    fn failed(&self, job: Job, game: GameId, (reason, public_reason): (&str, &str), now: Instant) -> bool {
        let mut games = self.lock();
        let known = games.get(&(job, game));
        let news = known.is_none_or(|known| known.reason != reason);
        let pause = known.map_or(FIRST_PAUSE, |known| (known.pause * 2).min(LONGEST_PAUSE));
        let is_recorded = known.is_some_and(|known| known.is_recorded) && !news;
        let trouble = SkippedGame {
            reason: reason.to_owned(),
            public_reason: public_reason.to_owned(),
            is_recorded,
            pause,
            retry_at: now + pause,
        };
        games.insert((job, game), trouble);
        news
    }

    /// Returns whether the game was skipped.
    fn forget(&self, job: Job, game: GameId) -> bool {
        let mut games = self.lock();
        !games.is_empty() && games.remove(&(job, game)).is_some()
    }

    /// The skipped games of this node, with the job and the public reason, at most `limit`.
    pub(crate) fn list(&self, limit: usize) -> Vec<(Job, GameId, String)> {
        let now = Instant::now();
        let mut games = self.lock();
        games.retain(|_, trouble| trouble.retry_at + LAPSE > now);
        let mut list: Vec<_> =
            games.iter().map(|(&(job, game), trouble)| (job, game, trouble.public_reason.clone())).collect();
        list.sort_unstable_by_key(|(job, game, _)| (job.as_str(), *game));
        list.truncate(limit);
        list
    }

    /// Skipped games per job.
    pub(crate) fn counts(&self, now: Instant) -> [(Job, usize); Job::ALL.len()] {
        let mut games = self.lock();
        games.retain(|_, trouble| trouble.retry_at + LAPSE > now);
        Job::ALL.map(|job| (job, games.keys().filter(|(of, _)| *of == job).count()))
    }
}

impl SkippedGames {
    /// The games that the job should not try now.
    pub(crate) fn paused(&self, job: Job) -> HashSet<GameId> {
        self.paused_at(job, Instant::now())
    }

    /// Whether the database has this failure of a game.
    pub(crate) fn is_recorded(&self, job: Job, game: GameId, failure: &Failure) -> bool {
        let reason = failure.to_string();
        self.lock().get(&(job, game)).is_some_and(|known| known.is_recorded && known.reason == reason)
    }

    /// Notes that the database has the failure of a skipped game.
    pub(crate) fn recorded(&self, job: Job, game: GameId) {
        if let Some(known) = self.lock().get_mut(&(job, game)) {
            known.is_recorded = true;
        }
    }

    /// Skips a game whose failure is its own.
    ///
    /// # Errors
    /// The failure, if it would affect every other game as well.
    pub(crate) fn skip(&self, job: Job, game: GameId, failure: Failure) -> Result<(), Failure> {
        if !failure.is_of_one_game() {
            return Err(failure);
        }
        let reason = failure.to_string();
        if self.failed(job, game, (&reason, &failure.public_reason()), Instant::now()) {
            let job = job.as_str();
            match failure {
                Failure::UnsoundLog { .. } => {
                    tracing::error!(%game, job, reason, "a log does not verify")
                }
                _ => tracing::warn!(%game, job, reason, "a game is skipped"),
            }
        }
        Ok(())
    }

    /// Records a job's result for a game; `None` for a game that is skipped.
    ///
    /// # Errors
    /// The failure, if it would affect every other game as well.
    pub(crate) fn settle<T>(
        &self,
        job: Job,
        game: GameId,
        result: Result<T, Failure>,
    ) -> Result<Option<T>, Failure> {
        let value = match result {
            Ok(value) => value,
            Err(failure) => return self.skip(job, game, failure).map(|()| None),
        };
        self.handled(job, game);
        Ok(Some(value))
    }

    pub(crate) fn handled(&self, job: Job, game: GameId) {
        if self.forget(job, game) {
            tracing::info!(%game, job = job.as_str(), "a game that was skipped has been processed");
        }
    }
}

impl Failure {
    /// Whether the failure concerns one game only, not the database, the keys or the moment.
    pub(crate) fn is_of_one_game(&self) -> bool {
        match self {
            Failure::Store(StoreError::Migration { .. }) | Failure::Keys(_) | Failure::GameBusy => false,
            Failure::Store(error) => !error.is_unavailable(),
            _ => true,
        }
    }

    /// The failure without what is stored, which may be a card.
    pub(crate) fn public_reason(&self) -> String {
        match self {
            Failure::UnreadableLog { seq, .. } => format!("its log cannot be read at event {seq}"),
            Failure::UnsoundLog { .. } => "its log does not verify".to_owned(),
            Failure::Store(StoreError::Corrupt { .. }) => "a stored row is damaged".to_owned(),
            Failure::Store(_) | Failure::Defect(_) => "the database or the program failed".to_owned(),
            failure => failure.to_string(),
        }
    }

    /// Whether the stored game cannot be read, or is not what its log makes.
    pub fn is_unreadable(&self) -> bool {
        matches!(
            self,
            Failure::UnreadableLog { .. }
                | Failure::UnsoundLog { .. }
                | Failure::Store(StoreError::Corrupt { .. })
        )
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const G: GameId = GameId(Uuid::nil());
    const H: GameId = GameId(Uuid::max());

    #[test]
    fn a_game_is_tried_again_ever_less_often() {
        let (games, start) = (SkippedGames::default(), Instant::now());
        assert!(games.failed(Job::Sign, G, ("damaged", ""), start));
        assert!(games.paused_at(Job::Sign, start).contains(&G));
        assert!(games.paused_at(Job::Pack, start).is_empty());
        assert!(games.paused_at(Job::Sign, start + FIRST_PAUSE).is_empty());
        assert!(!games.failed(Job::Sign, G, ("damaged", ""), start), "it is in the log already");
        assert!(games.paused_at(Job::Sign, start + FIRST_PAUSE).contains(&G));
        for _ in 0..20 {
            games.failed(Job::Sign, G, ("damaged", ""), start);
        }
        assert!(games.paused_at(Job::Sign, start + LONGEST_PAUSE).is_empty());
        assert!(games.failed(Job::Sign, G, ("gone", ""), start), "another reason is news");
    }

    #[test]
    fn a_game_that_was_handled_is_not_counted() {
        let (games, start) = (SkippedGames::default(), Instant::now());
        let count = |now| games.counts(now)[0];
        games.failed(Job::Sign, G, ("damaged", ""), start);
        games.failed(Job::Sign, H, ("damaged", ""), start);
        assert_eq!(count(start), (Job::Sign, 2));
        assert!(games.forget(Job::Sign, G) && !games.forget(Job::Sign, G));
        assert_eq!(count(start), (Job::Sign, 1));
        assert_eq!(count(start + FIRST_PAUSE + LAPSE), (Job::Sign, 0), "another node has handled it");
    }
}
