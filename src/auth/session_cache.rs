//! The session cache: bounded, so that authentication needs no query per request.
//!
//! A session is queried when it is first seen, and then every second together with all recently used ones.
//! Entries older than [`FRESH`] are ignored. An access token becomes invalid with its session and its role,
//! and so do the streams opened with it. It is valid only for the account of its session.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::tokens::TokenBinding;

/// The maximum age of an entry. With the poll every second, changes take effect within two seconds.
const FRESH: Duration = Duration::from_millis(1_900);

/// How long an unused session is still polled.
const KEPT_UNUSED: Duration = Duration::from_secs(120);

const CAPACITY: usize = 100_000;

/// Caches, per token binding, whether the session is active, belongs to that account, and the account has
/// that role.
#[derive(Default)]
pub(super) struct SessionCache(Mutex<HashMap<TokenBinding, Known>>);

struct Known {
    lives: bool,
    /// When the query for this entry was started.
    as_of: Instant,
    used: Instant,
    ended: watch::Sender<bool>,
}

impl SessionCache {
    /// Whether tokens with this binding are valid, if a recent entry exists.
    pub(super) fn get(&self, binding: TokenBinding, now: Instant) -> Option<bool> {
        let mut known = self.lock();
        let known = known.get_mut(&binding)?;
        known.used = now;
        (now.duration_since(known.as_of) < FRESH).then_some(known.lives)
    }

    /// Records a query's result, unless a newer one was recorded since the query began.
    pub(super) fn record(&self, binding: TokenBinding, lives: bool, as_of: Instant) {
        let mut all = self.lock();
        if let Some(known) = all.get_mut(&binding) {
            if known.as_of <= as_of {
                known.set(lives, as_of);
            }
            return;
        }
        if all.len() >= CAPACITY {
            all.retain(|_, known| known.is_watched() || as_of.duration_since(known.used) < FRESH);
        }
        if all.len() < CAPACITY {
            let ended = watch::Sender::new(!lives);
            all.insert(binding, Known { lives, as_of, used: as_of, ended });
        }
    }

    /// Signals when tokens with this binding become invalid.
    pub(super) fn watch(&self, binding: TokenBinding, now: Instant) -> watch::Receiver<bool> {
        let unknown = || Known {
            lives: true,
            // Too old for requests, but polled next time.
            as_of: now.checked_sub(FRESH).unwrap_or(now),
            used: now,
            ended: watch::Sender::new(false),
        };
        self.lock().entry(binding).or_insert_with(unknown).ended.subscribe()
    }

    /// Invalidates all matching entries at once.
    pub(super) fn end(&self, ends: impl Fn(&TokenBinding) -> bool) {
        let now = Instant::now();
        for (binding, known) in self.lock().iter_mut() {
            if ends(binding) {
                known.set(false, now);
            }
        }
    }

    /// The bindings to poll; drops unused ones.
    pub(super) fn recently_used(&self, now: Instant) -> Vec<TokenBinding> {
        let mut all = self.lock();
        all.retain(|_, known| known.is_watched() || now.duration_since(known.used) < KEPT_UNUSED);
        all.keys().copied().collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<TokenBinding, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn set(&mut self, lives: bool, as_of: Instant) {
        if lives && !self.lives {
            // Existing receivers keep the end signal.
            self.ended = watch::Sender::new(false);
        } else if !lives {
            self.ended.send_replace(true);
        }
        (self.lives, self.as_of) = (lives, as_of);
    }

    fn is_watched(&self) -> bool {
        self.ended.receiver_count() > 0
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::auth::tokens::Role;

    const BINDING: TokenBinding =
        TokenBinding { account: Uuid::nil(), session: Uuid::nil(), role: Role::Player };

    #[test]
    fn what_is_known_is_believed_for_a_while() {
        let living = SessionCache::default();
        let start = Instant::now();
        assert_eq!(living.get(BINDING, start), None);
        living.record(BINDING, true, start);
        assert_eq!(living.get(BINDING, start + FRESH / 2), Some(true));
        assert_eq!(living.get(BINDING, start + FRESH), None);
        assert_eq!(living.get(TokenBinding { role: Role::Admin, ..BINDING }, start), None);
        assert_eq!(living.get(TokenBinding { account: Uuid::max(), ..BINDING }, start), None);
    }

    #[test]
    fn an_answer_to_an_older_question_changes_nothing() {
        let living = SessionCache::default();
        let asked = Instant::now();
        living.record(BINDING, true, asked);
        living.end(|binding| *binding == BINDING);
        living.record(BINDING, true, asked);
        assert_eq!(living.get(BINDING, Instant::now()), Some(false));
    }

    #[test]
    fn who_watches_is_told_of_the_end_and_keeps_it_remembered() {
        let living = SessionCache::default();
        let start = Instant::now();
        let ended = living.watch(BINDING, start);
        assert_eq!(living.get(BINDING, start), None);
        assert_eq!(living.recently_used(start + 2 * KEPT_UNUSED), [BINDING]);
        living.record(BINDING, false, start);
        assert!(*ended.borrow());
        living.record(BINDING, true, start + FRESH);
        assert!(*ended.borrow());
        drop(ended);
        assert_eq!(living.recently_used(start + 2 * KEPT_UNUSED), []);
    }
}
