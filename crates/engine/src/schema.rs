//! Schemas of values whose form in JSON is not derived.

use std::borrow::Cow;

use utoipa::openapi::extensions::ExtensionsBuilder;
use utoipa::openapi::schema::{
    ArrayBuilder, KnownFormat, ObjectBuilder, Schema, SchemaFormat, SchemaType, Type,
};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::card::{Card, Suit, Trump};
use super::card_set::CardSet;
use super::choice::ChoiceSchema;
use super::client_seed::ClientSeed;
use super::command::{Command, CommandKind, Position};
use super::hex::Hex;
use super::player::{AccountId, BotLevel, Player, PlayerKind};
use super::redact::VisibleHand;
use super::ruleset::{FieldKind, Ruleset, RulesetId};
use super::score::{Line, Lines, Reason};
use super::seat::{MAX_PLAYERS, Place, Seat, SeatSet};
use super::view::SpokenView;

/// The most cards in a hand.
const LONGEST_HAND: usize = 13;

/// The length of a UUID as text.
const UUID_LENGTH: usize = 36;

/// The most cards that a cut puts under the rest.
const LARGEST_CUT: usize = 51;

/// The members of each kind of command, by its name.
fn commands() -> serde_json::Value {
    CommandKind::ALL
        .iter()
        .map(|kind| (kind.as_str().to_owned(), serde_json::json!(kind.members())))
        .collect()
}

fn text(about: &str, (shortest, longest): (usize, usize), pattern: &str) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(about))
        .min_length(Some(shortest))
        .max_length(Some(longest))
        .pattern(Some(pattern))
}

fn integer(kind: impl Into<SchemaType>, about: &str, (min, max): (usize, usize)) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(kind.into())
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int32)))
        .description(Some(about.trim()))
        .minimum(Some(min))
        .maximum(Some(max))
}

/// Points, or a factor: any number of 32 bits.
fn points(about: &str) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::Integer)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int32)))
        .description(Some(about))
}

impl ChoiceSchema {
    /// The names, with their meanings in the description.
    pub fn schema(&self) -> RefOr<Schema> {
        let meanings: String =
            self.values.iter().map(|(name, meaning)| format!("\n- `{name}`: {}", meaning.trim())).collect();
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(self.values.iter().map(|(name, _)| *name)))
            .description(Some(format!("{}\n{meanings}", self.about.trim())))
            .into()
    }
}

/// The schemas of values to which others refer by name.
pub fn components() -> Vec<(String, RefOr<Schema>)> {
    fn add<T: ToSchema>(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(schemas);
    }
    let mut schemas = Vec::new();
    add::<Ruleset>(&mut schemas);
    add::<CommandKind>(&mut schemas);
    add::<Card>(&mut schemas);
    add::<Seat>(&mut schemas);
    add::<Place>(&mut schemas);
    add::<AccountId>(&mut schemas);
    add::<PlayerKind>(&mut schemas);
    add::<BotLevel>(&mut schemas);
    add::<Trump>(&mut schemas);
    add::<Suit>(&mut schemas);
    add::<Line>(&mut schemas);
    add::<Reason>(&mut schemas);
    schemas
}

/// Declares the schemas of types, with their names.
macro_rules! schemas {
    ($($name:literal: $type:ty = $schema:expr;)+) => {$(
        impl PartialSchema for $type {
            fn schema() -> RefOr<Schema> {
                $schema.into()
            }
        }

        impl ToSchema for $type {
            fn name() -> Cow<'static, str> {
                $name.into()
            }
        }
    )+};
}

