//! A changed history, step by step.

use std::fs;
use std::path::Path;

use estimation_record::canonical_json;
use estimation_record::verify::{Audit, EventLine, Finding, read};
use serde_json::{Value, json};

use super::Edit;
use super::apply::{apply, digest, event_line, events, joined, standings_text};
use crate::made;

/// A sound history with the content of its events.
pub struct Base {
    pub file: String,
    lines: Vec<String>,
    /// The content of the stored texts, by sequence number from 1.
    pub bodies: Vec<Value>,
}

/// One event of a history changed, and chain and signature made again as a forger with the key would.
pub struct Change<'a> {
    base: &'a Base,
    kind: &'a str,
    what: String,
    steps: Vec<Value>,
    lines: Vec<String>,
}

impl Base {
    pub fn new(file: &str, folder: &Path) -> Base {
        let text = fs::read_to_string(folder.join(file)).expect("a history");
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let body = |line: EventLine| serde_json::from_str(&line.body).expect("JSON");
        let bodies = events(&lines).into_iter().map(|(_, line)| body(line)).collect();
        Base { file: file.to_owned(), lines, bodies }
    }

    pub fn body(&self, seq: u64) -> &Value {
        &self.bodies[seq as usize - 1]
    }

    pub fn kind(&self, seq: u64) -> &str {
        self.body(seq)["event"]["type"].as_str().expect("a type")
    }

    pub fn last(&self) -> u64 {
        self.bodies.len() as u64
    }
}

impl<'a> Change<'a> {
    /// The change of an event; none if nothing changes.
    pub fn of(base: &'a Base, seq: u64, edit: &Edit) -> Option<Change<'a>> {
        let kind = base.kind(seq);
        let (lines, event) = (base.lines.clone(), format!("event {seq}, {kind}"));
        let mut change = Change { base, kind, what: String::new(), steps: Vec::new(), lines };
        match edit {
            Edit::Replace { path, value } => {
                let mut body = base.body(seq).clone();
                let at = body.pointer_mut(path).filter(|was| *was != value)?;
                change.what = format!("{event}: {path} was {at}, now {value}");
                *at = value.clone();
                let line: Value = serde_json::from_str(&base.lines[seq as usize]).expect("an event's line");
                let hash = line["event"]["hash"].as_str().expect("a hash");
                let text = canonical_json(&body).expect("canonical JSON");
                change.lines(seq, 1, &[event_line(seq, hash, &text)]);
            }
            Edit::Remove => {
                change.kind = "missing";
                change.what = format!("{event}, is missing");
                change.lines(seq, 1, &[]);
                if kind == "game_finished" {
                    change.without_standings();
                }
                change.step(json!({"number": true}));
            }
            Edit::Repeat => {
                change.kind = "doubled";
                change.what = format!("{event}, is there twice");
                change.lines(seq + 1, 0, &[base.lines[seq as usize].clone()]);
                change.step(json!({"number": true}));
            }
        }
        change.chain();
        Some(change)
    }

    /// The changed history.
    pub fn text(&self) -> String {
        joined(&self.lines)
    }

    /// The change in words.
    pub fn what(&self) -> String {
        format!("{} {}", self.base.file, self.what)
    }

    /// The change as a case of the corpus.
    pub fn case(&self, number: usize, found: &Finding) -> Value {
        json!({
            "case": number, "history": self.base.file, "kind": self.kind, "what": self.what, "steps": self.steps,
            "found": {"game": found.game, "seq": found.seq, "rule": found.rule}, "sha256": digest(&self.text()),
        })
    }

    fn step(&mut self, step: Value) {
        apply(&mut self.lines, &step);
        self.steps.push(step);
    }

    /// Removes and inserts lines of events, from a position on.
    fn lines(&mut self, seq: u64, remove: u64, insert: &[String]) {
        self.step(json!({"line": seq + 1, "remove": remove, "insert": insert}));
    }

    fn without_standings(&mut self) {
        let line = self.lines.last().expect("an end");
        let end: Value = serde_json::from_str(line).expect("JSON");
        let line = line.replacen(&standings_text(&end["end"]["standings"]), "null", 1);
        self.lines(self.lines.len() as u64 - 1, 1, &[line]);
    }

    /// Makes chain and signature again.
    fn chain(&mut self) {
        let mut lines = self.lines.clone();
        apply(&mut lines, &json!({"chain": null}));
        let read = |line: &str| serde_json::from_str::<Value>(line).expect("JSON");
        let (header, end) = (read(&lines[0]), read(lines.last().expect("an end")));
        let made = signature(&header["header"], &end["end"]);
        self.step(json!({"chain": made}));
    }
}

/// What the first verifier finds in a history of the corpus.
pub fn findings(text: &str) -> Vec<Finding> {
    let mut trust = made::trust();
    trust.running = true;
    let mut audit = Audit::new(&trust);
    read(text.as_bytes(), &mut audit);
    audit.finish().findings
}

/// A signature over an end, by the key of the tests.
fn signature(header: &Value, end: &Value) -> String {
    let statement = canonical_json(&json!({
        "game": header["game"], "ruleset": header["ruleset"], "head": end["head"], "events": end["events"],
        "standings": end["standings"],
    }));
    let statement = format!("estimation/game-end/v1\n{}", statement.expect("canonical JSON"));
    made::signed(statement.as_bytes()).value.to_string()
}
