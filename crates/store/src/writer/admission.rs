//! Admission checks: the accounts that sit down, become the host or start to play exist, there is no block between an account
//! that sits down and a player, and the host may open another table. They run in the same transaction, before the units' writes.
//!
//! Games reference accounts without a foreign key, so that deleting an account touches no history. Therefore
//! the seat performs the key's check: on PostgreSQL it locks the account's row. A concurrent deletion waits
//! for the seat and then frees it, or the seat waits for the deletion and is refused. A host's tables are
//! counted under a lock, so that two nodes cannot both open the last one.

use std::collections::{BTreeMap, BTreeSet};

use diesel::prelude::*;
use diesel::sql_types::{Integer, Text};

use super::unit::{Append, Effect};
use crate::connection::Connection;
use crate::error::StoreError;
use crate::schema::accounts;
use crate::{games, matchmaking, relations};
use estimation_engine::player::AccountId;

/// The first half of PostgreSQL's lock number for a host: ASCII "host".
const HOSTING: i32 = 0x686f_7374;

/// The appends that may not be written, with reasons, ordered by index.
pub(super) fn refused<'a>(
    conn: &mut Connection,
    appends: impl Iterator<Item = &'a Append> + Clone,
) -> Result<Vec<(usize, StoreError)>, StoreError> {
    let mut people: BTreeSet<&AccountId> = appends.clone().flat_map(people_of).collect();
    people.extend(appends.clone().flat_map(breaking_off));
    if people.is_empty() {
        return Ok(Vec::new());
    }
    let there = present(conn, people)?;
    let mut tables = BTreeMap::new();
    let hosts: BTreeSet<&AccountId> = appends.clone().filter_map(hosting).map(|(host, _)| host).collect();
    for host in hosts {
        lock(conn, host)?;
        tables.insert(host, games::in_lobby_of(conn, host)?);
    }
    let mut refused = Vec::new();
    for (index, append) in appends.enumerate() {
        if let Some(gone) = people_of(append).find(|account| !there.contains(*account)) {
            refused.push((index, StoreError::NoAccount { account: gone.clone() }));
            continue;
        }
        if let Some(account) = sitting_down(append)
            && relations::is_blocked_at(conn, account, append.game)?
        {
            refused.push((index, StoreError::Blocked { account: account.clone() }));
            continue;
        }
        let Some((host, limit)) = hosting(append) else { continue };
        // Matchmaking picks its hosts, so the limit does not apply.
        if matchmaking::is_open(conn, append.game)? {
            continue;
        }
        let tables = tables.entry(host).or_default();
        if *tables >= i64::from(limit) {
            refused.push((index, StoreError::TooManyTables { host: host.clone(), limit }));
        } else {
            // Count the tables of this transaction as well.
            *tables += 1;
        }
    }
    Ok(refused)
}

/// The accounts that an append seats, makes the host, or starts a game with.
fn people_of(append: &Append) -> impl Iterator<Item = &AccountId> {
    append.effects.iter().flat_map(|effect| {
        let (one, players) = match effect {
            Effect::SeatPlayer { account, .. } => (account.as_ref(), &[][..]),
            Effect::HostTable { account, .. } => (Some(account), &[][..]),
            Effect::LogStart(started) => (None, &started.pseudonyms[..]),
            _ => (None, &[][..]),
        };
        one.into_iter().chain(players.iter().map(|(account, _)| account))
    })
}

/// The account that sits down at a table that exists.
fn sitting_down(append: &Append) -> Option<&AccountId> {
    let is_new = append.effects.iter().any(|effect| matches!(effect, Effect::InsertGame(_)));
    append.effects.iter().filter(|_| !is_new).find_map(|effect| match effect {
        Effect::SeatPlayer { account, .. } => account.as_ref(),
        _ => None,
    })
}

/// The accounts that an append counts break-offs of. They need not exist.
fn breaking_off(append: &Append) -> impl Iterator<Item = &AccountId> {
    append.effects.iter().filter_map(|effect| match effect {
        Effect::CountBreakOff(new) => Some(&new.account),
        _ => None,
    })
}

/// The new host of a table in the lobby, and the maximum number of such tables.
fn hosting(append: &Append) -> Option<(&AccountId, u32)> {
    append.effects.iter().find_map(|effect| match effect {
        Effect::HostTable { account, limit: Some(limit) } => Some((account, *limit)),
        _ => None,
    })
}

/// The accounts that exist. They stay until the transaction ends.
fn present(conn: &mut Connection, people: BTreeSet<&AccountId>) -> Result<BTreeSet<AccountId>, StoreError> {
    let query = accounts::table.filter(accounts::id.eq_any(people)).order(accounts::id).select(accounts::id);
    let found: Vec<AccountId> = match conn {
        Connection::Sqlite(conn) => query.load(conn)?,
        Connection::Postgres(conn) => query.for_key_share().load(conn)?,
    };
    Ok(found.into_iter().collect())
}

/// Blocks other transactions that count the host's tables until this one ends.
fn lock(conn: &mut Connection, host: &AccountId) -> Result<(), StoreError> {
    if let Connection::Postgres(conn) = conn {
        diesel::sql_query("SELECT pg_advisory_xact_lock($1, hashtext($2))")
            .bind::<Integer, _>(HOSTING)
            .bind::<Text, _>(host)
            .execute(conn)?;
    }
    Ok(())
}
