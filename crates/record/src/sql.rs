//! Times as numbers of an SQL database, in milliseconds since 1970 (UTC), for the server (feature `sql`).

use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql};
use diesel::pg::Pg;
use diesel::serialize::{self, IsNull, Output, ToSql};
use diesel::sql_types::BigInt;
use diesel::sqlite::Sqlite;

use crate::time::RecordTime;

impl ToSql<BigInt, Sqlite> for RecordTime {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(self.milliseconds());
        Ok(IsNull::No)
    }
}

impl ToSql<BigInt, Pg> for RecordTime {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<BigInt, Pg>::to_sql(&self.milliseconds(), &mut out.reborrow())
    }
}

impl<DB: Backend> FromSql<BigInt, DB> for RecordTime
where
    i64: FromSql<BigInt, DB>,
{
    fn from_sql(bytes: DB::RawValue<'_>) -> deserialize::Result<RecordTime> {
        let milliseconds = i64::from_sql(bytes)?;
        RecordTime::from_milliseconds(milliseconds).map_err(|_| format!("{milliseconds} is no time").into())
    }
}
