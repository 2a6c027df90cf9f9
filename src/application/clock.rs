//! The clock: the one door through which the time of day enters the program.
//!
//! Whoever needs the time takes a [`Clock`] or is handed a [`Timestamp`]; only [`SystemClock`] may ask the
//! machine.

use std::sync::{Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};

/// Tells the time of day, in UTC. It may jump and go back, as a machine's clock does.
pub trait Clock: Send + Sync {
    /// The present time.
    fn now(&self) -> Timestamp;
}

/// The machine's own clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that owns the time of day")]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// A clock that stands still until it is moved: a test double.
#[derive(Debug)]
pub struct ManualClock(Mutex<Timestamp>);

impl ManualClock {
    /// A clock that stands at a time.
    pub fn at(time: Timestamp) -> ManualClock {
        ManualClock(Mutex::new(time))
    }

    /// Moves the clock to a time, forwards or back.
    pub fn set(&self, time: Timestamp) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = time;
    }

    /// Moves the clock on by a duration; it stops at the end of time.
    pub fn advance(&self, by: SignedDuration) {
        let mut time = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *time = time.checked_add(by).unwrap_or(Timestamp::MAX);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
