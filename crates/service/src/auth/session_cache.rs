//! The session cache: bounded, so that authentication needs no query per request.
//!
//! A session is queried when it is first seen, and then every second together with all recently used ones.
//! Older entries are ignored. An access token becomes invalid with its session and its role,
//! and so do the streams opened with it. It is valid only for the account of its session.
//!
//! With a session it has the restrictions of the account: whether a moderator muted or suspended it, and whether the session
//! waits for its second step.
//!
//! The cache also notes the newest generation of which a token was used, and whether the database knows.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use uuid::Uuid;

use super::restrictions::Restrictions;
use super::tokens::{Role, TokenBinding};

/// The maximum age of an entry that a request trusts. With the poll every second, changes take effect within two seconds.
pub(super) const FRESH: Duration = Duration::from_millis(1_900);

/// How long an unused session is still polled.
const KEPT_UNUSED: Duration = Duration::from_secs(120);

const CAPACITY: usize = 100_000;

/// Caches, per token binding, whether the session is active, belongs to that account, and the account has
/// that role.
pub(crate) struct SessionCache {
    known: Mutex<HashMap<TokenBinding, CacheEntry>>,
    /// The maximum age of an entry that a request trusts.
    trusted: Duration,
}

struct CacheEntry {
    /// The restrictions of the account; none once the session has ended.
    restrictions: Option<Restrictions>,
    /// When the query for this entry was started.
    as_of: Instant,
    used: Instant,
    ended: watch::Sender<bool>,
    /// The newest generation of which a token was used, as far as this node knows.
    generation: i64,
    /// The generation that the database has.
    written: i64,
    /// Whether the next request reads the entry again, however new it is.
    is_outdated: bool,
}

/// A generation of which a token was used, to be written to the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UsedGeneration {
    pub(super) binding: TokenBinding,
    pub(super) generation: i64,
}

impl SessionCache {
    pub(crate) fn new(trusted: Duration) -> SessionCache {
        SessionCache { known: Mutex::default(), trusted }
    }

    /// The restrictions of the account if tokens with this binding are valid, `Some(None)` if they are not, and `None` without
    /// a recent entry. Notes that one of this generation was used.
    pub(super) fn get(
        &self,
        binding: TokenBinding,
        generation: i64,
        now: Instant,
    ) -> Option<Option<Restrictions>> {
        let mut known = self.lock();
        let known = known.get_mut(&binding)?;
        known.used = now;
        known.generation = known.generation.max(generation);
        let is_fresh = !known.is_outdated && now.duration_since(known.as_of) < self.trusted;
        is_fresh.then_some(known.restrictions)
    }

    /// Records a query's result, unless a newer one was recorded since the query began. `written` is the
    /// generation that the database has.
    pub(super) fn record(
        &self,
        binding: TokenBinding,
        restrictions: Option<Restrictions>,
        written: i64,
        as_of: Instant,
    ) {
        let mut all = self.lock();
        if let Some(known) = all.get_mut(&binding) {
            known.written = known.written.max(written);
            if known.as_of <= as_of {
                known.set(restrictions, as_of);
            }
            return;
        }
        if all.len() >= CAPACITY {
            all.retain(|_, known| known.is_needed() || as_of.duration_since(known.used) < FRESH);
        }
        if all.len() < CAPACITY {
            let ended = watch::Sender::new(is_shut(restrictions));
            let generation = written;
            all.insert(
                binding,
                CacheEntry {
                    restrictions,
                    as_of,
                    used: as_of,
                    ended,
                    generation,
                    written,
                    is_outdated: false,
                },
            );
        }
    }

    /// Records that a session began, or was refreshed. The next request reads the restrictions of its account.
    pub(super) fn begin(&self, binding: TokenBinding, written: i64, asked: Instant) {
        let good = Some(Restrictions::default());
        self.record(binding, good, written, asked);
        if let Some(known) = self.lock().get_mut(&binding).filter(|known| known.as_of == asked) {
            known.as_of = asked.checked_sub(self.trusted.max(FRESH)).unwrap_or(asked);
        }
    }

    /// The next request reads all matching entries again.
    pub(super) fn distrust(&self, changed: impl Fn(&TokenBinding) -> bool) {
        let now = Instant::now();
        for (binding, known) in self.lock().iter_mut() {
            if changed(binding) {
                // What was asked before is older than the change.
                (known.as_of, known.is_outdated) = (now, true);
            }
        }
    }

    /// Signals when tokens with this binding become invalid, or must pass a second step.
    pub(super) fn watch(&self, binding: TokenBinding, now: Instant) -> watch::Receiver<bool> {
        let unknown = || CacheEntry {
            restrictions: Some(Restrictions::default()),
            // Too old for requests, but polled next time.
            as_of: now.checked_sub(FRESH).unwrap_or(now),
            used: now,
            ended: watch::Sender::new(false),
            generation: 0,
            written: 0,
            is_outdated: false,
        };
        self.lock().entry(binding).or_insert_with(unknown).ended.subscribe()
    }

    /// Invalidates all matching entries at once.
    pub(super) fn end(&self, ends: impl Fn(&TokenBinding) -> bool) {
        let now = Instant::now();
        for (binding, known) in self.lock().iter_mut() {
            if ends(binding) {
                known.set(None, now);
            }
        }
    }

    /// The bindings to poll; drops unused ones.
    pub(super) fn recently_used(&self, now: Instant) -> Vec<TokenBinding> {
        let mut all = self.lock();
        all.retain(|_, known| known.is_needed() || now.duration_since(known.used) < KEPT_UNUSED);
        all.keys().copied().collect()
    }

