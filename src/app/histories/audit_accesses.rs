//! Audit accesses: auditors reading what only auditors may see. Each access is recorded before the data is
//! sent. The game's players can list accesses, and the auditor cannot play in the game.

use serde::Serialize;

use super::Records;
use crate::app::cursor::ListTag;
use crate::app::failure::{Failure, milliseconds};
use crate::auth::caller::Caller;
use crate::auth::tokens::Role;
use crate::engine::rejection::Rejection;
use crate::store::{GameId, audit_accesses};
use estimation_record::RecordTime;

#[derive(Clone, Debug, Serialize)]
pub struct AccessLine {
    pub account: String,
    pub game: GameId,
    /// The last event that was read.
    pub version: u64,
    pub at: RecordTime,
}

/// An access as players see it, without the auditor's account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AuditAccess {
    /// The last event that was read.
    pub version: u64,
    pub at: RecordTime,
    /// Whether the game was still running.
    pub before_end: bool,
}

/// A page of accesses, newest first.
#[derive(Clone, Debug, Serialize)]
pub struct AccessPage<T> {
    pub items: Vec<T>,
    /// The `cursor` of the next page; `None` on the last.
    pub next_cursor: Option<String>,
}

impl Records {
    /// Lists all accesses, for admins.
    pub async fn all_audit_accesses(
        &self,
        caller: &Caller,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<AccessPage<AccessLine>, Failure> {
        caller.require(Role::Admin)?;
        let line = |access: audit_accesses::Look| {
            let audit_accesses::Look { account, game, version, looked_at, .. } = access;
            Ok(AccessLine { account, game, version, at: RecordTime::from_milliseconds(looked_at)? })
        };
        self.access_page(None, cursor, limit, line).await
    }

    /// Lists the accesses to a game, for its players.
    ///
    /// # Errors
    /// [`Rejection::NotSeated`] for other accounts that may see the game.
    pub async fn audit_accesses(
        &self,
        caller: &Caller,
        id: GameId,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<AccessPage<AuditAccess>, Failure> {
        let loaded = self.games.present(id).await?;
        if !loaded.game.sat_in(&caller.account) {
            loaded.admit(&caller.account)?;
            return Err(Rejection::NotSeated.into());
        }
        // The last event ends the game: an access that includes it came after the end.
        let end = loaded.game.is_over().then_some(loaded.version);
        let access = |access: audit_accesses::Look| {
            let before_end = end.is_none_or(|end| access.version < end);
            let at = RecordTime::from_milliseconds(access.looked_at)?;
            Ok(AuditAccess { version: access.version, at, before_end })
        };
        self.access_page(Some(id), cursor, limit, access).await
    }

    async fn access_page<T>(
        &self,
        game: Option<GameId>,
        cursor: Option<&str>,
        limit: usize,
        line: impl Fn(audit_accesses::Look) -> Result<T, Failure>,
    ) -> Result<AccessPage<T>, Failure> {
        let tag = ListTag::of(&["looks", &game.map(|game| game.to_string()).unwrap_or_default()]);
        let behind: Option<i64> = tag.position(cursor)?;
        let asked = limit as i64 + 1;
        let read =
            move |conn: &mut crate::store::Connection| audit_accesses::before(conn, game, behind, asked);
        let mut rows = self.database.read(read).await?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next_cursor = rows.last().filter(|_| more).map(|access| tag.cursor(access.position));
        Ok(AccessPage { items: rows.into_iter().map(line).collect::<Result<_, Failure>>()?, next_cursor })
    }

    /// Records that the caller reads a game as an auditor.
    pub(super) async fn record_audit_access(
        &self,
        caller: &Caller,
        id: GameId,
        version: u64,
    ) -> Result<(), Failure> {
        let (account, now) = (caller.account.to_string(), milliseconds(self.clock.now()));
        let write = move |conn: &mut crate::store::Connection| {
            audit_accesses::record(conn, &account, id, version, now)
        };
        Ok(self.database.write(write).await?)
    }
}
