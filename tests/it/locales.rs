//! The titles and descriptions in `locales/`: each language has all of them.

use estimation::http::problem::{PROBLEMS, ProblemType};
use estimation_engine::choice::Choice;
use estimation_engine::ruleset::RulesetId;
use estimation_engine::ruleset::options::RulesetOption;
use estimation_service::base::field_error::FieldCode;
use estimation_service::base::locale::Language;
use estimation_service::games::bots::BOT_NAMES;
use toml::Table;

use crate::prelude::*;

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
    let english = locale("en");
    assert!(keys(&english).len() > 20, "{}", keys(&english).len());
    let mut arabic = locale("ar");
    // English details of field errors name the field and its limits.
    let details = arabic.remove("field_errors").unwrap();
    assert_eq!(keys(&english), keys(&arabic));
    let mut codes = FieldCode::NAMES.to_vec();
    codes.sort_unstable();
    assert_eq!(details.as_table().unwrap().keys().collect::<Vec<_>>(), codes);
    let mut rulesets = RulesetId::ALL.map(RulesetId::as_str);
    rulesets.sort_unstable();
    assert_eq!(english["rulesets"].as_table().unwrap().keys().collect::<Vec<_>>(), rulesets);
}

/// English details of problems with field errors name the field and its limits. A few others depend on the case.
#[test]
fn every_other_problem_has_an_english_detail() {
    let depends = |kind: &&ProblemType| {
        kind.members.contains(&"errors")
            || kind.perhaps.contains(&"errors")
            || matches!(
                kind.code,
                "malformed-json" | "malformed-header" | "not-supported" | "request-timeout" | "unavailable"
            )
    };
    let lacks = |kind: &&ProblemType| kind.text(Language::English).detail.is_none();
    let codes = |kinds: Vec<&ProblemType>| kinds.iter().map(|kind| kind.code).collect::<Vec<_>>();
    assert_eq!(
        codes(PROBLEMS.iter().filter(lacks).collect()),
        codes(PROBLEMS.iter().filter(depends).collect()),
    );
}

#[test]
fn texts_are_of_their_language() {
    let is_arabic = |text: &str| text.chars().any(|c| ('\u{600}'..='\u{6ff}').contains(&c));
    for language in Language::ALL {
        let fits = |text: &str| !text.is_empty() && is_arabic(text) == (language == Language::Arabic);
        for kind in PROBLEMS {
            let text = kind.text(language);
            assert!(fits(text.title) && text.detail.is_none_or(fits), "{language:?} {}", kind.code);
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
