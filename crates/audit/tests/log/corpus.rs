//! The corpus in `tests/fixtures/tampered/`: the exit status of `verify` for each of its proofs and bundles.

use std::collections::BTreeSet;
use std::path::Path;

use estimation_test_support::tampered::applied;

use crate::bundles::Bundled;
use crate::prelude::*;

fn path(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/fixtures/tampered")
        .join(name)
        .to_str()
        .unwrap()
        .to_owned()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn texts<'c>(case: &'c Value, member: &str) -> impl Iterator<Item = &'c str> {
    case[member].as_array().unwrap().iter().map(|text| text.as_str().unwrap())
}

#[test]
fn each_proof_has_the_exit_status_that_the_corpus_names() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("proof");
    let mut seen = BTreeSet::new();
    for case in lines(&fs::read_to_string(path("proofs.ndjson")).unwrap()) {
        let text = |name: &str| case[name].as_str().map(str::to_owned);
        fs::write(&file, text("proof").unwrap()).unwrap();
        let proof = file.to_str().unwrap().to_owned();
        let mut arguments = vec!["verify".to_owned(), "--proof".to_owned(), proof];
        arguments.extend(["--jwks".to_owned(), path("jwks.json"), path(&text("history").unwrap())]);
        arguments.extend(text("log_key").into_iter().flat_map(|key| ["--log-key".to_owned(), key]));
        arguments.extend(texts(&case, "witnesses").flat_map(|key| ["--witness".to_owned(), key.to_owned()]));
        let ran = run(arguments);
        assert_eq!(i64::from(ran.status), case["status"].as_i64().unwrap(), "{}: {ran:?}", case["what"]);
        seen.insert(ran.status);
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [0, 1, 3]);
}

#[test]
fn each_bundle_has_the_exit_status_that_the_corpus_names() {
    let corpus = fs::read_to_string(path("bundles.ndjson")).unwrap();
    let changes = lines(&fs::read_to_string(path("cases.ndjson")).unwrap());
    let seen: BTreeSet<i32> = lines(&corpus)
        .iter()
        .map(|case| {
            let history = fs::read_to_string(path(case["history"].as_str().unwrap())).unwrap();
            let change =
                changes.iter().find(|change| case["changed"].is_u64() && change["case"] == case["changed"]);
            assert_eq!(change.is_none(), case["changed"].is_null(), "{case}");
            let history = change
                .map(|change| applied(&history, change["steps"].as_array().unwrap()))
                .unwrap_or(history);
            decides(case, &history, &path("jwks.json"))
        })
        .collect();
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
}

/// Asserts the exit status of a case, and returns it.
fn decides(case: &Value, history: &str, jwks: &str) -> i32 {
    let folder = TempDir::new().unwrap();
    let written = |name: String, text: &str| {
        let file = folder.path().join(name);
        fs::write(&file, text).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let bundle = format!("{history}{}\n", json!({ "proofs": case["proofs"] }));
    let mut arguments = vec!["verify".to_owned(), written("bundle".to_owned(), &bundle)];
    let mut give = |flag: &str, value: String| arguments.extend([flag.to_owned(), value]);
    texts(case, "log_keys").for_each(|key| give("--log-key", key.to_owned()));
    texts(case, "witnesses").for_each(|key| give("--witness", key.to_owned()));
    texts(case, "heads").for_each(|head| give("--head", head.to_owned()));
    for (number, kept) in texts(case, "kept").enumerate() {
        give("--proof", written(format!("kept-{number}"), kept));
    }
    for (number, promise) in case["promises"].as_array().unwrap().iter().enumerate() {
        give("--promise", written(format!("promise-{number}"), &promise.to_string()));
    }
    if case["jwks"].as_bool().unwrap() {
        give("--jwks", jwks.to_owned());
    }
    let ran: Ran = run(arguments);
    assert_eq!(
        i64::from(ran.status),
        case["status"].as_i64().unwrap(),
        "{} {}: {ran:#?}",
        case["case"],
        case["what"]
    );
    ran.status
}

#[test]
fn a_case_of_a_bundle_is_decided_as_it_says() {
    let bundled = Bundled::cancelled();
    let folder = TempDir::new().unwrap();
    let jwks = folder.path().join("jwks.json");
    fs::write(&jwks, estimation_test_support::made::jwks().to_string()).unwrap();
    let (log, witness) = (bundled.log_key(), bundled.witness.key.to_string());
    let case = |what: &str, proofs: &Value, witnesses: &[&str], jwks: bool, status: u8| {
        json!({
            "case": 1, "what": what, "history": "-", "changed": null, "proofs": proofs, "log_keys": [log],
            "witnesses": witnesses, "jwks": jwks, "promises": [], "heads": [], "kept": [], "status": status,
        })
    };
    let (proofs, stranger) = (json!(bundled.proofs), Bundled::stranger());
    for case in [
        case("sound", &proofs, &[&witness], true, 0),
        case("sound by its own keys", &proofs, &[&witness], false, 4),
        case("a witness that is missing", &proofs, &[&stranger], true, 5),
        case("no proofs", &json!(7), &[], true, 3),
    ] {
        decides(&case, &bundled.made.lines(), jwks.to_str().unwrap());
    }
}
