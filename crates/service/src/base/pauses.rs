//! What failed and is not tried again for a while. The list is in memory: each node tries by itself.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};

/// The most keys in a list; the oldest one gives way.
const MOST: usize = 10_000;

/// The keys whose attempts pause, each with the time of its last attempt.
pub(crate) struct Pauses<K> {
    pause: SignedDuration,
    failed: Mutex<HashMap<K, Timestamp>>,
}

impl<K: Clone + Eq + Hash> Pauses<K> {
    pub(crate) fn new(pause: SignedDuration) -> Pauses<K> {
        Pauses { pause, failed: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<K, Timestamp>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a pause lasts. A clock that was set back ends it.
    fn lasts(&self, failed: Timestamp, now: Timestamp) -> bool {
        let passed = now.duration_since(failed);
        !passed.is_negative() && passed < self.pause
    }

    /// Begins the pause of a key.
    pub(crate) fn begin(&self, key: K, now: Timestamp) {
        let mut failed = self.lock();
        failed.retain(|_, at| self.lasts(*at, now));
        if failed.len() >= MOST
            && let Some(oldest) = failed.iter().min_by_key(|(_, at)| **at).map(|(key, _)| key.clone())
        {
            failed.remove(&oldest);
        }
        failed.insert(key, now);
    }

    /// Whether a key pauses.
    pub(crate) fn has(&self, key: &K, now: Timestamp) -> bool {
        self.lock().get(key).is_some_and(|at| self.lasts(*at, now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAUSE: SignedDuration = SignedDuration::from_mins(5);

    #[test]
    fn a_key_is_tried_again_after_its_pause() {
        let (pauses, start) = (Pauses::new(PAUSE), Timestamp::UNIX_EPOCH);
        pauses.begin("one", start);
        assert!(pauses.has(&"one", start));
        assert!(!pauses.has(&"two", start));
        assert!(!pauses.has(&"one", start + PAUSE));
        assert!(!pauses.has(&"one", start - SignedDuration::from_hours(1)), "the clock was set back");
    }

    #[test]
    fn the_list_is_bounded() {
        let (pauses, start) = (Pauses::new(PAUSE), Timestamp::UNIX_EPOCH);
        let at = |number: usize| start + SignedDuration::from_millis(number as i64);
        for number in 0..=MOST {
            pauses.begin(number, at(number));
        }
        assert_eq!(pauses.lock().len(), MOST);
        assert!(!pauses.has(&0, at(MOST)));
        assert!(pauses.has(&1, at(MOST)));
        // Keys whose pause is over are forgotten.
        pauses.begin(0, at(MOST) + PAUSE);
        assert_eq!(pauses.lock().len(), 1);
    }
}
