//! Rulesets as they are offered, and as tables show what they agreed on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, OneOfBuilder, Schema, SchemaFormat, Type};
use utoipa::{PartialSchema, ToSchema};

use super::RulesetId;
use crate::http::contract::declare::names;
use crate::http::contract::term::Direction;
use crate::http::contract::value::Cursor;

/// A value of an option.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected true, false, a whole number or a name")]
pub enum OptionValue {
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Number(i64),
    /// One of the option's names.
    Name(String),
}

impl PartialSchema for OptionValue {
    fn schema() -> RefOr<Schema> {
        let number = ObjectBuilder::new()
            .schema_type(Type::Integer)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int32)))
            .minimum(Some(0))
            .maximum(Some(100));
        let name = ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(40));
        OneOfBuilder::new()
            .description(Some(
                "A value of an option: yes or no, a whole number, or one of the option's names.",
            ))
            .item(ObjectBuilder::new().schema_type(Type::Boolean))
            .item(number)
            .item(name)
            .into()
    }
}

impl ToSchema for OptionValue {}

names! {
    /// What the values of an option are.
    pub enum OptionType {
        /// Yes or no.
        Boolean = "boolean",
        /// A whole number.
        Integer = "integer",
        /// One of a list of names.
        String = "string",
    }
}

/// A ruleset with what a table agreed on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RulesetSummary {
    /// The ruleset.
    pub id: RulesetId,
    /// Its version.
    #[schema(minimum = 1, maximum = 2_147_483_647)]
    pub version: u32,
    /// Its title.
    #[schema(min_length = 1, max_length = 40)]
    pub title: String,
    /// Every option the ruleset knows, with the value that holds here.
    pub options: BTreeMap<String, OptionValue>,
}

/// How many players a ruleset seats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlayerRange {
    /// At least.
    #[schema(minimum = 2, maximum = 5)]
    pub min: u8,
    /// At most.
    #[schema(minimum = 2, maximum = 5)]
    pub max: u8,
}

/// An option that a table may agree on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OptionInfo {
    /// Its name in bodies.
    #[schema(min_length = 1, max_length = 40, pattern = "^[a-z_]+$")]
    pub name: String,
    /// Its title.
    #[schema(min_length = 1, max_length = 80)]
    pub title: String,
    /// What its values are.
    pub r#type: OptionType,
    /// Every value it may have.
    #[schema(min_items = 2, max_items = 10)]
    pub values: Vec<OptionValue>,
    /// The value it has if nothing is agreed.
    pub default: OptionValue,
    /// What it decides, in a sentence.
    #[schema(min_length = 1, max_length = 400)]
    pub description: String,
}

/// A published ruleset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RulesetInfo {
    /// The ruleset.
    pub id: RulesetId,
    /// Its version.
    #[schema(minimum = 1, maximum = 2_147_483_647)]
    pub version: u32,
    /// Its title.
    #[schema(min_length = 1, max_length = 40)]
    pub title: String,
    /// What sets it apart, in a sentence.
    #[schema(min_length = 1, max_length = 400)]
    pub description: String,
    /// How many may play.
    pub players: PlayerRange,
    /// Which way deal and play go round.
    pub direction: Direction,
    /// How many rounds a game has if nothing else is agreed.
    #[schema(minimum = 1, maximum = 19)]
    pub rounds: u8,
    /// What a table may agree on.
    #[schema(max_items = 40)]
    pub options: Vec<OptionInfo>,
}

/// The published rulesets. There is one page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RulesetPage {
    /// The rulesets.
    #[schema(max_items = 100)]
    pub items: Vec<RulesetInfo>,
    /// Where the next page begins; null at the end.
    #[schema(required)]
    pub next_cursor: Option<Cursor>,
}
