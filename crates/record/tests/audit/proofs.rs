//! The proofs of a bundle in a history: accepted once, directly after the end, and compared with nothing.

use estimation_engine::ruleset::{Ruleset, RulesetId};
use estimation_record::verify::Rule;
use estimation_test_support::made::{self, Made, audited_text};
use serde_json::{Value, json};

fn made() -> Made {
    made::cancelled(Ruleset::preset(RulesetId::Squares), 5)
}

fn proofs() -> Value {
    json!({ "start": null, "end": "", "origins": [], "log_keys": [], "jwks": { "keys": [{ "kty": "any" }] } })
}

/// The rule and the number of each finding in a text.
fn found(text: &str) -> Vec<(Rule, Option<u64>)> {
    audited_text(text).findings.into_iter().map(|finding| (finding.rule, finding.seq)).collect()
}

#[test]
fn proofs_follow_the_end_of_a_history_once() {
    let (history, object) = (made().lines(), made().json());
    let piece = json!({ "proofs": proofs() }).to_string();
    let whole = format!("{},\"proofs\":{}}}", object.strip_suffix('}').unwrap(), proofs());
    for text in [
        format!("{history}{piece}"),
        format!("{object}{piece}"),
        format!("{whole}{}", made::cancelled(Ruleset::preset(RulesetId::Squares), 6).lines()),
    ] {
        let report = audited_text(&text);
        assert!(report.is_well() && report.findings.is_empty(), "{text}: {report:?}");
    }
    let nowhere = [(Rule::Form, None)];
    assert_eq!(found(&format!("{history}{piece}{piece}")), nowhere);
    assert_eq!(found(&piece), nowhere);
    // Inside of a history they end the reading.
    let early = history.replace("{\"end\"", &format!("{piece}{{\"end\""));
    assert_eq!(found(&early), [(Rule::Form, Some(3)), (Rule::Unfinished, Some(3))]);
}

#[test]
fn proofs_have_one_form() {
    let history = made().lines();
    let changed = |change: fn(&mut Value)| {
        let mut proofs = proofs();
        change(&mut proofs);
        format!("{history}{}", json!({ "proofs": proofs }))
    };
    assert_eq!(found(&changed(|_| {})), []);
    let fits: [fn(&mut Value); 3] = [
        |proofs| proofs["start"] = json!("any text"),
        |proofs| proofs["origins"] = json!(vec![""; 100]),
        |proofs| proofs["log_keys"] = json!(vec![""; 400]),
    ];
    fits.iter().for_each(|change| assert_eq!(found(&changed(*change)), []));
    let others: [fn(&mut Value); 12] = [
        |proofs| *proofs = Value::Null,
        |proofs| drop(proofs.as_object_mut().unwrap().remove("start")),
        |proofs| drop(proofs.as_object_mut().unwrap().remove("jwks")),
        |proofs| proofs["more"] = json!(1),
        |proofs| proofs["start"] = json!(1),
        |proofs| proofs["end"] = Value::Null,
        |proofs| proofs["origins"] = json!(vec![""; 101]),
        |proofs| proofs["origins"] = json!([null]),
        |proofs| proofs["log_keys"] = json!(vec![""; 401]),
        |proofs| proofs["jwks"] = json!([]),
        |proofs| proofs["jwks"]["more"] = json!(1),
        |proofs| proofs["jwks"]["keys"] = json!([1]),
    ];
    others.iter().for_each(|change| {
        assert_eq!(found(&changed(*change)), [(Rule::Form, None)], "{}", changed(*change))
    });
}
