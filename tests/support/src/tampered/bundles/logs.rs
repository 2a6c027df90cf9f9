//! The logs of a game.

use estimation_record::LogEntry;
use estimation_tlog::{Note, ProofFile};
use serde_json::{Value, json};

use crate::log::{Signatory, TestLog};
use crate::tampered::logged::{
    Logged, Place, SALT, append, checkpoint, corpus_log, key, opening, proof, seconds,
};

pub(super) const FORMER: &str = "former.example/log";
pub(super) const OLDEST: &str = "oldest.example/log";
pub(super) const OTHER: &str = "other.example/log";

/// The seconds from a start to an early checkpoint.
pub(super) const EARLY: i64 = 5;

/// The logs that have a game, the newest last.
pub(super) struct Logs {
    pub(super) logs: Vec<TestLog>,
    pub(super) start: Option<Place>,
    pub(super) end: Place,
    /// The origin entries, in the order of the list in a bundle.
    pub(super) origins: Vec<Place>,
    /// The log with the start as it was soon after.
    pub(super) early: Option<TestLog>,
    /// The time of the last checkpoint of each log, in seconds since 1970.
    pub(super) times: Vec<u64>,
}

/// How a game is logged.
#[derive(Clone, Copy, Default)]
pub(super) struct Plan {
    pub(super) salt: Option<[u8; 32]>,
    /// The number of logs between that of the start and that of the end, with the latter.
    pub(super) former: usize,
    /// The seconds from the end to the last checkpoint.
    pub(super) after: i64,
}

impl Plan {
    pub(super) fn new() -> Plan {
        Plan { after: 1, ..Plan::default() }
    }

    pub(super) fn sealed() -> Plan {
        Plan { salt: Some(SALT), ..Plan::new() }
    }

    pub(super) fn former(former: usize) -> Plan {
        Plan { former, ..Plan::new() }
    }
}

impl Logs {
    pub(super) fn of(game: &Logged, start: Option<&LogEntry>, end: &LogEntry, plan: Plan) -> Logs {
        let Plan { salt, former, after } = plan;
        let mut logs = vec![oldest_log(), former_log(), corpus_log()].split_off(2 - former);
        let (mut early, mut origins, mut times) = (None, Vec::new(), Vec::new());
        logs[0].fill(1, "entry");
        let start = start.map(|entry| append(&mut logs[0], opening(entry, salt)));
        if start.is_some() {
            logs[0].fill(3, "entry");
            early = Some(logs[0].clone());
        }
        for next in 1..logs.len() {
            let time = seconds(game.started(), 2 * EARLY);
            logs[next - 1].fill(4, "entry");
            let checkpoint = checkpoint(&logs[next - 1], time).to_string();
            origins.insert(0, append(&mut logs[next], opening(&LogEntry::Origin { checkpoint }, None)));
            times.push(time);
        }
        let last = logs.last_mut().expect("a log");
        last.fill(4, "entry");
        let end = append(last, opening(end, salt));
        last.fill(6, "entry");
        times.push(seconds(game.ended, after));
        Logs { logs, start, end, origins, early, times }
    }

    pub(super) fn note(&self, log: usize) -> Note {
        checkpoint(&self.logs[log], self.times[log])
    }

    /// The proof of the end.
    pub(super) fn end(&self) -> ProofFile {
        let last = self.logs.len() - 1;
        proof(&self.logs[last], &self.end, self.note(last))
    }

    /// The proof of the start.
    pub(super) fn start(&self) -> ProofFile {
        proof(&self.logs[0], self.start.as_ref().expect("a start"), self.note(0))
    }

    /// The proof of the start with a checkpoint of a time soon after the start.
    pub(super) fn early(&self, time: u64) -> ProofFile {
        let log = self.early.as_ref().expect("a start");
        proof(log, self.start.as_ref().expect("a start"), checkpoint(log, time))
    }

    pub(super) fn origins(&self) -> Vec<String> {
        let with_log = self.origins.iter().zip((0..self.logs.len()).rev());
        with_log.map(|(place, log)| proof(&self.logs[log], place, self.note(log)).to_string()).collect()
    }

    pub(super) fn proofs(&self, jwks: &Value) -> Value {
        let keys: Vec<String> = self.logs.iter().rev().flat_map(keys).collect();
        json!({
            "start": self.start.as_ref().map(|_| self.start().to_string()), "end": self.end().to_string(),
            "origins": self.origins(), "log_keys": keys, "jwks": jwks,
        })
    }
}

pub(super) fn logged(game: &Logged, plan: Plan) -> Logs {
    let start = game.has_start().then(|| game.start());
    Logs::of(game, start.as_ref(), &game.end, plan)
}

pub(super) fn former_log() -> TestLog {
    TestLog::new(FORMER, 60)
}

pub(super) fn oldest_log() -> TestLog {
    TestLog::new(OLDEST, 61)
}

pub(super) fn other_log() -> TestLog {
    TestLog::new(OTHER, 62)
}

pub(super) fn stranger() -> Signatory {
    Signatory::witness("witness.example/w2", 42)
}

/// The verifier keys of a log, as `/log/key` has them.
pub(super) fn keys(log: &TestLog) -> Vec<String> {
    vec![key(&log.log), key(&log.own_witness)]
}
