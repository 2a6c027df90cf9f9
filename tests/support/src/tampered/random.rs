//! Changes by chance: any value of an event replaced by another.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::Edit;
use super::change::{Base, Change};
use crate::Random;

/// A change in words, and the changed history; chain and signature are made again.
pub fn changed(bases: &[Base], random: &mut Random) -> (String, String) {
    let base = random.pick(bases);
    let seq = random.below(base.bodies.len()) as u64 + 1;
    let mut paths = Vec::new();
    collect(base.body(seq), String::new(), &mut paths);
    let path = random.pick(&paths).clone();
    let change = replaced(base, seq, path, random);
    (change.what(), change.text())
}

/// Of each kind of event, led by a player or derived, the first one: without it, with it twice, and with another value at
/// each of its paths.
pub fn each_kind<'a>(base: &'a Base, random: &mut Random) -> Vec<Change<'a>> {
    let (mut seen, mut changes) = (BTreeSet::new(), Vec::new());
    for seq in 1..=base.last() {
        let (kind, actor) = (base.kind(seq), &base.body(seq)["actor"]);
        let by = actor.get("by").unwrap_or(&Value::Null).to_string();
        if !seen.insert(format!("{kind} {} {by}", actor == "server")) {
            continue;
        }
        changes.extend([Edit::Remove, Edit::Repeat].iter().filter_map(|edit| Change::of(base, seq, edit)));
        let mut paths = Vec::new();
        collect(base.body(seq), String::new(), &mut paths);
        for path in paths {
            let place = path.replace(|letter: char| letter.is_ascii_digit(), "");
            if seen.insert(format!("{kind} {by} {place}")) {
                changes.push(replaced(base, seq, path, random));
            }
        }
    }
    changes
}

fn replaced<'a>(base: &'a Base, seq: u64, path: String, random: &mut Random) -> Change<'a> {
    let old = base.body(seq).pointer(&path).cloned().unwrap_or_default();
    let mut value = other(base, &path, &old, random);
    if value == old {
        value = json!(["changed"]);
    }
    Change::of(base, seq, &Edit::Replace { path, value }).expect("another value")
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
