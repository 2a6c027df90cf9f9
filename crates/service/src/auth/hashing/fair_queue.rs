//! The hashing queue: one line per address, served in rotation.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;

/// Waiting requests per address. A hash takes some 20 ms of a core.
pub(super) const WAITING_OF_ADDRESS: usize = 32;

pub(super) const WAITING: usize = 256;

/// The source of work: an IPv4 address, an IPv6 /64, or unknown.
pub(super) type Source = Option<IpAddr>;

/// A waiting job. It is called with true when it gets a thread, with false when it is rejected.
pub(super) type Job = Box<dyn FnOnce(bool) + Send>;

#[derive(Default)]
pub(super) struct FairQueue {
    by_source: HashMap<Source, VecDeque<(u64, Job)>>,
    /// The waiting sources, the next one in front.
    turns: VecDeque<Source>,
    pub(super) waiting: usize,
    number: u64,
    pub(super) closed: bool,
}

impl FairQueue {
    fn length(&self, source: Source) -> usize {
        self.by_source.get(&source).map_or(0, VecDeque::len)
    }

    /// Whether a source may queue one more job. When the queue is full, the source with the most jobs gives
    /// way to one with fewer.
    pub(super) fn has_room(&self, source: Source) -> bool {
        let own = self.length(source);
        own < WAITING_OF_ADDRESS && (self.waiting < WAITING || self.longest().1 > own + 1)
    }

    fn longest(&self) -> (Source, usize) {
        let lengths = self.by_source.iter().map(|(source, line)| (*source, line.len()));
        lengths.max_by_key(|(_, length)| *length).unwrap_or_default()
    }

    /// Queues a job. Returns its number and the job it displaced, if any; `None` if there is no room.
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

    /// The first job of the next source, which then moves to the back.
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

    /// Removes the last job of the longest line.
    fn displace(&mut self) -> Option<Job> {
        let (source, _) = self.longest();
        let number = self.by_source.get(&source)?.back()?.0;
        self.leave(source, number)
    }

    /// Removes a job if it still waits.
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
