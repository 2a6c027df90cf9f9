//! The hashing queue is fair and bounded, and removes abandoned jobs.

use std::collections::HashSet;
use std::sync::mpsc;
use std::time::Duration;

use tokio::time::timeout;

use super::fair_queue::{WAITING, WAITING_OF_ADDRESS};
use super::*;

fn address(number: u8) -> Option<IpAddr> {
    Some(IpAddr::from([192, 0, 2, number]))
}

/// A single thread, blocked until the test releases it.
fn held() -> (Hashing, mpsc::Sender<()>) {
    let hashing = Hashing::on(1);
    let (go_on, held) = mpsc::channel::<()>();
    let (busy, is_busy) = mpsc::channel();
    let job = move |_| {
        busy.send(()).unwrap();
        let _ = held.recv();
    };
    hashing.0.enter(address(0), Box::new(job)).unwrap();
    is_busy.recv().unwrap();
    (hashing, go_on)
}

#[tokio::test]
async fn the_threads_are_always_the_same() {
    let hashing = Hashing::on(2);
    let mut threads = HashSet::new();
    for _ in 0..20 {
        threads.insert(hashing.run(None, || thread::current().id()).await.unwrap());
    }
    assert!(threads.len() <= 2);
}

#[tokio::test]
async fn a_panic_is_no_answer_and_costs_no_thread() {
    let hashing = Hashing::on(1);
    assert_eq!(hashing.run(None, || panic!("no such thing")).await, Err::<(), _>(Undone::Panicked));
    assert_eq!(hashing.run(None, || 1).await, Ok(1));
}

#[test]
fn addresses_take_turns() {
    let (hashing, go_on) = held();
    let (done, order) = mpsc::channel();
    for (number, count) in [(1, 5), (2, 2), (3, 1)] {
        for _ in 0..count {
            let done = done.clone();
            hashing.0.enter(address(number), Box::new(move |_| done.send(number).unwrap())).unwrap();
        }
    }
    // A whole /64 is one source.
    for host in ["2001:db8::1", "2001:db8::2"] {
        let (done, source) = (done.clone(), host.parse().ok().map(rate_limit_prefix));
        hashing.0.enter(source, Box::new(move |_| done.send(6).unwrap())).unwrap();
    }
    assert_eq!(hashing.waiting(), 10);
    drop((done, go_on));
    assert_eq!(order.iter().collect::<Vec<u8>>(), [1, 2, 3, 6, 1, 2, 6, 1, 1, 1]);
    assert_eq!(hashing.waiting(), 0);
}

#[test]
fn an_address_has_its_bound_and_leaves_the_others_theirs() {
    let (hashing, _go_on) = held();
    let enter = |number| hashing.0.enter(address(number), Box::new(|_| {}));
    for _ in 0..WAITING_OF_ADDRESS {
        assert!(hashing.has_room(address(1)) && enter(1).is_some());
    }
    assert!(!hashing.has_room(address(1)) && enter(1).is_none());
    assert!(hashing.has_room(address(2)));
}

#[test]
fn where_all_is_full_the_longest_line_gives_way() {
    let (hashing, _go_on) = held();
    let (sender, receiver) = mpsc::channel();
    let enter = |number| {
        let sender = sender.clone();
        let job = move |go| {
            let _ = sender.send((number, go));
        };
        hashing.0.enter(address(number), Box::new(job))
    };
    let full = (WAITING / WAITING_OF_ADDRESS) as u8;
    for number in 1..=full {
        assert!((0..WAITING_OF_ADDRESS).all(|_| enter(number).is_some()));
    }
    assert_eq!(hashing.waiting(), WAITING);
    // New sources are accepted, and each displaces a job of the largest source, until all are equal.
    for _ in 0..WAITING_OF_ADDRESS / 2 {
        for number in full + 1..=2 * full {
            assert!(enter(number).is_some(), "{number}");
            let (displaced, go) = receiver.try_recv().unwrap();
            assert!((1..=full).contains(&displaced) && !go);
        }
    }
    assert!((1..=2 * full).all(|number| enter(number).is_none()));
    assert_eq!(hashing.waiting(), WAITING);
}

#[tokio::test]
async fn who_goes_away_takes_nobodys_place() {
    let (hashing, go_on) = held();
    for _ in 0..3 * WAITING_OF_ADDRESS {
        // Polled once, then dropped.
        assert!(timeout(Duration::ZERO, hashing.run(address(1), || ())).await.is_err());
        assert_eq!(hashing.waiting(), 0);
    }
    drop(go_on);
    assert_eq!(hashing.run(address(1), || 1).await, Ok(1));
}
