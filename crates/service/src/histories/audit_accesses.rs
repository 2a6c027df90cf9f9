//! Audit accesses: auditors reading what only auditors may see. Each access is recorded before the data is
//! sent. The game's players can list accesses, and the auditor cannot play in the game.

use serde::Serialize;
use utoipa::ToSchema;

use super::Records;
use crate::auth::caller::Caller;
use crate::auth::tokens::Role;
use crate::base::cursor::ListTag;
use crate::base::failure::Failure;
use estimation_engine::player::AccountId;
use estimation_engine::rejection::Rejection;
use estimation_record::RecordTime;
use estimation_store::{GameId, audit_accesses};

/// An access of an auditor to the record of a game, as admins see it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Access)]
pub struct AccessLine {
    /// The auditor's account.
    pub account: AccountId,
    /// The game's id.
    pub game: GameId,
    /// The number of the last event that the auditor read.
    #[schema(minimum = 1, maximum = 9_007_199_254_740_991_u64)]
    pub version: u64,
    /// When the auditor read the record.
    pub at: RecordTime,
}

/// An access of an auditor to the record of a game, as the players see it, without the auditor's account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct AuditAccess {
    /// The number of the last event that the auditor read.
    #[schema(minimum = 1, maximum = 9_007_199_254_740_991_u64)]
    pub version: u64,
    /// When the auditor read the record.
    pub at: RecordTime,
    /// Whether the game was still running.
    pub before_end: bool,
}

/// A page of the accesses of auditors to all games, newest first.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AccessPage {
    /// The accesses.
    #[schema(max_items = 100)]
    pub items: Vec<AccessLine>,
    /// The `cursor` of the next page; null on the last page.
    #[schema(min_length = 1, max_length = 512)]
    pub next_cursor: Option<String>,
}

/// A page of the accesses of auditors to a game, newest first.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AuditAccessPage {
    /// The accesses.
    #[schema(max_items = 100)]
    pub items: Vec<AuditAccess>,
    /// The `cursor` of the next page; null on the last page.
    #[schema(min_length = 1, max_length = 512)]
    pub next_cursor: Option<String>,
}

impl Records {
    /// Lists all accesses, for admins.
    pub async fn all_audit_accesses(
        &self,
        caller: &Caller,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<AccessPage, Failure> {
        caller.require(Role::Admin)?;
        let line = |access: audit_accesses::Look| {
            let audit_accesses::Look { account, game, version, looked_at, .. } = access;
            Ok(AccessLine { account, game, version, at: looked_at })
        };
        let (items, next_cursor) = self.access_page(None, cursor, limit, line).await?;
        Ok(AccessPage { items, next_cursor })
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
    ) -> Result<AuditAccessPage, Failure> {
        let loaded = self.games.present(id).await?;
        if !loaded.game.sat_in(&caller.account) {
            self.games.admit(&loaded, &caller.account).await?;
            return Err(Rejection::NotSeated.into());
        }
        // The last event ends the game: an access that includes it came after the end.
        let end = loaded.game.is_over().then_some(loaded.version);
        let access = |access: audit_accesses::Look| {
            let before_end = end.is_none_or(|end| access.version < end);
            Ok(AuditAccess { version: access.version, at: access.looked_at, before_end })
        };
        let (items, next_cursor) = self.access_page(Some(id), cursor, limit, access).await?;
        Ok(AuditAccessPage { items, next_cursor })
    }

    /// The items of a page, and the cursor of the next.
    async fn access_page<T>(
        &self,
        game: Option<GameId>,
        cursor: Option<&str>,
        limit: usize,
        line: impl Fn(audit_accesses::Look) -> Result<T, Failure>,
    ) -> Result<(Vec<T>, Option<String>), Failure> {
        let tag = ListTag::of(&["looks", &game.map(|game| game.to_string()).unwrap_or_default()]);
        let behind: Option<i64> = tag.position(cursor)?;
        let asked = limit as i64 + 1;
        let read =
            move |conn: &mut estimation_store::Connection| audit_accesses::before(conn, game, behind, asked);
        let mut rows = self.database.read(read).await?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next_cursor = rows.last().filter(|_| more).map(|access| tag.cursor(access.position));
        Ok((rows.into_iter().map(line).collect::<Result<_, Failure>>()?, next_cursor))
    }

    /// Records that the caller reads a game as an auditor.
    pub(super) async fn record_audit_access(
        &self,
        caller: &Caller,
        id: GameId,
        version: u64,
    ) -> Result<(), Failure> {
        self.add_access(caller, id, version).await
    }
}
