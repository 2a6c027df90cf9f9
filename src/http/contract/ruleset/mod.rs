//! Rulesets: as they are published, as a table shows them, and whole, as a game's first event holds them.

mod choice;
mod published;

use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::{AdditionalProperties, KnownFormat, Schema, SchemaFormat, SchemaType, Type};
use utoipa::openapi::{ObjectBuilder, Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

pub use self::choice::*;
pub use self::published::*;
use super::value::SeatNumber;
use crate::app::vocabulary::{ChoiceSchema, FieldKind, Ruleset as Rules};

/// The rules of one game, whole. Its schema follows from the table of the rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ruleset(Rules);

impl PartialSchema for Ruleset {
    fn schema() -> RefOr<Schema> {
        let mut object = ObjectBuilder::new()
            .description(Some(
                "The rules of one game, whole: what its document fixes and what the table has agreed on.",
            ))
            .additional_properties(Some(AdditionalProperties::FreeForm(false)))
            .property("id", reference::<RulesetId>("The ruleset it comes from."))
            .property("version", integer("The version of that ruleset.", (1, i32::MAX), Type::Integer.into()))
            .property("players", integer("How many sit at the table.", (2, 5), Type::Integer.into()));
        for required in ["id", "version", "players"] {
            object = object.required(required);
        }
        for field in Rules::FIELDS {
            let (min, max) = field.range.unwrap_or_default();
            let number = |kind| integer(field.about, (min.into(), max.into()), kind);
            let schema = match field.kind {
                FieldKind::Flag => ObjectBuilder::new()
                    .schema_type(Type::Boolean)
                    .description(Some(field.about.trim()))
                    .into(),
                FieldKind::Number => number(Type::Integer.into()),
                FieldKind::OptionalNumber => number(SchemaType::Array(vec![Type::Integer, Type::Null])),
                FieldKind::Seat => reference::<SeatNumber>(field.about),
                FieldKind::Choice(choice) => described(Ref::from_schema_name(choice.name), field.about),
            };
            object = object.property(field.name, schema).required(field.name);
        }
        object.into()
    }
}

impl ToSchema for Ruleset {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        for field in Rules::FIELDS {
            if let FieldKind::Choice(choice) = field.kind {
                schemas.push((choice.name.to_owned(), names(choice)));
            }
        }
    }
}

fn names(choice: ChoiceSchema) -> RefOr<Schema> {
    let values: String =
        choice.values.iter().map(|(name, meaning)| format!("\n- `{name}`: {}", meaning.trim())).collect();
    ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(choice.values.iter().map(|(name, _)| *name)))
        .description(Some(format!("{}\n{values}", choice.about.trim())))
        .into()
}

fn integer(about: &str, (min, max): (i32, i32), kind: SchemaType) -> RefOr<Schema> {
    ObjectBuilder::new()
        .schema_type(kind)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int32)))
        .description(Some(about.trim()))
        .minimum(Some(min))
        .maximum(Some(max))
        .into()
}

fn reference<T: ToSchema>(about: &str) -> RefOr<Schema> {
    described(Ref::from_schema_name(T::name()), about)
}

fn described(mut to: Ref, about: &str) -> RefOr<Schema> {
    to.description = about.trim().to_owned();
    to.into()
}
