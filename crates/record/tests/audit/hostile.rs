//! Hostile input: the verifier returns a result for every file and does not panic.

use std::sync::OnceLock;

use estimation_engine::ruleset::{Ruleset, RulesetId};
use estimation_test_support::made::{self, Made, audited, audited_text};
use proptest::prelude::*;
use serde_json::{Value, json};

fn games() -> &'static [Made] {
    static GAMES: OnceLock<Vec<Made>> = OnceLock::new();
    GAMES.get_or_init(|| {
        RulesetId::ALL.into_iter().map(|id| made::play(Ruleset::preset(id), id as u64 + 1)).collect()
    })
}

/// Any JSON value, often one that occurs in records.
fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(|flag| json!(flag)),
        any::<i64>().prop_map(|number| json!(number)),
        (0..300_i64).prop_map(|number| json!(number)),
        any::<f64>().prop_map(|number| json!(number)),
        prop::sample::select(vec!["server", "AS", "RJ", "nineteen", "turns", "rounds", "clubs", "é", ""])
            .prop_map(|text| json!(text)),
        ".{0,12}".prop_map(|text| json!(text)),
    ];
    leaf.prop_recursive(3, 20, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::hash_map("[a-z_]{1,8}", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn paths(value: &Value, path: String, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(name, member)| paths(member, format!("{path}/{name}"), found));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, item)| paths(item, format!("{path}/{i}"), found));
        }
        _ => {}
    }
    found.push(path);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[ignore = "all: tries random inputs"]
    #[test]
    fn any_value_anywhere_causes_no_panic(game in 0..5_usize, early: bool, event: prop::sample::Index, place: prop::sample::Index, value in anything()) {
        let mut made = games()[game].clone();
        let index = event.index(if early { 12 } else { made.events.len() });
        let body: Value = serde_json::from_str(&made.events[index].body).unwrap();
        let mut found = Vec::new();
        paths(&body, String::new(), &mut found);
        let path = &found[place.index(found.len())];
        let mut changed = body.clone();
        *changed.pointer_mut(path).unwrap() = value;
        made.events[index].body = changed.to_string();
        made.rehash();
        made.sign();
        audited(&made.pieces());
    }

    #[ignore = "all: tries random inputs"]
    #[test]
    fn unknown_rules_in_the_first_event_cause_no_panic(game in 0..5_usize, changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), -1..300_i64), 1..6)) {
        let mut made = games()[game].clone();
        let all: Vec<Value> = RulesetId::ALL.iter().map(|id| serde_json::to_value(Ruleset::preset(*id)).unwrap()).collect();
        made.edit(0, |body| {
            let rules = body["event"]["ruleset"].as_object_mut().unwrap();
            let names: Vec<String> = rules.keys().cloned().collect();
            for (field, from, number) in changes {
                let name = &names[field.index(names.len())];
                let other = &all[from.index(all.len())][name];
                let value = if other.is_number() { json!(number) } else { other.clone() };
                rules.insert(name.clone(), value);
            }
        });
        made.rehash();
        made.sign();
        audited(&made.pieces());
    }

    #[test]
    fn any_bytes_may_be_a_file(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let report = audited_text(&bytes);
        prop_assert!(!report.is_well());
    }

    #[test]
    fn any_json_may_be_a_file(value in anything(), member in prop::sample::select(vec!["header", "event", "events", "end", "proofs"])) {
        audited_text(value.to_string());
        audited_text(json!({ member: value }).to_string());
    }
}

#[test]
fn numbers_at_the_end_of_their_range_are_numbers() {
    let mut made = games()[0].clone();
    made.events[3].seq = u64::MAX;
    made.end.events = u64::MAX;
    audited(&made.pieces());
}
