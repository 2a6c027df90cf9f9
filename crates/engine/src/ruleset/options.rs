//! The options that a table may agree on, applied over a preset. `table` declares them.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::table::OPTIONS;
use super::{Ruleset, RulesetId};

/// A value of an option.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum OptionValue {
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Number(i64),
    /// One of the option's named values.
    Name(String),
}

/// The values an option may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionValues {
    /// `false` or `true`.
    Flag,
    /// A whole number from `min` to `max`.
    Number {
        /// The minimum.
        min: u8,
        /// The maximum.
        max: u8,
    },
    /// One of these names.
    Names(&'static [&'static str]),
}

/// An option of at least one ruleset.
pub struct RulesetOption {
    /// The option's name in JSON.
    pub name: &'static str,
    /// The rulings it belongs to, in Markdown.
    pub ruling: &'static str,
    /// What it may be.
    pub values: OptionValues,
    pub(super) rulesets: &'static [RulesetId],
    pub(super) get: fn(&Ruleset) -> OptionValue,
    pub(super) set: fn(&mut Ruleset, &OptionValue) -> bool,
}

/// Why options were refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionError {
    /// The ruleset has no such option.
    #[error("{ruleset} has no option {option:?}")]
    Unknown {
        /// The ruleset.
        ruleset: RulesetId,
        /// The unknown name.
        option: String,
    },
    /// The value is not one the option may take.
    #[error("option {option:?} must be {allowed}")]
    Value {
        /// The option.
        option: &'static str,
        /// The allowed values.
        allowed: OptionValues,
        /// Whether the JSON type of the value is right.
        has_type: bool,
    },
    /// The ruleset does not allow this number of players.
    #[error("{ruleset} seats {min} to {max} players")]
    Players {
        /// The ruleset.
        ruleset: RulesetId,
        /// The minimum.
        min: u8,
        /// The maximum.
        max: u8,
    },
}

/// An option whose field is a small enum.
macro_rules! named {
    ($field:ident: $type:ty, $rulesets:expr $(, $values:expr)?; $ruling:literal) => {
        RulesetOption {
            name: stringify!($field),
            ruling: $ruling,
            values: OptionValues::Names(named!(@values $type $(, $values)?)),
            rulesets: $rulesets,
            get: |rules| OptionValue::Name(rules.$field.as_str().to_owned()),
            set: |rules, value| match value {
                OptionValue::Name(name)
                    if named!(@values $type $(, $values)?).contains(&name.as_str()) =>
                {
                    <$type>::from_name(name).map(|value| rules.$field = value).is_some()
                }
                _ => false,
            },
        }
    };
    (@values $type:ty) => { <$type as Choice>::NAMES };
    (@values $type:ty, $values:expr) => { &$values };
}

/// An option whose field is true or false.
macro_rules! flag {
    ($field:ident: $type:ty, $rulesets:expr; $ruling:literal) => {
        RulesetOption {
            name: stringify!($field),
            ruling: $ruling,
            values: OptionValues::Flag,
            rulesets: $rulesets,
            get: |rules| OptionValue::Flag(rules.$field),
            set: |rules, value| match value {
                OptionValue::Flag(value) => {
                    rules.$field = *value;
                    true
                }
                _ => false,
            },
        }
    };
}

/// An option whose field is a small number.
macro_rules! number {
    ($field:ident: $type:ty, $rulesets:expr, $min:literal..=$max:literal; $ruling:literal) => {
        RulesetOption {
            name: stringify!($field),
            ruling: $ruling,
            values: OptionValues::Number { min: $min, max: $max },
            rulesets: $rulesets,
            get: |rules| OptionValue::Number(rules.$field.into()),
            set: |rules, value| match value {
                OptionValue::Number(value @ $min..=$max) => {
                    rules.$field = *value as $type;
                    true
                }
                _ => false,
            },
        }
    };
}

pub(super) use {flag, named, number};

impl RulesetOption {
    /// All options, in published order.
    pub fn all() -> &'static [RulesetOption] {
        OPTIONS
    }

    /// The options of a ruleset, in published order.
    pub fn of(id: RulesetId) -> impl Iterator<Item = &'static RulesetOption> {
        OPTIONS.iter().filter(move |option| option.rulesets.contains(&id))
    }

    /// The option's value in a ruleset.
    pub fn value(&self, rules: &Ruleset) -> OptionValue {
        (self.get)(rules)
    }
}

impl OptionValues {
    /// All values in order.
    pub fn all(self) -> Vec<OptionValue> {
        match self {
            OptionValues::Flag => vec![OptionValue::Flag(false), OptionValue::Flag(true)],
            OptionValues::Number { min, max } => {
                (min..=max).map(|value| OptionValue::Number(value.into())).collect()
            }
            OptionValues::Names(names) => {
                names.iter().map(|&name| OptionValue::Name(name.to_owned())).collect()
            }
        }
    }
}

