//! Problems (RFC 9457): the standard members, and those that the codes bring along.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::json;
use utoipa::openapi::extensions::ExtensionsBuilder;
use utoipa::openapi::schema::{
    AdditionalProperties, ArrayBuilder, KnownFormat, ObjectBuilder, OneOfBuilder, Schema, SchemaFormat, Type,
};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::tagged::nullable;
use super::value::{AccountId, GameId};
use super::{
    Card, Chair, EventEnvelope, FieldError, FieldErrorCode, GameStatus, OptionValue, Phase, Role, RulesetId,
    SeatNumber, Sequence, Suit, Trump,
};
use crate::http::field_errors::MOST_ERRORS;
use crate::http::language::Language;
use crate::http::problem::{DETAIL_LENGTH, PROBLEMS, ProblemType};

/// An answer that is not a success (RFC 9457).
pub struct Problem;

/// The code of a problem.
pub struct ProblemCode;

/// A member of problems, with its schema.
struct Member {
    name: &'static str,
    about: &'static str,
    schema: fn() -> RefOr<Schema>,
}

const fn member(name: &'static str, about: &'static str, schema: fn() -> RefOr<Schema>) -> Member {
    Member { name, about, schema }
}

/// Every member that some code brings along.
const MEMBERS: &[Member] = &[
    member("allowed", "What the option can be.", allowed),
    member("barred", "The number that may not be said.", small),
    member("bid", "The winning bid.", small),
    member("bidder", "The bidder that follows from the calls; null for none.", || {
        nullable(SeatNumber::name())
    }),
    member("card", "The card.", reference::<Card>),
    member("carry", "The carry that was given.", count),
    member("changed", "What a change of trump must beat; null if nothing would do.", changed),
    member(
        "character",
        "The character that is meant, as Unicode writes it: `U+` and its number.",
        code_point,
    ),
    member("column", "Where in the line the body stops being JSON.", count),
    member("current_version", "The game's version.", reference::<Sequence>),
    member("errors", "Every field that is wrong, at most 50.", errors),
    member("events", "The events since the version in `If-Match`, as the caller may see them.", events),
    member("game", "The game that is meant.", reference::<GameId>),
    member("field", "The first field that is wrong, as `errors` names it.", || text(65_536)),
    member("game_status", "Where the game stands.", reference::<GameStatus>),
    member("hand_size", "How many cards each player has in that round.", small),
    member("header", "The header.", || text(64)),
    member("host", "The account of the host.", reference::<AccountId>),
    member("last", "The last seat.", reference::<SeatNumber>),
    member("led", "The suit that was led.", reference::<Suit>),
    member("limit", "The most there may be.", count),
    member("line", "In which line the body stops being JSON.", count),
    member("max", "The most.", small),
    member("maximum", "The most.", small),
    member("min", "The least.", small),
    member("minimum", "The least.", small),
    member("option", "The option.", || text(65_536)),
    member("parameter", "The parameter of the query.", || text(64)),
    member("phase", "What the round waits for.", reference::<Phase>),
    member("place", "The place.", reference::<SeatNumber>),
    member("places", "The places.", places),
    member("players", "How many play.", small),
    member("policy", "The limit, as `RateLimit-Policy` names it.", || text(64)),
    member("reason", "Why, in words or by a name.", || text(1_000)),
    member("role", "The role that it takes.", reference::<Role>),
    member("rounds", "How many rounds there are.", small),
    member("ruleset", "The ruleset.", reference::<RulesetId>),
    member("rulesets", "The rulesets there are.", rulesets),
    member("seat", "The seat.", any_seat),
    member("sum", "What the tricks add up to.", count),
    member("to_act", "Who must act; null for nobody.", || nullable(Chair::name())),
    member("total", "The total.", count),
    member("tricks", "The tricks of the standing bid.", small),
    member("trump", "The trump of the standing bid.", reference::<Trump>),
    member("what", "What was looked for.", || text(64)),
];

/// How Unicode writes a code point.
const CODE_POINT: &str = "^U\\+[0-9A-F]{4,6}$";

