//! The clock: the one door through which the time of day enters the program.
//!
//! Code that needs the time takes a [`Clock`] or a [`Timestamp`]; only [`SystemClock`] may ask the
//! machine.

use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

/// Tells the time of day, in UTC. It may jump and go back, as a machine's clock does.
pub trait Clock: Send + Sync {
    fn now(&self) -> Timestamp;

    /// The time that has passed since an arbitrary moment. It never goes back and never jumps. It stands still while
    /// the machine is suspended, so a resumed machine's time of day has jumped against it.
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

/// A clock that stands still until it is moved: a test double.
#[derive(Debug)]
pub struct ManualClock(Mutex<Moment>);

/// What both clocks of a node show.
#[derive(Clone, Copy, Debug)]
struct Moment {
    now: Timestamp,
    monotonic: Duration,
}

impl ManualClock {
    /// A clock that stands at a time.
    pub fn at(time: Timestamp) -> ManualClock {
        ManualClock(Mutex::new(Moment { now: time, monotonic: Duration::ZERO }))
    }

    /// Moves the clock to a time, forwards or back; forwards, as much time passes.
    pub fn set(&self, time: Timestamp) {
        let mut moment = self.lock();
        let passed = Duration::try_from(time.duration_since(moment.now)).unwrap_or_default();
        *moment = Moment { now: time, monotonic: moment.monotonic.saturating_add(passed) };
    }

    /// Lets a duration pass; the clock stops at the end of time.
    pub fn advance(&self, by: SignedDuration) {
        let now = self.now();
        self.set(now.checked_add(by).unwrap_or(Timestamp::MAX));
    }

    /// Moves the clock by a duration, forwards or back, in which no time passes: as a machine's clock is put right.
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
