//! The types that values of columns have in Rust, besides diesel's: ids, times, enums, hashes.
//!
//! Both databases have ids and enums as text, times as milliseconds since 1970 in UTC, and hashes as bytes. A value in
//! another form is an error of its row, which names the column.

use std::fmt;
use std::io::Write;
use std::str::FromStr;

use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::pg::Pg;
use diesel::serialize::{self, IsNull, Output, ToSql};
use diesel::sql_types::{BigInt, Binary, Nullable, Text};
use diesel::sqlite::Sqlite;
use estimation_record::{Hash, KID_TAG, RecordTime};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::any_connection::AnyBackend;
use super::error::StoreError;

/// Declares types of ids: UUIDs in the program, texts in both databases.
macro_rules! ids {
    ($($(#[$about:meta])+ $id:ident)+) => {$(
        $(#[$about])+
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, AsExpression,
            FromSqlRow, ToSchema,
        )]
        #[diesel(sql_type = Text)]
        #[serde(transparent)]
        pub struct $id(pub Uuid);

        impl fmt::Display for $id {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $id {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<$id, uuid::Error> {
                text.parse().map($id)
            }
        }

        impl ToSql<Text, Sqlite> for $id {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
                out.set_value(self.to_string());
                Ok(IsNull::No)
            }
        }

        impl ToSql<Text, Pg> for $id {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
                write!(out, "{self}")?;
                Ok(IsNull::No)
            }
        }

        impl ToSql<Text, AnyBackend> for $id {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, AnyBackend>) -> serialize::Result {
                out.set_value((Text, self));
                Ok(IsNull::No)
            }
        }

        impl<DB: Backend> FromSql<Text, DB> for $id
        where
            String: FromSql<Text, DB>,
        {
            fn from_sql(bytes: DB::RawValue<'_>) -> deserialize::Result<$id> {
                let text = String::from_sql(bytes)?;
                text.parse().map_err(|_| format!("{text:?} is no id").into())
            }
        }
    )+};
}

ids! {
    /// The id of a game: a UUID of version 7. Newer games have greater ids.
    #[derive(Default)]
    GameId
    /// The id of a row: a UUID, mostly of version 7.
    Id
}

/// Lets columns have the enums that [`choices`](estimation_engine::choices) declares.
macro_rules! text_enums {
    ($($enum:ident),+) => {$(
        const _: () = {
            use diesel::backend::Backend;
            use diesel::deserialize::{self, FromSql, FromSqlRow};
            use diesel::expression::AsExpression;
            use diesel::serialize::{self, Output, ToSql};
            use diesel::sql_types::Text;
            use estimation_engine::choice::Choice;

            #[derive(AsExpression, FromSqlRow)]
            #[diesel(sql_type = Text, foreign_derive)]
            #[expect(dead_code, reason = "it carries the derives of the enum")]
            struct Column($enum);

            impl<DB: Backend> FromSql<Text, DB> for $enum
            where
                String: FromSql<Text, DB>,
            {
                fn from_sql(bytes: DB::RawValue<'_>) -> deserialize::Result<$enum> {
                    let text = String::from_sql(bytes)?;
                    let named = $enum::from_name(&text);
                    named.ok_or_else(|| format!("{text:?} is no {}", stringify!($enum)).into())
                }
            }

            impl<DB: Backend> ToSql<Text, DB> for $enum
            where
                str: ToSql<Text, DB>,
            {
                fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, DB>) -> serialize::Result {
                    self.as_str().to_sql(out)
                }
            }
        };
    )+};
}
pub(super) use text_enums;

/// Binds a time as a number.
impl ToSql<BigInt, AnyBackend> for RecordTime {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, AnyBackend>) -> serialize::Result {
        out.set_value((BigInt, self));
        Ok(IsNull::No)
    }
}

/// Bytes of a fixed length, as rows have them until they are in their own type.
#[derive(FromSqlRow)]
pub struct Bytes<const N: usize>([u8; N]);