/// What a member without an entry may be: anything. A test finds such.
fn anything() -> RefOr<Schema> {
    ObjectBuilder::new().schema_type(utoipa::openapi::schema::SchemaType::AnyValue).into()
}

fn reference<T: ToSchema>() -> RefOr<Schema> {
    Ref::from_schema_name(T::name()).into()
}

fn text(longest: usize) -> RefOr<Schema> {
    ObjectBuilder::new().schema_type(Type::String).min_length(Some(0)).max_length(Some(longest)).into()
}

fn code_point() -> RefOr<Schema> {
    let text = ObjectBuilder::new().schema_type(Type::String).min_length(Some(6)).max_length(Some(8));
    text.pattern(Some(CODE_POINT)).examples([json!("U+202E")]).into()
}

fn whole(most: u32) -> ObjectBuilder {
    let format = SchemaFormat::KnownFormat(KnownFormat::Int32);
    let number = ObjectBuilder::new().schema_type(Type::Integer).format(Some(format));
    number.minimum(Some(0)).maximum(Some(most))
}

fn small() -> RefOr<Schema> {
    whole(100).into()
}

/// A seat that may not be there at all.
fn any_seat() -> RefOr<Schema> {
    whole(255).into()
}

fn count() -> RefOr<Schema> {
    whole(2_147_483_647).into()
}

fn events() -> RefOr<Schema> {
    ArrayBuilder::new().items(reference::<EventEnvelope>()).max_items(Some(100)).into()
}

fn errors() -> RefOr<Schema> {
    let list = ArrayBuilder::new().items(reference::<FieldError>());
    list.min_items(Some(1)).max_items(Some(MOST_ERRORS)).into()
}

fn places() -> RefOr<Schema> {
    ArrayBuilder::new().items(reference::<SeatNumber>()).max_items(Some(5)).into()
}

fn rulesets() -> RefOr<Schema> {
    ArrayBuilder::new().items(reference::<RulesetId>()).max_items(Some(20)).into()
}

fn allowed() -> RefOr<Schema> {
    Ref::from_schema_name("AllowedValues").into()
}

fn changed() -> RefOr<Schema> {
    nullable("TrumpBid".into())
}

/// The schemas that only members of problems refer to.
fn own() -> Vec<(String, RefOr<Schema>)> {
    let closed =
        |object: ObjectBuilder| object.additional_properties(Some(AdditionalProperties::FreeForm(false)));
    let range = closed(
        ObjectBuilder::new()
            .description(Some("A range of whole numbers."))
            .property("min", described(small(), "The least."))
            .property("max", described(small(), "The most."))
            .required("min")
            .required("max"),
    );
    let values = ArrayBuilder::new()
        .description(Some("All there are."))
        .items(reference::<OptionValue>())
        .max_items(Some(100));
    let allowed = OneOfBuilder::new()
        .description(Some("What an option can be: a range of whole numbers, or one of a list."))
        .item(Ref::from_schema_name("NumberRange"))
        .item(Ref::from_schema_name("OptionValues"));
    let bid = closed(
        ObjectBuilder::new()
            .description(Some("A number of tricks and a trump."))
            .property("tricks", described(small(), "The tricks."))
            .property("trump", described(reference::<Trump>(), "The trump."))
            .required("tricks")
            .required("trump"),
    );
    vec![
        ("NumberRange".to_owned(), range.into()),
        ("OptionValues".to_owned(), values.into()),
        ("AllowedValues".to_owned(), allowed.into()),
        ("TrumpBid".to_owned(), bid.into()),
    ]
}

fn described(schema: RefOr<Schema>, about: &str) -> RefOr<Schema> {
    match schema {
        RefOr::Ref(mut reference) => {
            about.clone_into(&mut reference.description);
            reference.into()
        }
        RefOr::T(Schema::Object(mut object)) => {
            object.description = Some(about.to_owned());
            Schema::Object(object).into()
        }
        RefOr::T(Schema::Array(mut array)) => {
            array.description = Some(about.to_owned());
            Schema::Array(array).into()
        }
        RefOr::T(Schema::OneOf(mut one)) => {
            if let Some(RefOr::Ref(first)) = one.items.first_mut() {
                about.clone_into(&mut first.description);
            }
            one.description = Some(about.to_owned());
            Schema::OneOf(one).into()
        }
        other => other,
    }
}

