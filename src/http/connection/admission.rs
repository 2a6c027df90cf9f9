//! Admission: the limits on open connections, in total and per address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::app::metrics::{ConnectionCap, Metrics, Open as Counted};
use crate::auth::throttle::rate_limit_prefix;
use crate::http::address::TrustedProxies;

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
}

#[derive(Default)]
struct Open {
    total: usize,
    by_address: HashMap<IpAddr, usize>,
    /// Connections refused since the last log line.
    refused: u64,
    logged: Option<Instant>,
}

/// An admitted connection. It counts until this is dropped.
pub(super) struct Admission {
    admissions: Arc<Admissions>,
    /// The address it counts for; none for a trusted proxy.
    address: Option<IpAddr>,
    _counted: Counted,
}

impl Admissions {
    pub(super) fn new(
        limits: ConnectionLimits,
        trusted: TrustedProxies,
        metrics: Arc<Metrics>,
    ) -> Admissions {
        Admissions { limits, trusted, metrics, open: Mutex::default() }
    }

    /// Admits a connection from an address. None if too many are open.
    pub(super) fn admit(self: &Arc<Self>, peer: IpAddr) -> Option<Admission> {
        let address = (!self.trusted.trust(peer)).then(|| rate_limit_prefix(peer));
        let mut open = self.open();
        let of_address = address.and_then(|address| open.by_address.get(&address)).copied().unwrap_or(0);
        let cap = if open.total >= self.limits.total {
            ConnectionCap::Total
        } else if of_address >= self.limits.per_address {
            ConnectionCap::Address
        } else {
            open.total += 1;
            if let Some(address) = address {
                open.by_address.insert(address, of_address + 1);
            }
            let counted = self.metrics.connection();
            return Some(Admission { admissions: Arc::clone(self), address, _counted: counted });
        };
        self.refuse(&mut open, cap);
        None
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

impl Drop for Admission {
    fn drop(&mut self) {
        let mut open = self.admissions.open();
        open.total -= 1;
        if let Some(address) = self.address
            && let Some(count) = open.by_address.get_mut(&address)
        {
            *count -= 1;
            if *count == 0 {
                open.by_address.remove(&address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admissions(total: usize, per_address: usize) -> Arc<Admissions> {
        let trusted = TrustedProxies(vec!["10.0.0.0/8".parse().unwrap()]);
        let limits = ConnectionLimits { total, per_address };
        Arc::new(Admissions::new(limits, trusted, Arc::default()))
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
        assert!(admit(&admissions, "10.0.0.1").is_none());
        assert!(admit(&admissions, "198.51.100.1").is_none());
        drop(held);
        assert!(admit(&admissions, "198.51.100.1").is_some());
        assert_eq!(admissions.open().total, 0);
        assert!(admissions.open().by_address.is_empty());
    }
}