impl<DB: Backend, const N: usize> FromSql<Binary, DB> for Bytes<N>
where
    Vec<u8>: FromSql<Binary, DB>,
{
    fn from_sql(bytes: DB::RawValue<'_>) -> deserialize::Result<Bytes<N>> {
        let stored = Vec::from_sql(bytes)?;
        let exact = stored.as_slice().try_into().map(Bytes);
        exact.map_err(|_| format!("{} bytes instead of {N}", stored.len()).into())
    }
}

impl<const N: usize> From<Bytes<N>> for [u8; N] {
    fn from(bytes: Bytes<N>) -> [u8; N] {
        bytes.0
    }
}

/// The same of a column that may be null.
#[derive(FromSqlRow)]
pub struct OptionalBytes<const N: usize>(Option<[u8; N]>);

impl<DB: Backend, const N: usize> FromSql<Nullable<Binary>, DB> for OptionalBytes<N>
where
    Bytes<N>: FromSql<Binary, DB>,
{
    fn from_sql(bytes: DB::RawValue<'_>) -> deserialize::Result<OptionalBytes<N>> {
        Bytes::from_sql(bytes).map(|Bytes(bytes)| OptionalBytes(Some(bytes)))
    }

    fn from_nullable_sql(bytes: Option<DB::RawValue<'_>>) -> deserialize::Result<OptionalBytes<N>> {
        bytes.map_or(Ok(OptionalBytes(None)), Self::from_sql)
    }
}

impl<const N: usize> From<OptionalBytes<N>> for Option<[u8; N]> {
    fn from(bytes: OptionalBytes<N>) -> Option<[u8; N]> {
        bytes.0
    }
}

/// The length of a binding.
const BINDING: usize = KID_TAG + 32;

/// A keyed hash over stored bytes, by which a node can tell what a node has written: the tag of its key's id, then
/// HMAC-SHA256.
#[derive(Debug, Clone, Copy, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Binary)]
pub struct Binding([u8; BINDING]);

impl Binding {
    pub fn new(key: [u8; KID_TAG], mac: [u8; 32]) -> Binding {
        let mut bytes = [0; BINDING];
        bytes[..KID_TAG].copy_from_slice(&key);
        bytes[KID_TAG..].copy_from_slice(&mac);
        Binding(bytes)
    }

    /// The tag of the key's id.
    pub fn key(&self) -> [u8; KID_TAG] {
        let mut key = [0; KID_TAG];
        key.copy_from_slice(&self.0[..KID_TAG]);
        key
    }

    /// The HMAC-SHA256.
    pub fn mac(&self) -> &[u8] {
        &self.0[KID_TAG..]
    }

    /// The bytes as stored.
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Reads a binding from a row that is read although it may be damaged.
    pub(super) fn read(bytes: &[u8]) -> Result<Binding, StoreError> {
        bytes.try_into().map(Binding).map_err(|_| StoreError::Corrupt {
            detail: format!("a stored binding has {} bytes instead of {BINDING}", bytes.len()),
        })
    }
}

impl<DB: Backend> ToSql<Binary, DB> for Binding
where
    [u8]: ToSql<Binary, DB>,
{
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, DB>) -> serialize::Result {
        self.0.as_slice().to_sql(out)
    }
}

impl<DB: Backend> FromSql<Binary, DB> for Binding
where
    Bytes<BINDING>: FromSql<Binary, DB>,
{
    fn from_sql(bytes: DB::RawValue<'_>) -> deserialize::Result<Binding> {
        Bytes::from_sql(bytes).map(|Bytes(bytes)| Binding(bytes))
    }
}

/// A hash from a row that is read although it may be damaged.
pub(super) fn read_hash(bytes: &[u8]) -> Result<Hash, StoreError> {
    bytes.try_into().map_err(|_| StoreError::Corrupt {
        detail: format!("a stored hash has {} bytes instead of 32", bytes.len()),
    })
}

/// A number as SQL has it that is not written with diesel's tables.
pub(super) fn to_stored(number: u64) -> Result<i64, StoreError> {
    i64::try_from(number).map_err(|_| StoreError::Malformed { reason: "a number beyond 63 bits" })
}

/// A number from a row that is read although it may be damaged, or from a count.
pub(super) fn from_stored(number: i64) -> Result<u64, StoreError> {
    u64::try_from(number).map_err(|_| StoreError::Corrupt { detail: format!("the number {number}") })
}
