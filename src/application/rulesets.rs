//! The published rulesets, and agreeing on one.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::failure::Failure;
use crate::engine::ruleset::options::{OptionValue, OptionValues, RulesetOption};
use crate::engine::ruleset::{Direction, Ruleset, RulesetId};

/// A ruleset in a game: which, and what was agreed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RulesetSummary {
    /// The ruleset's id.
    pub id: RulesetId,
    /// The version of the preset it was made from.
    pub version: u32,
    /// Its title.
    pub title: &'static str,
    /// Every option it knows, with the value that holds.
    pub options: BTreeMap<&'static str, OptionValue>,
}

impl RulesetSummary {
    /// The summary of a game's rules.
    pub fn of(rules: &Ruleset) -> RulesetSummary {
        RulesetSummary {
            id: rules.id,
            version: rules.version,
            title: Ruleset::title(rules.id),
            options: rules.options(),
        }
    }
}

/// A ruleset as it is published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PublishedRuleset {
    /// The ruleset's id.
    pub id: RulesetId,
    /// The version of its preset.
    pub version: u32,
    /// Its title.
    pub title: &'static str,
    /// What sets it apart, in a sentence.
    pub description: &'static str,
    /// How many it seats.
    pub players: PlayersRange,
    /// Which way play goes round.
    pub direction: Direction,
    /// How many rounds a full game has.
    pub rounds: u8,
    /// What a table may agree on.
    pub options: Vec<PublishedOption>,
}

/// How many players a ruleset seats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PlayersRange {
    /// The fewest.
    pub min: u8,
    /// The most.
    pub max: u8,
}

/// An option as it is published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PublishedOption {
    /// Its name in bodies.
    pub name: &'static str,
    /// Its title.
    pub title: String,
    /// `boolean`, `integer` or `string`.
    pub r#type: &'static str,
    /// Every value it may take.
    pub values: Vec<OptionValue>,
    /// The value where nothing is said.
    pub default: OptionValue,
    /// What it decides, in a sentence.
    pub description: &'static str,
}

/// All rulesets, in the order of their documents.
pub fn rulesets() -> Vec<PublishedRuleset> {
    RulesetId::ALL.into_iter().map(published).collect()
}

/// One ruleset.
pub fn ruleset(id: &str) -> Result<PublishedRuleset, Failure> {
    id.parse().map(published).map_err(|_| Failure::NotFound { what: "ruleset" })
}

fn published(id: RulesetId) -> PublishedRuleset {
    let preset = Ruleset::preset(id);
    let (min, max) = Ruleset::players_range(id);
    let options = RulesetOption::of(id).map(|option| PublishedOption {
        name: option.name,
        title: titled(option.name),
        r#type: match option.values {
            OptionValues::Flag => "boolean",
            OptionValues::Number { .. } => "integer",
            OptionValues::Names(_) => "string",
        },
        values: option.values.all(),
        default: option.value(&preset),
        description: option.about,
    });
    PublishedRuleset {
        id,
        version: preset.version,
        title: Ruleset::title(id),
        description: Ruleset::description(id),
        players: PlayersRange { min, max },
        direction: preset.direction,
        rounds: preset.rounds(),
        options: options.collect(),
    }
}

/// The title of an option in English: its name, as words.
fn titled(name: &str) -> String {
    let words = name.replace('_', " ");
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default() + letters.as_str()
}

/// The rules a request asks for. Errors name the ruleset, the option or the number that is wrong.
pub(super) fn agreed(
    ruleset: &str,
    players: Option<u8>,
    options: &BTreeMap<String, Value>,
) -> Result<Ruleset, Failure> {
    let id: RulesetId = ruleset.parse()?;
    let options = options.iter().map(|(name, value)| Ok((name.clone(), option_value(name, value)?)));
    Ok(Ruleset::agreed(id, players, &options.collect::<Result<_, Failure>>()?)?)
}

fn option_value(name: &str, value: &Value) -> Result<OptionValue, Failure> {
    match value {
        Value::Bool(flag) => Ok(OptionValue::Flag(*flag)),
        Value::String(text) => Ok(OptionValue::Name(text.clone())),
        Value::Number(number) if number.is_i64() => Ok(OptionValue::Number(number.as_i64().unwrap_or(0))),
        _ => Err(Failure::OptionKind { option: name.to_owned() }),
    }
}
