//! Buckets: one for each address or account, leaking at a rate. A bucket that has been full for a while is
//! forgotten, so that there are never more of them than there were callers in a period or two.

use std::hash::Hash;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use actix_web::HttpRequest;
use actix_web::http::header::RETRY_AFTER;
use governor::clock::Clock;
use governor::middleware::{NoOpMiddleware, StateInformationMiddleware};
use governor::state::keyed::DashMapStateStore;
use governor::{Quota, RateLimiter};

use super::headers::{Left, note};
use crate::auth::throttle::Rate;
use crate::http::problem::Problem;

/// How many seconds pass between two looks for buckets that can be forgotten.
const SWEEP: u64 = 60;

/// Time since the buckets were made: it never goes back.
#[derive(Clone)]
struct Uptime(Instant);

impl Clock for Uptime {
    type Instant = Duration;

    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// The buckets of one limit.
pub(super) struct Buckets<K: Hash + Eq + Clone> {
    name: &'static str,
    rate: Rate,
    limiter: RateLimiter<K, DashMapStateStore<K>, Uptime, StateInformationMiddleware>,
    swept: AtomicU64,
}

impl<K: Hash + Eq + Clone> Buckets<K> {
    /// Full buckets of a rate.
    pub(super) fn new(name: &'static str, rate: Rate) -> Buckets<K> {
        let times = NonZeroU32::new(rate.times).unwrap_or(NonZeroU32::MIN);
        let period = Duration::from_secs(rate.seconds.into());
        let one = (period / times.get()).max(Duration::from_nanos(1));
        let quota = Quota::with_period(one).unwrap_or(Quota::per_second(times)).allow_burst(times);
        let clock = Uptime(Instant::now());
        let limiter =
            RateLimiter::<_, _, _, NoOpMiddleware<Duration>>::new(quota, DashMapStateStore::default(), clock)
                .with_middleware();
        Buckets { name, rate, limiter, swept: AtomicU64::new(0) }
    }

    /// Takes one out of a bucket, notes what is left and returns it; a problem if the bucket is empty.
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
                let detail = format!("No more than {} requests in {} seconds.", rate.times, rate.seconds);
                Err(Problem::new("too-many-requests", detail)
                    .with("policy", name)
                    .header(RETRY_AFTER, retry_after.to_string()))
            }
        }
    }

    /// Forgets the buckets that are full again, now and then.
    fn sweep(&self) {
        let now = self.limiter.clock().now().as_secs();
        let last = self.swept.load(Ordering::Relaxed);
        let due = now >= last + SWEEP;
        if due && self.swept.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            self.limiter.retain_recent();
        }
    }
}
