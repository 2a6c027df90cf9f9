//! The schemas of a table's options, made from the table of options, and how requests are read.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserializer;
use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AdditionalProperties, KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::base::field_error::MAX_ERRORS;
use estimation_engine::ruleset::options::{OptionText, OptionValues, RulesetOption};

/// The schema of a table's options: one property for each option of any ruleset, with one of its texts.
fn options_schema(about: &str, text: fn(OptionText) -> &'static str) -> ObjectBuilder {
    RulesetOption::all().iter().fold(ObjectBuilder::new().description(Some(about)), |object, option| {
        let value = ObjectBuilder::new().description(Some(text(option.english)));
        let value = match option.values {
            OptionValues::Flag => value.schema_type(Type::Boolean),
            OptionValues::Number { min, max } => {
                let format = SchemaFormat::KnownFormat(KnownFormat::Int32);
                value.schema_type(Type::Integer).format(Some(format)).minimum(Some(min)).maximum(Some(max))
            }
            OptionValues::Names(names) => {
                value.schema_type(Type::String).enum_values(Some(names.iter().copied()))
            }
        };
        object.property(option.name, value)
    })
}

/// The schema of the options in a request.
pub struct RequestedOptions;

/// Reads the options of a request: those of any ruleset with their values, and of the other names as many as one failure
/// lists. The values of those say nothing.
///
/// # Errors
/// If an option is given more than once.
pub fn requested<'de, D: Deserializer<'de>>(options: D) -> Result<BTreeMap<String, Value>, D::Error> {
    struct Options;

    impl<'de> Visitor<'de> for Options {
        type Value = BTreeMap<String, Value>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut given: A) -> Result<Self::Value, A::Error> {
            let mut options = BTreeMap::new();
            while let Some(name) = given.next_key::<String>()? {
                match RulesetOption::all().iter().find(|option| option.name == name) {
                    Some(option) => {
                        if options.insert(name, given.next_value()?).is_some() {
                            return Err(A::Error::duplicate_field(option.name));
                        }
                    }
                    None => {
                        given.next_value::<IgnoredAny>()?;
                        if options.len() < MAX_ERRORS {
                            options.insert(name, Value::Null);
                        }
                    }
                }
            }
            Ok(options)
        }
    }

    options.deserialize_map(Options)
}

/// The schema of the options in an answer.
pub struct TableOptions;

impl PartialSchema for RequestedOptions {
    fn schema() -> RefOr<Schema> {
        let about =
            "The options that differ from the ruleset's defaults, by name. A ruleset refuses the others.";
        options_schema(about, |text| text.description)
            .additional_properties(Some(AdditionalProperties::FreeForm(false)))
            .into()
    }
}

impl PartialSchema for TableOptions {
    fn schema() -> RefOr<Schema> {
        options_schema("Every option of the ruleset, with its value at this table.", |text| text.title).into()
    }
}

impl ToSchema for RequestedOptions {}
impl ToSchema for TableOptions {}
