//! The tables of the documentation and of the second verifier equal the engine's table of rules.
//!
//! `ESTIMATION_TEST_RECORD=1` writes them again.

use std::fmt::Write as _;

use estimation_engine::ruleset::options::{OptionValues, RulesetOption};
use estimation_engine::ruleset::{Ruleset, RulesetId};

use crate::documents::root;
use crate::prelude::*;

/// Both tables of the page in one test: tests run at the same time, and one would overwrite the table of another.
#[test]
fn the_tables_of_the_rule_book() {
    options();
    presets();
}

fn options() {
    let mut table = String::from("| option | values |");
    RulesetId::ALL.iter().for_each(|id| write!(table, " `{id}` |").unwrap());
    table += " ruling |\n|---|---|---|---|---|---|---|---|\n";
    for field in Ruleset::FIELDS {
        let of = |id| RulesetOption::of(id).find(|option| option.name == field.name);
        let Some(option) = RulesetId::ALL.into_iter().find_map(of) else { continue };
        let values = match option.values {
            OptionValues::Number { min, max } if max - min > 2 => format!("{min}‥{max}"),
            values => values.all().iter().map(cell).collect::<Vec<_>>().join(" · "),
        };
        write!(table, "| `{}` | {values} |", field.name).unwrap();
        for id in RulesetId::ALL {
            let value = of(id).map(|option| cell(&option.value(&Ruleset::preset(id))));
            write!(table, " {} |", value.unwrap_or("–".to_owned())).unwrap();
        }
        writeln!(table, " {} |", option.ruling).unwrap();
    }
    holds("docs/rules/options.md", "| option | values |", "\n\n", table.trim_end());
}

fn presets() {
    let mut table = String::from("| field |");
    RulesetId::ALL.iter().for_each(|id| write!(table, " `{id}` |").unwrap());
    table += "\n|---|---|---|---|---|---|\n";
    for name in fields() {
        write!(table, "| `{name}` |").unwrap();
        RulesetId::ALL.iter().for_each(|&id| write!(table, " `{}` |", preset(id)[name]).unwrap());
        table.push('\n');
    }
    holds("docs/rules/options.md", "| field | `nineteen` |", "\n\n", table.trim_end());
}

#[test]
fn the_rulesets_of_the_second_verifier() {
    let mut table = String::from("FIELDS = {\n");
    for name in fields() {
        let values: Vec<_> = RulesetId::ALL.into_iter().map(|id| preset(id)[name].clone()).collect();
        write!(table, "    \"{name}\": ({}", python(&Value::Array(values))).unwrap();
        let of = |id| RulesetOption::of(id).find(|option| option.name == name);
        if let Some(option) = RulesetId::ALL.into_iter().find_map(of) {
            let known: Vec<_> = RulesetId::ALL.into_iter().filter(|&id| of(id).is_some()).collect();
            let known: Vec<_> = known.into_iter().map(RulesetId::as_str).collect();
            let values = serde_json::to_value(option.values.all()).unwrap();
            write!(table, ", {}, \"{}\"", python(&values), known.join(" ")).unwrap();
        } else {
            table.push_str(", [], \"\"");
        }
        table += "),\n";
    }
    holds("tests/verifier/estimation_verify/game.py", "FIELDS = {", "\n}\n", table.trim_end());
}

fn fields() -> impl Iterator<Item = &'static str> {
    ["version", "players"].into_iter().chain(Ruleset::FIELDS.iter().map(|field| field.name))
}

fn preset(id: RulesetId) -> Value {
    serde_json::to_value(Ruleset::preset(id)).unwrap()
}

fn cell(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value).unwrap() {
        Value::String(name) => format!("`{name}`"),
        other => other.to_string(),
    }
}

fn python(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Array(values) => format!("[{}]", values.iter().map(python).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

/// Compares the part of a file from `begin` up to `end` with the expected text, or writes it.
fn holds(file: &str, begin: &str, end: &str, expected: &str) {
    let path = root().join(file);
    let text = fs::read_to_string(&path).unwrap();
    let from = text.find(begin).unwrap_or_else(|| panic!("{file} has no {begin:?}"));
    let to = from + text[from..].find(end).unwrap_or_else(|| panic!("{file}: no end"));
    if std::env::var_os("ESTIMATION_TEST_RECORD").is_some() {
        fs::write(path, [&text[..from], expected, &text[to..]].concat()).unwrap();
    } else {
        assert_eq!(&text[from..to], expected, "{file}: run this test with ESTIMATION_TEST_RECORD=1");
    }
}