impl fmt::Display for OptionValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionValues::Flag => f.write_str("true or false"),
            OptionValues::Number { min, max } => write!(f, "an integer from {min} to {max}"),
            OptionValues::Names(names) => write!(f, "one of `{}`", names.join("`, `")),
        }
    }
}

impl Ruleset {
    /// The rules of a table: a preset for `players` (none: the usual number) with options applied.
    ///
    /// # Errors
    /// The first invalid option, or the allowed number of players.
    pub fn agreed(
        id: RulesetId,
        players: Option<u8>,
        options: &BTreeMap<String, OptionValue>,
    ) -> Result<Ruleset, OptionError> {
        let given = options.iter().map(|(name, value)| (name.as_str(), Some(value.clone())));
        let (rules, errors) = Ruleset::agreement(id, players, given);
        errors.into_iter().next().map_or(Ok(rules), Err)
    }

    /// The rules of a table, with all errors in its options. A value is none when its JSON type fits no
    /// option. Options with errors keep the preset's value.
    pub fn agreement<'a>(
        id: RulesetId,
        players: Option<u8>,
        options: impl IntoIterator<Item = (&'a str, Option<OptionValue>)>,
    ) -> (Ruleset, Vec<OptionError>) {
        let mut rules = Ruleset::preset(id);
        let mut errors = Vec::new();
        let (min, max) = Ruleset::players_range(id);
        match players {
            Some(players) if (min..=max).contains(&players) => rules.players = players,
            Some(_) => errors.push(OptionError::Players { ruleset: id, min, max }),
            None => {}
        }
        for (name, value) in options {
            let Some(option) = RulesetOption::of(id).find(|option| option.name == name) else {
                errors.push(OptionError::Unknown { ruleset: id, option: name.to_owned() });
                continue;
            };
            if !value.as_ref().is_some_and(|value| (option.set)(&mut rules, value)) {
                let has_type = matches!(
                    (option.values, value),
                    (OptionValues::Flag, Some(OptionValue::Flag(_)))
                        | (OptionValues::Number { .. }, Some(OptionValue::Number(_)))
                        | (OptionValues::Names(_), Some(OptionValue::Name(_)))
                );
                errors.push(OptionError::Value { option: option.name, allowed: option.values, has_type });
            }
        }
        (rules, errors)
    }

    /// The options of the ruleset with their current values.
    pub fn options(&self) -> BTreeMap<&'static str, OptionValue> {
        RulesetOption::of(self.id).map(|option| (option.name, option.value(self))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agreed(id: RulesetId, name: &str, value: OptionValue) -> Result<Ruleset, OptionError> {
        Ruleset::agreed(id, None, &BTreeMap::from([(name.to_owned(), value)]))
    }

    #[test]
    fn every_value_of_every_option_can_be_agreed_and_is_shown() {
        for id in RulesetId::ALL {
            for option in RulesetOption::of(id) {
                for value in option.values.all() {
                    let rules = agreed(id, option.name, value.clone()).unwrap();
                    assert_eq!(rules.options()[option.name], value);
                }
            }
        }
    }

    #[test]
    fn an_option_of_another_ruleset_is_refused_by_name() {
        let refused = agreed(RulesetId::Plain, "jokers", OptionValue::Number(1));
        assert_eq!(
            refused,
            Err(OptionError::Unknown { ruleset: RulesetId::Plain, option: "jokers".to_owned() })
        );
    }

    #[test]
    fn a_value_outside_the_range_is_refused() {
        for (name, value) in [
            ("minimum_bid", OptionValue::Number(8)),
            ("minimum_bid", OptionValue::Number(0)),
            ("minimum_bid", OptionValue::Name("4".to_owned())),
            ("auction", OptionValue::Name("none".to_owned())),
            ("with_penalty", OptionValue::Number(1)),
        ] {
            assert!(matches!(
                agreed(RulesetId::Squares, name, value),
                Err(OptionError::Value { option, .. }) if option == name
            ));
        }
    }

    #[test]
    fn only_nineteen_seats_other_than_four() {
        let players = |id, n| Ruleset::agreed(id, Some(n), &BTreeMap::new()).is_ok();
        assert!((2..=5).all(|n| players(RulesetId::Nineteen, n)));
        assert!(!players(RulesetId::Nineteen, 1) && !players(RulesetId::Nineteen, 6));
        assert!(!players(RulesetId::Plain, 3) && players(RulesetId::Plain, 4));
    }
}