/// The codes that bring a member along.
fn codes_with(member: &str) -> Vec<String> {
    let has = |code: &&ProblemType| code.members.contains(&member) || code.perhaps.contains(&member);
    PROBLEMS.iter().filter(has).map(|code| format!("`{}`", code.code)).collect()
}

/// What a code comes with, for the extension that lists it.
#[derive(Serialize)]
struct Listed {
    status: u16,
    title: &'static str,
    members: &'static [&'static str],
    perhaps: &'static [&'static str],
}

impl PartialSchema for ProblemCode {
    fn schema() -> RefOr<Schema> {
        let list = PROBLEMS.iter().map(|code| {
            let ProblemType { code, status, members, perhaps, .. } = *code;
            (code, Listed { status, title: Language::English.problem_title(code), members, perhaps })
        });
        let list: BTreeMap<_, _> = list.collect();
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(PROBLEMS.iter().map(|code| code.code)))
            .description(Some(
                "The stable code of a problem. More are added as the service grows: treat one that you do not know \
                 by its status. `x-problems` says which members each code has always, and which perhaps.",
            ))
            .extensions(Some(ExtensionsBuilder::new().add("x-problems", json!(list)).build()))
            .into()
    }
}

impl ToSchema for ProblemCode {}

impl PartialSchema for Problem {
    fn schema() -> RefOr<Schema> {
        let standard = |longest: usize, about: &str| {
            let text = ObjectBuilder::new().schema_type(Type::String).description(Some(about));
            text.min_length(Some(1)).max_length(Some(longest))
        };
        let status = ObjectBuilder::new()
            .schema_type(Type::Integer)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int32)))
            .description(Some("The HTTP status."))
            .minimum(Some(400))
            .maximum(Some(599));
        let problem = ObjectBuilder::new()
            .description(Some(
                "An answer that is not a success (RFC 9457). Beside the standard members it has those its code brings along.",
            ))
            .property("type", standard(80, "Where the problem is described: `/problems/` and the code."))
            .property("title", standard(200, "The title of the kind of problem, in the language asked for."))
            .property("status", status)
            .property("detail", standard(DETAIL_LENGTH, "What is wrong this time, in English, for developers."))
            .property("instance", standard(65_536, "The path of the request."))
            .property("code", described(reference::<ProblemCode>(), "The problem's stable code."))
            .property("request_id", standard(64, "With a 5xx: what finds the request in the service's log."))
            .required("type")
            .required("title")
            .required("status")
            .required("detail")
            .required("code")
            .additional_properties(Some(AdditionalProperties::FreeForm(true)));
        let named: std::collections::BTreeSet<&str> =
            PROBLEMS.iter().flat_map(|code| code.members.iter().chain(code.perhaps)).copied().collect();
        named
            .into_iter()
            .fold(problem, |problem, name| {
                let known = MEMBERS.iter().find(|member| member.name == name);
                let (about, schema) =
                    known.map_or(("", anything()), |member| (member.about, (member.schema)()));
                let about = format!("{about} With {}.", codes_with(name).join(", "));
                problem.property(name, described(schema, about.trim()))
            })
            .into()
    }
}

impl ToSchema for Problem {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((ProblemCode::name().into_owned(), ProblemCode::schema()));
        schemas.extend(own());
        // What members refer to and no body may.
        schemas.push((FieldError::name().into_owned(), FieldError::schema()));
        schemas.push((FieldErrorCode::name().into_owned(), FieldErrorCode::schema()));
        schemas.push((Suit::name().into_owned(), Suit::schema()));
        schemas.push((Role::name().into_owned(), Role::schema()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_member_of_a_problem_has_a_schema() {
        for name in PROBLEMS.iter().flat_map(|code| code.members.iter().chain(code.perhaps)) {
            assert!(MEMBERS.iter().any(|member| member.name == *name), "{name}");
        }
    }
}
