//! Problems (RFC 9457) in the spec: their schema, which has the standard members and those that the codes bring along, and one
//! answer for each status, to which every operation refers.

use std::fmt::Write;

use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use crate::http::contract::{ProblemCode, Schemas, add as add_schema};
use crate::http::problem::{DETAIL_LENGTH, MEDIA_TYPE, PROBLEMS, ProblemType};
use estimation_engine::player::AccountId;
use estimation_engine::rejection::TrumpBid;
use estimation_engine::seat::{Place, Seat};
use estimation_service::auth::tokens::Role;
use estimation_service::base::field_error::{FieldError, MAX_ERRORS};
use estimation_service::games::published_event::PublishedEvent;
use estimation_service::rulesets::PublishedValue;
use estimation_service::vocabulary::{
    Card, GameStatus, Hex, PhaseKind, Position, RecordTime, RulesetId, Suit, Trump,
};

/// The name of the schema of problems.
pub(super) const PROBLEM: &str = "Problem";

/// Makes the schema of a member, and adds the schemas to which it refers. `tidy` completes it.
type Form = fn(&mut Schemas) -> Value;

/// Every member that some code brings along, with its description and its schema.
const MEMBERS: &[(&str, &str, Form)] = &[
    ("allowed", "The values that the option can have.", one::<AllowedValues>),
    ("barred", "The number of tricks that is not allowed.", up_to::<100>),
    ("bid", "The winning bid.", up_to::<100>),
    ("bidder", "The bidder that follows from the calls; null for none.", one_or_null::<Seat>),
    ("card", "The card.", one::<Card>),
    ("carry", "The carry that was given.", count),
    (
        "changed",
        "The bid that a change of trump must beat; null if no change is possible.",
        one_or_null::<TrumpBid>,
    ),
    ("character", "The character, in Unicode notation: `U+` and its code point.", code_point),
    ("column", "The column at which the body stops being JSON.", count),
    ("commitment", "The commitment to your client seed.", one::<Hex<32>>),
    ("current_version", "The game's current version.", version),
    ("errors", "The faulty fields, at most 20.", errors),
    (
        "events",
        "The events since the version in `If-Match`, as the caller may see them.",
        list::<PublishedEvent, 100>,
    ),
    ("game", "The game's id.", |_| json!({"type": "string", "format": "uuid"})),
    ("field", "The JSON pointer to the first faulty field, as in `errors`.", text::<65_536>),
    ("game_status", "The game's status.", one::<GameStatus>),
    ("hand_size", "The number of cards that each player has in the round.", up_to::<100>),
    ("header", "The name of the header.", text::<64>),
    ("host", "The account of the host.", one::<AccountId>),
    ("last", "The highest seat number.", one::<Seat>),
    ("led", "The suit that was led.", one::<Suit>),
    ("limit", "The limit.", count),
    ("line", "The line at which the body stops being JSON.", count),
    ("max", "The maximum.", up_to::<100>),
    ("max_age", "The maximum age of the sign-in or of the second step, in seconds.", count),
    ("min", "The minimum.", up_to::<100>),
    ("option", "The name of the option.", text::<65_536>),
    ("parameter", "The name of the query parameter.", text::<64>),
    ("phase", "The phase of the round.", one::<PhaseKind>),
    ("place", "The place in the lobby.", one::<Place>),
    ("places", "The places in the lobby.", list::<Place, 5>),
    ("players", "The number of players.", up_to::<100>),
    ("policy", "The name of the limit, as in `RateLimit-Policy`.", text::<64>),
    ("reason", "The reason, as a sentence or a name.", text::<1_000>),
    ("role", "The role that the operation requires.", one::<Role>),
    ("rounds", "The number of rounds.", up_to::<100>),
    ("ruleset", "The ruleset.", one::<RulesetId>),
    ("rulesets", "The existing rulesets.", list::<RulesetId, 20>),
    ("seat", "The seat.", up_to::<255>),
    ("set_up", "Whether the account has a second step.", |_| json!({"type": "boolean"})),
    ("sum", "The sum of the tricks.", count),
    ("to_act", "The player who must act; null if no player must.", one_or_null::<Position>),
    ("total", "The total.", count),
    ("tricks", "The number of tricks of the current bid.", up_to::<100>),
    ("trump", "The trump of the current bid.", one::<Trump>),
    ("until", "Until when the refusal holds.", one::<RecordTime>),
    ("what", "The kind of thing that was not found.", text::<64>),
    ("works_at", "The time from which the link works.", one::<RecordTime>),
];

fn one<T: ToSchema>(schemas: &mut Schemas) -> Value {
    add_schema::<T>(schemas);
    json!({"$ref": format!("#/components/schemas/{}", T::name())})
}

fn one_or_null<T: ToSchema>(schemas: &mut Schemas) -> Value {
    json!({"oneOf": [one::<T>(schemas), {"type": "null"}]})
}

fn list<T: ToSchema, const LONGEST: usize>(schemas: &mut Schemas) -> Value {
    json!({"type": "array", "items": one::<T>(schemas), "maxItems": LONGEST})
}