    /// The newest generation of a session of which a token was used, as far as this node knows.
    pub(super) fn used_generation(&self, account: Uuid, session: Uuid) -> i64 {
        let all = self.lock();
        let of_role = |role| all.get(&TokenBinding { account, session, role });
        Role::ALL.into_iter().filter_map(of_role).map(|known| known.generation).max().unwrap_or_default()
    }

    /// The used generations that the database does not have.
    pub(super) fn unwritten(&self) -> Vec<UsedGeneration> {
        let all = self.lock();
        let unwritten = all.iter().filter(|(_, known)| known.is_unwritten());
        unwritten.map(|(&binding, known)| UsedGeneration { binding, generation: known.generation }).collect()
    }

    /// The database has these generations.
    pub(super) fn wrote(&self, written: &[UsedGeneration]) {
        let mut all = self.lock();
        for UsedGeneration { binding, generation } in written {
            if let Some(known) = all.get_mut(binding) {
                known.written = known.written.max(*generation);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<TokenBinding, CacheEntry>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CacheEntry {
    fn set(&mut self, restrictions: Option<Restrictions>, as_of: Instant) {
        if is_shut(restrictions) {
            self.ended.send_replace(true);
        } else if is_shut(self.restrictions) {
            // Existing receivers keep the end signal.
            self.ended = watch::Sender::new(false);
        }
        (self.restrictions, self.as_of, self.is_outdated) = (restrictions, as_of, false);
    }

    fn is_needed(&self) -> bool {
        self.ended.receiver_count() > 0 || self.is_unwritten()
    }

    fn is_unwritten(&self) -> bool {
        self.generation > self.written
    }
}

/// Whether a session has ended, or waits for its second step.
fn is_shut(restrictions: Option<Restrictions>) -> bool {
    restrictions.is_none_or(Restrictions::is_pending)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::restrictions::SecondStep;

    const GOOD: Option<Restrictions> = Some(Restrictions {
        muted_until: 0,
        suspended_until: 0,
        second_step: SecondStep::None,
        authority: 0,
    });

    const BINDING: TokenBinding =
        TokenBinding { account: Uuid::nil(), session: Uuid::nil(), role: Role::Player };

    #[test]
    fn what_is_known_is_believed_for_a_while() {
        let living = SessionCache::new(FRESH);
        let start = Instant::now();
        assert_eq!(living.get(BINDING, 0, start), None);
        living.record(BINDING, GOOD, 0, start);
        assert_eq!(living.get(BINDING, 0, start + FRESH / 2), Some(GOOD));
        assert_eq!(living.get(BINDING, 0, start + FRESH), None);
        assert_eq!(living.get(TokenBinding { role: Role::Admin, ..BINDING }, 0, start), None);
        assert_eq!(living.get(TokenBinding { account: Uuid::max(), ..BINDING }, 0, start), None);
    }

    #[test]
    fn the_first_use_of_a_generation_is_written_once() {
        let cache = SessionCache::new(FRESH);
        let start = Instant::now();
        let used = |generation| vec![UsedGeneration { binding: BINDING, generation }];
        cache.record(BINDING, GOOD, 0, start);
        cache.get(BINDING, 0, start);
        assert_eq!((cache.unwritten(), cache.used_generation(Uuid::nil(), Uuid::nil())), (vec![], 0));
        for _ in 0..3 {
            cache.get(BINDING, 2, start);
            // An older token is used once more.
            cache.get(BINDING, 1, start);
        }
        assert_eq!((cache.unwritten(), cache.used_generation(Uuid::nil(), Uuid::nil())), (used(2), 2));
        // It waits for the database, however long that takes.
        assert_eq!(cache.recently_used(start + 2 * KEPT_UNUSED), [BINDING]);
        cache.get(BINDING, 3, start);
        cache.wrote(&used(2));
        assert_eq!(cache.unwritten(), used(3));
        // Another node wrote it.
        cache.record(BINDING, GOOD, 3, start);
        assert_eq!(cache.unwritten(), []);
        cache.get(BINDING, 3, start);
        assert_eq!(cache.unwritten(), []);
        assert_eq!(cache.recently_used(start + 2 * KEPT_UNUSED), []);
        // It is known for every role, because a grant changes the role.
        cache.record(TokenBinding { role: Role::Admin, ..BINDING }, GOOD, 4, start);
        assert_eq!(cache.used_generation(Uuid::nil(), Uuid::nil()), 4);
        assert_eq!(cache.used_generation(Uuid::max(), Uuid::nil()), 0);
    }

    #[test]
    fn an_answer_to_an_older_question_changes_nothing() {
        let living = SessionCache::new(FRESH);
        let asked = Instant::now();
        living.record(BINDING, GOOD, 0, asked);
        living.end(|binding| *binding == BINDING);
        living.record(BINDING, GOOD, 0, asked);
        assert_eq!(living.get(BINDING, 0, Instant::now()), Some(None));
    }

    #[test]
    fn who_watches_is_told_of_the_end_and_keeps_it_remembered() {
        let living = SessionCache::new(FRESH);
        let start = Instant::now();
        let ended = living.watch(BINDING, start);
        assert_eq!(living.get(BINDING, 0, start), None);
        assert_eq!(living.recently_used(start + 2 * KEPT_UNUSED), [BINDING]);
        living.record(BINDING, None, 0, start);
        assert!(*ended.borrow());
        living.record(BINDING, GOOD, 0, start + FRESH);
        assert!(*ended.borrow());
        drop(ended);
        assert_eq!(living.recently_used(start + 2 * KEPT_UNUSED), []);
    }
}
