//! A corpus for verifiers: sound histories, and changed ones that a verifier must refuse.
//!
//! [`files`] makes the files of `tests/fixtures/tampered/`, always with the same bytes. A changed history is
//! stored as steps that change a sound one; `apply` follows them. The folder's README describes the format.

mod apply;
mod change;
mod derived;
mod encodings;
mod ends;
mod fairness;
mod formulas;
mod leading;
mod limits;
mod order;
mod proofs;
mod random;
mod rehearsal;
mod rulesets;
mod scores;
mod seeds;
mod sound;
mod table;
mod times;

use std::collections::BTreeMap;

use estimation_record::canonical_json;
use serde_json::{Value, json};

pub use apply::{applied, digest};
use change::Base;
pub use change::Case;
use sound::Sound;

use crate::{Random, made};

/// The names of the files in the folder, with their texts.
pub fn files() -> BTreeMap<String, String> {
    let sound: Vec<Sound> = sound::all().into_iter().chain(formulas::all()).collect();
    let bases: Vec<Base> = sound.iter().map(|sound| Base::new(sound.name, sound.made.lines())).collect();
    let object = Base::new("one-object", one_object(&sound));
    let mut files = BTreeMap::from([("jwks.json".to_owned(), format!("{:#}\n", jwks()))]);
    let mut index = Vec::new();
    for (base, about) in bases.iter().zip(sound.iter().map(|sound| sound.about)) {
        index.push(json!({"file": base.file(), "what": about}));
    }
    index.push(json!({"file": object.file(), "what": "the table with one person as one object"}));
    let mut cases = Vec::new();
    for base in &bases {
        let families: &[Family] = match base.name {
            "seeds" => &[seeds::cases, times::cases, ends::cases],
            "running" => &[derived::cases, scores::cases, ends::running],
            _ => &[
                derived::cases,
                scores::cases,
                leading::cases,
                limits::cases,
                table::cases,
                times::cases,
                fairness::cases,
                ends::cases,
                order::cases,
            ],
        };
        cases.extend(families.iter().flat_map(|family| family(base, &bases)));
        cases.extend(encodings::cases(base));
        cases.extend(rulesets::cases(base));
    }
    let mut seen = BTreeMap::new();
    cases.retain(|case: &Case<'_>| {
        let count: &mut usize = seen.entry(case.variety()).or_default();
        *count += 1;
        *count <= case.most_alike()
    });
    cases.extend(ends::object(&object));
    for base in bases.iter().chain([&object]) {
        files.insert(base.file(), base.text());
    }
    files.insert("sound.ndjson".to_owned(), lines(&index));
    let cases: Vec<Value> = (1..).zip(cases).map(|(number, case)| case.json(number)).collect();
    files.insert("proofs.ndjson".to_owned(), lines(&proofs::proofs(&sound)));
    files.insert("promises.ndjson".to_owned(), lines(&proofs::promises(&sound)));
    files.insert("cases.ndjson".to_owned(), lines(&cases));
    files
}

/// A history in the form of `application/json`.
fn one_object(sound: &[Sound]) -> String {
    let game = sound.iter().find(|sound| sound.name == "expired-lobby").expect("a history");
    game.made.json() + "\n"
}

type Family = for<'a> fn(&'a Base, &'a [Base]) -> Vec<Case<'a>>;

/// Sound histories with a random change each, and the change in words.
pub fn random_changes(seeds: impl Iterator<Item = u64>) -> Vec<(String, String)> {
    let sound = sound::all();
    let bases: Vec<Base> = sound.iter().map(|sound| Base::new(sound.name, sound.made.lines())).collect();
    seeds.map(|seed| random::changed(&bases, &mut Random(seed))).collect()
}

fn lines(values: &[Value]) -> String {
    values.iter().map(|value| canonical_json(value).expect("canonical JSON") + "\n").collect()
}

fn jwks() -> Value {
    let key = made::public_key();
    json!({"keys": [{
        "alg": "EdDSA", "crv": "Ed25519", "estimation:purpose": "record", "kid": key.kid, "kty": "OKP", "use": "sig",
        "x": key.x,
    }]})
}
