//! Audit accesses: what an auditor saw that only an auditor may see. They are recorded first, are shown to the
//! players of the game, and keep the auditor from playing in it.

use serde::Serialize;
use uuid::Uuid;

use super::Records;
use crate::app::cursor::ListTag;
use crate::app::failure::{Failure, milliseconds};
use crate::auth::caller::Caller;
use crate::auth::tokens::Role;
use crate::engine::rejection::Rejection;
use crate::store::audit_accesses;
use estimation_record::RecordTime;

#[derive(Clone, Debug, Serialize)]
pub struct AccessLine {
    pub account: String,
    pub game: String,
    /// The last event that was seen.
    pub version: u64,
    pub at: RecordTime,
}

/// An access, as the players of the game see it: without the auditor's account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AuditAccess {
    /// The last event that was seen.
    pub version: u64,
    pub at: RecordTime,
    /// Whether the game was not over at that time.
    pub before_end: bool,
}

/// A page of accesses, newest first.
#[derive(Clone, Debug, Serialize)]
pub struct AccessPage<T> {
    pub items: Vec<T>,
    /// What to give as `cursor` for the next page; none on the last.
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

    /// Lists the accesses to a game, for those who sat in it.
    ///
    /// # Errors
    /// [`Rejection::NotSeated`] for others who may see the game.
    pub async fn audit_accesses(
        &self,
        caller: &Caller,
        id: Uuid,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<AccessPage<AuditAccess>, Failure> {
        let loaded = self.games.present(id).await?;
        if !loaded.game.sat_in(&caller.account) {
            loaded.admit(&caller.account)?;
            return Err(Rejection::NotSeated.into());
        }
        // The last event of a game is its end: an auditor who was shown it came afterwards.
        let end = loaded.game.is_over().then_some(loaded.version);
        let access = |access: audit_accesses::Look| {
            let before_end = end.is_none_or(|end| access.version < end);
            let at = RecordTime::from_milliseconds(access.looked_at)?;
            Ok(AuditAccess { version: access.version, at, before_end })
        };
        self.access_page(Some(id.to_string()), cursor, limit, access).await
    }

    async fn access_page<T>(
        &self,
        game: Option<String>,
        cursor: Option<&str>,
        limit: usize,
        line: impl Fn(audit_accesses::Look) -> Result<T, Failure>,
    ) -> Result<AccessPage<T>, Failure> {
        let tag = ListTag::of(&["looks", game.as_deref().unwrap_or_default()]);
        let behind: Option<i64> = tag.position(cursor)?;
        let asked = limit as i64 + 1;
        let read = move |conn: &mut crate::store::Connection| {
            audit_accesses::before(conn, game.as_deref(), behind, asked)
        };
        let mut rows = self.database.read(read).await?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next_cursor = rows.last().filter(|_| more).map(|access| tag.cursor(access.position));
        Ok(AccessPage { items: rows.into_iter().map(line).collect::<Result<_, Failure>>()?, next_cursor })
    }

    /// Records that the caller sees a game by an auditor's right.
    pub(super) async fn record_audit_access(
        &self,
        caller: &Caller,
        id: Uuid,
        version: u64,
    ) -> Result<(), Failure> {
        let (account, game, now) =
            (caller.account.to_string(), id.to_string(), milliseconds(self.clock.now()));
        let write = move |conn: &mut crate::store::Connection| {
            audit_accesses::record(conn, &account, &game, version, now)
        };
        Ok(self.database.write(write).await?)
    }
}
