//! Which sessions live: a bounded memory, so that no request on the hot path asks the database.
//!
//! A session is asked about once when it is first seen, and from then on with all others that were seen
//! lately, every second. What is older than [`FRESH`] is not believed. An access token dies with its session
//! and with the role it was issued for; so do the streams and polls that were opened with it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use uuid::Uuid;

use super::app::App;
use super::caller::Caller;
use super::failure::Failure;
use super::tokens::Role;
use crate::store::sessions::{self, LivingSession};

/// How old knowledge may be. Together with the look of every second it keeps the promise of two seconds.
const FRESH: Duration = Duration::from_millis(1_900);

/// How long a session that is not used any more goes on being asked about.
const LATELY: Duration = Duration::from_secs(120);

/// How many are remembered.
const CAPACITY: usize = 100_000;

/// What a token is bound to: its session, in the role it was issued for.
pub(super) type Bond = (Uuid, Role);

/// The memory of a node.
#[derive(Default)]
pub(super) struct LivingSessions(Mutex<HashMap<Bond, Known>>);

struct Known {
    account: Uuid,
    lives: bool,
    /// When the question was asked to which this is the answer.
    as_of: Instant,
    used: Instant,
    ended: watch::Sender<bool>,
}

impl LivingSessions {
    /// Whether tokens of this bond are good, if that is known and recent.
    fn recall(&self, bond: Bond, now: Instant) -> Option<bool> {
        let mut known = self.lock();
        let known = known.get_mut(&bond)?;
        known.used = now;
        (now.duration_since(known.as_of) < FRESH).then_some(known.lives)
    }

    /// Takes note of an answer. What has been learnt after the question was asked stands.
    fn learn(&self, bond: Bond, account: Uuid, lives: bool, as_of: Instant) {
        let mut all = self.lock();
        if let Some(known) = all.get_mut(&bond) {
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
            all.insert(bond, Known { account, lives, as_of, used: as_of, ended });
        }
    }

    /// Tells when tokens of this bond are good no more.
    fn watch(&self, bond: Bond, account: Uuid, now: Instant) -> watch::Receiver<bool> {
        let unknown = || Known {
            account,
            lives: true,
            // Not believed by any request, but asked about at the next look.
            as_of: now.checked_sub(FRESH).unwrap_or(now),
            used: now,
            ended: watch::Sender::new(false),
        };
        self.lock().entry(bond).or_insert_with(unknown).ended.subscribe()
    }

    /// Ends what a rule says, at once.
    fn end(&self, ends: impl Fn(&Bond, Uuid) -> bool) {
        let now = Instant::now();
        for (bond, known) in self.lock().iter_mut() {
            if ends(bond, known.account) {
                known.set(false, now);
            }
        }
    }

    /// What is to be asked about; what was not used lately is forgotten.
    fn lately(&self, now: Instant) -> Vec<(Bond, Uuid)> {
        let mut all = self.lock();
        all.retain(|_, known| known.is_watched() || now.duration_since(known.used) < LATELY);
        all.iter().map(|(bond, known)| (*bond, known.account)).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Bond, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn set(&mut self, lives: bool, as_of: Instant) {
        if lives && !self.lives {
            // Who was told that it ended stays told.
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

impl App {
    /// Whether tokens of a session in a role are good.
    pub(super) async fn session_lives(&self, bond: Bond, account: Uuid) -> Result<bool, Failure> {
        let asked = Instant::now();
        if let Some(lives) = self.living.recall(bond, asked) {
            return Ok(lives);
        }
        let id = bond.0.to_string();
        let found = self.database.read(move |conn| sessions::living(conn, &[id])).await?;
        let lives = found.iter().any(|session| is(session, bond));
        self.living.learn(bond, account, lives, asked);
        Ok(lives)
    }

    /// One look at all sessions that were seen lately.
    pub(super) async fn look_at_sessions(&self) -> Result<(), Failure> {
        let asked = Instant::now();
        let lately = self.living.lately(asked);
        if lately.is_empty() {
            return Ok(());
        }
        let ids: Vec<String> = lately.iter().map(|((session, _), _)| session.to_string()).collect();
        let found = self.database.read(move |conn| sessions::living(conn, &ids)).await?;
        let found: HashMap<&str, &LivingSession> =
            found.iter().map(|session| (session.id.as_str(), session)).collect();
        for (bond, account) in lately {
            let lives = found.get(bond.0.to_string().as_str()).is_some_and(|session| is(session, bond));
            self.living.learn(bond, account, lives, asked);
        }
        Ok(())
    }

    /// A session has just begun, or gone on, on this node.
    pub(super) fn session_began(&self, bond: Bond, account: Uuid, asked: Instant) {
        self.living.learn(bond, account, true, asked);
    }

    /// Tells when the caller's token is good no more.
    pub(super) fn session_end(&self, caller: &Caller) -> watch::Receiver<bool> {
        let account = caller.account.as_str().parse().unwrap_or_default();
        self.living.watch((caller.session, caller.role), account, Instant::now())
    }

    /// A session has been ended: its tokens are dead on this node from now on.
    pub(super) fn session_ended(&self, session: Uuid) {
        self.living.end(|bond, _| bond.0 == session);
        self.tokens.forget_session(session);
    }

    /// The sessions of an account have been ended, but for one perhaps.
    pub(super) fn sessions_ended(&self, account: &str, but: Option<Uuid>) {
        let account: Uuid = account.parse().unwrap_or_default();
        self.living.end(|bond, of| of == account && Some(bond.0) != but);
    }

    /// An account has another role: tokens issued for another are dead on this node from now on.
    pub(super) fn role_changed(&self, account: &str, role: Role) {
        let account: Uuid = account.parse().unwrap_or_default();
        self.living.end(|bond, of| of == account && bond.1 != role);
    }
}

fn is(session: &LivingSession, bond: Bond) -> bool {
    session.id == bond.0.to_string() && session.role == bond.1.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOND: Bond = (Uuid::nil(), Role::Player);

    #[test]
    fn what_is_known_is_believed_for_a_while() {
        let living = LivingSessions::default();
        let start = Instant::now();
        assert_eq!(living.recall(BOND, start), None);
        living.learn(BOND, Uuid::nil(), true, start);
        assert_eq!(living.recall(BOND, start + FRESH / 2), Some(true));
        assert_eq!(living.recall(BOND, start + FRESH), None);
        assert_eq!(living.recall((Uuid::nil(), Role::Admin), start), None);
    }

    #[test]
    fn an_answer_to_an_older_question_changes_nothing() {
        let living = LivingSessions::default();
        let asked = Instant::now();
        living.learn(BOND, Uuid::nil(), true, asked);
        living.end(|bond, _| *bond == BOND);
        living.learn(BOND, Uuid::nil(), true, asked);
        assert_eq!(living.recall(BOND, Instant::now()), Some(false));
    }

    #[test]
    fn who_watches_is_told_of_the_end_and_keeps_it_remembered() {
        let living = LivingSessions::default();
        let start = Instant::now();
        let ended = living.watch(BOND, Uuid::nil(), start);
        assert_eq!(living.recall(BOND, start), None);
        assert_eq!(living.lately(start + 2 * LATELY), [(BOND, Uuid::nil())]);
        living.learn(BOND, Uuid::nil(), false, start);
        assert!(*ended.borrow());
        living.learn(BOND, Uuid::nil(), true, start + FRESH);
        assert!(*ended.borrow());
        drop(ended);
        assert_eq!(living.lately(start + 2 * LATELY), []);
    }
}
