//! Adds to the corpus of `tests/fixtures/tampered/`: sound histories, and changed ones that a verifier must refuse.
//!
//! The stored corpus is data, and [`record`] only adds to it. A changed history is stored as steps that change a sound
//! one; `apply` follows them. The folder's README describes the format.

mod apply;
mod change;
mod random;
mod scenes;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use estimation_record::canonical_json;
use serde_json::{Value, json};

pub use apply::{applied, digest};
use change::{Base, Change};
pub use scenes::{NewHistory, Scene};

use crate::Random;

/// The file with the SHA-256 of every other file of the corpus, in the format of `sha256sum`.
pub const SUMS: &str = "SHA256SUMS";

/// The files of cases about the public log.
const LOGGED: [&str; 3] = ["proofs.ndjson", "promises.ndjson", "bundles.ndjson"];

/// Verifiers stop at 50 findings, and with so many, the first one need not be that of the change.
const MAX_FINDINGS: usize = 40;

/// What to add to the corpus.
pub enum Addition {
    /// A sound history, with a case of every kind that its structure allows.
    History(NewHistory),
    /// A case of a stored history.
    Case { history: String, seq: u64, edit: Edit },
    /// A line of a file about the public log.
    Line { file: String, line: Value },
}

/// The change of an event. Everything after it is made to fit by a forger with the key.
pub enum Edit {
    /// Another value at a path of the content.
    Replace {
        path: String,
        value: Value,
    },
    Remove,
    Repeat,
}

/// Adds to the corpus in a folder. Returns the number of new cases. Fails without a change if a stored file differs from
/// its sum, and if a verifier would not decide as it should.
pub fn record(folder: &Path, addition: &Addition) -> Result<usize, String> {
    check(folder)?;
    let count = match addition {
        Addition::History(history) => add_history(folder, history)?,
        Addition::Case { history, seq, edit } => {
            let sound = lines(folder, "sound.ndjson");
            if !sound.iter().any(|line| line["file"] == *history) {
                return Err(format!("{history} is not in the corpus"));
            }
            let base = Base::new(history, folder);
            if !(1..=base.last()).contains(seq) {
                return Err(format!("{history} has {} events", base.last()));
            }
            let change = Change::of(&base, *seq, edit).ok_or("the change changes nothing")?;
            let new = new_cases(folder, vec![change]);
            if new.is_empty() {
                return Err("the verifier accepts it, has too many findings, or the corpus has it".to_owned());
            }
            append(folder, "cases.ndjson", &new);
            new.len()
        }
        Addition::Line { file, .. } if !LOGGED.contains(&file.as_str()) => {
            return Err(format!("{file} is none of {LOGGED:?}"));
        }
        Addition::Line { file, line } => {
            append(folder, file, std::slice::from_ref(line));
            1
        }
    };
    fs::write(folder.join(SUMS), sums(folder)).expect("a file");
    Ok(count)
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
    // One is a single object, and has no lines of events.
    let names = lines(folder, "sound.ndjson").into_iter().map(|line| line["file"].clone());
    let names = names.filter(|name| name != "one-object.ndjson");
    let bases: Vec<Base> = names.map(|name| Base::new(name.as_str().expect("a name"), folder)).collect();
    seeds.map(|seed| random::changed(&bases, &mut Random(seed))).collect()
}

fn add_history(folder: &Path, history: &NewHistory) -> Result<usize, String> {
    let file = format!("{}.ndjson", history.name);
    if folder.join(&file).exists() {
        return Err(format!("{file} exists"));
    }
    let number = 2000 + lines(folder, "sound.ndjson").len() as u64;
    let text = history.recorded(number).lines();
    if let Some(finding) = change::findings(&text).first() {
        return Err(format!("the verifier refuses the history: {finding}"));
    }
    append(folder, "sound.ndjson", &[json!({"file": file, "what": history.about()})]);
    fs::write(folder.join(&file), text).expect("a file");
    let base = Base::new(&file, folder);
    let new = new_cases(folder, random::each_kind(&base, &mut Random(number)));
    append(folder, "cases.ndjson", &new);
    Ok(new.len())
}

/// The changes as cases, without those that a verifier accepts, those with too many findings, and those that are there.
fn new_cases(folder: &Path, changes: Vec<Change<'_>>) -> Vec<Value> {
    let stored = lines(folder, "cases.ndjson");
    let mut texts: BTreeSet<String> = stored.iter().map(|case| case["sha256"].to_string()).collect();
    let mut new = Vec::new();
    for change in changes {
        let findings = change::findings(&change.text());
        let first = findings.iter().min_by_key(|finding| finding.seq.unwrap_or(u64::MAX));
        let Some(first) = first.filter(|_| findings.len() <= MAX_FINDINGS) else { continue };
        let case = change.case(stored.len() + new.len() + 1, first);
        if texts.insert(case["sha256"].to_string()) {
            new.push(case);
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
