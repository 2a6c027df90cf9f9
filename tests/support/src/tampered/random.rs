//! Random changes: any value of any event replaced by another.

use serde_json::{Value, json};

use super::change::{Base, Cases};
use crate::Random;

/// A change in words, and the changed history; chain and signature are made again.
pub fn changed(bases: &[Base], random: &mut Random) -> (String, String) {
    let base = random.pick(bases);
    let seq = random.below(base.bodies.len()) as u64 + 1;
    let mut paths = Vec::new();
    collect(base.body(seq), String::new(), &mut paths);
    let path = random.pick(&paths).clone();
    let old = base.body(seq).pointer(&path).cloned().unwrap_or_default();
    let mut new = other(base, &path, &old, random);
    if new == old {
        new = json!(["changed"]);
    }
    let mut cases = Cases::of(base);
    cases.replaced(seq, "random", "form", &path, new.clone());
    let case = cases.list.pop().expect("a case");
    (format!("{} {seq} {path}: {old} became {new}", base.file), case.text())
}

/// The paths of all values within a value.
fn collect(value: &Value, path: String, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(name, member)| collect(member, format!("{path}/{name}"), found));
        }
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(index, item)| collect(item, format!("{path}/{index}"), found));
        }
        _ => {}
    }
    if !path.is_empty() {
        found.push(path);
    }
}

/// A value near the old one, one from the same place of another event, or a strange one.
fn other(base: &Base, path: &str, old: &Value, random: &mut Random) -> Value {
    let strange = json!([
        null, true, 0, 1, 4, 5, 13, -1, 255, 256, 1_u64 << 32, (1_u64 << 53) - 1, "", "server", "AS", "RJ", "spades",
        "no_trump", "bot", [], {}, {"seat": 1}, {"place": 1}, {"seat": 0, "by": "bot"}, {"seat": 0, "by": "clock"},
    ]);
    match random.below(4) {
        0 => random.pick(strange.as_array().expect("a list")).clone(),
        1 if old.is_number() => json!(old.as_i64().unwrap_or_default() + random.below(5) as i64 - 2),
        _ => {
            let elsewhere: Vec<&Value> = base.bodies.iter().filter_map(|body| body.pointer(path)).collect();
            (*random.pick(&elsewhere)).clone()
        }
    }
}