fn errors(schemas: &mut Schemas) -> Value {
    json!({"type": "array", "items": one::<FieldError>(schemas), "minItems": 1, "maxItems": MAX_ERRORS})
}

fn text<const LONGEST: usize>(_: &mut Schemas) -> Value {
    json!({"type": "string", "maxLength": LONGEST})
}

fn code_point(_: &mut Schemas) -> Value {
    let pattern = "^U\\+[0-9A-F]{4,6}$";
    json!({"type": "string", "minLength": 6, "maxLength": 8, "pattern": pattern, "examples": ["U+202E"]})
}

fn count(_: &mut Schemas) -> Value {
    json!({"type": "integer", "minimum": 0})
}

fn up_to<const MAX: u8>(_: &mut Schemas) -> Value {
    json!({"type": "integer", "minimum": 0, "maximum": MAX})
}

fn version(_: &mut Schemas) -> Value {
    json!({"type": "integer", "format": "int64", "minimum": 1})
}

/// The values that an option can have: a range of integers, or a list.
#[derive(ToSchema)]
#[expect(dead_code, reason = "the schema of a JSON object that the problem builds")]
struct AllowedValues {
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

/// Adds the schema of problems, and those to which its members refer.
pub(super) fn add_schemas(spec: &mut Value) {
    let mut schemas = Schemas::new();
    let mut properties = json!({
        "type": standard(80, "The URL of the problem's description: `/problems/` and the code."),
        "title": standard(200, "The title of the kind of problem, in the language of the answer."),
        "status": {"type": "integer", "minimum": 400, "maximum": 599, "description": "The HTTP status."},
        "detail": standard(DETAIL_LENGTH, "What is wrong in this case, as a sentence in the language of the answer."),
        "instance": standard(65_536, "The path of the request."),
        "code": described(one::<ProblemCode>(&mut schemas), "The problem's stable code."),
        "request_id": standard(64, "Only with 5xx: the id of the request in the server's log."),
    });
    for (name, about, form) in MEMBERS {
        let about = format!("{about} With {}.", codes_with(name).join(", "));
        properties[name] = described(form(&mut schemas), &about);
    }
    let components = &mut spec["components"]["schemas"];
    for (name, schema) in schemas {
        components[name] = json!(schema);
    }
    components[PROBLEM] = json!({
        "type": "object",
        "description":
            "An answer that is not a success (RFC 9457). It has the standard members and the members of its code.",
        "properties": properties,
        "required": ["type", "title", "status", "detail", "code"],
    });
}

fn standard(longest: usize, about: &str) -> Value {
    json!({"type": "string", "minLength": 1, "maxLength": longest, "description": about})
}

fn described(mut schema: Value, about: &str) -> Value {
    if let Some(first) = schema.pointer_mut("/oneOf/0") {
        first["description"] = about.into();
    }
    schema["description"] = about.into();
    schema
}

/// The codes that bring a member along.
fn codes_with(member: &str) -> Vec<String> {
    let has = |code: &&ProblemType| code.members.contains(&member) || code.perhaps.contains(&member);
    PROBLEMS.iter().filter(has).map(|code| format!("`{}`", code.code)).collect()
}

/// Makes every operation refer to the answers in the components.
pub(super) fn add(spec: &mut Value) {
    super::each_operation(spec, |_, _, operation| {
        for (status, answer) in
            operation.get_mut("responses").and_then(Value::as_object_mut).into_iter().flatten()
        {
            if status.starts_with(['4', '5']) {
                *answer = json!({"$ref": format!("#/components/responses/{}", name(status))});
            }
        }
    });
    let mut statuses: Vec<u16> = PROBLEMS.iter().map(|code| code.status).collect();
    statuses.sort_unstable();
    statuses.dedup();
    let answers = statuses.into_iter().map(|status| (name(&status.to_string()), answer(status)));
    spec["components"]["responses"] = Value::Object(answers.collect::<Map<_, _>>());
}

/// The name of the answer of a status.
pub(super) fn name(status: &str) -> String {
    format!("Problem{status}")
}

/// The content of every problem.
pub(super) fn content() -> Value {
    json!({MEDIA_TYPE: {"schema": {"$ref": format!("#/components/schemas/{PROBLEM}")}}})
}

fn answer(status: u16) -> Value {
    let kinds: Vec<&ProblemType> = PROBLEMS.iter().filter(|code| code.status == status).collect();
    let mut about = format!("A problem of status {status}, by its `code`:\n");
    for kind in kinds {
        let members: Vec<String> = kind.members.iter().map(|member| format!("`{member}`")).collect();
        let members =
            if members.is_empty() { String::new() } else { format!(" With {}.", members.join(", ")) };
        // Writing to a String cannot fail.
        let _ = write!(about, "\n- `{}`: {}{members}", kind.code, kind.about);
    }
    json!({"description": about, "content": content()})
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_members_with_a_schema_are_those_of_the_codes() {
        let of_codes: BTreeSet<_> =
            PROBLEMS.iter().flat_map(|code| code.members.iter().chain(code.perhaps)).collect();
        let with_schema: BTreeSet<_> = MEMBERS.iter().map(|(name, ..)| name).collect();
        assert_eq!(with_schema, of_codes);
    }
}
