//! Schemas of the published spec that no Rust type derives: texts with a form of their own. Those of problems are in
//! `spec/problems.rs`.

use std::collections::BTreeMap;

use serde_json::json;
use utoipa::openapi::RefOr;
use utoipa::openapi::extensions::ExtensionsBuilder;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::language::Language;
use super::problem::PROBLEMS;
use estimation_service::games::events::GameMessage;
use estimation_service::reactions::TableReaction;

/// Schemas by name.
pub type Schemas = Vec<(String, RefOr<Schema>)>;

/// The schemas that no operation names: those of messages in streams, and the values of the rules.
pub fn schemas() -> Schemas {
    let mut schemas = estimation_engine::schema::components();
    add::<GameMessage>(&mut schemas);
    add::<TableReaction>(&mut schemas);
    schemas
}

/// Adds the schema of a type, and those that it refers to.
pub fn add<T: ToSchema>(schemas: &mut Schemas) {
    schemas.push((T::name().into_owned(), T::schema()));
    T::schemas(schemas);
}

/// The code of a problem.
pub struct ProblemCode;

impl PartialSchema for ProblemCode {
    fn schema() -> RefOr<Schema> {
        let list: BTreeMap<_, _> = PROBLEMS
            .iter()
            .map(|kind| {
                let title = kind.text(Language::English).title;
                let entry = json!({
                    "status": kind.status, "title": title, "members": kind.members, "perhaps": kind.perhaps,
                });
                (kind.code, entry)
            })
            .collect();
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

/// A username: 3 to 32 ASCII letters, digits, `-`, `_` and `.`, unique without case, and not a name of the service
/// such as `admin`. Only its owner sees it.
#[derive(ToSchema)]
#[schema(value_type = String, min_length = 3, max_length = 32, pattern = "^[A-Za-z0-9._-]{3,32}$", examples("noor"))]
pub struct Username(pub String);

/// A name that other players see. It need not be unique: accounts are told apart by their ids. The service stores it in NFKC,
/// with one U+0020 for each run of spaces and none at the ends (RFC 8266); it then has 1 to 40 characters and takes at most 40
/// columns: most characters take one, Han characters and emoji two. The following is refused, and the member
/// `character` of the problem is the first character that breaks a rule:
///
/// - `character-not-allowed`: control characters, bidirectional controls (U+202E), invisible characters
///   (U+200B, U+3164, tags), private use (U+E000), unassigned characters and noncharacters (U+FFFF), a combining
///   mark before the first letter, letters of excluded scripts such as hieroglyphs, and symbols of one script such as `﷽`.
///   Joiners and variation selectors pass in emoji and between letters whose form they change.
/// - `too-many-marks`: more than 4 nonspacing marks in a row, or the same one twice. `ٱللَّٰه` passes.
/// - `mixed-scripts`: letters of more than one script, as in `Nооr` with two Cyrillic letters, or `نور Noor`.
///   Digits, punctuation and emoji go with every script: `محمد 2026` passes. So does Japanese, where kanji and
///   kana are one script.
/// - `name-reserved`: names of the service and what looks like them, such as `Admin`, `Adm1n`, `Steady bot`,
///   `(deleted 2e3f01)`, `المشرف`.
#[derive(ToSchema)]
#[schema(value_type = Option<String>, min_length = 1, max_length = 40, examples("Noor", "مُحَمَّد", "محمد 2026", "さくら桜", "⭐ Noor ⭐"))]
pub struct DisplayName(pub Option<String>);

/// A problem page for people.
#[derive(ToSchema)]
#[schema(value_type = String, min_length = 1, max_length = 10000)]
pub struct ProblemPage(pub String);

/// Server-sent events. Each has an `id` line with the event's sequence number, a hyphen and the first 16 digits of its
/// hash, and a `data` line with a `GameMessage`. Control frames have an `event` line: `turn` with a `Turn` as `data`,
/// `end`, `reconnect`, and `reset` with an `id`, and `data` with `version` and `head` as in a view.
#[derive(ToSchema)]
#[schema(value_type = String, min_length = 0, max_length = 2147483647)]
pub struct EventFrames(pub String);

/// Server-sent events. Each has an `event` line (`your_turn`, `invited`, `started`, `finished`) and a `data` line with
/// `game`, `version` and `status`.
#[derive(ToSchema)]
#[schema(value_type = String, min_length = 0, max_length = 2147483647)]
pub struct AccountFrames(pub String);
