//! Problems (RFC 9457): the standard members, and those that the codes bring along.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::json;
use utoipa::openapi::extensions::ExtensionsBuilder;
use utoipa::openapi::schema::{
    ArrayBuilder, KnownFormat, ObjectBuilder, OneOfBuilder, Schema, SchemaFormat, Type,
};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use crate::http::language::Language;
use crate::http::problem::{DETAIL_LENGTH, PROBLEMS, Problem, ProblemType};
use estimation_engine::player::AccountId;
use estimation_engine::rejection::TrumpBid;
use estimation_engine::seat::{Place, Seat};
use estimation_service::auth::tokens::Role;
use estimation_service::base::field_error::{FieldError, MOST_ERRORS};
use estimation_service::games::published_event::PublishedEvent;
use estimation_service::rulesets::PublishedValue;
use estimation_service::vocabulary::{
    Card, GameStatus, Hex, PhaseKind, Position, RecordTime, RulesetId, Suit, Trump,
};

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
    member("allowed", "The values that the option can have.", allowed),
    member("barred", "The number of tricks that is not allowed.", small),
    member("bid", "The winning bid.", small),
    member("bidder", "The bidder that follows from the calls; null for none.", nullable::<Seat>),
    member("card", "The card.", reference::<Card>),
    member("carry", "The carry that was given.", count),
    member("changed", "The bid that a change of trump must beat; null if no change is possible.", changed),
    member("character", "The character, in Unicode notation: `U+` and its code point.", code_point),
    member("column", "The column at which the body stops being JSON.", count),
    member("commitment", "The commitment to your client seed.", reference::<Hex<32>>),
    member("current_version", "The game's current version.", version),
    member("errors", "The faulty fields, at most 20.", errors),
    member("events", "The events since the version in `If-Match`, as the caller may see them.", events),
    member("game", "The game's id.", game_id),
    member("field", "The JSON pointer to the first faulty field, as in `errors`.", || text(65_536)),
    member("game_status", "The game's status.", reference::<GameStatus>),
    member("hand_size", "The number of cards that each player has in the round.", small),
    member("header", "The name of the header.", || text(64)),
    member("host", "The account of the host.", reference::<AccountId>),
    member("last", "The highest seat number.", reference::<Seat>),
    member("led", "The suit that was led.", reference::<Suit>),
    member("limit", "The limit.", count),
    member("line", "The line at which the body stops being JSON.", count),
    member("max", "The maximum.", small),
    member("max_age", "The maximum age of the sign-in or of the second step, in seconds.", count),
    member("min", "The minimum.", small),
    member("option", "The name of the option.", || text(65_536)),
    member("parameter", "The name of the query parameter.", || text(64)),
    member("phase", "The phase of the round.", reference::<PhaseKind>),
    member("place", "The place in the lobby.", reference::<Place>),
    member("places", "The places in the lobby.", places),
    member("players", "The number of players.", small),
    member("policy", "The name of the limit, as in `RateLimit-Policy`.", || text(64)),
    member("reason", "The reason, as a sentence or a name.", || text(1_000)),
    member("role", "The role that the operation requires.", reference::<Role>),
    member("rounds", "The number of rounds.", small),
    member("ruleset", "The ruleset.", reference::<RulesetId>),
    member("rulesets", "The existing rulesets.", rulesets),
    member("seat", "The seat.", any_seat),
    member("set_up", "Whether the account has a second step.", flag),
    member("sum", "The sum of the tricks.", count),
    member("to_act", "The player who must act; null if no player must.", nullable::<Position>),
    member("total", "The total.", count),
    member("tricks", "The number of tricks of the current bid.", small),
    member("trump", "The trump of the current bid.", reference::<Trump>),
    member("until", "Until when the refusal holds.", reference::<RecordTime>),
    member("what", "The kind of thing that was not found.", || text(64)),
    member("works_at", "The time from which the link works.", reference::<RecordTime>),
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

fn whole(max: u32) -> ObjectBuilder {
    let format = SchemaFormat::KnownFormat(KnownFormat::Int32);
    let number = ObjectBuilder::new().schema_type(Type::Integer).format(Some(format));
    number.minimum(Some(0)).maximum(Some(max))
}

fn small() -> RefOr<Schema> {
    whole(100).into()
}

/// A seat that may not be there at all.
fn any_seat() -> RefOr<Schema> {
    whole(255).into()
}

