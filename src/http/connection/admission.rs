//! Admission: the limits on open connections, in total and per address.
//!
//! When all connections are taken, an idle one is closed for a new one ([`super::idle`]). Connections on which a request
//! is answered, and those of trusted proxies, are not closed for this.

use std::collections::HashMap;
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::{Duration, Instant};

use super::idle::{IdleConnections, Slot};

use crate::http::address::TrustedProxies;
use estimation_service::auth::throttle::rate_limit_prefix;
use estimation_service::base::metrics::{ConnectionCap, Metrics, Open as Counted};

/// The shortest time between two log lines about refused connections.
const LOGGED_EVERY: Duration = Duration::from_secs(10);

/// The most connections that may be open at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionLimits {
    pub total: usize,
    /// Per address; IPv6 addresses count by the /64. Trusted proxies are exempt.
    pub per_address: usize,
}

impl ConnectionLimits {
    /// No limits, for tests and load drivers.
    pub const NONE: ConnectionLimits = ConnectionLimits { total: usize::MAX, per_address: usize::MAX };
}

/// Counts the open connections of a node.
pub(super) struct Admissions {
    limits: ConnectionLimits,
    trusted: TrustedProxies,
    metrics: Arc<Metrics>,
    open: Mutex<Open>,
    began: Instant,
}

#[derive(Default)]
struct Open {
    total: usize,
    by_address: HashMap<IpAddr, usize>,
    idle: IdleConnections,
    /// Connections that were told to close and are still open.
    closing: usize,
    /// The number of the last connection.
    last: u64,
    /// Connections refused since the last log line.
    refused: u64,
    logged: Option<Instant>,
}

/// An admitted connection. It counts until this is dropped.
pub(super) struct Admission {
    place: Rc<Permit>,
    _counted: Counted,
}

/// The place of a connection among those that may be closed for a new one.
pub(super) struct Permit {
    admissions: Arc<Admissions>,
    /// None for a connection that counts for no address: a trusted proxy's.
    slot: Option<Arc<Slot>>,
}

impl Admissions {
    pub(super) fn new(
        limits: ConnectionLimits,
        trusted: TrustedProxies,
        metrics: Arc<Metrics>,
    ) -> Admissions {
        Admissions { limits, trusted, metrics, open: Mutex::default(), began: Instant::now() }
    }

    /// Admits a connection from an address. If all connections are taken, it closes an idle one. None if too many are
    /// open.
    pub(super) fn admit(self: &Arc<Self>, peer: IpAddr) -> Option<Admission> {
        let address = (!self.trusted.trust(peer)).then(|| rate_limit_prefix(peer));
        let mut open = self.open();
        let of_address = address.and_then(|address| open.by_address.get(&address)).copied().unwrap_or(0);
        if of_address >= self.limits.per_address {
            self.refuse(&mut open, ConnectionCap::Address);
            return None;
        }
        let mut closed = Vec::new();
        while open.total - open.closing >= self.limits.total {
            let Some(slot) = open.idle.close_next() else {
                self.refuse(&mut open, ConnectionCap::Total);
                return None;
            };
            open.closing += 1;
            closed.push(slot);
        }
        open.total += 1;
        open.last += 1;
        let slot = address.map(|address| Arc::new(Slot::new(address, open.last)));
        if let Some(address) = address {
            open.by_address.insert(address, of_address + 1);
        }
        drop(open);
        closed.iter().for_each(|slot| slot.wake());
        let place = Permit { admissions: Arc::clone(self), slot };
        Some(Admission { place: Rc::new(place), _counted: self.metrics.connection() })
    }

