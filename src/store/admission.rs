//! Admission: whose account is there to be seated, and who may host another table. It is decided in the
//! transaction that seats or hosts, before anything of the unit is written.
//!
//! Games name accounts without referencing them, so that deleting one touches no history. A seat has to check
//! what a foreign key would: on PostgreSQL it locks the account's row as one does. Deleting the account then
//! waits for the seat, which is there to be freed afterwards, or the seat waits for the deletion and is
//! refused. Tables of a host are counted under a lock of the host's, so that no two nodes take the last one.

use std::collections::{BTreeMap, BTreeSet};

use diesel::prelude::*;
use diesel::sql_types::{Integer, Text};

use super::connection::Connection;
use super::error::StoreError;
use super::schema::accounts;
use super::writer::{Append, Effect};
use super::{games, matchmaking};

/// The first half of the number under which PostgreSQL keeps a host's lock: the ASCII of "host".
const HOSTING: i32 = 0x686f_7374;

/// Which of the appends may not be written, and why, in order of their indexes.
///
/// # Errors
/// What reading met.
pub(super) fn refused<'a>(
    conn: &mut Connection,
    appends: impl Iterator<Item = &'a Append> + Clone,
) -> Result<Vec<(usize, StoreError)>, StoreError> {
    let people: BTreeSet<&str> = appends.clone().flat_map(people_of).collect();
    if people.is_empty() {
        return Ok(Vec::new());
    }
    let there = present(conn, people)?;
    let mut tables = BTreeMap::new();
    let hosts: BTreeSet<&str> = appends.clone().filter_map(hosting).map(|(host, _)| host).collect();
    for host in hosts {
        lock(conn, host)?;
        tables.insert(host, games::in_lobby_of(conn, host)?);
    }
    let mut refused = Vec::new();
    for (index, append) in appends.enumerate() {
        if let Some(gone) = people_of(append).find(|account| !there.contains(*account)) {
            refused.push((index, StoreError::NoAccount { account: gone.to_owned() }));
            continue;
        }
        let Some((host, most)) = hosting(append) else { continue };
        // At a table of strangers the host is so by chance.
        if matchmaking::is_open(conn, &append.game)? {
            continue;
        }
        let tables = tables.entry(host).or_default();
        if *tables >= i64::from(most) {
            refused.push((index, StoreError::TooManyTables { host: host.to_owned(), most }));
        } else {
            // Those in the same transaction count as well.
            *tables += 1;
        }
    }
    Ok(refused)
}

/// Whom an append seats or makes the host.
fn people_of(append: &Append) -> impl Iterator<Item = &str> {
    append.effects.iter().filter_map(|effect| match effect {
        Effect::SeatPlayer { account, .. } => account.as_deref(),
        Effect::HostTable { account, .. } => Some(account.as_str()),
        _ => None,
    })
}

/// Whom an append makes the host of a table in the lobby, and how many such tables they may have.
fn hosting(append: &Append) -> Option<(&str, u32)> {
    append.effects.iter().find_map(|effect| match effect {
        Effect::HostTable { account, most: Some(most) } => Some((account.as_str(), *most)),
        _ => None,
    })
}

/// Those of the accounts that exist, which go on existing until the transaction ends.
fn present(conn: &mut Connection, people: BTreeSet<&str>) -> Result<BTreeSet<String>, StoreError> {
    let query = accounts::table.filter(accounts::id.eq_any(people)).order(accounts::id).select(accounts::id);
    let found: Vec<String> = match conn {
        Connection::Sqlite(conn) => query.load(conn)?,
        Connection::Postgres(conn) => query.for_key_share().load(conn)?,
    };
    Ok(found.into_iter().collect())
}

/// Makes other transactions that count a host's tables wait until this one ends.
fn lock(conn: &mut Connection, host: &str) -> Result<(), StoreError> {
    if let Connection::Postgres(conn) = conn {
        diesel::sql_query("SELECT pg_advisory_xact_lock($1, hashtext($2))")
            .bind::<Integer, _>(HOSTING)
            .bind::<Text, _>(host)
            .execute(conn)?;
    }
    Ok(())
}
