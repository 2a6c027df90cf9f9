//! Verifies histories on several threads. Memory is bounded: the reader waits while the workers have enough to do. The
//! report is that of an audit in one thread.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{Scope, available_parallelism, scope};

use estimation_record::verify::{
    Adoption, Audit, End, EventLine, Finding, Header, Piece, Rule, Sink, Trust, Verdict, Verifier,
};

/// Events per message to a worker.
const BATCH: usize = 64;

/// Messages that wait for a worker.
const QUEUE: usize = 16;

/// Histories that are begun and not yet in the report.
const MAX_BEGUN: u64 = 64;

const MAX_WORKERS: usize = 16;

/// A part of a history. A worker has at most one history at a time.
enum Part {
    Begin {
        number: u64,
        header: Header,
        /// The adoptions of the game in the public log.
        adoptions: Vec<Adoption>,
    },
    Events(Vec<EventLine>),
    End(End),
    CutOff,
    /// The input cannot be read from here on.
    Unreadable(String),
}

/// The verdict on a history, by its number in the input.
struct WorkerResult {
    number: u64,
    worker: usize,
    /// Found by the reader, before the verdict.
    unreadable: Option<Finding>,
    verdict: Verdict,
}

/// The history that the reader reads now.
struct Current {
    worker: usize,
    events: Vec<EventLine>,
}

/// Distributes histories to worker threads and collects the verdicts in the order of the input.
pub(crate) struct Workers<'t> {
    audit: Audit<'t>,
    queues: Vec<SyncSender<Part>>,
    /// The number of histories that each worker has.
    busy: Vec<u64>,
    done: Receiver<WorkerResult>,
    /// Verdicts that wait for those of earlier histories.
    waiting: BTreeMap<u64, WorkerResult>,
    begun: u64,
    reported: u64,
    current: Option<Current>,
}

/// Runs `feed` with workers, and returns the audit with everything that was verified.
pub(crate) fn with_workers<'t, E>(
    trust: &'t Trust,
    feed: impl FnOnce(&mut Workers<'t>) -> Result<(), E>,
) -> Result<Audit<'t>, E> {
    let count = available_parallelism().map_or(1, |count| count.get().min(MAX_WORKERS));
    scope(|scope| {
        let (report, done) = channel();
        let queues = (0..count).map(|worker| spawn(scope, trust, worker, report.clone())).collect();
        drop(report);
        let mut workers = Workers {
            audit: Audit::new(trust),
            queues,
            busy: vec![0; count],
            done,
            waiting: BTreeMap::new(),
            begun: 0,
            reported: 0,
            current: None,
        };
        feed(&mut workers)?;
        workers.cut_off();
        workers.drain();
        Ok(workers.audit)
    })
}

fn spawn<'s, 't: 's>(
    scope: &'s Scope<'s, '_>,
    trust: &'t Trust,
    worker: usize,
    report: Sender<WorkerResult>,
) -> SyncSender<Part> {
    let (queue, parts) = sync_channel(QUEUE);
    scope.spawn(move || verify(trust, worker, &parts, &report));
    queue
}

/// A worker: verifies one history after another until the reader is done.
fn verify(trust: &Trust, worker: usize, parts: &Receiver<Part>, report: &Sender<WorkerResult>) {
    let mut current: Option<(u64, Verifier<'_>)> = None;
    for part in parts {
        if let Part::Begin { number, header, adoptions } = part {
            current = Some((number, Verifier::new(trust, header).with_adoptions(adoptions)));
            continue;
        }
        let Some((number, mut verifier)) = current.take() else { continue };
        let (unreadable, verdict) = match part {
            Part::End(end) => (None, verifier.end(&end)),
            Part::CutOff => (None, verifier.cut_off()),
            Part::Unreadable(detail) => {
                let (game, seq) = (Some(verifier.game_id()), Some(verifier.seq().saturating_add(1)));
                (Some(Finding::new(game, seq, Rule::Form, detail)), verifier.cut_off())
            }
            Part::Events(events) => {
                events.iter().for_each(|event| verifier.event(event));
                current = Some((number, verifier));
                continue;
            }
            Part::Begin { .. } => continue,
        };
        // The reader is gone only if it panicked.
        let _ = report.send(WorkerResult { number, worker, unreadable, verdict });
    }
}

impl<'t> Workers<'t> {
    /// The audit, with everything that was read until now.
    pub(crate) fn audit(&mut self) -> &mut Audit<'t> {
        self.drain();
        &mut self.audit
    }

    fn begin(&mut self, header: Header) {
        self.cut_off();
        while self.begun - self.reported >= MAX_BEGUN {
            self.wait();
        }
        self.collect();
        let least = self.busy.iter().enumerate().min_by_key(|(_, histories)| **histories);
        let worker = least.map_or(0, |(worker, _)| worker);
        self.busy[worker] += 1;
        let adoptions = self.audit.adoptions(header.game);
        self.send(worker, Part::Begin { number: self.begun, header, adoptions });
        self.begun += 1;
        self.current = Some(Current { worker, events: Vec::new() });
    }

    fn send(&self, worker: usize, part: Part) {
        // A worker ends only with the reader.
        let _ = self.queues[worker].send(part);
    }

    /// Sends the rest of the current history, and its end. Returns the end if there is no current history.
    fn finish(&mut self, end: Part) -> Option<Part> {
        let Some(Current { worker, events }) = self.current.take() else { return Some(end) };
        if !events.is_empty() {
            self.send(worker, Part::Events(events));
        }
        self.send(worker, end);
        None
    }

    fn cut_off(&mut self) {
        let _ = self.finish(Part::CutOff);
    }

    /// Waits for a verdict.
    fn wait(&mut self) {
        if let Ok(done) = self.done.recv() {
            self.take(done);
        }
    }

    /// Takes the verdicts that are there.
    fn collect(&mut self) {
        while let Ok(done) = self.done.try_recv() {
            self.take(done);
        }
    }

    fn take(&mut self, done: WorkerResult) {
        self.busy[done.worker] -= 1;
        self.waiting.insert(done.number, done);
        while let Some(WorkerResult { unreadable, verdict, .. }) = self.waiting.remove(&self.reported) {
            self.reported += 1;
            unreadable.into_iter().for_each(|finding| self.audit.find(finding));
            self.audit.verified(verdict);
        }
    }

    /// Waits until every history that has ended is in the report.
    fn drain(&mut self) {
        let open = u64::from(self.current.is_some());
        while self.begun - self.reported > open {
            self.wait();
        }
    }
}

impl Sink for Workers<'_> {
    fn piece(&mut self, piece: Piece) {
        match piece {
            Piece::Header(header) => self.begin(header),
            Piece::Event(event) => match &mut self.current {
                Some(Current { worker, events }) => {
                    events.push(event);
                    if events.len() >= BATCH {
                        let (worker, events) = (*worker, std::mem::take(events));
                        self.send(worker, Part::Events(events));
                    }
                }
                None => self.audit().piece(Piece::Event(event)),
            },
            Piece::End(end) => {
                if let Some(Part::End(end)) = self.finish(Part::End(end)) {
                    self.audit().piece(Piece::End(end));
                }
            }
            Piece::Proofs(_) => {}
        }
    }

    fn unreadable(&mut self, detail: String) {
        if let Some(Part::Unreadable(detail)) = self.finish(Part::Unreadable(detail)) {
            self.audit().unreadable(detail);
        }
    }
}
