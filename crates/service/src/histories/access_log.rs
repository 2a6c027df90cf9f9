//! The signed end of the auditor access log. It covers all entries with a hash chain, so a deleted or changed entry
//! shows: an intruder cannot sign another end.

use super::Records;
use crate::auth::authority::RequiredAuthority;
use crate::auth::caller::Caller;
use crate::auth::keys::RecordKeys;
use crate::base::failure::Failure;
use estimation_engine::hex::Hex;
use estimation_engine::player::AccountId;
use estimation_record::{GENESIS, RecordTime, canonical_json, chain};
use estimation_store::audit_accesses::{self, Head, Look};
use estimation_store::{Connection, GameId, Hash, Server, StoreError};
use jiff::Timestamp;
use serde::Serialize;

/// The first line of the signed statement; its last part is the version.
const LABEL: &str = "estimation/access-log/v1\n";

/// Entries read per query.
const PAGE: i64 = 500;

/// The access log up to an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AccessLog {
    position: i64,
    pub(crate) accesses: u64,
    hash: Hash,
    began_at: RecordTime,
}

/// An entry as the chain hashes it.
#[derive(Serialize)]
struct Entry<'a> {
    account: &'a AccountId,
    at: i64,
    game: GameId,
    position: i64,
    version: u64,
}

#[derive(Serialize)]
struct Statement {
    accesses: u64,
    began: RecordTime,
    head: Hex<32>,
}

impl AccessLog {
    /// The log before its first entry.
    pub(crate) fn begun(began_at: RecordTime) -> AccessLog {
        AccessLog { position: 0, accesses: 0, hash: GENESIS, began_at }
    }

    /// The log up to its signed end, without looking at the entries.
    pub(crate) fn of(head: &Head) -> AccessLog {
        let &Head { position, accesses, chain, began_at, .. } = head;
        AccessLog { position, accesses, hash: chain, began_at }
    }

    /// Adds the entries after the last one, up to a position.
    pub(crate) fn extend(&mut self, conn: &mut Connection, last: i64) -> Result<(), StoreError> {
        loop {
            let page = audit_accesses::after(conn, self.position, PAGE)?;
            let full = page.len() as i64 == PAGE;
            for look in page {
                if look.position > last {
                    return Ok(());
                }
                self.add(&look)?;
            }
            if !full {
                return Ok(());
            }
        }
    }

    fn add(&mut self, look: &Look) -> Result<(), StoreError> {
        let &Look { position, ref account, game, version, looked_at: at } = look;
        let at = at.milliseconds();
        let entry = canonical_json(&Entry { account, at, game, position, version }).map_err(defect)?;
        *self = AccessLog {
            position,
            accesses: self.accesses + 1,
            hash: chain(self.hash, entry.as_bytes()),
            began_at: self.began_at,
        };
        Ok(())
    }

    /// What the signature of the end covers.
    pub(crate) fn statement(&self) -> Result<Vec<u8>, StoreError> {
        let statement = Statement { accesses: self.accesses, began: self.began_at, head: Hex(self.hash) };
        Ok((LABEL.to_owned() + &canonical_json(&statement).map_err(defect)?).into_bytes())
    }

    fn save(&self, conn: &mut Connection, keys: &RecordKeys, now: Timestamp) -> Result<(), StoreError> {
        let signed = keys.sign(&self.statement()?, now);
        let signed = signed.ok_or_else(|| defect("every record key is retired"))?;
        let &AccessLog { position, accesses, hash: chain, began_at } = self;
        let (kid, signature) = (signed.kid.to_string(), signed.signature);
        audit_accesses::save_head(conn, &Head { position, accesses, chain, began_at, kid, signature })
    }
}

/// The signed end, if there is one.
///
/// # Errors
/// [`StoreError::Corrupt`] when none of the keys made the signature.
fn signed_end(conn: &mut Connection, keys: &RecordKeys) -> Result<Option<AccessLog>, StoreError> {
    let Some(head) = audit_accesses::head(conn)? else { return Ok(None) };
    let log = AccessLog::of(&head);
    let statement = log.statement()?;
    match keys.find(&head.kid).is_some_and(|key| key.verify(&statement, &head.signature)) {
        true => Ok(Some(log)),
        false => {
            Err(StoreError::Corrupt { detail: "no record key signed the end of the access log".to_owned() })
        }
    }
}

impl Records {
    /// Signs the end of a log that has none yet, as in a new database.
    pub async fn begin_access_log(&self) -> Result<(), Failure> {
        if self.database.read(audit_accesses::head).await?.is_some() {
            return Ok(());
        }
        let (keys, now) = (self.keys.ring().record_keys(), self.clock.now());
        let begin = move |conn: &mut Connection| {
            audit_accesses::lock(conn)?;
            if audit_accesses::head(conn)?.is_some() {
                return Ok(());
            }
            let mut log = AccessLog::begun(now.into());
            log.extend(conn, i64::MAX)?;
            log.save(conn, &keys, now)
        };
        Ok(self.database.write(Server, begin).await?)
    }

    /// Adds an entry and signs the new end.
    pub(super) async fn add_access(
        &self,
        caller: &Caller,
        game: GameId,
        version: u64,
    ) -> Result<(), Failure> {
        let (keys, now, account) = (self.keys.ring().record_keys(), self.clock.now(), caller.account.clone());
        let write = move |conn: &mut Connection| {
            audit_accesses::lock(conn)?;
            let log = signed_end(conn, &keys)?;
            audit_accesses::record(conn, &account, game, version, now.into())?;
            let mut log = log.unwrap_or(AccessLog::begun(now.into()));
            log.extend(conn, i64::MAX)?;
            Ok(log.save(conn, &keys, now)?)
        };
        self.database.write(caller.authority(RequiredAuthority::SignedIn, now), write).await
    }
}

fn defect(error: impl ToString) -> StoreError {
    StoreError::Defect { detail: error.to_string() }
}
