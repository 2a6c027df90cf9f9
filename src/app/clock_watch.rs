//! Whether the node's clock can be trusted to act for people.
//!
//! The wall clock is compared with two others: with the node's monotonic clock, which shows that it jumped, and on
//! PostgreSQL with the server's, which shows that it is wrong. Turns that were running when it jumped forward get the
//! jump added; a node whose clock is wrong does not act by it. Both only ever make the service act later than the
//! record allows, so records stay sound.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::clock::Clock;
use super::failure::Failure;
use super::handles::Handles;
use super::metrics::Metrics;
use crate::store::{Database, server_time};

/// How far a node's clock may be from the database server's, and how far it may jump, unless told otherwise.
pub const CLOCK_SKEW: Duration = Duration::from_secs(5);

/// How far the clocks may differ without a word in the log.
const UNREMARKABLE: SignedDuration = SignedDuration::from_secs(1);

const JUMPS: usize = 64;

/// How a node looks at its clock.
struct ClockWatch {
    /// How much the clock may be off; none to trust it whatever it says.
    limit: Option<SignedDuration>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The wall clock and the monotonic clock when they were last read.
    last: Option<(Timestamp, Duration)>,
    jumps: VecDeque<Jump>,
    reference: Reference,
    logged: Severity,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Jump {
    /// What the clock would have shown without it.
    before: Timestamp,
    /// How far it jumped; negative where it went back.
    by: SignedDuration,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Reference {
    /// Nothing yet, or nothing since it jumped.
    #[default]
    Unknown,
    /// There is nothing to compare it with: SQLite.
    None,
    Server(Skew),
}

/// How far a clock is ahead of the database server's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Skew {
    /// The best estimate; negative where the clock is behind.
    ahead: SignedDuration,
    /// How far the clock is off at least, whenever in the round trip the server read its own.
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
    fn new(limit: Option<Duration>) -> ClockWatch {
        let limit = limit.and_then(|limit| SignedDuration::try_from(limit).ok());
        ClockWatch { limit, state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a reading of both clocks of the node. Returns how far the wall clock has jumped since the last, if that is
    /// more than the limit.
    fn read(&self, clock: &dyn Clock) -> Option<SignedDuration> {
        let limit = self.limit?;
        let mut state = self.lock();
        // Read under the lock, so that readings come in order.
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

    /// How much longer to wait for what began at a time: as far as the clock has jumped forward since.
    fn added(&self, since: Timestamp) -> SignedDuration {
        let state = self.lock();
        let jumps = state.jumps.iter().filter(|jump| since <= jump.before);
        let sum = jumps.fold(SignedDuration::ZERO, |sum, jump| sum.saturating_add(jump.by));
        sum.max(SignedDuration::ZERO)
    }

    /// Takes a comparison with the database server's clock. Returns how bad the skew is, where that has changed.
    fn compared(&self, skew: Skew) -> Option<Severity> {
        let mut state = self.lock();
        state.reference = Reference::Server(skew);
        let severity = match self.limit {
            Some(limit) if skew.certain > limit => Severity::BeyondLimit,
            _ if skew.certain > UNREMARKABLE => Severity::Warned,
            _ => Severity::None,
        };
        (std::mem::replace(&mut state.logged, severity) != severity).then_some(severity)
    }

    /// The clock is known to be wrong by more than the limit.
    fn is_skewed(&self) -> bool {
        self.skew_beyond_limit().is_some()
    }

    /// How far the clock is ahead, if it is wrong by more than the limit.
    fn skew_beyond_limit(&self) -> Option<SignedDuration> {
        match (self.lock().reference, self.limit) {
            (Reference::Server(skew), Some(limit)) => Some(skew.ahead).filter(|_| skew.certain > limit),
            _ => None,
        }
    }

    /// Whether nothing speaks against acting by the clock. A clock that has jumped is not trusted before it was
    /// compared with the server's.
    fn is_trusted(&self) -> bool {
        let unknown = self.limit.is_some() && self.lock().reference == Reference::Unknown;
        !unknown && !self.is_skewed()
    }
}

impl Skew {
    /// From a server's time, and the node's when it was asked and how long the answer took.
    fn of(server: Timestamp, asked: Timestamp, round_trip: Duration) -> Skew {
        let half = SignedDuration::try_from(round_trip / 2).unwrap_or(SignedDuration::MAX);
        let ahead = asked.duration_since(server).saturating_add(half);
        let certain = ahead.abs().saturating_sub(half).max(SignedDuration::ZERO);
        Skew { ahead, certain }
    }
}

pub(super) struct NodeClock {
    database: Database,
    clock: Arc<dyn Clock>,
    metrics: Arc<Metrics>,
    watch: ClockWatch,
}

impl NodeClock {
    /// A clock that may be off by a limit; none to trust it whatever it says.
    pub(super) fn new(handles: &Handles, limit: Option<Duration>) -> NodeClock {
        let Handles { database, clock, metrics, .. } = handles.clone();
        NodeClock { database, clock, metrics, watch: ClockWatch::new(limit) }
    }

    /// The time by the node's clock, for acting by it: a jump since the last reading is found out first.
    pub(super) fn now(&self) -> Timestamp {
        if let Some(by) = self.watch.read(&*self.clock) {
            self.metrics.clock_jumped();
            tracing::warn!(seconds = by.as_secs_f64(), "the clock has jumped");
        }
        self.clock.now()
    }

    /// How much longer than its rules say to wait for what began at a time.
    pub(super) fn added_time(&self, since: Timestamp) -> SignedDuration {
        self.watch.added(since)
    }

    /// Whether the node may act by its clock.
    pub(super) fn is_trusted(&self) -> bool {
        self.watch.is_trusted()
    }

    /// Whether the clock is wrong by more than the limit.
    pub(super) fn is_skewed(&self) -> bool {
        self.watch.is_skewed()
    }

    /// The time before which what is due is looked for: the server's, where the node's clock is far ahead of it.
    pub(super) fn time_for_timers(&self) -> Timestamp {
        let ahead = self.watch.skew_beyond_limit().unwrap_or_default().max(SignedDuration::ZERO);
        self.now().checked_sub(ahead).unwrap_or(Timestamp::UNIX_EPOCH)
    }

    /// Compares the node's clock with the database server's, where there is one.
    pub(super) async fn compare(&self) -> Result<(), Failure> {
        self.now();
        let clock = Arc::clone(&self.clock);
        // Timed beside the query, so that waiting for a connection does not count.
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
    use crate::app::clock::ManualClock;

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
        // The clock is put right again.
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
