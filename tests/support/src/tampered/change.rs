//! A changed history, step by step.

use estimation_record::canonical_json;
use estimation_record::verify::EventLine;
use serde_json::{Value, json};

use super::apply::{apply, digest, event_line, events, joined, standings_text};
use crate::made;

/// A sound history with the content of its events.
pub struct Base {
    pub name: &'static str,
    lines: Vec<String>,
    /// The content of the stored texts, by sequence number from 1.
    pub bodies: Vec<Value>,
}

/// A changed history, and where a verifier finds the change.
pub struct Case<'a> {
    base: &'a Base,
    kind: &'static str,
    what: String,
    steps: Vec<Value>,
    game: Option<String>,
    seq: Option<u64>,
    rule: &'static str,
    /// Whether chain and signature are made again at the end, and the events are numbered before.
    forged: Forged,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Forged {
    No,
    Chained,
    Numbered,
}

impl Case<'_> {
    /// What the case has in common with cases of other histories: kind, rule, and what was changed without values.
    /// Scores differ from ruleset to ruleset.
    pub(super) fn variety(&self) -> String {
        let what = self.what.split(" was ").next().unwrap_or_default();
        let letters: String = what.chars().filter(|letter| !letter.is_ascii_digit()).collect();
        let ruleset =
            if self.kind == "round_scored" { self.base.event(1)["ruleset"]["id"].as_str() } else { None };
        format!("{} {} {ruleset:?} {letters}", self.kind, self.rule)
    }

    /// How many cases of one variety are kept.
    pub(super) fn most_alike(&self) -> usize {
        match self.kind {
            "settings" | "round_dealt" | "cards" => 3,
            "missing" | "doubled" | "card_played" | "bid_made" | "estimate_made" | "seed" | "time" => 2,
            _ => 1,
        }
    }

    pub(super) fn json(mut self, number: usize) -> Value {
        let text = self.finished();
        json!({
            "case": number, "history": self.base.file(), "kind": self.kind, "what": self.what, "steps": self.steps,
            "found": {"game": self.game, "seq": self.seq, "rule": self.rule}, "sha256": digest(&text),
        })
    }

    pub(super) fn text(mut self) -> String {
        self.finished()
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

impl Base {
    pub fn new(name: &'static str, text: String) -> Base {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let body = |line: EventLine| serde_json::from_str(&line.body).expect("JSON");
        let bodies = events(&lines).into_iter().map(|(_, line)| body(line)).collect();
        Base { name, lines, bodies }
    }

    pub fn file(&self) -> String {
        format!("{}.ndjson", self.name)
    }

    pub fn text(&self) -> String {
        joined(&self.lines)
    }

    pub fn line(&self, number: usize) -> &str {
        &self.lines[number - 1]
    }

    pub fn body(&self, seq: u64) -> &Value {
        &self.bodies[seq as usize - 1]
    }

    pub fn event(&self, seq: u64) -> &Value {
        &self.body(seq)["event"]
    }

    pub fn last(&self) -> u64 {
        self.bodies.len() as u64
    }

    pub fn players(&self) -> u64 {
        self.event(1)["ruleset"]["players"].as_u64().expect("a number")
    }

    /// The events of a kind that players led, or that the rules derived.
    pub fn all(&self, kind: &str, derived: bool) -> Vec<u64> {
        let of_kind =
            |seq: &u64| self.event(*seq)["type"] == kind && (self.body(*seq)["actor"] == "server") == derived;
        (1..=self.last()).filter(of_kind).collect()
    }

    pub fn change(&self) -> Change<'_> {
        Change { base: self, lines: self.lines.clone(), steps: Vec::new(), forged: Forged::No }
    }

    /// A case in which one event has another content; everything after it is made to fit by a forger with the key.
    pub fn forged(
        &self,
        seq: u64,
        kind: &'static str,
        what: impl Into<String>,
        rule: &'static str,
        edit: impl FnOnce(&mut Value),
    ) -> Case<'_> {
        let mut change = self.change();
        change.edit(seq, edit);
        change.chain();
        change.found(
            kind,
            format!("event {seq}, {}: {}", self.event(seq)["type"].as_str().expect("a type"), what.into()),
            seq,
            rule,
        )
    }

    /// A case in which an event is missing.
    pub fn missing(&self, seq: u64, rule: &'static str) -> Case<'_> {
        let kind = self.event(seq)["type"].as_str().expect("a type");
        let mut change = self.change();
        change.remove(seq);
        if kind == "game_finished" {
            change.standings(&Value::Null);
        }
        change.number();
        change.found("missing", format!("event {seq}, {kind}, is missing"), seq, rule)
    }

    /// A case in which an event is there twice.
    pub fn doubled(&self, seq: u64, rule: &'static str) -> Case<'_> {
        let kind = self.event(seq)["type"].as_str().expect("a type");
        let mut change = self.change();
        change.insert(seq + 1, self.line(seq as usize + 1));
        change.number();
        change.found("doubled", format!("event {seq}, {kind}, is there twice"), seq + 1, rule)
    }

    /// Like [`Base::forged`], with another value at a path of the content.
    pub fn replaced(
        &self,
        seq: u64,
        kind: &'static str,
        rule: &'static str,
        path: &str,
        value: Value,
    ) -> Case<'_> {
        let was = self.body(seq).pointer(path).unwrap_or_else(|| panic!("{path} of {seq}")).clone();
        assert_ne!(was, value, "{} {seq} {path}", self.name);
        let what = format!("{path} was {was}, now {value}");
        self.forged(seq, kind, what, rule, |body| *body.pointer_mut(path).expect("a path") = value)
    }
}

