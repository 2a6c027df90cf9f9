//! The published rulesets, and validation of requested rules.

mod fault;
pub mod option_schemas;

pub use self::fault::RulesFault;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use self::option_schemas::TableOptions;
use crate::base::failure::{Failure, Faults, FieldFault};
use crate::base::field_error::{FieldCode, MAX_ERRORS};
use crate::base::locale::{Language, Text};
use estimation_engine::ruleset::options::{OptionText, OptionValue, OptionValues, RulesetOption};
use estimation_engine::ruleset::{Direction, Ruleset, RulesetId, UnknownRuleset};

/// A game's ruleset with its agreed options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct RulesetSummary {
    /// The ruleset's id.
    pub id: RulesetId,
    /// The version of the ruleset.
    #[schema(minimum = 1, maximum = 2_147_483_647)]
    pub version: u32,
    /// The title, in the language of the answer.
    #[schema(min_length = 1, max_length = 80)]
    pub title: &'static str,
    /// Every option of the ruleset, with its value at this table.
    #[schema(value_type = TableOptions)]
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

/// A published ruleset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Ruleset)]
pub struct PublishedRuleset {
    /// The ruleset's id.
    pub id: RulesetId,
    /// The version of the ruleset.
    #[schema(minimum = 1, maximum = 2_147_483_647)]
    pub version: u32,
    /// The title, in the language of the answer.
    #[schema(min_length = 1, max_length = 80)]
    pub title: &'static str,
    /// What sets the ruleset apart, in one sentence.
    #[schema(min_length = 1, max_length = 400)]
    pub description: &'static str,
    /// The numbers of players that may play.
    pub players: PlayersRange,
    /// The direction of deal and play.
    pub direction: Direction,
    /// The number of rounds of a game without options.
    #[schema(minimum = 1, maximum = 19)]
    pub rounds: u8,
    /// The options that a table may agree on.
    #[schema(max_items = 40)]
    pub options: Vec<PublishedOption>,
}

/// The numbers of players of a ruleset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = PlayerRange)]
pub struct PlayersRange {
    /// The minimum.
    #[schema(minimum = 2, maximum = 5)]
    pub min: u8,
    /// The maximum.
    #[schema(minimum = 2, maximum = 5)]
    pub max: u8,
}

/// An option that a table may agree on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = RulesetOption)]
pub struct PublishedOption {
    /// The option's name in requests.
    #[schema(min_length = 1, max_length = 40, pattern = "^[a-z_]+$")]
    pub name: &'static str,
    /// The title, in the language of the answer.
    #[schema(min_length = 1, max_length = 80)]
    pub title: &'static str,
    /// The JSON type of its values.
    pub kind: OptionType,
    /// All values.
    #[schema(min_items = 2, max_items = 10)]
    pub values: Vec<PublishedValue>,
    /// The value at a table that does not choose one.
    pub default: PublishedValue,
    /// What the option decides, in one sentence.
    #[schema(min_length = 1, max_length = 400)]
    pub description: &'static str,
}

estimation_engine::choices! {
    /// The JSON type of an option's values.
    pub enum OptionType {
        /// `true` or `false`.
        Boolean = "boolean",
        /// An integer.
        Integer = "integer",
        /// One of the option's names.
        String = "string",
    }
}

/// A value of an option. The member that fits the option's type is present.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = OptionValue)]
pub struct PublishedValue {
    /// `true` or `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub boolean: Option<bool>,
    /// An integer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 100)]
    pub integer: Option<i64>,
    /// A name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 40)]
    pub string: Option<String>,
}

impl From<OptionValue> for PublishedValue {
    fn from(value: OptionValue) -> PublishedValue {
        let none = PublishedValue::default();
        match value {
            OptionValue::Flag(flag) => PublishedValue { boolean: Some(flag), ..none },
            OptionValue::Number(number) => PublishedValue { integer: Some(number), ..none },
            OptionValue::Name(name) => PublishedValue { string: Some(name), ..none },
        }
    }
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
        let OptionText { title, description } = option.english;
        PublishedOption {
            name: option.name,
            title,
            kind: match option.values {
                OptionValues::Flag => OptionType::Boolean,
                OptionValues::Number { .. } => OptionType::Integer,
                OptionValues::Names(_) => OptionType::String,
            },
            values: option.values.all().into_iter().map(PublishedValue::from).collect(),
            default: option.value(&preset).into(),
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
/// Every fault, at most [`MAX_ERRORS`]: the ruleset, the player count, and options.
pub fn agreement<'a>(
    ruleset: &str,
    players: Option<u8>,
    options: impl IntoIterator<Item = (&'a String, &'a Value)>,
) -> Result<Ruleset, Vec<RulesFault>> {
    let id: RulesetId = ruleset.parse().map_err(|error: UnknownRuleset| vec![error.into()])?;
    let options = options.into_iter().map(|(name, value)| (name.as_str(), option_value(value)));
    match Ruleset::agreement(id, players, options) {
        (rules, errors) if errors.is_empty() => Ok(rules),
        (_, errors) => Err(errors.into_iter().take(MAX_ERRORS).map(RulesFault::from).collect()),
    }
}

/// The rules of a request, unless it already has other faults.
pub(super) fn agreed(
    ruleset: &str,
    players: Option<u8>,
    options: &BTreeMap<String, Value>,
    other: Option<FieldFault>,
) -> Result<Ruleset, Faults<RulesFault>> {
    match (agreement(ruleset, players, options), other) {
        (Ok(rules), None) => Ok(rules),
        (agreed, other) => {
            let other = other.map(RulesFault::from);
            Err(Faults::several(agreed.err().into_iter().flatten().chain(other).collect()))
        }
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
) -> Option<FieldFault> {
    let reason = || format!("must be {} to {} seconds", range.start(), range.end());
    let outside = seconds.filter(|seconds| !range.contains(seconds));
    outside.map(|_| FieldFault::new(field, FieldCode::OutOfRange, reason()))
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
