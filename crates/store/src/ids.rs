//! Ids of games: UUIDs in the program, texts in both databases.

use std::fmt;
use std::io::Write;
use std::str::FromStr;

use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::pg::Pg;
use diesel::serialize::{self, IsNull, Output, ToSql};
use diesel::sql_types::Text;
use diesel::sqlite::Sqlite;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::connection::Connection;

/// The id of a game: a UUID of version 7. Newer games have greater ids.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    AsExpression,
    FromSqlRow,
    ToSchema,
)]
#[diesel(sql_type = Text)]
#[serde(transparent)]
pub struct GameId(pub Uuid);

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for GameId {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<GameId, uuid::Error> {
        text.parse().map(GameId)
    }
}

impl ToSql<Text, Sqlite> for GameId {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(self.to_string());
        Ok(IsNull::No)
    }
}

impl ToSql<Text, Pg> for GameId {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        write!(out, "{self}")?;
        Ok(IsNull::No)
    }
}

type EitherBackend = <Connection as diesel::Connection>::Backend;

impl ToSql<Text, EitherBackend> for GameId {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, EitherBackend>) -> serialize::Result {
        out.set_value((Text, self));
        Ok(IsNull::No)
    }
}

impl<DB: Backend> FromSql<Text, DB> for GameId
where
    String: FromSql<Text, DB>,
{
    fn from_sql(bytes: DB::RawValue<'_>) -> deserialize::Result<GameId> {
        let text = String::from_sql(bytes)?;
        text.parse().map_err(|_| format!("{text:?} is no id").into())
    }
}
