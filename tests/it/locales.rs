//! The titles and descriptions in `locales/`: each language has all of them.

use std::collections::BTreeSet;

use estimation::http::problem::{PROBLEMS, ProblemType};
use estimation_engine::choice::Choice;
use estimation_engine::ruleset::RulesetId;
use estimation_engine::ruleset::options::RulesetOption;
use estimation_service::base::field_error::FieldCode;
use estimation_service::base::locale::Language;
use estimation_service::games::bot_name::BOT_NAMES;
use toml::Table;

fn locale(tag: &str) -> Table {
    let file = crate::documents::root().join(format!("locales/{tag}.toml"));
    std::fs::read_to_string(file).unwrap().parse().unwrap()
}

fn keys(table: &Table) -> Vec<String> {
    let below = |(name, value): (&String, &toml::Value)| match value.as_table() {
        Some(inner) => keys(inner).into_iter().map(|key| format!("{name}.{key}")).collect(),
        None => vec![name.clone()],
    };
    table.iter().flat_map(below).collect()
}

#[test]
fn every_language_has_the_same_keys() {
    let english = keys(&locale("en"));
    assert!(english.len() > 100, "{}", english.len());
    let mut arabic = locale("ar");
    // English details of field errors name the field and its limits.
    let details = arabic.remove("field_errors").unwrap();
    let mut english = locale("en");
    let own: Vec<&str> = PROBLEMS
        .iter()
        .filter(|kind| english["problem_details"].get(kind.code).is_none())
        .map(|kind| kind.code)
        .collect();
    // So do those of problems with field errors, and of a few that depend on the case.
    let has_own = |kind: &&ProblemType| {
        kind.members.contains(&"errors")
            || kind.perhaps.contains(&"errors")
            || matches!(
                kind.code,
                "malformed-json" | "malformed-header" | "not-supported" | "request-timeout" | "unavailable"
            )
    };
    assert_eq!(own, PROBLEMS.iter().filter(has_own).map(|kind| kind.code).collect::<Vec<_>>());
    for code in own {
        let text = arabic["problem_details"][code].clone();
        english["problem_details"].as_table_mut().unwrap().insert(code.to_owned(), text);
    }
    assert_eq!(keys(&english), keys(&arabic));
    let mut codes = FieldCode::NAMES.to_vec();
    codes.sort_unstable();
    assert_eq!(details.as_table().unwrap().keys().collect::<Vec<_>>(), codes);
}

#[test]
fn every_problem_and_ruleset_has_its_texts_and_nothing_else_has() {
    let names_in = |tag: &str, section: &str| -> Vec<String> {
        locale(tag)[section].as_table().unwrap().keys().cloned().collect()
    };
    let names = |section: &str| names_in("en", section);
    let sorted = |names: Vec<&str>| -> Vec<String> {
        let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        names.sort();
        names.dedup();
        names
    };
    let codes = sorted(PROBLEMS.iter().map(|kind| kind.code).collect());
    assert_eq!(names("problems"), codes);
    // English lacks some of them.
    assert_eq!(names_in("ar", "problem_details"), codes);
    assert_eq!(names("rulesets"), sorted(RulesetId::ALL.map(RulesetId::as_str).to_vec()));
}

#[test]
fn texts_are_of_their_language() {
    let is_arabic = |text: &str| text.chars().any(|c| ('\u{600}'..='\u{6ff}').contains(&c));
    for language in Language::ALL {
        let fits = |text: &str| !text.is_empty() && is_arabic(text) == (language == Language::Arabic);
        for kind in PROBLEMS {
            assert!(fits(language.problem_title(kind.code)), "{language:?} {}", kind.code);
            assert!(language.problem_detail(kind.code).is_none_or(fits), "{language:?} {}", kind.code);
        }
        for name in language.bot_names() {
            assert!(fits(name) && name.chars().all(char::is_alphabetic), "{language:?} {name}");
        }
        let names: BTreeSet<_> = language.bot_names().iter().collect();
        assert_eq!(names.len() as u64, BOT_NAMES, "{language:?}");
        assert_eq!(language.bot_names().len() as u64, BOT_NAMES, "{language:?}");
        for id in RulesetId::ALL {
            let text = language.ruleset_text(id);
            assert!(fits(&text.title) && fits(&text.description), "{language:?} {}", text.title);
            for option in RulesetOption::of(id) {
                let text = language.option_text(option.name).unwrap();
                assert!(fits(text.title) && fits(text.description), "{language:?} {}", text.title);
            }
        }
    }
}
