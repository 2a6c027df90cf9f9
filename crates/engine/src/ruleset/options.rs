//! The options that a table may agree on. `table` declares them, and `agreement` applies them over a preset.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

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

/// A text for players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionText {
    /// The title.
    pub title: &'static str,
    /// What the option does, in one sentence.
    pub description: &'static str,
}

/// An option of at least one ruleset.
pub struct RulesetOption {
    /// The option's name in JSON.
    pub name: &'static str,
    /// The rulings it belongs to, in Markdown.
    pub ruling: &'static str,
    /// What players read about it in English.
    pub english: OptionText,
    /// What players read about it in Arabic.
    pub arabic: OptionText,
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
    (
        $field:ident: $type:ty, $rulesets:expr $(, $values:expr)?; $ruling:literal;
        $title:literal, $about:literal; $arabic_title:literal, $arabic_about:literal
    ) => {
        RulesetOption {
            name: stringify!($field),
            ruling: $ruling,
            english: OptionText { title: $title, description: $about },
            arabic: OptionText { title: $arabic_title, description: $arabic_about },
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
    (
        $field:ident: $type:ty, $rulesets:expr; $ruling:literal;
        $title:literal, $about:literal; $arabic_title:literal, $arabic_about:literal
    ) => {
        RulesetOption {
            name: stringify!($field),
            ruling: $ruling,
            english: OptionText { title: $title, description: $about },
            arabic: OptionText { title: $arabic_title, description: $arabic_about },
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
    (
        $field:ident: $type:ty, $rulesets:expr, $min:literal..=$max:literal; $ruling:literal;
        $title:literal, $about:literal; $arabic_title:literal, $arabic_about:literal
    ) => {
        RulesetOption {
            name: stringify!($field),
            ruling: $ruling,
            english: OptionText { title: $title, description: $about },
            arabic: OptionText { title: $arabic_title, description: $arabic_about },
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
