//! The idle connections of a node, in the order in which it closes them to make room for new ones: first those of the
//! network that has most, in it those of the address that has most, and of these the oldest. If two have the same
//! number, the one with the older connection comes first.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::task::Waker;

/// The bits of an IPv6 address that its network does not have: a network is a /48.
const HOST_BITS: u32 = 80;

/// What closes an idle connection.
pub(super) struct Idle {
    /// Tells the transport to end the connection.
    pub(super) is_closing: Arc<AtomicBool>,
    pub(super) waker: Waker,
}

#[derive(Default)]
pub(super) struct IdleConnections {
    /// The number of the connection that became idle last.
    last: u64,
    networks: Ranked<Ranked<Queue>>,
}

impl IdleConnections {
    /// Adds a connection of an address, and returns its number.
    pub(super) fn insert(&mut self, address: IpAddr, idle: Idle) -> u64 {
        self.last += 1;
        let number = self.last;
        let insert = |queue: &mut Queue| queue.insert(number, idle);
        self.networks.change(network(address), |network| network.change(address, insert));
        number
    }

    pub(super) fn remove(&mut self, address: IpAddr, number: u64) -> Option<Idle> {
        let remove = |queue: &mut Queue| queue.remove(&number);
        self.networks.change(network(address), |network| network.change(address, remove))
    }

    /// Removes the connection to close next.
    pub(super) fn take_next(&mut self) -> Option<Idle> {
        let network = self.networks.first()?;
        self.networks.change(network, |network| {
            let address = network.first()?;
            network.change(address, |queue| queue.pop_first().map(|(_, idle)| idle))
        })
    }
}

/// The /48 of an IPv6 address, or the IPv4 address.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> HOST_BITS << HOST_BITS).into(),
    }
}

/// The idle connections of an address, by number.
type Queue = BTreeMap<u64, Idle>;

/// A group of idle connections.
trait Group: Default {
    fn count(&self) -> usize;

    /// The number of the connection to close next.
    fn next(&self) -> u64;
}

impl Group for Queue {
    fn count(&self) -> usize {
        self.len()
    }

    fn next(&self) -> u64 {
        self.first_key_value().map_or(u64::MAX, |(number, _)| *number)
    }
}

/// Groups, ranked by their number of connections.
#[derive(Default)]
struct Ranked<G> {
    groups: HashMap<IpAddr, G>,
    ranks: BTreeSet<Rank>,
    count: usize,
}

/// A group's number of connections, the next to close, and its name.
type Rank = (usize, Reverse<u64>, IpAddr);

impl<G: Group> Ranked<G> {
    /// Changes a group, and ranks it again. Only groups with connections are kept.
    fn change<T>(&mut self, name: IpAddr, change: impl FnOnce(&mut G) -> T) -> T {
        let rank = |group: &G| (group.count(), Reverse(group.next()), name);
        let group = self.groups.entry(name).or_default();
        let before = group.count();
        self.ranks.remove(&rank(group));
        let changed = change(group);
        self.count = self.count + group.count() - before;
        if group.count() == 0 {
            self.groups.remove(&name);
        } else {
            self.ranks.insert(rank(group));
        }
        changed
    }

    fn first(&self) -> Option<IpAddr> {
        self.ranks.last().map(|(_, _, name)| *name)
    }
}

impl<G: Group> Group for Ranked<G> {
    fn count(&self) -> usize {
        self.count
    }

    fn next(&self) -> u64 {
        self.ranks.last().map_or(u64::MAX, |(_, Reverse(number), _)| *number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The addresses in the order in which their connections are closed.
    fn closed(addresses: &[&str]) -> Vec<String> {
        let mut idle = IdleConnections::default();
        let mut of = HashMap::new();
        for address in addresses {
            let is_closing = Arc::new(AtomicBool::new(false));
            let connection = Idle { is_closing: Arc::clone(&is_closing), waker: Waker::noop().clone() };
            let number = idle.insert(address.parse().unwrap(), connection);
            of.insert(Arc::as_ptr(&is_closing), (format!("{address}#{number}"), is_closing));
        }
        let next = || idle.take_next().map(|next| of[&Arc::as_ptr(&next.is_closing)].0.clone());
        let order = std::iter::from_fn(next).collect();
        assert!(idle.networks.groups.is_empty() && idle.networks.ranks.is_empty());
        order
    }

    #[test]
    fn the_address_with_most_loses_its_oldest() {
        let order = closed(&["10.0.0.1", "10.0.0.2", "10.0.0.2", "10.0.0.3", "10.0.0.2"]);
        assert_eq!(order, ["10.0.0.2#2", "10.0.0.2#3", "10.0.0.1#1", "10.0.0.3#4", "10.0.0.2#5"]);
    }

    #[test]
    fn addresses_of_ipv6_count_together_by_their_48() {
        let order = closed(&[
            "10.0.0.1",
            "10.0.0.1",
            "2001:db8:0:1::",
            "2001:db8:0:2::",
            "2001:db8:0:2::",
            "2001:db8:1::",
        ]);
        let expected = [
            "2001:db8:0:2::#4",
            "10.0.0.1#1",
            "2001:db8:0:1::#3",
            "10.0.0.1#2",
            "2001:db8:0:2::#5",
            "2001:db8:1::#6",
        ];
        assert_eq!(order, expected);
    }

    #[test]
    fn a_connection_that_works_again_is_not_closed() {
        let mut idle = IdleConnections::default();
        let address = "10.0.0.1".parse().unwrap();
        let mut insert = || {
            let is_closing = Arc::default();
            idle.insert(address, Idle { is_closing, waker: Waker::noop().clone() })
        };
        let (first, second) = (insert(), insert());
        assert!(idle.remove(address, first).is_some());
        assert!(idle.take_next().is_some());
        assert!(idle.remove(address, second).is_none() && idle.take_next().is_none());
    }
}
