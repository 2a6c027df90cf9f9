//! Who waits to have something hashed: a line for each address, one turn each.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;

/// How many requests of one address may wait. A hash takes some 20 ms of a core.
pub(super) const WAITING_OF_ADDRESS: usize = 32;

pub(super) const WAITING: usize = 256;

/// Where work comes from: an IPv4 address, a /64 of IPv6, or nowhere that is known.
pub(super) type Source = Option<IpAddr>;

/// What waits for a thread. It is told whether it has got one; otherwise it was turned away.
pub(super) type Job = Box<dyn FnOnce(bool) + Send>;

/// What waits, in a line for each source.
#[derive(Default)]
pub(super) struct FairQueue {
    by_source: HashMap<Source, VecDeque<(u64, Job)>>,
    /// The sources that wait, the next one in front.
    turns: VecDeque<Source>,
    pub(super) waiting: usize,
    number: u64,
    pub(super) closed: bool,
}

impl FairQueue {
    fn length(&self, source: Source) -> usize {
        self.by_source.get(&source).map_or(0, VecDeque::len)
    }

    /// Whether a source may have one more wait. Where everything is full, the source with the most waiting gives way
    /// to one with less.
    pub(super) fn has_room(&self, source: Source) -> bool {
        let own = self.length(source);
        own < WAITING_OF_ADDRESS && (self.waiting < WAITING || self.longest().1 > own + 1)
    }

    fn longest(&self) -> (Source, usize) {
        let lengths = self.by_source.iter().map(|(source, line)| (*source, line.len()));
        lengths.max_by_key(|(_, length)| *length).unwrap_or_default()
    }

    /// Has a job wait, and gives its number with the job that gives way to it, if one does; none if there is no
    /// room.
    pub(super) fn enter(&mut self, source: Source, job: Job) -> Option<(u64, Option<Job>)> {
        if !self.has_room(source) {
            return None;
        }
        let displaced = if self.waiting >= WAITING { self.displace() } else { None };
        Some((self.push(source, job), displaced))
    }

    fn push(&mut self, source: Source, job: Job) -> u64 {
        self.number += 1;
        self.waiting += 1;
        let line = self.by_source.entry(source).or_default();
        if line.is_empty() {
            self.turns.push_back(source);
        }
        line.push_back((self.number, job));
        self.number
    }

    /// The first job of the source whose turn it is, which then waits behind all others.
    pub(super) fn pop(&mut self) -> Option<Job> {
        let source = self.turns.pop_front()?;
        let line = self.by_source.get_mut(&source)?;
        let (_, job) = line.pop_front()?;
        match line.is_empty() {
            true => drop(self.by_source.remove(&source)),
            false => self.turns.push_back(source),
        }
        self.waiting -= 1;
        Some(job)
    }

    /// Takes out the last job of the longest line.
    fn displace(&mut self) -> Option<Job> {
        let (source, _) = self.longest();
        let number = self.by_source.get(&source)?.back()?.0;
        self.leave(source, number)
    }

    /// Takes a job out, if it still waits.
    pub(super) fn leave(&mut self, source: Source, number: u64) -> Option<Job> {
        let line = self.by_source.get_mut(&source)?;
        let at = line.iter().position(|(other, _)| *other == number)?;
        let (_, job) = line.remove(at)?;
        if line.is_empty() {
            self.by_source.remove(&source);
            self.turns.retain(|other| *other != source);
        }
        self.waiting -= 1;
        Some(job)
    }
}
