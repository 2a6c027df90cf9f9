//! Re-exports of the rules' and the store's types that requests and responses use.

pub use estimation_engine::card::{Card, Suit, Trump};
pub use estimation_engine::client_seed::ClientSeed;
pub use estimation_engine::command::{Command, Position};
pub use estimation_engine::event::Visibility;
pub use estimation_engine::game::{GameStatus, PhaseKind};
pub use estimation_engine::hex::Hex;
pub use estimation_engine::player::BotLevel;
pub use estimation_engine::rejection::Rejection;
pub use estimation_engine::ruleset::options::{OptionError, OptionValues};
pub use estimation_engine::ruleset::{Ruleset, RulesetId};
pub use estimation_engine::score::{Call, CallKind, ImpossibleRound, RoundScore};
pub use estimation_engine::seat::Place;
pub use estimation_engine::table::TableCommand;
pub use estimation_record::RecordTime;
pub use estimation_store::GameId;
pub use estimation_store::relations::Relation;
