//! A changed history, step by step.

use std::fs;
use std::path::Path;

use estimation_record::canonical_json;
use estimation_record::verify::EventLine;
use serde_json::{Value, json};

use super::apply::{apply, digest, event_line, events, joined, standings_text};
use crate::made;

/// A sound history with the content of its events.
pub struct Base {
    pub file: String,
    lines: Vec<String>,
    /// The content of the stored texts, by sequence number from 1.
    pub bodies: Vec<Value>,
}

/// The cases of a base.
pub struct Cases<'a> {
    pub base: &'a Base,
    pub list: Vec<Case<'a>>,
}

/// A changed history, and where a verifier finds the change.
pub struct Case<'a> {
    change: Change<'a>,
    kind: &'a str,
    what: String,
    seq: u64,
    rule: &'static str,
}

/// Steps from a sound history to a changed one.
pub struct Change<'a> {
    base: &'a Base,
    lines: Vec<String>,
    steps: Vec<Value>,
    forged: Forged,
}

/// Whether chain and signature are made again at the end, and the events are numbered before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Forged {
    No,
    Chained,
    Numbered,
}

/// What a case has in common with cases of other histories of this format: kind, rule, and what was changed without
/// values. Scores differ from ruleset to ruleset, and other forms of a value do not differ from event to event.
pub(super) fn variety(base: &Base, kind: &str, rule: &str, what: &str) -> String {
    let header: Value = serde_json::from_str(&base.lines[0]).expect("JSON");
    let ruleset = if kind == "round_scored" { &base.rules()["id"] } else { &Value::Null };
    let mut parts = what.split(" was ").next().unwrap_or_default().splitn(3, ": ");
    let (event, change) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let event = if kind == "encoding" && !change.is_empty() { "" } else { event };
    let letters = format!("{event} {change}").replace(|letter: char| letter.is_ascii_digit(), "");
    format!("{} {kind} {rule} {ruleset} {letters}", header["header"]["format"])
}

impl Base {
    pub fn new(file: &str, folder: &Path) -> Base {
        let text = fs::read_to_string(folder.join(file)).expect("a history");
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let body = |line: EventLine| serde_json::from_str(&line.body).expect("JSON");
        let bodies = events(&lines).into_iter().map(|(_, line)| body(line)).collect();
        Base { file: file.to_owned(), lines, bodies }
    }

    /// The line of an event.
    pub fn line(&self, seq: u64) -> &str {
        &self.lines[seq as usize]
    }

    pub fn body(&self, seq: u64) -> &Value {
        &self.bodies[seq as usize - 1]
    }

    pub fn event(&self, seq: u64) -> &Value {
        &self.body(seq)["event"]
    }

    pub fn kind(&self, seq: u64) -> &str {
        self.event(seq)["type"].as_str().expect("a type")
    }

    pub fn last(&self) -> u64 {
        self.bodies.len() as u64
    }

    pub fn is_over(&self) -> bool {
        self.event(self.last())["server_seed"].is_string()
    }

    pub fn rules(&self) -> &Value {
        &self.event(1)["ruleset"]
    }

    pub fn players(&self) -> u64 {
        self.rules()["players"].as_u64().expect("a number")
    }

    /// The events of a kind that players led, or that the rules derived.
    pub fn all(&self, kind: &str, derived: bool) -> Vec<u64> {
        let of_kind =
            |seq: &u64| self.kind(*seq) == kind && (self.body(*seq)["actor"] == "server") == derived;
        (1..=self.last()).filter(of_kind).collect()
    }

    pub fn first(&self, kind: &str, derived: bool) -> Option<u64> {
        self.all(kind, derived).first().copied()
    }

    /// The deal of the first round that was played, and the beginning of the play.
    pub fn first_play(&self) -> Option<(u64, u64)> {
        let began = self.first("play_began", true)?;
        let deal = self.all("round_dealt", true).into_iter().rfind(|seq| *seq < began);
        Some((deal.expect("a deal"), began))
    }
}

