//! Schemas of the published spec that no Rust type derives: problems, and texts with a form of their own.

mod problem;
mod texts;

use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

pub use self::problem::ProblemCode;
pub use self::texts::*;
use super::problem::Problem;
use estimation_service::games::events::GameMessage;
use estimation_service::reactions::TableReaction;

/// The schemas that no operation names: those of problems, of messages in streams, and the values of the rules.
pub fn schemas() -> Vec<(String, RefOr<Schema>)> {
    let mut schemas = estimation_engine::schema::components();
    schemas.push((Problem::name().into_owned(), <Problem as utoipa::PartialSchema>::schema()));
    Problem::schemas(&mut schemas);
    schemas.push((GameMessage::name().into_owned(), <GameMessage as utoipa::PartialSchema>::schema()));
    GameMessage::schemas(&mut schemas);
    schemas.push((TableReaction::name().into_owned(), <TableReaction as utoipa::PartialSchema>::schema()));
    TableReaction::schemas(&mut schemas);
    schemas
}
