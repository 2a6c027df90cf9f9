//! The connections that a node may close to make room for new ones, in the order in which it closes them: first those of
//! the network that has most, in it those of the address that has most, and of these the one that has been idle longest.
//! If two have the same number, the one with the older connection comes first.
//!
//! A request costs no lock: a connection stays in its place while it works, and only says so. Its place is corrected when
//! it would be closed.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Waker;

use futures_util::task::AtomicWaker;

/// The bits of an IPv6 address that its network does not have: a network is a /48.
const HOST_BITS: u32 = 80;

/// The most places that one search corrects, so that it takes less than a millisecond.
const CORRECTED: usize = 500;

/// The states of a connection that are not the time since which it is idle.
const BUSY: u64 = 0;
const CLOSING: u64 = u64::MAX;

/// A connection: what its own thread and the one that looks for room share.
pub(super) struct Slot {
    address: IpAddr,
    /// Distinguishes connections that became idle at once.
    number: u64,
    /// [`BUSY`], [`CLOSING`], or since when it is idle.
    state: AtomicU64,
    /// Its place in the order; 0 while it has none. Changed under the lock alone.
    queued_at: AtomicU64,
    waker: AtomicWaker,
}

impl Slot {
    pub(super) fn new(address: IpAddr, number: u64) -> Slot {
        let (state, queued_at) = (AtomicU64::new(BUSY), AtomicU64::new(0));
        Slot { address, number, state, queued_at, waker: AtomicWaker::new() }
    }

    /// The address it counts for.
    pub(super) fn address(&self) -> IpAddr {
        self.address
    }

    pub(super) fn is_busy(&self) -> bool {
        self.state.load(Ordering::Relaxed) == BUSY
    }

    /// The connection, which was busy, is idle from a time on, which is not 0. Returns whether it needs a place.
    pub(super) fn rest(&self, now: u64, waker: &Waker) -> bool {
        self.waker.register(waker);
        self.state.store(now, Ordering::SeqCst);
        // After the state: a search that takes the place away looks at the state afterwards.
        self.queued_at.load(Ordering::SeqCst) == 0
    }

    /// The connection works. Returns whether it was told to close.
    pub(super) fn work(&self) -> bool {
        !self.is_busy() && self.state.swap(BUSY, Ordering::SeqCst) == CLOSING
    }

    pub(super) fn is_closing(&self) -> bool {
        self.state.load(Ordering::Relaxed) == CLOSING
    }

    /// Wakes the connection, so that it closes.
    pub(super) fn wake(&self) {
        self.waker.wake();
    }

    fn idle_since(&self) -> Option<u64> {
        Some(self.state.load(Ordering::SeqCst)).filter(|state| ![BUSY, CLOSING].contains(state))
    }

    /// Tells the connection to close, unless it has worked since this time.
    fn close(&self, idle_since: u64) -> bool {
        self.state.compare_exchange(idle_since, CLOSING, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }
}

#[derive(Default)]
pub(super) struct IdleConnections(Ranked<Ranked<Queue>>);

impl IdleConnections {
    /// Gives an idle connection its place, if it has none.
    pub(super) fn insert(&mut self, slot: &Arc<Slot>) {
        if let Some(since) = slot.idle_since().filter(|_| slot.queued_at.load(Ordering::SeqCst) == 0) {
            slot.queued_at.store(since, Ordering::SeqCst);
            let insert = |queue: &mut Queue| queue.insert((since, slot.number), Arc::clone(slot));
            self.0.change(network(slot.address), |network| network.change(slot.address, insert));
        }
    }

    /// Takes the place of a connection that has ended.
    pub(super) fn remove(&mut self, slot: &Slot) {
        let at = slot.queued_at.swap(0, Ordering::SeqCst);
        if at != 0 {
            let remove = |queue: &mut Queue| queue.remove(&(at, slot.number));
            self.0.change(network(slot.address), |network| network.change(slot.address, remove));
        }
    }

    /// Tells the next connection to close. Those before it that work have no place until they are idle again.
    pub(super) fn close_next(&mut self) -> Option<Arc<Slot>> {
        for _ in 0..CORRECTED {
            let network = self.0.first()?;
            let ((at, _), slot) = self.0.change(network, |network| {
                let address = network.first()?;
                network.change(address, Queue::pop_first)
            })?;
            slot.queued_at.store(0, Ordering::SeqCst);
            if slot.idle_since() == Some(at) && slot.close(at) {
                return Some(slot);
            }
            self.insert(&slot);
        }
        None
    }
}

/// The /48 of an IPv6 address, or the IPv4 address.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> HOST_BITS << HOST_BITS).into(),
    }
}

/// The connections of an address: by the time since which each was idle when it got its place, and by number.
type Queue = BTreeMap<Position, Arc<Slot>>;

type Position = (u64, u64);

trait Group: Default {
    fn count(&self) -> usize;

    /// The place of the connection to close next.
    fn next(&self) -> Position;
}

impl Group for Queue {
    fn count(&self) -> usize {
        self.len()
    }

    fn next(&self) -> Position {
        self.first_key_value().map_or(LAST, |(place, _)| *place)
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
type Rank = (usize, Reverse<Position>, IpAddr);

const LAST: Position = (u64::MAX, u64::MAX);

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

    fn next(&self) -> Position {
        self.ranks.last().map_or(LAST, |(_, Reverse(place), _)| *place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots(idle: &mut IdleConnections, addresses: &[&str]) -> Vec<Arc<Slot>> {
        let slot = |(number, address): (u64, &&str)| Arc::new(Slot::new(address.parse().unwrap(), number));
        let slots: Vec<_> = (1..).zip(addresses).map(slot).collect();
        for slot in &slots {
            assert!(slot.rest(slot.number, Waker::noop()));
            idle.insert(slot);
        }
        slots
    }

    /// The addresses in the order in which their connections are closed.
    fn closed(addresses: &[&str]) -> Vec<String> {
        let mut idle = IdleConnections::default();
        let slots = slots(&mut idle, addresses);
        let next = || idle.close_next().map(|next| format!("{}#{}", next.address, next.number));
        let order = std::iter::from_fn(next).collect();
        assert!(slots.iter().all(|slot| slot.is_closing()));
        assert!(idle.0.groups.is_empty() && idle.0.ranks.is_empty());
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
    fn a_connection_that_works_is_not_closed_and_one_that_worked_comes_later() {
        let mut idle = IdleConnections::default();
        let all = slots(&mut idle, &["10.0.0.1"; 4]);
        assert!(!all[0].work() && !all[1].work());
        assert!(!all[1].rest(9, Waker::noop()), "it has kept its place");
        let next = |idle: &mut IdleConnections| idle.close_next().map(|slot| slot.number);
        assert_eq!(
            [next(&mut idle), next(&mut idle), next(&mut idle), next(&mut idle)],
            [Some(3), Some(4), Some(2), None]
        );
        assert!(all[0].rest(10, Waker::noop()), "it has lost its place");
        idle.insert(&all[0]);
        assert!(all[2].work(), "it was told to close");
        assert_eq!([next(&mut idle), next(&mut idle)], [Some(1), None]);
    }

    #[test]
    fn a_connection_that_ends_leaves_no_place() {
        let mut idle = IdleConnections::default();
        let all = slots(&mut idle, &["10.0.0.1", "2001:db8::"]);
        all.iter().for_each(|slot| idle.remove(slot));
        assert!(idle.0.groups.is_empty() && idle.close_next().is_none());
    }
}