schemas! {
    "Seat": Seat = integer(Type::Integer, "The number of a seat, from 0 in order of play.", (0, MAX_PLAYERS - 1));
    "Place": Place = integer(
        Type::Integer,
        "The number of a place in the lobby, from 0 in order of joining. Seats replace places when the game starts.",
        (0, MAX_PLAYERS - 1),
    );
    "Card": Card = text(
        "A card: its rank and the letter of its suit, or `RJ` and `BJ` for the red and the black joker.",
        (2, 3),
        "^((10|[2-9JQKA])[CDHS]|RJ|BJ)$",
    ).examples(["10S"]);
    "ClientSeed": ClientSeed = text(
        "A player's contribution to the shuffles: 32 to 64 lower-case hexadecimal digits.",
        (32, 64),
        "^[0-9a-f]{32,64}$",
    );
    "Hex16": Hex<16> = text("16 bytes: 32 lower-case hexadecimal digits.", (32, 32), "^[0-9a-f]{32}$");
    "Hex32": Hex<32> = text("32 bytes: 64 lower-case hexadecimal digits.", (64, 64), "^[0-9a-f]{64}$");
    "Hex64": Hex<64> = text("64 bytes: 128 lower-case hexadecimal digits.", (128, 128), "^[0-9a-f]{128}$");
    "AccountId": AccountId = ObjectBuilder::new()
        .schema_type(Type::String)
        .format(Some(SchemaFormat::Custom("uuid".to_owned())))
        .description(Some("The id of an account: a UUID of version 7."))
        .min_length(Some(UUID_LENGTH))
        .max_length(Some(UUID_LENGTH))
        .examples(["019b7a00-0000-7000-8000-0000000000a1"]);
    "CardSet": CardSet = ArrayBuilder::new().items(Ref::from_schema_name("Card")).max_items(Some(LONGEST_HAND));
    "SeatSet": SeatSet = ArrayBuilder::new().items(Ref::from_schema_name("Seat")).max_items(Some(MAX_PLAYERS));
    "Player": Player = ObjectBuilder::new()
        .description(Some("A player: a person or a bot."))
        .property("kind", described(&PlayerKind::name(), "Whether the player is a person or a bot."))
        .property("account", described(&AccountId::name(), "The person's account; absent for a bot."))
        .property("level", described(&BotLevel::name(), "The bot's level; absent for a person."))
        .required("kind");
    "Position": Position = ObjectBuilder::new()
        .description(Some(
            "Where a player is: at a place in the lobby, or at a seat of the game. One of the two is present.",
        ))
        .property("place", described(&Place::name(), "The place, until the seats are settled."))
        .property("seat", described(&Seat::name(), "The seat."));
    "Command": Command = ObjectBuilder::new()
        .description(Some(
            "A command of play. `type` says which of the other members it has; `x-commands` lists those that a command \
             of each type always has, and those that it may have. A member that its type does not have is refused.",
        ))
        .property("type", described(&CommandKind::name(), "The kind."))
        .property("seat", described(&Seat::name(), "The seat, with `choose_seat`."))
        .property(
            "position",
            integer(Type::Integer, "The number of cards that go under the rest, with `cut`.", (1, LARGEST_CUT)),
        )
        .property(
            "tricks",
            integer(Type::Integer, "The number of tricks: at least 1 with `bid`, from 0 with `estimate`.", (0, LONGEST_HAND)),
        )
        .property(
            "trump",
            described(
                &Trump::name(),
                "The trump named with `bid`; with `estimate` a new trump, from 8 tricks in a fast round of `squares`.",
            ),
        )
        .property("card", described(&Card::name(), "The card from the player's hand, with `play`."))
        .required("type")
        .extensions(Some(ExtensionsBuilder::new().add("x-commands", commands()).build()));
    "AuctionCall": SpokenView = ObjectBuilder::new()
        .description(Some("A call before or in the auction."))
        .property("seat", described(&Seat::name(), "The player's seat."))
        .property(
            "type",
            text("The kind of the call, named like its command.", (3, 20), "^[a-z_]+$")
                .enum_values(Some(["enter_auction", "blind_dash", "bid", "pass", "dash_call"])),
        )
        .property("tricks", integer(Type::Integer, "The tricks promised, with a bid.", (1, 13)))
        .property("trump", described(&Trump::name(), "The trump named, with a bid."))
        .required("seat")
        .required("type");
    "ScoreLine": Line = ObjectBuilder::new()
        .description(Some("A line of a score: points to add, or a factor of the sum. One of the two is present."))
        .property("reason", described(&Reason::name(), "The reason of the line."))
        .property("points", points("The points to add."))
        .property("factor", points("The factor of the sum of the points."))
        .required("reason");
    "ScoreLines": Lines = ArrayBuilder::new()
        .description(Some("The lines of a score: the sum of the points times the product of the factors."))
        .items(Ref::from_schema_name("ScoreLine"))
        .max_items(Some(8));
    "Hand": VisibleHand = ObjectBuilder::new()
        .description(Some("A hand as the caller may see it."))
        .property("count", integer(Type::Integer, "The number of cards.", (0, LONGEST_HAND)))
        .property(
            "cards",
            ArrayBuilder::new()
                .schema_type(SchemaType::Array(vec![Type::Array, Type::Null]))
                .description(Some("The cards, in the order of the deck; null if they are hidden."))
                .items(Ref::from_schema_name("Card"))
                .max_items(Some(LONGEST_HAND)),
        )
        .required("count")
        .required("cards");
}

impl PartialSchema for Ruleset {
    fn schema() -> RefOr<Schema> {
        let mut object = ObjectBuilder::new()
            .description(Some(
                "All rules of a game: those that its ruleset fixes, and the options of the table.",
            ))
            .property("id", described(&RulesetId::name(), "The ruleset."))
            .property(
                "version",
                integer(Type::Integer, "The version of the ruleset.", (1, i32::MAX as usize)),
            )
            .property("players", integer(Type::Integer, "The number of players.", (2, MAX_PLAYERS)));
        for required in ["id", "version", "players"] {
            object = object.required(required);
        }
        for field in Ruleset::FIELDS {
            let (min, max) = field.range.unwrap_or_default();
            let number = |kind: SchemaType| integer(kind, field.about, (min.into(), max.into())).into();
            let schema: RefOr<Schema> = match field.kind {
                FieldKind::Flag => ObjectBuilder::new()
                    .schema_type(Type::Boolean)
                    .description(Some(field.about.trim()))
                    .into(),
                FieldKind::Number => number(Type::Integer.into()),
                FieldKind::OptionalNumber => number(SchemaType::Array(vec![Type::Integer, Type::Null])),
                FieldKind::Seat => described(&Seat::name(), field.about),
                FieldKind::Choice(choice) => described(choice.name, field.about),
            };
            object = object.property(field.name, schema).required(field.name);
        }
        object.into()
    }
}

impl ToSchema for Ruleset {
    fn name() -> Cow<'static, str> {
        "GameRules".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((RulesetId::name().into_owned(), RulesetId::schema()));
        for field in Ruleset::FIELDS {
            if let FieldKind::Choice(choice) = field.kind {
                schemas.push((choice.name.to_owned(), choice.schema()));
            }
        }
    }
}

fn described(name: &str, about: &str) -> RefOr<Schema> {
    let mut to = Ref::from_schema_name(name);
    about.trim().clone_into(&mut to.description);
    to.into()
}
