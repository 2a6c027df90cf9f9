//! Account ids and choices as texts of an SQL database, for the server (feature `sql`).

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

/// Lets queries take and return [`Choice`](crate::choice::Choice) types, as text.
#[macro_export]
macro_rules! choice_columns {
    ($($type:ty),+) => {$(
        $crate::choice_columns!(@compared $type, $type);
        $crate::choice_columns!(@compared &$type, $type);

        impl<DB: diesel::backend::Backend> diesel::serialize::ToSql<diesel::sql_types::Text, DB> for $type
        where
            str: diesel::serialize::ToSql<diesel::sql_types::Text, DB>,
        {
            fn to_sql<'b>(&'b self, out: &mut diesel::serialize::Output<'b, '_, DB>) -> diesel::serialize::Result {
                self.as_str().to_sql(out)
            }
        }

        impl<DB: diesel::backend::Backend>
            diesel::serialize::ToSql<diesel::sql_types::Nullable<diesel::sql_types::Text>, DB> for $type
        where
            str: diesel::serialize::ToSql<diesel::sql_types::Text, DB>,
        {
            fn to_sql<'b>(&'b self, out: &mut diesel::serialize::Output<'b, '_, DB>) -> diesel::serialize::Result {
                self.as_str().to_sql(out)
            }
        }

        impl<DB: diesel::backend::Backend> diesel::deserialize::FromSql<diesel::sql_types::Text, DB> for $type
        where
            String: diesel::deserialize::FromSql<diesel::sql_types::Text, DB>,
        {
            fn from_sql(bytes: DB::RawValue<'_>) -> diesel::deserialize::Result<$type> {
                let name = String::from_sql(bytes)?;
                let known = <$type as $crate::choice::Choice>::from_name(&name);
                known.ok_or_else(|| format!("{name:?} is no {}", stringify!($type)).into())
            }
        }

        impl<DB: diesel::backend::Backend> diesel::deserialize::Queryable<diesel::sql_types::Text, DB> for $type
        where
            $type: diesel::deserialize::FromSql<diesel::sql_types::Text, DB>,
        {
            type Row = $type;

            fn build(row: $type) -> diesel::deserialize::Result<$type> {
                Ok(row)
            }
        }
    )+};
    (@compared $value:ty, $type:ty) => {
        $crate::choice_columns!(@expression $value, diesel::sql_types::Text);
        $crate::choice_columns!(@expression $value, diesel::sql_types::Nullable<diesel::sql_types::Text>);
    };
    (@expression $value:ty, $column:ty) => {
        impl diesel::expression::AsExpression<$column> for $value {
            type Expression = diesel::internal::derives::as_expression::Bound<$column, Self>;

            fn as_expression(self) -> Self::Expression {
                diesel::internal::derives::as_expression::Bound::new(self)
            }
        }
    };
}
