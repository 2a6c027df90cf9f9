//! The clock: the only source of the time of day.
//!
//! Code that needs the time takes a [`Clock`] or a [`Timestamp`]; only [`SystemClock`] reads the machine's
//! clock.

use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

/// Returns the time of day in UTC. It may jump or go back, as a machine's clock does.
pub trait Clock: Send + Sync {
    fn now(&self) -> Timestamp;

    /// The time since an arbitrary moment. It never goes back or jumps. It stops while the machine is
    /// suspended, so after a resume the time of day has jumped against it.
    fn monotonic(&self) -> Duration;
}

#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that owns the time of day")]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn monotonic(&self) -> Duration {
        static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);
        STARTED.elapsed()
    }
}

/// A test clock that only moves when told to.
#[derive(Debug)]
pub struct ManualClock(Mutex<Moment>);

#[derive(Clone, Copy, Debug)]
struct Moment {
    now: Timestamp,
    monotonic: Duration,
}

impl ManualClock {
    pub fn at(time: Timestamp) -> ManualClock {
        ManualClock(Mutex::new(Moment { now: time, monotonic: Duration::ZERO }))
    }

    /// Sets the time of day. Moving forward also advances the monotonic clock.
    pub fn set(&self, time: Timestamp) {
        let mut moment = self.lock();
        let passed = Duration::try_from(time.duration_since(moment.now)).unwrap_or_default();
        *moment = Moment { now: time, monotonic: moment.monotonic.saturating_add(passed) };
    }

    /// Advances both clocks; saturates at the maximum time.
    pub fn advance(&self, by: SignedDuration) {
        let now = self.now();
        self.set(now.checked_add(by).unwrap_or(Timestamp::MAX));
    }

    /// Steps the time of day, forwards or back, without advancing the monotonic clock.
    pub fn step(&self, by: SignedDuration) {
        let mut moment = self.lock();
        moment.now = moment.now.checked_add(by).unwrap_or(Timestamp::MAX);
    }

    fn lock(&self) -> MutexGuard<'_, Moment> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        self.lock().now
    }

    fn monotonic(&self) -> Duration {
        self.lock().monotonic
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manual_clock_moves_only_when_told() {
        let clock = ManualClock::at(Timestamp::UNIX_EPOCH);
        assert_eq!(clock.now(), Timestamp::UNIX_EPOCH);
        clock.advance(SignedDuration::from_secs(90));
        assert_eq!(clock.now().as_second(), 90);
        clock.set(Timestamp::UNIX_EPOCH);
        assert_eq!(clock.now(), Timestamp::UNIX_EPOCH);
    }
}
