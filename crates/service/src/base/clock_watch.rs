//! Whether the node's clock can be trusted for timers.
//!
//! The wall clock is compared with the node's monotonic clock, to detect jumps. On PostgreSQL it is also
//! compared with the server's clock, to detect skew. After a forward jump, running turns are extended by it.
//! A skewed node does not act on timers. Both only make the service act later than the record allows, so
//! records stay valid.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::clock::Clock;
use super::failure::Failure;
use super::metrics::Metrics;
use estimation_store::{Database, server_time};

/// Default limit for the skew from the database server's clock, and for jumps.
pub const CLOCK_SKEW: Duration = Duration::from_secs(5);

/// Differences below this are not logged.
const LOG_THRESHOLD: SignedDuration = SignedDuration::from_secs(1);

const JUMPS: usize = 64;

/// The clock checks of a node.
pub(crate) struct ClockWatch {
    /// The most the clock may be off; `None` to always trust it.
    limit: Option<SignedDuration>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The last readings of the wall clock and the monotonic clock.
    last: Option<(Timestamp, Duration)>,
    jumps: VecDeque<Jump>,
    reference: Reference,
    logged: Severity,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Jump {
    /// The time without the jump.
    before: Timestamp,
    /// Negative for a jump back.
    by: SignedDuration,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Reference {
    /// Not compared yet, or not since the last jump.
    #[default]
    Unknown,
    /// SQLite: there is no server clock.
    None,
    Server(Skew),
}

/// How far a clock is ahead of the database server's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Skew {
    /// The best estimate; negative if the clock is behind.
    ahead: SignedDuration,
    /// The smallest skew possible, given the round trip.
    certain: SignedDuration,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Severity {
    #[default]
    None,
    Warned,
    BeyondLimit,
}

impl ClockWatch {
    pub(crate) fn new(limit: Option<Duration>) -> ClockWatch {
        let limit = limit.and_then(|limit| SignedDuration::try_from(limit).ok());
        ClockWatch { limit, state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads both node clocks. Returns the wall clock's jump since the last reading if it exceeds the limit.
    fn read(&self, clock: &dyn Clock) -> Option<SignedDuration> {
        let limit = self.limit?;
        let mut state = self.lock();
        // Read under the lock, so that readings are in order.
        let (now, monotonic) = (clock.now(), clock.monotonic());
        let (last, then) = state.last.replace((now, monotonic))?;
        let passed = SignedDuration::try_from(monotonic.saturating_sub(then)).unwrap_or(SignedDuration::MAX);
        let before = last.checked_add(passed).unwrap_or(Timestamp::MAX);
        let by = now.duration_since(before);
        if by.abs() <= limit {
            return None;
        }
        state.jumps.push_back(Jump { before, by });
        if state.jumps.len() > JUMPS {
            state.jumps.pop_front();
        }
        if let Reference::Server(_) = state.reference {
            state.reference = Reference::Unknown;
        }
        Some(by)
    }

    /// The extra time for a wait that began at `since`: the sum of later forward jumps.
    fn added(&self, since: Timestamp) -> SignedDuration {
        let state = self.lock();
        let jumps = state.jumps.iter().filter(|jump| since <= jump.before);
        let sum = jumps.fold(SignedDuration::ZERO, |sum, jump| sum.saturating_add(jump.by));
        sum.max(SignedDuration::ZERO)
    }

    /// Records a comparison with the database server's clock. Returns the severity if it changed.
    fn compared(&self, skew: Skew) -> Option<Severity> {
        let mut state = self.lock();
        state.reference = Reference::Server(skew);
        let severity = match self.limit {
            Some(limit) if skew.certain > limit => Severity::BeyondLimit,
            _ if skew.certain > LOG_THRESHOLD => Severity::Warned,
            _ => Severity::None,
        };
        (std::mem::replace(&mut state.logged, severity) != severity).then_some(severity)
    }

    fn is_skewed(&self) -> bool {
        self.skew_beyond_limit().is_some()
    }

    /// The estimated skew, if it exceeds the limit.
    fn skew_beyond_limit(&self) -> Option<SignedDuration> {
        match (self.lock().reference, self.limit) {
            (Reference::Server(skew), Some(limit)) => Some(skew.ahead).filter(|_| skew.certain > limit),
            _ => None,
        }
    }

    /// Whether the clock may drive timers. After a jump, a comparison with the server must come first.
    fn is_trusted(&self) -> bool {
        let unknown = self.limit.is_some() && self.lock().reference == Reference::Unknown;
        !unknown && !self.is_skewed()
    }
}

impl Skew {
    /// `asked` is the node's time before the query; `round_trip` is how long the query took.
    fn of(server: Timestamp, asked: Timestamp, round_trip: Duration) -> Skew {
        let half = SignedDuration::try_from(round_trip / 2).unwrap_or(SignedDuration::MAX);
        let ahead = asked.duration_since(server).saturating_add(half);
        let certain = ahead.abs().saturating_sub(half).max(SignedDuration::ZERO);
        Skew { ahead, certain }
    }
}

pub(crate) struct NodeClock {
    pub(crate) database: Database,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) watch: ClockWatch,
}

impl NodeClock {
    /// The current time for timers; detects a jump since the last reading first.
    pub(crate) fn now(&self) -> Timestamp {
        if let Some(by) = self.watch.read(&*self.clock) {
            self.metrics.clock_jumped();
            tracing::warn!(seconds = by.as_secs_f64(), "the clock has jumped");
        }
        self.clock.now()
    }

    /// The extra time for a wait that began at `since`, due to clock jumps.
    pub(crate) fn added_time(&self, since: Timestamp) -> SignedDuration {
        self.watch.added(since)
    }

    pub(crate) fn is_trusted(&self) -> bool {
        self.watch.is_trusted()
    }

    pub(crate) fn is_skewed(&self) -> bool {
        self.watch.is_skewed()
    }

    /// The time to query due timers by: the server's, if the node's clock is too far ahead.
    pub(crate) fn time_for_timers(&self) -> Timestamp {
        let ahead = self.watch.skew_beyond_limit().unwrap_or_default().max(SignedDuration::ZERO);
        self.now().checked_sub(ahead).unwrap_or(Timestamp::UNIX_EPOCH)
    }

    /// Compares the node's clock with the database server's, if there is one.
    pub(crate) async fn compare(&self) -> Result<(), Failure> {
        self.now();
        let clock = Arc::clone(&self.clock);
        // Timed inside the job, so that waiting for a connection does not count.
        let ask = move |conn: &mut _| {
            let (asked, began) = (clock.now(), clock.monotonic());
            let server = server_time(conn)?;
            Ok((server, asked, clock.monotonic().saturating_sub(began)))
        };
        let (server, asked, round_trip) = self.database.read(ask).await?;
        let Some(server) = server else {
            self.watch.lock().reference = Reference::None;
            return Ok(());
        };
        let server =
            Timestamp::from_microsecond(server).map_err(|error| Failure::Defect(error.to_string()))?;
        let skew = Skew::of(server, asked, round_trip);
        self.metrics.clock_skew(skew.ahead.as_secs_f64());
        let seconds = skew.ahead.as_secs_f64();
        match self.watch.compared(skew) {
            None => {}
            Some(Severity::None) => tracing::info!(seconds, "the clock agrees with the database server's"),
            Some(Severity::Warned) => {
                tracing::warn!(seconds, "the clock differs from the database server's");
            }
            Some(Severity::BeyondLimit) => {
                tracing::error!(seconds, "the clock is wrong: this node runs no timers and is not ready");
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::clock::ManualClock;

    fn seconds(seconds: i64) -> SignedDuration {
        SignedDuration::from_secs(seconds)
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn only_what_began_before_a_jump_waits_longer() {
        let (clock, watch) = (ManualClock::at(at(1_000)), ClockWatch::new(Some(CLOCK_SKEW)));
        assert_eq!(watch.read(&clock), None);
        clock.advance(seconds(60));
        assert_eq!(watch.read(&clock), None, "time has passed");
        clock.step(seconds(5));
        assert_eq!(watch.read(&clock), None, "within the limit");
        clock.advance(seconds(1));
        clock.step(seconds(90));
        assert_eq!(watch.read(&clock), Some(seconds(90)));
        assert_eq!(watch.added(at(1_000)), seconds(90));
        // A turn that began after the last reading and before the jump.
        assert_eq!(watch.added(at(1_066)), seconds(90));
        assert_eq!(watch.added(at(1_156)), SignedDuration::ZERO);
        // The clock steps back to the correct time.
        clock.step(seconds(-90));
        assert_eq!(watch.read(&clock), Some(seconds(-90)));
        assert_eq!(watch.added(at(1_000)), SignedDuration::ZERO);
        assert_eq!(watch.added(at(1_100)), SignedDuration::ZERO);
    }

    #[test]
    fn a_slow_answer_proves_no_skew() {
        let skew = |server, asked, trip| Skew::of(at(server), at(asked), Duration::from_secs(trip));
        assert_eq!(skew(100, 190, 2), Skew { ahead: seconds(91), certain: seconds(90) });
        assert_eq!(skew(100, 10, 2), Skew { ahead: seconds(-89), certain: seconds(88) });
        assert_eq!(skew(106, 100, 12).certain, SignedDuration::ZERO);
    }

    #[test]
    fn a_clock_that_jumped_is_not_trusted_before_it_was_compared() {
        let (clock, watch) = (ManualClock::at(at(1_000)), ClockWatch::new(Some(CLOCK_SKEW)));
        let exact = Skew::of(at(1_000), at(1_000), Duration::ZERO);
        assert!(!watch.is_trusted() && !watch.is_skewed());
        watch.read(&clock);
        assert_eq!(watch.compared(exact), None);
        assert!(watch.is_trusted());
        clock.step(seconds(90));
        watch.read(&clock);
        assert!(!watch.is_trusted() && !watch.is_skewed());
        let wrong = Skew::of(at(1_000), at(1_090), Duration::ZERO);
        assert_eq!(watch.compared(wrong), Some(Severity::BeyondLimit));
        assert!(!watch.is_trusted() && watch.is_skewed());
        assert_eq!(watch.compared(wrong), None, "logged once");
        assert_eq!(watch.compared(exact), Some(Severity::None));
    }
}
