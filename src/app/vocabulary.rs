//! Re-exports of the rules' and the store's types that requests and responses use.

pub use crate::engine::card::{Card, Suit, Trump};
pub use crate::engine::client_seed::ClientSeed;
pub use crate::engine::command::{Command, Position};
pub use crate::engine::event::Visibility;
pub use crate::engine::game::{GameStatus, PhaseKind};
pub use crate::engine::hex::Hex;
pub use crate::engine::player::BotLevel;
pub use crate::engine::rejection::Rejection;
pub use crate::engine::ruleset::options::{OptionError, OptionValues};
pub use crate::engine::ruleset::{Ruleset, RulesetId};
pub use crate::engine::score::{Call, CallKind, ImpossibleRound, RoundScore};
pub use crate::engine::seat::LobbySlot;
pub use crate::engine::table::TableCommand;
pub use crate::store::GameId;
