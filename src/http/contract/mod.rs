//! The contract: the published shapes of bodies that speak of the game, for the specification and for
//! clients with types.
//!
//! These are mirrors. The rules write and read their own types; tests hold the two together, value by value.
//! Nothing here knows the rules, and nothing here decides.

mod command;
mod declare;
mod device;
mod event;
mod export;
mod field_error;
mod hand;
mod matchmaking;
mod person;
mod players;
mod problem;
mod record;
mod ruleset;
mod score;
mod service;
mod tagged;
mod term;
mod value;
mod view;

use std::collections::BTreeMap;

use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

pub use self::command::*;
pub use self::device::*;
pub use self::event::*;
pub use self::export::*;
pub use self::field_error::*;
pub use self::hand::*;
pub use self::matchmaking::*;
pub use self::person::*;
pub use self::players::*;
pub use self::problem::*;
pub use self::record::*;
pub use self::ruleset::*;
pub use self::score::*;
pub use self::service::*;
pub use self::tagged::{Tag, Tagged, tag_schema};
pub use self::term::*;
pub use self::value::*;
pub use self::view::*;

/// Every schema of the contract by name, those they refer to included: what goes into the specification's
/// components.
pub fn schemas() -> BTreeMap<String, RefOr<Schema>> {
    let mut schemas = Vec::new();
    add::<Command>(&mut schemas);
    add::<CommandAnswer>(&mut schemas);
    add::<VersionOnly>(&mut schemas);
    add::<EventPage>(&mut schemas);
    add::<GamePage>(&mut schemas);
    add::<ScoreSheet>(&mut schemas);
    add::<RulesetPage>(&mut schemas);
    add::<ScoreRequest>(&mut schemas);
    add::<ScoreAnswer>(&mut schemas);
    add::<History>(&mut schemas);
    add::<ListedPage>(&mut schemas);
    add::<SignedCheckpoint>(&mut schemas);
    add::<LookPage>(&mut schemas);
    add::<AuditAccessPage>(&mut schemas);
    add::<LeaderboardPage>(&mut schemas);
    add::<PlayerProfile>(&mut schemas);
    add::<PlayerStatistics>(&mut schemas);
    add::<Waiting>(&mut schemas);
    add::<Problem>(&mut schemas);
    schemas.into_iter().collect()
}

fn add<T: ToSchema>(schemas: &mut Vec<(String, RefOr<Schema>)>) {
    schemas.push((T::name().into_owned(), T::schema()));
    T::schemas(schemas);
}
