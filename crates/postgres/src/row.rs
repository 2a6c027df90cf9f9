//! Rows and parameters in PostgreSQL's binary format, between the driver and diesel.

use std::error::Error;
use std::fmt;
use std::num::NonZeroU32;
use std::ops::Range;

use diesel::backend::Backend;
use diesel::pg::{Pg, PgTypeMetadata, PgValue};
use diesel::row::{Field, PartialRow, Row, RowIndex, RowSealed};
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, Kind, ToSql, Type};

pub struct PgRow(tokio_postgres::Row);

pub struct PgField<'row> {
    name: &'row str,
    oid: Option<NonZeroU32>,
    value: Option<&'row [u8]>,
}

impl PgRow {
    pub(crate) fn new(row: tokio_postgres::Row) -> Self {
        Self(row)
    }
}

impl RowSealed for PgRow {}

impl RowIndex<usize> for PgRow {
    fn idx(&self, index: usize) -> Option<usize> {
        (index < self.0.len()).then_some(index)
    }
}

impl RowIndex<&str> for PgRow {
    fn idx(&self, name: &str) -> Option<usize> {
        self.0.columns().iter().position(|column| column.name() == name)
    }
}

impl<'a> Row<'a, Pg> for PgRow {
    type Field<'row>
        = PgField<'row>
    where
        Self: 'row,
        'a: 'row;
    type InnerPartialRow = Self;

    fn field_count(&self) -> usize {
        self.0.len()
    }

    fn get<'row, I>(&'row self, index: I) -> Option<Self::Field<'row>>
    where
        'a: 'row,
        Self: RowIndex<I>,
    {
        let index = self.idx(index)?;
        let column = self.0.columns().get(index)?;
        let Raw(value) = self.0.try_get(index).ok()?;
        Some(PgField { name: column.name(), oid: NonZeroU32::new(column.type_().oid()), value })
    }

    fn partial_row(&self, range: Range<usize>) -> PartialRow<'_, Self::InnerPartialRow> {
        PartialRow::new(self, range)
    }
}

impl Field<'_, Pg> for PgField<'_> {
    fn field_name(&self) -> Option<&str> {
        Some(self.name)
    }

    fn value(&self) -> Option<<Pg as Backend>::RawValue<'_>> {
        Some(PgValue::new(self.value?, self.oid.as_ref()?))
    }
}

/// The bytes of a value of any type; `None` for NULL.
struct Raw<'row>(Option<&'row [u8]>);

impl<'row> FromSql<'row> for Raw<'row> {
    fn from_sql(_: &Type, raw: &'row [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(Some(raw)))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(None))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// A parameter as diesel serialised it. Its `Debug`, which the driver logs, hides the value.
pub(crate) struct Parameter(pub Option<Vec<u8>>);

impl fmt::Debug for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(bytes) => write!(f, "{} bytes", bytes.len()),
            None => f.write_str("NULL"),
        }
    }
}

impl ToSql for Parameter {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match &self.0 {
            Some(bytes) => {
                out.extend_from_slice(bytes);
                Ok(IsNull::No)
            }
            None => Ok(IsNull::Yes),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    /// The server learns the parameters' types when the statement is prepared, so there is nothing to check.
    fn to_sql_checked(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        self.to_sql(ty, out)
    }
}

/// The driver's type for a parameter's OID. The driver only passes the OID on.
pub(crate) fn parameter_type(metadata: &PgTypeMetadata) -> Type {
    let oid = metadata.oid().unwrap_or(0);
    Type::from_oid(oid).unwrap_or_else(|| Type::new(String::new(), oid, Kind::Simple, String::new()))
}