/// Steps from a sound history to a changed one.
pub struct Change<'a> {
    base: &'a Base,
    lines: Vec<String>,
    steps: Vec<Value>,
    forged: Forged,
}

impl<'a> Change<'a> {
    fn step(&mut self, step: Value) {
        apply(&mut self.lines, &step);
        self.steps.push(step);
    }

    /// Replaces lines of the file, counted from 1.
    pub fn lines(&mut self, line: usize, remove: usize, insert: &[String]) {
        self.step(json!({"line": line, "remove": remove, "insert": insert}));
    }

    fn event_at(&self, seq: u64) -> Value {
        serde_json::from_str(&self.lines[seq as usize]).expect("an event's line")
    }

    /// Changes the stored text of the event at a position.
    pub fn text(&mut self, seq: u64, edit: impl FnOnce(String) -> String) {
        let line = self.event_at(seq);
        let text = |name: &str| line["event"][name].as_str().expect("text").to_owned();
        let changed = edit(text("body"));
        assert_ne!(changed, text("body"), "nothing changed at {seq}");
        let number = line["event"]["seq"].as_u64().expect("a number");
        self.lines(seq as usize + 1, 1, &[event_line(number, &text("hash"), &changed)]);
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
        self.lines(seq as usize + 1, 1, &[line]);
    }

    pub fn header(&mut self, from: &str, to: &str) {
        self.line(0, from, to);
    }

    pub fn end(&mut self, from: &str, to: &str) {
        self.line(self.lines.len() as u64 - 1, from, to);
    }

    pub fn standings(&mut self, standings: &Value) {
        let end: Value = serde_json::from_str(self.lines.last().expect("an end")).expect("JSON");
        self.end(&standings_text(&end["end"]["standings"]), &standings_text(standings));
    }

    pub fn remove(&mut self, seq: u64) {
        self.lines(seq as usize + 1, 1, &[]);
    }

    /// Inserts a line of another history, or of this one, at a position.
    pub fn insert(&mut self, seq: u64, line: &str) {
        self.lines(seq as usize + 1, 0, &[line.to_owned()]);
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

    pub fn found(
        self,
        kind: &'static str,
        what: impl Into<String>,
        seq: impl Into<Option<u64>>,
        rule: &'static str,
    ) -> Case<'a> {
        let header: Value = serde_json::from_str(&self.lines[0]).unwrap_or_default();
        let header = &header["header"];
        let game = header["game"].as_str().map(str::to_owned);
        self.found_in(game, kind, what, seq, rule)
    }

    /// A case whose finding names this game.
    pub fn found_in(
        self,
        game: Option<String>,
        kind: &'static str,
        what: impl Into<String>,
        seq: impl Into<Option<u64>>,
        rule: &'static str,
    ) -> Case<'a> {
        let Change { base, steps, forged, .. } = self;
        Case { base, kind, what: what.into(), steps, game, seq: seq.into(), rule, forged }
    }
}
