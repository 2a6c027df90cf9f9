//! Leaky buckets by address or account. Full buckets are dropped regularly, which bounds memory by the callers of the last
//! period or two.

use std::hash::Hash;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use actix_web::HttpRequest;
use governor::clock::Clock;
use governor::middleware::{NoOpMiddleware, StateInformationMiddleware};
use governor::state::keyed::DashMapStateStore;
use governor::{Quota, RateLimiter};

use super::headers::{Left, note};
use crate::http::problem::{Failure, Problem};
use estimation_service::auth::throttle::Rate;
use estimation_service::base::live::Live;

/// Seconds between two sweeps that drop full buckets.
const SWEEP: u64 = 60;

/// The monotonic clock of the node.
#[derive(Clone)]
pub(super) struct Monotonic(pub(super) Arc<dyn estimation_service::base::clock::Clock>);

impl Clock for Monotonic {
    type Instant = Duration;

    fn now(&self) -> Duration {
        self.0.monotonic()
    }
}

/// A limit, which may change while the server runs.
pub(super) struct Limit<K: Hash + Eq + Clone> {
    name: &'static str,
    clock: Monotonic,
    buckets: Live<Option<Arc<Buckets<K>>>>,
}

impl<K: Hash + Eq + Clone> Limit<K> {
    pub(super) fn new(name: &'static str, clock: Monotonic, rate: Option<Rate>) -> Limit<K> {
        let limit = Limit { name, clock, buckets: Live::default() };
        limit.change(rate);
        limit
    }

    /// The buckets; none without a limit.
    pub(super) fn buckets(&self) -> Option<Arc<Buckets<K>>> {
        Option::clone(&self.buckets.get())
    }

    pub(super) fn change(&self, rate: Option<Rate>) {
        if self.buckets().map(|buckets| buckets.rate) != rate {
            let buckets = rate.map(|rate| Arc::new(Buckets::new(self.name, self.clock.clone(), rate)));
            self.buckets.set(buckets);
        }
    }
}

pub(super) struct Buckets<K: Hash + Eq + Clone> {
    name: &'static str,
    rate: Rate,
    limiter: RateLimiter<K, DashMapStateStore<K>, Monotonic, StateInformationMiddleware>,
    swept: AtomicU64,
}

impl<K: Hash + Eq + Clone> Buckets<K> {
    fn new(name: &'static str, clock: Monotonic, rate: Rate) -> Buckets<K> {
        let times = NonZeroU32::new(rate.times).unwrap_or(NonZeroU32::MIN);
        let period = Duration::from_secs(rate.seconds.into());
        let one = (period / times.get()).max(Duration::from_nanos(1));
        let quota = Quota::with_period(one).unwrap_or(Quota::per_second(times)).allow_burst(times);
        let swept = AtomicU64::new(clock.now().as_secs());
        let limiter =
            RateLimiter::<_, _, _, NoOpMiddleware<Duration>>::new(quota, DashMapStateStore::default(), clock)
                .with_middleware();
        Buckets { name, rate, limiter, swept }
    }

    /// Takes one request out of a bucket, notes the remaining number for the headers, and returns it. A problem if the
    /// bucket is empty.
    pub(super) fn take(&self, request: &HttpRequest, key: &K) -> Result<u32, Problem> {
        self.sweep();
        let (name, rate) = (self.name, self.rate);
        let seconds = f64::from(rate.seconds) / f64::from(rate.times.max(1));
        match self.limiter.check_key(key) {
            Ok(state) => {
                let remaining = state.remaining_burst_capacity();
                let taken = rate.times.saturating_sub(remaining);
                let reset = (f64::from(taken) * seconds).ceil() as u64;
                note(request, Left { name, rate, remaining, reset });
                Ok(remaining)
            }
            Err(until) => {
                let wait = until.wait_time_from(self.limiter.clock().now());
                note(request, Left { name, rate, remaining: 0, reset: rate.seconds.into() });
                let retry_after = wait.as_secs_f64().ceil().max(1.0) as u64;
                Err(Failure::TooManyRequests { policy: name, retry_after }.into())
            }
        }
    }

    /// Drops full buckets every [`SWEEP`] seconds.
    fn sweep(&self) {
        let now = self.limiter.clock().now().as_secs();
        let last = self.swept.load(Ordering::Relaxed);
        let due = now >= last + SWEEP;
        if due && self.swept.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            self.limiter.retain_recent();
        }
    }
}
