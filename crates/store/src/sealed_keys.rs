//! The encrypted key ring that all nodes share.

use diesel::prelude::*;

use super::connection::insert_if_absent;
use super::schema::sealed_keys;
use super::{Connection, Result};

const ROW: i32 = 1;

/// The sealed ring and its version.
pub fn find(conn: &mut Connection) -> Result<Option<(i64, Vec<u8>)>> {
    let query = sealed_keys::table.find(ROW).select((sealed_keys::version, sealed_keys::sealed));
    Ok(query.first(conn).optional()?)
}

/// The version of the ring.
pub fn version(conn: &mut Connection) -> Result<Option<i64>> {
    Ok(sealed_keys::table.find(ROW).select(sealed_keys::version).first(conn).optional()?)
}

/// Replaces version `former` of the ring (0 for none). Returns false when another version is stored
/// meanwhile.
pub fn replace(conn: &mut Connection, former: i64, sealed: &[u8]) -> Result<bool> {
    let new = (sealed_keys::version.eq(former + 1), sealed_keys::sealed.eq(sealed));
    if former == 0 {
        let row = (sealed_keys::id.eq(ROW), new);
        return Ok(insert_if_absent!(conn, sealed_keys::table, row) == 1);
    }
    let current = sealed_keys::table.find(ROW).filter(sealed_keys::version.eq(former));
    Ok(diesel::update(current).set(new).execute(conn)? == 1)
}
