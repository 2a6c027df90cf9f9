//! Makes new cases for the corpus of `tests/fixtures/tampered/`: changed histories that a verifier must refuse.
//!
//! The stored corpus is data, and [`record`] only adds to it: a sound history of one of six scenes, and the cases
//! that follow from the structure of the sound histories and are of a new kind. A changed history is stored as steps
//! that change a sound one; `apply` follows them. The folder's README describes the format.

mod apply;
mod bundles;
mod cards;
mod change;
mod derived;
mod encodings;
mod leading;
mod logged;
mod order;
mod promises;
mod proofs;
mod random;
mod rigged;
mod scenes;
mod scores;
mod seats;
mod times;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use estimation_record::canonical_json;
use serde_json::{Value, json};

pub use apply::{applied, digest};
use change::{Base, Case, Cases};
pub use scenes::{NewHistory, Scene};

use crate::Random;

/// The file with the SHA-256 of every other file of the corpus, in the format of `sha256sum`.
pub const SUMS: &str = "SHA256SUMS";

type Family = fn(&mut Cases<'_>);

/// Changes of what the rules decide, which differ from ruleset to ruleset.
const PLAY: [Family; 7] =
    [derived::cases, scores::cases, leading::cases, times::cases, cards::cases, seats::cases, rigged::cases];

/// Changes of the form of a history, which is the same for all rulesets of a format.
const FORM: [Family; 2] = [order::cases, encodings::cases];

/// Adds a sound history to the corpus in a folder, if one is given, and then all new cases. Returns the number of
/// new cases. Fails without a change if a stored file differs from its sum.
pub fn record(folder: &Path, history: Option<&NewHistory>) -> Result<usize, String> {
    check(folder)?;
    if let Some(history) = history {
        let file = format!("{}.ndjson", history.name);
        if folder.join(&file).exists() {
            return Err(format!("{file} exists"));
        }
        let number = 2000 + lines(folder, "sound.ndjson").len() as u64;
        let made = history.recorded(number);
        append(folder, "sound.ndjson", &[json!({"file": file, "what": history.about()})]);
        fs::write(folder.join(file), made.lines()).expect("a file");
    }
    let cases = new_cases(folder);
    append(folder, "cases.ndjson", &cases);
    for (file, made) in logged(folder) {
        let stored = lines(folder, file);
        if !made.starts_with(&stored) {
            return Err(format!("{file} has other lines than the program makes"));
        }
        append(folder, file, &made[stored.len()..]);
    }
    fs::write(folder.join(SUMS), sums(folder)).expect("a file");
    Ok(cases.len())
}

/// The files about the public log, with the lines that the program makes. They do not depend on new histories.
fn logged(folder: &Path) -> [(&'static str, Vec<Value>); 3] {
    [
        ("proofs.ndjson", proofs::lines(folder)),
        ("promises.ndjson", promises::lines(folder)),
        ("bundles.ndjson", bundles::lines(folder)),
    ]
}

/// Fails if a file of the corpus was changed, removed or added by others than [`record`].
pub fn check(folder: &Path) -> Result<(), String> {
    let stored = fs::read_to_string(folder.join(SUMS)).unwrap_or_default();
    let found = sums(folder);
    let found: BTreeSet<&str> = found.lines().collect();
    let stored: BTreeSet<&str> = stored.lines().collect();
    let differ: Vec<_> = found.symmetric_difference(&stored).collect();
    if differ.is_empty() { Ok(()) } else { Err(format!("not as {SUMS} says: {differ:?}")) }
}

/// Sound histories of the corpus with a random change each, and the change in words.
pub fn random_changes(folder: &Path, seeds: impl Iterator<Item = u64>) -> Vec<(String, String)> {
    let bases = bases(folder);
    seeds.map(|seed| random::changed(&bases, &mut Random(seed))).collect()
}

/// Each sound history with a deal as the cases of rigged deals end it, without a rigged deal.
pub fn unrigged(folder: &Path) -> Vec<String> {
    bases(folder).iter().filter_map(rigged::unrigged).collect()
}

/// The sound histories of the corpus, except the one that is one object and so has no lines of events.
fn bases(folder: &Path) -> Vec<Base> {
    let names = lines(folder, "sound.ndjson").into_iter().map(|line| line["file"].clone());
    let names = names.filter(|name| name != "one-object.ndjson");
    names.map(|name| Base::new(name.as_str().expect("a name"), folder)).collect()
}

/// The cases of varieties that the corpus does not have. A history without cases gets one of every variety of play.
fn new_cases(folder: &Path) -> Vec<Value> {
    let (bases, stored) = (bases(folder), lines(folder, "cases.ndjson"));
    let mut texts: BTreeSet<String> = stored.iter().map(|case| case["sha256"].to_string()).collect();
    let mut known = BTreeSet::new();
    for case in &stored {
        let Some(base) = bases.iter().find(|base| case["history"] == base.file) else { continue };
        let [kind, rule, what] = ["/kind", "/found/rule", "/what"]
            .map(|path| case.pointer(path).and_then(Value::as_str).expect("text"));
        known.insert(change::variety(base, kind, rule, what));
    }
    let mut new = Vec::new();
    for base in &bases {
        let has_cases = stored.iter().any(|case| case["history"] == base.file);
        let mut own = if has_cases { known.clone() } else { BTreeSet::new() };
        let of = |families: &[Family]| {
            let mut cases = Cases::of(base);
            families.iter().for_each(|family| family(&mut cases));
            cases.list.into_iter()
        };
        let play: Vec<Case<'_>> = of(&PLAY).filter(|case| own.insert(case.variety())).collect();
        known.extend(own);
        for case in play.into_iter().chain(of(&FORM).filter(|case| known.insert(case.variety()))) {
            let case = case.json(stored.len() + new.len() + 1);
            if texts.insert(case["sha256"].to_string()) {
                new.push(case);
            }
        }
    }
    new
}

fn text(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn lines(folder: &Path, name: &str) -> Vec<Value> {
    text(folder, name).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn append(folder: &Path, name: &str, values: &[Value]) {
    let mut file = OpenOptions::new().append(true).open(folder.join(name)).expect("a file");
    for value in values {
        writeln!(file, "{}", canonical_json(value).expect("canonical JSON")).expect("room");
    }
}

fn sums(folder: &Path) -> String {
    let names = fs::read_dir(folder).expect("a folder");
    let names = names.map(|entry| entry.expect("a file").file_name().into_string().expect("a name"));
    let names = names.filter(|name| name != SUMS && name != "README.md");
    let sums: BTreeMap<String, String> =
        names.map(|name| (name.clone(), digest(&text(folder, &name)))).collect();
    sums.into_iter().map(|(name, sum)| format!("{sum}  {name}\n")).collect()
}