    fn refuse(&self, open: &mut Open, cap: ConnectionCap) {
        self.metrics.connection_refused(cap);
        open.refused += 1;
        if open.logged.is_none_or(|at| at.elapsed() >= LOGGED_EVERY) {
            open.logged = Some(Instant::now());
            let refused = std::mem::take(&mut open.refused);
            tracing::warn!(refused, open = open.total, cap = cap.as_str(), "too many connections");
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Admission {
    pub(super) fn place(&self) -> &Rc<Permit> {
        &self.place
    }
}

impl Permit {
    /// Lets the connection be closed for a new one: it waits for a request.
    pub(super) fn offer(&self, waker: &Waker) {
        let may_be_closed = |slot: &&Arc<Slot>| slot.is_busy() && self.admissions.limits.total < usize::MAX;
        let Some(slot) = self.slot.as_ref().filter(may_be_closed) else { return };
        let now = self.admissions.began.elapsed().as_nanos() as u64 + 1;
        if slot.rest(now, waker) {
            self.admissions.open().idle.insert(slot);
        }
    }

    /// Keeps the connection open, even if it was told to close: a part of a request has arrived.
    pub(super) fn keep(&self) {
        if self.slot.as_ref().is_some_and(|slot| slot.work()) {
            self.admissions.open().closing -= 1;
        }
    }

    /// Whether the connection was told to close.
    pub(super) fn is_closing(&self) -> bool {
        self.slot.as_ref().is_some_and(|slot| slot.is_closing())
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        self.place.keep();
        let mut open = self.place.admissions.open();
        open.total -= 1;
        if let Some(slot) = &self.place.slot {
            open.idle.remove(slot);
            if let Some(count) = open.by_address.get_mut(&slot.address()) {
                *count -= 1;
                if *count == 0 {
                    open.by_address.remove(&slot.address());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admissions(total: usize, per_address: usize) -> Arc<Admissions> {
        let trusted = TrustedProxies::new(vec!["10.0.0.0/8".parse().unwrap()]);
        let limits = ConnectionLimits { total, per_address };
        Arc::new(Admissions::new(limits, trusted, Arc::default()))
    }

    /// All open connections, and those that were told to close.
    fn counted(admissions: &Admissions) -> (usize, usize) {
        let open = admissions.open();
        (open.total, open.closing)
    }

    fn admit(admissions: &Arc<Admissions>, peer: &str) -> Option<Admission> {
        admissions.admit(peer.parse().unwrap())
    }

    #[test]
    fn an_address_has_its_share_and_gets_it_back() {
        let admissions = admissions(10, 2);
        let first = admit(&admissions, "198.51.100.1").unwrap();
        let _second = admit(&admissions, "::ffff:198.51.100.1").unwrap();
        assert!(admit(&admissions, "198.51.100.1").is_none());
        let _other = admit(&admissions, "198.51.100.2").unwrap();
        drop(first);
        assert!(admit(&admissions, "198.51.100.1").is_some());
    }

    #[test]
    fn an_idle_connection_of_the_address_with_most_is_closed_for_a_new_one() {
        let admissions = admissions(4, 3);
        let offered = |peer: &str| {
            let admission = admit(&admissions, peer).unwrap();
            admission.place().offer(Waker::noop());
            admission
        };
        let quiet = offered("198.51.100.1");
        let [oldest, busy, other] = [(); 3].map(|()| offered("198.51.100.2"));
        busy.place().keep();
        let new = admit(&admissions, "198.51.100.3").unwrap();
        assert!(oldest.place().is_closing());
        assert!(![&quiet, &busy, &other, &new].into_iter().any(|kept| kept.place().is_closing()));
        // The closed one is still open, and does not count.
        assert_eq!(counted(&admissions), (5, 1));
        drop(oldest);
        assert_eq!(counted(&admissions), (4, 0));
        let more = [(); 2].map(|()| admit(&admissions, "198.51.100.3").unwrap());
        assert!(quiet.place().is_closing() && other.place().is_closing());
        assert!(admit(&admissions, "198.51.100.4").is_none(), "none is idle");
        drop((quiet, busy, other, new, more));
        assert_eq!(counted(&admissions), (0, 0));
    }

    #[test]
    fn a_connection_on_which_a_request_arrives_is_kept_and_another_closed_later() {
        let admissions = admissions(2, 2);
        let held = [(); 2].map(|()| admit(&admissions, "198.51.100.1").unwrap());
        held[0].place().offer(Waker::noop());
        let new = admit(&admissions, "198.51.100.2").unwrap();
        assert!(held[0].place().is_closing());
        held[0].place().keep();
        assert!(!held[0].place().is_closing());
        assert!(admit(&admissions, "198.51.100.3").is_none(), "three are open, and none is idle");
        held.iter().for_each(|held| held.place().offer(Waker::noop()));
        let _newer = admit(&admissions, "198.51.100.3").unwrap();
        assert!(held.iter().all(|held| held.place().is_closing()), "one for each above the limit");
        drop((held, new));
        assert_eq!(counted(&admissions), (1, 0));
    }

    #[test]
    fn ipv6_counts_by_its_network() {
        let admissions = admissions(10, 1);
        let _first = admit(&admissions, "2001:db8::1").unwrap();
        assert!(admit(&admissions, "2001:db8::2").is_none());
        assert!(admit(&admissions, "2001:db8:0:1::2").is_some());
    }

    #[test]
    fn a_trusted_proxy_is_only_part_of_the_total() {
        let admissions = admissions(3, 1);
        let held: Vec<_> = (0..3).map(|_| admit(&admissions, "10.0.0.1").unwrap()).collect();
        held.iter().for_each(|held| held.place().offer(Waker::noop()));
        assert!(admit(&admissions, "10.0.0.1").is_none());
        assert!(admit(&admissions, "198.51.100.1").is_none());
        drop(held);
        assert!(admit(&admissions, "198.51.100.1").is_some());
        assert_eq!(admissions.open().total, 0);
        assert!(admissions.open().by_address.is_empty());
    }
}
