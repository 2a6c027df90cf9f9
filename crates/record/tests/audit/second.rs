//! The second verifier, in Python, agrees with the first on valid histories, and finds what is missing. `corpus.rs` has
//! the changed histories.

use estimation_engine::ruleset::options::OptionValue;
use estimation_engine::ruleset::{Length, Ruleset, RulesetId};
use estimation_test_support::made::{self, Made, audited_text, key_hex};
use estimation_test_support::second::{Findings, audited_again, findings};
use estimation_test_support::{Random, every_variant, random_variant};
use serde_json::{Value, json};

/// Asserts that both verifiers find the same in each text. Returns the findings.
fn agreed(texts: &[(String, String)]) -> Vec<Findings> {
    let again = audited_again(texts.iter().map(|(_, text)| text.clone()), &["--key", &key_hex()]);
    for ((what, text), second) in texts.iter().zip(&again) {
        let first = serde_json::to_value(audited_text(text)).unwrap();
        assert_eq!(findings(&first), *second, "{what}\n{first:#}");
    }
    again
}

/// Whole games of every ruleset, with every value of every option: both implementations of the rule book agree on every
/// deal, call, trick and score.
#[test]
#[ignore = "all: tries every case; the default tries some"]
fn both_accept_every_option() {
    let rules = every_variant().into_iter();
    let mut games: Vec<Made> = (1..).zip(rules).map(|(number, rules)| made::play(rules, number)).collect();
    games.push(made::cancelled(Ruleset::preset(RulesetId::Plain), 900));
    let mut texts: Vec<(String, String)> = games.iter().map(told).collect();
    games.truncate(20);
    texts.push(("several games".to_owned(), games.iter().map(Made::lines).collect::<String>()));
    texts.push(("one object".to_owned(), games[0].json()));
    both_accept(&texts);
}

#[test]
#[ignore = "all: tries every case; the default tries some"]
fn both_accept_mixtures() {
    let mut random = Random(41);
    let games = (1_000..1_150).map(|number| made::play(random_variant(&mut random), number));
    both_accept(&games.map(|made| told(&made)).collect::<Vec<_>>());
}

fn told(made: &Made) -> (String, String) {
    (made.events[0].body.clone(), made.lines())
}

fn both_accept(texts: &[(String, String)]) {
    for (found, (what, _)) in agreed(texts).into_iter().zip(texts) {
        assert_eq!(found, Findings::new(), "{what}");
    }
}

#[test]
fn both_give_a_field_that_an_old_history_lacks_its_preset() {
    let without = |rules: Ruleset, number: u64, lacks: &dyn Fn(usize, &str) -> bool| {
        let mut made = made::play(rules, number);
        made.edit(0, |body| {
            let fields = body["event"]["ruleset"].as_object_mut().unwrap();
            let names: Vec<String> = fields.keys().cloned().collect();
            for (at, name) in names.iter().enumerate() {
                if lacks(at, name) && !["id", "version", "players"].contains(&name.as_str()) {
                    fields.remove(name);
                }
            }
        });
        made.rehash();
        made.sign();
        (format!("game {number}"), made.lines())
    };
    // Each game lacks a fifth of the fields, and all games together lack every field once.
    let old = RulesetId::ALL.into_iter().enumerate();
    let old = old.map(|(n, id)| without(Ruleset::preset(id), 400 + n as u64, &|at, _| at % 5 == n));
    for found in agreed(&old.collect::<Vec<_>>()) {
        assert_eq!(found, Findings::new());
    }
    // The value is the preset's, not the one of the played game.
    let micro = Ruleset { length: Length::Micro, ..Ruleset::preset(RulesetId::Squares) };
    let found = agreed(&[without(micro, 405, &|_, name| name == "length")]);
    assert!(!found[0].is_empty());
}

/// The histories are signed after the change, so only the rules can find it.
#[test]
#[ignore = "all: tries every case; the default tries some"]
fn both_find_missing_events_and_changed_numbers() {
    let mut texts = Vec::new();
    for (number, id) in (600..).zip([RulesetId::Nineteen, RulesetId::Squares]) {
        let micro = [("length".to_owned(), OptionValue::Name("micro".to_owned()))].into();
        let (players, options) = match id {
            RulesetId::Nineteen => (Some(2), [].into()),
            _ => (None, micro),
        };
        let sound = made::play(Ruleset::agreed(id, players, &options).unwrap(), number);
        let started = sound.find("game_started", 0).unwrap();
        let deals: Vec<usize> = (started..sound.events.len())
            .filter(|&index| sound.find("round_dealt", index) == Some(index))
            .collect();
        // The first two rounds and the last; those between are similar.
        for index in (started..deals[2]).chain(deals[deals.len() - 1]..sound.events.len()) {
            let mut made = sound.clone();
            made.remove(index);
            texts.push((format!("{id} without {}", sound.events[index].body), made));
            let body: Value = serde_json::from_str(&sound.events[index].body).unwrap();
            if body["actor"] != "server" {
                continue;
            }
            let mut found = Vec::new();
            numbers(&body["event"], "/event".to_owned(), &mut found);
            for pointer in found {
                let mut made = sound.clone();
                made.edit(index, |body| {
                    let number = body.pointer_mut(&pointer).unwrap();
                    *number = json!(number.as_i64().unwrap() + 1);
                });
                texts.push((format!("{id}: {pointer} of {body} was raised"), made));
            }
        }
    }
    let (told, games): (Vec<String>, Vec<Made>) = texts.into_iter().unzip();
    let signed = games.into_iter().map(|mut made| {
        made.rehash();
        made.sign();
        made.lines()
    });
    for (what, found) in told.iter().zip(audited_again(signed, &["--key", &key_hex()])) {
        assert!(!found.is_empty(), "{what}");
    }
}

/// The JSON pointers of every number in a value, except factors: a factor of nothing has no effect.
fn numbers(value: &Value, path: String, found: &mut Vec<String>) {
    match value {
        Value::Number(_) => found.push(path),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(index, item)| numbers(item, format!("{path}/{index}"), found));
        }
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, _)| *name != "factor")
            .for_each(|(name, item)| numbers(item, format!("{path}/{name}"), found)),
        _ => {}
    }
}
