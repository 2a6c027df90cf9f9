//! Looks: what an auditor saw that only an auditor may see. They are recorded first, and keep the auditor
//! from playing in that game.

use serde::Serialize;
use uuid::Uuid;

use crate::application::app::App;
use crate::application::caller::Caller;
use crate::application::cursor::ListTag;
use crate::application::failure::{Failure, milliseconds};
use crate::application::record::RecordTime;
use crate::application::tokens::Role;
use crate::store::looks;

/// A look.
#[derive(Clone, Debug, Serialize)]
pub struct LookLine {
    /// The auditor's account.
    pub account: String,
    /// The game.
    pub game: String,
    /// The last event that was seen.
    pub version: u64,
    /// When.
    pub at: RecordTime,
}

/// A page of looks, newest first.
#[derive(Clone, Debug, Serialize)]
pub struct LooksPage {
    /// The looks.
    pub items: Vec<LookLine>,
    /// What to give as `cursor` for the next page; none on the last.
    pub next_cursor: Option<String>,
}

impl App {
    /// Lists looks, for admins.
    pub async fn looks(
        &self,
        caller: &Caller,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<LooksPage, Failure> {
        caller.require(Role::Admin)?;
        let tag = ListTag::of(&["looks"]);
        let behind: Option<i64> = tag.position(cursor)?;
        let asked = limit as i64 + 1;
        let mut rows = self.database.read(move |conn| looks::before(conn, behind, asked)).await?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next_cursor = rows.last().filter(|_| more).map(|look| tag.cursor(look.position));
        let line = |look: looks::Look| {
            let looks::Look { account, game, version, looked_at, .. } = look;
            Ok(LookLine { account, game, version, at: RecordTime::from_milliseconds(looked_at)? })
        };
        Ok(LooksPage { items: rows.into_iter().map(line).collect::<Result<_, Failure>>()?, next_cursor })
    }

    /// Records that somebody sees a game by an auditor's right.
    pub(super) async fn record_look(&self, caller: &Caller, id: Uuid, version: u64) -> Result<(), Failure> {
        let (account, game, now) = (caller.account.to_string(), id.to_string(), milliseconds(self.now()));
        let write =
            move |conn: &mut crate::store::Connection| looks::record(conn, &account, &game, version, now);
        Ok(self.database.write(write).await?)
    }

    /// Refuses somebody who has looked at a game as an auditor.
    pub(in crate::application) async fn bar_auditor(&self, caller: &Caller, id: Uuid) -> Result<(), Failure> {
        let (account, game) = (caller.account.to_string(), id.to_string());
        let looked = self.database.read(move |conn| looks::has_looked(conn, &account, &game)).await?;
        if looked { Err(Failure::AuditorBarred) } else { Ok(()) }
    }
}