impl<'a> Cases<'a> {
    pub fn of(base: &'a Base) -> Cases<'a> {
        Cases { base, list: Vec::new() }
    }

    /// A case made by changes of the history.
    pub fn changed(
        &mut self,
        kind: &'a str,
        what: impl Into<String>,
        seq: u64,
        rule: &'static str,
        edit: impl FnOnce(&mut Change<'a>),
    ) {
        let base = self.base;
        let mut change = Change { base, lines: base.lines.clone(), steps: Vec::new(), forged: Forged::No };
        edit(&mut change);
        change.lines = Vec::new();
        self.list.push(Case { change, kind, what: what.into(), seq, rule });
    }

    /// A case in which one event has another content; everything after it is made to fit by a forger with the key.
    pub fn forged(
        &mut self,
        seq: u64,
        kind: &'a str,
        what: impl AsRef<str>,
        rule: &'static str,
        edit: impl FnOnce(&mut Value),
    ) {
        let what = format!("event {seq}, {}: {}", self.base.kind(seq), what.as_ref());
        self.changed(kind, what, seq, rule, |change| {
            change.edit(seq, edit);
            change.chain();
        });
    }

    /// Like [`Cases::forged`], with another value at a path of the content.
    pub fn replaced(&mut self, seq: u64, kind: &'a str, rule: &'static str, path: &str, value: Value) {
        let was = self.base.body(seq).pointer(path).unwrap_or_else(|| panic!("{path} of {seq}"));
        assert_ne!(*was, value, "{} {seq} {path}", self.base.file);
        let what = format!("{path} was {was}, now {value}");
        self.forged(seq, kind, what, rule, |body| *body.pointer_mut(path).expect("a path") = value);
    }

    /// A case in which an event is missing.
    pub fn missing(&mut self, seq: u64, rule: &'static str) {
        let kind = self.base.kind(seq);
        self.changed("missing", format!("event {seq}, {kind}, is missing"), seq, rule, |change| {
            change.lines(seq, 1, &[]);
            if kind == "game_finished" {
                change.standings(&Value::Null);
            }
            change.number();
        });
    }

    /// A case in which an event is there twice.
    pub fn doubled(&mut self, seq: u64, rule: &'static str) {
        let base = self.base;
        let what = format!("event {seq}, {}, is there twice", base.kind(seq));
        self.changed("doubled", what, seq + 1, rule, |change| {
            change.insert(seq + 1, base.line(seq));
            change.number();
        });
    }
}

impl Case<'_> {
    pub(super) fn variety(&self) -> String {
        variety(self.change.base, self.kind, self.rule, &self.what)
    }

    pub(super) fn json(mut self, number: usize) -> Value {
        let (base, text) = (self.change.base, self.change.finished());
        json!({
            "case": number, "history": base.file, "kind": self.kind, "what": self.what, "steps": self.change.steps,
            "found": {"game": base.body(1)["game"], "seq": self.seq, "rule": self.rule}, "sha256": digest(&text),
        })
    }

    pub(super) fn text(mut self) -> String {
        self.change.finished()
    }
}

impl Change<'_> {
    fn step(&mut self, step: Value) {
        apply(&mut self.lines, &step);
        self.steps.push(step);
    }

    /// Removes and inserts lines of events, from a position on.
    pub fn lines(&mut self, seq: u64, remove: u64, insert: &[String]) {
        self.step(json!({"line": seq + 1, "remove": remove, "insert": insert}));
    }

    /// Changes the stored text of the event at a position.
    pub fn text(&mut self, seq: u64, edit: impl FnOnce(String) -> String) {
        let line: Value = serde_json::from_str(&self.lines[seq as usize]).expect("an event's line");
        let text = |name: &str| line["event"][name].as_str().expect("text").to_owned();
        let changed = edit(text("body"));
        assert_ne!(changed, text("body"), "nothing changed at {seq}");
        let number = line["event"]["seq"].as_u64().expect("a number");
        self.lines(seq, 1, &[event_line(number, &text("hash"), &changed)]);
    }

    /// Changes the content of the event at a position; its text stays canonical.
    pub fn edit(&mut self, seq: u64, edit: impl FnOnce(&mut Value)) {
        self.text(seq, |text| {
            let mut body = serde_json::from_str(&text).expect("JSON");
            edit(&mut body);
            canonical_json(&body).expect("canonical JSON")
        });
    }

    /// Replaces a text in the line of the event at a position.
    pub fn line(&mut self, seq: u64, from: &str, to: &str) {
        let line = self.lines[seq as usize].replacen(from, to, 1);
        assert_ne!(line, self.lines[seq as usize], "{from}");
        self.lines(seq, 1, &[line]);
    }

    /// Changes the standings of the end.
    pub fn standings(&mut self, standings: &Value) {
        let end: Value = serde_json::from_str(self.lines.last().expect("an end")).expect("JSON");
        let was = standings_text(&end["end"]["standings"]);
        self.line(self.lines.len() as u64 - 1, &was, &standings_text(standings));
    }

    /// Replaces the events from a position on. The last one abandons the game.
    pub fn abandoned_after(&mut self, seq: u64, bodies: &[Value]) {
        let header = self.base.line(0).replace("\"finished\"", "\"abandoned\"");
        if header != self.base.line(0) {
            self.lines(0, 1, &[header]);
            self.standings(&Value::Null);
        }
        let text = |body: &Value| canonical_json(body).expect("canonical JSON");
        let lines: Vec<String> =
            (seq..).zip(bodies).map(|(seq, body)| event_line(seq, "", &text(body))).collect();
        self.lines(seq, self.base.last() - seq + 1, &lines);
    }

    /// Inserts a line of this history at a position.
    pub fn insert(&mut self, seq: u64, line: &str) {
        self.lines(seq, 0, &[line.to_owned()]);
    }

    /// Gives the events the numbers of their positions, in their lines and in their texts. The chain follows.
    pub fn number(&mut self) {
        self.forged = Forged::Numbered;
    }

    /// Makes chain and signature again, as a forger with the key would. Nothing can be changed afterwards.
    pub fn chain(&mut self) {
        if self.forged == Forged::No {
            self.forged = Forged::Chained;
        }
    }

    /// The changed history, with the last steps of a forger.
    fn finished(&mut self) -> String {
        let mut lines = self.base.lines.clone();
        if self.forged == Forged::Numbered {
            self.steps.push(json!({"number": true}));
        }
        self.steps.iter().for_each(|step| apply(&mut lines, step));
        if self.forged != Forged::No {
            apply(&mut lines, &json!({"chain": null}));
            let last = lines.last_mut().expect("an end");
            let read = |line: &str| serde_json::from_str::<Value>(line).expect("JSON");
            let (header, end) = (read(&self.base.lines[0]), read(last));
            let made = signature(&header["header"], &end["end"]);
            if let Some(old) = end["end"]["signature"]["value"].as_str() {
                *last = last.replace(old, &made);
            }
            self.steps.push(json!({"chain": made}));
        }
        joined(&lines)
    }
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