fn flag() -> RefOr<Schema> {
    ObjectBuilder::new().schema_type(Type::Boolean).into()
}

fn count() -> RefOr<Schema> {
    whole(2_147_483_647).into()
}

fn events() -> RefOr<Schema> {
    ArrayBuilder::new().items(reference::<PublishedEvent>()).max_items(Some(100)).into()
}

fn errors() -> RefOr<Schema> {
    let list = ArrayBuilder::new().items(reference::<FieldError>());
    list.min_items(Some(1)).max_items(Some(MOST_ERRORS)).into()
}

fn places() -> RefOr<Schema> {
    ArrayBuilder::new().items(reference::<Place>()).max_items(Some(5)).into()
}

fn rulesets() -> RefOr<Schema> {
    ArrayBuilder::new().items(reference::<RulesetId>()).max_items(Some(20)).into()
}

fn allowed() -> RefOr<Schema> {
    reference::<AllowedValues>()
}

fn changed() -> RefOr<Schema> {
    nullable::<TrumpBid>()
}

/// A reference to a schema, or null.
fn nullable<T: ToSchema>() -> RefOr<Schema> {
    let null = ObjectBuilder::new().schema_type(Type::Null);
    OneOfBuilder::new().item(reference::<T>()).item(null).into()
}

fn version() -> RefOr<Schema> {
    let format = SchemaFormat::KnownFormat(KnownFormat::Int64);
    let number = ObjectBuilder::new().schema_type(Type::Integer).format(Some(format));
    number.minimum(Some(1)).maximum(Some(9_007_199_254_740_991_u64)).into()
}

fn game_id() -> RefOr<Schema> {
    let format = SchemaFormat::Custom("uuid".to_owned());
    ObjectBuilder::new().schema_type(Type::String).format(Some(format)).into()
}

/// The values that an option can have: a range of integers, or a list.
#[derive(ToSchema)]
#[expect(dead_code, reason = "the schema of a JSON object that the problem builds")]
pub struct AllowedValues {
    /// The minimum of the range.
    #[schema(nullable = false, minimum = 0, maximum = 100)]
    min: Option<u8>,
    /// The maximum of the range.
    #[schema(nullable = false, minimum = 0, maximum = 100)]
    max: Option<u8>,
    /// The values of the list.
    #[schema(nullable = false, max_items = 100)]
    values: Option<Vec<PublishedValue>>,
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
struct CodeEntry {
    status: u16,
    title: &'static str,
    members: &'static [&'static str],
    perhaps: &'static [&'static str],
}

/// The code of a problem, in schemas.
pub struct ProblemCode;

impl PartialSchema for ProblemCode {
    fn schema() -> RefOr<Schema> {
        let list = PROBLEMS.iter().map(|kind| {
            let ProblemType { code, status, members, perhaps, .. } = *kind;
            (code, CodeEntry { status, title: kind.text(Language::English).title, members, perhaps })
        });
        let list: BTreeMap<_, _> = list.collect();
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(PROBLEMS.iter().map(|code| code.code)))
            .description(Some(
                "The stable code of a problem. The service adds codes over time: handle an unknown code by its status. \
                 `x-problems` lists the members that each code always has, and those that it may have.",
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
                "An answer that is not a success (RFC 9457). It has the standard members and the members of its code.",
            ))
            .property("type", standard(80, "The URL of the problem's description: `/problems/` and the code."))
            .property("title", standard(200, "The title of the kind of problem, in the language of the answer."))
            .property("status", status)
            .property("detail", standard(DETAIL_LENGTH, "What is wrong in this case, as a sentence in the language \
                 of the answer."))
            .property("instance", standard(65_536, "The path of the request."))
            .property("code", described(reference::<ProblemCode>(), "The problem's stable code."))
            .property("request_id", standard(64, "Only with 5xx: the id of the request in the server's log."))
            .required("type")
            .required("title")
            .required("status")
            .required("detail")
            .required("code");
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
        add::<ProblemCode>(schemas);
        add::<AllowedValues>(schemas);
        add::<TrumpBid>(schemas);
        add::<FieldError>(schemas);
        add::<PublishedEvent>(schemas);
        add::<Role>(schemas);
    }
}

fn add<T: ToSchema>(schemas: &mut Vec<(String, RefOr<Schema>)>) {
    schemas.push((T::name().into_owned(), T::schema()));
    T::schemas(schemas);
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
