//! Moves that a table refused: of a player who joined there too often, for instance. They are not tried again for a while,
//! so that no player is moved to and fro because of one who cannot follow.
//!
//! The list is in memory: each node tries such a move once.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use estimation_engine::player::AccountId;
use estimation_store::GameId;

/// How long a refused move is not tried again.
const PAUSE: Duration = Duration::from_secs(5 * 60);

/// The most moves in the list; the oldest one gives way.
const MOST: usize = 10_000;

/// When an account was refused at a table.
#[derive(Default)]
pub(super) struct RefusedMoves(Mutex<HashMap<(AccountId, GameId), Instant>>);

impl RefusedMoves {
    fn lock(&self) -> MutexGuard<'_, HashMap<(AccountId, GameId), Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add_at(&self, account: &AccountId, target: GameId, now: Instant) {
        let mut refused = self.lock();
        refused.retain(|_, at| now.saturating_duration_since(*at) < PAUSE);
        if refused.len() >= MOST
            && let Some(oldest) = refused.iter().min_by_key(|(_, at)| **at).map(|(pair, _)| pair.clone())
        {
            refused.remove(&oldest);
        }
        refused.insert((account.clone(), target), now);
    }

    fn contains_at(&self, account: &AccountId, target: GameId, now: Instant) -> bool {
        let refused = self.lock();
        let at = refused.get(&(account.clone(), target));
        at.is_some_and(|at| now.saturating_duration_since(*at) < PAUSE)
    }

    pub(super) fn add(&self, account: &AccountId, target: GameId) {
        self.add_at(account, target, Instant::now());
    }

    pub(super) fn contains(&self, account: &AccountId, target: GameId) -> bool {
        self.contains_at(account, target, Instant::now())
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const G: GameId = GameId(Uuid::nil());
    const H: GameId = GameId(Uuid::max());

    #[test]
    fn a_refused_move_is_tried_again_after_a_pause() {
        let (refused, start, ann) = (RefusedMoves::default(), Instant::now(), AccountId::new("ann"));
        refused.add_at(&ann, G, start);
        assert!(refused.contains_at(&ann, G, start));
        assert!(!refused.contains_at(&ann, H, start));
        assert!(!refused.contains_at(&AccountId::new("ben"), G, start));
        assert!(!refused.contains_at(&ann, G, start + PAUSE));
    }

    #[test]
    fn the_list_is_bounded() {
        let (refused, start) = (RefusedMoves::default(), Instant::now());
        let account = |number: usize| AccountId::new(number.to_string());
        let at = |number: usize| start + Duration::from_millis(number as u64);
        for number in 0..=MOST {
            refused.add_at(&account(number), G, at(number));
        }
        assert_eq!(refused.lock().len(), MOST);
        assert!(!refused.contains_at(&account(0), G, at(MOST)));
        assert!(refused.contains_at(&account(1), G, at(MOST)));
        // Moves whose pause is over are forgotten.
        refused.add_at(&account(0), G, at(MOST) + PAUSE);
        assert_eq!(refused.lock().len(), 1);
    }
}
