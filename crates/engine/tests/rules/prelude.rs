//! What most tests use.

pub use estimation_engine::card::Card;
pub use estimation_engine::card::Trump::{self, Clubs, Diamonds, Hearts, NoTrump, Spades};
pub use estimation_engine::card_set::CardSet;
pub use estimation_engine::command::{Actor, Command, Position};
pub use estimation_engine::event::Event;
pub use estimation_engine::evolve::evolve;
pub use estimation_engine::game::{Game, GameStatus, PhaseKind, Stage};
pub use estimation_engine::legal::legal_commands;
pub use estimation_engine::rejection::Rejection;
pub use estimation_engine::round::Phase;
pub use estimation_engine::ruleset::Ruleset;
pub use estimation_engine::ruleset::RulesetId::{self, DoubleRisk, Kabooot, Nineteen, Plain, Squares};
pub use estimation_engine::seat::{Place, Seat, SeatSet};
pub use estimation_engine::view::view;
pub use estimation_test_support::acts::*;
pub use estimation_test_support::scene::{Given, Scene, deal, given, plain};
pub use estimation_test_support::{Random, Table};
