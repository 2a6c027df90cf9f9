//! Proofs of another form, and other keys in the file.

use serde_json::{Value, json};

use super::bundle::Bundle;
use super::logs::{Plan, keys, other_log};
use super::{BY_FILE, Cases, SOUND, UNCHECKED};
use crate::tampered::logged::{Logged, corpus_log, other_keys};

/// Proofs of another form.
pub(super) fn cases(cases: &mut Cases, draw: &Logged, cancelled: &Logged) {
    let open = cases.sound(draw, Plan::new());
    let start = open.proofs["start"].clone();
    let what = "there is no proof of the start, and the game started";
    cases.add(what, UNCHECKED, open.clone().member("start", Value::Null));
    let what = "there is a proof of a start, and the table did not start";
    cases.add(what, UNCHECKED, cases.sound(cancelled, Plan::new()).member("start", start));
    for name in ["start", "end", "origins", "log_keys", "jwks"] {
        cases.add(&format!("the proofs lack {name}"), UNCHECKED, open.clone().without(name));
    }
    cases.add("the proofs have a member too many", UNCHECKED, open.clone().member("more", json!(1)));
    for (name, value, what) in [
        ("start", json!({}), "the proof of the start is an object"),
        ("end", Value::Null, "the proof of the end is null"),
        ("end", json!(7), "the proof of the end is a number"),
        ("end", json!(""), "the proof of the end is empty"),
        ("end", json!("c2sp.org/tlog-proof@v1\nindex 1\n"), "the proof of the end has no checkpoint"),
        ("origins", json!({}), "the proofs of origins are an object"),
        ("origins", Value::Null, "the proofs of origins are null"),
        ("origins", json!([null]), "a proof of an origin is null"),
        ("log_keys", json!("corpus.example/log"), "the keys of logs are a text"),
        ("log_keys", json!([1]), "a key of a log is a number"),
        ("log_keys", json!(vec![""; 401]), "401 keys of logs"),
        ("jwks", json!([]), "the record keys are a list"),
        ("jwks", json!({}), "the record keys have no list"),
        ("jwks", json!({"keys": {}}), "the list of record keys is an object"),
    ] {
        cases.add(what, UNCHECKED, open.clone().member(name, value));
    }
    for (what, proofs) in [
        ("the proofs are a list", json!([])),
        ("the proofs are an empty object", json!({})),
        ("the proofs are a text", open.proofs["end"].clone()),
        ("the proofs are a number", json!(7)),
        ("the proofs are true", json!(true)),
    ] {
        cases.add(what, UNCHECKED, Bundle { proofs, ..open.clone() });
    }
    let swapped = open.proofs["end"].as_str().expect("a text").replacen("@v1", "@v2", 1);
    let what = "the proof of the end has another first line";
    cases.add(what, UNCHECKED, open.member("end", json!(swapped)));
}

/// The keys that the file has.
pub(super) fn keys_of_the_file(cases: &mut Cases, draw: &Logged) {
    let open = cases.sound(draw, Plan::new());
    let record_key = cases.jwks["keys"][0].clone();
    let changed_key = |name: &str, value: &str| {
        let mut key = record_key.clone();
        key[name] = json!(value);
        key
    };
    let another = changed_key("x", "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo");
    let other_purpose = changed_key("estimation:purpose", "other");
    for (what, pinned, unpinned, keys) in [
        ("the file has no record key", SOUND, UNCHECKED, json!([])),
        ("the file has another record key", SOUND, UNCHECKED, json!([another])),
        ("the file has the record key for another purpose", SOUND, UNCHECKED, json!([other_purpose])),
        ("the file has two record keys", SOUND, BY_FILE, json!([another, record_key])),
    ] {
        let bundle = open.clone().member("jwks", json!({"keys": keys}));
        cases.add(&format!("{what}, all is pinned"), pinned, bundle.clone());
        cases.add(&format!("{what}, nothing is pinned"), unpinned, bundle.unpinned());
    }
    for (what, pinned, unpinned, keys) in [
        ("the file has no key of a log", SOUND, UNCHECKED, vec![]),
        ("the file has another key of a log of this name", SOUND, UNCHECKED, keys(&other_keys())),
        ("the file has only the key of another log", SOUND, UNCHECKED, keys(&other_log())),
        (
            "the file has only the key of the log's own witness",
            SOUND,
            UNCHECKED,
            keys(&corpus_log()).split_off(1),
        ),
        (
            "the file also has the key of another log",
            SOUND,
            BY_FILE,
            [keys(&other_log()), keys(&corpus_log())].concat(),
        ),
    ] {
        let bundle = open.clone().member("log_keys", json!(keys));
        cases.add(&format!("{what}, all is pinned"), pinned, bundle.clone());
        cases.add(&format!("{what}, nothing is pinned"), unpinned, bundle.unpinned());
    }
}
