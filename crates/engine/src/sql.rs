//! Account ids as texts of an SQL database, for the server (feature `sql`).

use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql};
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::Text;

use crate::player::AccountId;

/// Binds the id's own text, without a copy.
impl<DB: Backend> ToSql<Text, DB> for AccountId
where
    str: ToSql<Text, DB>,
{
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, DB>) -> serialize::Result {
        self.as_str().to_sql(out)
    }
}

impl<DB: Backend> FromSql<Text, DB> for AccountId
where
    String: FromSql<Text, DB>,
{
    fn from_sql(bytes: DB::RawValue<'_>) -> deserialize::Result<AccountId> {
        String::from_sql(bytes).map(AccountId::new)
    }
}
