//! Follows the steps of a changed history.

use estimation_record::verify::EventLine;
use estimation_record::{GENESIS, chain};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The text of a changed history: the sound one after the steps of a case.
pub fn applied(sound: &str, steps: &[Value]) -> String {
    let mut lines: Vec<String> = sound.lines().map(str::to_owned).collect();
    steps.iter().for_each(|step| apply(&mut lines, step));
    joined(&lines)
}

pub(super) fn joined(lines: &[String]) -> String {
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}

/// Follows one step.
pub(super) fn apply(lines: &mut Vec<String>, step: &Value) {
    if let Some(line) = step["line"].as_u64() {
        let from = line as usize - 1;
        let to = from + step["remove"].as_u64().expect("a number") as usize;
        let insert = step["insert"].as_array().expect("lines").iter();
        lines.splice(from..to, insert.map(|line| line.as_str().expect("a line").to_owned()));
    } else if step["number"] == true {
        number(lines);
    } else {
        rechain(lines, step["chain"].as_str());
    }
}

/// SHA-256 of a text, as hexadecimal digits.
pub fn digest(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}

/// The lines of events, with their indices.
pub(super) fn events(lines: &[String]) -> Vec<(usize, EventLine)> {
    let event = |(index, line): (usize, &String)| {
        let text = line.strip_prefix("{\"event\":")?.strip_suffix('}')?;
        Some((index, serde_json::from_str(text).expect("an event")))
    };
    lines.iter().enumerate().filter_map(event).collect()
}

/// An event's line.
pub(super) fn event_line(seq: u64, hash: &str, body: &str) -> String {
    let text = |text: &str| Value::from(text).to_string();
    format!("{{\"event\":{{\"seq\":{seq},\"hash\":{},\"body\":{}}}}}", text(hash), text(body))
}

fn number(lines: &mut [String]) {
    for (seq, (index, line)) in (1..).zip(events(lines)) {
        let EventLine { hash, body, .. } = &line;
        let digits = body.trim_end_matches('}').rfind(':').expect("a last member") + 1;
        lines[index] = event_line(seq, hash, &format!("{}{seq}}}", &body[..digits]));
    }
}

fn rechain(lines: &mut [String], signature: Option<&str>) {
    let mut hash = GENESIS;
    let events = events(lines);
    for (index, line) in &events {
        hash = chain(hash, line.body.as_bytes());
        lines[*index] = event_line(line.seq, &hex::encode(hash), &line.body);
    }
    if let Some(line) = lines.last_mut().filter(|line| line.starts_with("{\"end\":")) {
        let end: Value = serde_json::from_str(line).expect("an end");
        let end = &end["end"];
        let signed = signature.map_or(end["signature"].to_string(), |value| {
            format!("{{\"kid\":{},\"value\":\"{value}\"}}", end["signature"]["kid"])
        });
        let standings = standings_text(&end["standings"]);
        *line = format!(
            "{{\"end\":{{\"events\":{},\"head\":\"{}\",\"standings\":{standings},\"signature\":{signed}}}}}",
            events.len(),
            hex::encode(hash)
        );
    }
}

/// Standings in the order of members that the service writes.
pub(super) fn standings_text(standings: &Value) -> String {
    let one = |own: &Value| {
        format!("{{\"seat\":{},\"total\":{},\"rank\":{}}}", own["seat"], own["total"], own["rank"])
    };
    match standings.as_array() {
        Some(list) => format!("[{}]", list.iter().map(one).collect::<Vec<_>>().join(",")),
        None => "null".to_owned(),
    }
}
