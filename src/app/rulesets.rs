//! The published rulesets, and validation of requested rules.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde::Serialize;
use serde_json::Value;

use super::failure::{Failure, FieldCode};
use super::locale::{Language, Text};
use crate::engine::ruleset::options::{OptionValue, OptionValues, RulesetOption};
use crate::engine::ruleset::{Direction, Ruleset, RulesetId, UnknownRuleset};

/// A game's ruleset with its agreed options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RulesetSummary {
    pub id: RulesetId,
    /// The version of the preset it was made from.
    pub version: u32,
    pub title: &'static str,
    /// Every option of the ruleset with its value.
    pub options: BTreeMap<&'static str, OptionValue>,
}

impl RulesetSummary {
    pub fn of(rules: &Ruleset) -> RulesetSummary {
        RulesetSummary {
            id: rules.id,
            version: rules.version,
            title: &Language::English.ruleset_text(rules.id).title,
            options: rules.options(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PublishedRuleset {
    pub id: RulesetId,
    /// The version of its preset.
    pub version: u32,
    pub title: &'static str,
    /// One sentence.
    pub description: &'static str,
    pub players: PlayersRange,
    pub direction: Direction,
    pub rounds: u8,
    pub options: Vec<PublishedOption>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PlayersRange {
    pub min: u8,
    pub max: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PublishedOption {
    pub name: &'static str,
    pub title: &'static str,
    /// `boolean`, `integer` or `string`.
    pub r#type: &'static str,
    pub values: Vec<OptionValue>,
    pub default: OptionValue,
    /// One sentence.
    pub description: &'static str,
}

/// All rulesets, in the order of their documents.
pub fn rulesets() -> Vec<PublishedRuleset> {
    RulesetId::ALL.into_iter().map(published).collect()
}

pub fn ruleset(id: &str) -> Result<PublishedRuleset, Failure> {
    id.parse().map(published).map_err(|_| Failure::NotFound { what: "ruleset" })
}

fn published(id: RulesetId) -> PublishedRuleset {
    let preset = Ruleset::preset(id);
    let (min, max) = Ruleset::players_range(id);
    let options = RulesetOption::of(id).map(|option| {
        let Text { title, description } = Language::English.option_text(option.name);
        PublishedOption {
            name: option.name,
            title,
            r#type: match option.values {
                OptionValues::Flag => "boolean",
                OptionValues::Number { .. } => "integer",
                OptionValues::Names(_) => "string",
            },
            values: option.values.all(),
            default: option.value(&preset),
            description,
        }
    });
    let Text { title, description } = Language::English.ruleset_text(id);
    PublishedRuleset {
        id,
        version: preset.version,
        title,
        description,
        players: PlayersRange { min, max },
        direction: preset.direction,
        rounds: preset.rounds(),
        options: options.collect(),
    }
}

/// The rules of a request.
///
/// # Errors
/// Every fault: the ruleset, the player count, and options.
pub fn agreement<'a>(
    ruleset: &str,
    players: Option<u8>,
    options: impl IntoIterator<Item = (&'a String, &'a Value)>,
) -> Result<Ruleset, Vec<Failure>> {
    let id: RulesetId = ruleset.parse().map_err(|error: UnknownRuleset| vec![error.into()])?;
    let options = options.into_iter().map(|(name, value)| (name.as_str(), option_value(value)));
    match Ruleset::agreement(id, players, options) {
        (rules, errors) if errors.is_empty() => Ok(rules),
        (_, errors) => Err(errors.into_iter().map(Failure::from).collect()),
    }
}

/// The rules of a request, unless it already has other faults.
pub(super) fn agreed(
    ruleset: &str,
    players: Option<u8>,
    options: &BTreeMap<String, Value>,
    other: Option<Failure>,
) -> Result<Ruleset, Failure> {
    match (agreement(ruleset, players, options), other) {
        (Ok(rules), None) => Ok(rules),
        (agreed, other) => Err(Failure::several(agreed.err().into_iter().flatten().chain(other).collect())),
    }
}

/// The integer equal to a float, within ±(2⁵³ − 1). In JSON Schema 2.0 is an integer.
pub fn integral(number: f64) -> Option<i64> {
    const LARGEST: f64 = 9_007_199_254_740_991.0;
    (number.fract() == 0.0 && number.abs() <= LARGEST).then_some(number as i64)
}

/// The fault of a number of seconds, if it is out of range.
pub(super) fn seconds_within(
    field: &'static str,
    seconds: Option<u32>,
    range: &RangeInclusive<u32>,
) -> Option<Failure> {
    let reason = || format!("must be {} to {} seconds", range.start(), range.end());
    let outside = seconds.filter(|seconds| !range.contains(seconds));
    outside.map(|_| Failure::field(field, FieldCode::OutOfRange, reason()))
}

/// An option's value; `None` for a JSON type that no option has.
fn option_value(value: &Value) -> Option<OptionValue> {
    match value {
        Value::Bool(flag) => Some(OptionValue::Flag(*flag)),
        Value::String(text) => Some(OptionValue::Name(text.clone())),
        Value::Number(number) => {
            number.as_i64().or_else(|| number.as_f64().and_then(integral)).map(OptionValue::Number)
        }
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
