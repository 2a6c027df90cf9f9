//! A history on its way out: a header, the events page by page, an end. It is never held whole.

use uuid::Uuid;

use super::Records;
use crate::app::failure::Failure;
use crate::app::games::LoadedGame;
use crate::auth::caller::Caller;
use crate::auth::tokens::Role;
use crate::engine::chance::Hex;
use crate::engine::event::{Standing, Visibility};
use crate::engine::game::{Ending, Stage};
use crate::engine::ruleset::RulesetId;
use crate::engine::seat::BySeat;
use crate::store::Database;
use crate::store::ended_games::{self, EndedGame};
use crate::store::event_reads::{self, Head};
use estimation_record::verify::{End, EventLine, FORMAT, Header, SignatureLine, Status};

/// How many events are read at a time.
const PAGE: i64 = 200;

/// The text that only the end of a round has.
const ROUND_OVER: &str = r#""type":"round!_scored""#;

/// The text that only the beginning of a round, or of the draw for seats, has.
const STARTED: &str = r#""type":"game!_started""#;

/// A history that may be handed out, from its beginning to where it ends for this caller.
pub struct History {
    database: Database,
    game: Uuid,
    ruleset: RulesetId,
    status: Status,
    standings: Option<BySeat<Standing>>,
    head: Head,
    signature: Option<SignatureLine>,
    told: u64,
}

impl Records {
    /// The history of a game: whole when it is over, for those who sat in it, for anyone if it was public,
    /// and for auditors; for auditors also while it runs, up to the last round that is over.
    ///
    /// What is seen by an auditor's right alone is recorded before this returns.
    pub async fn history(&self, caller: &Caller, id: Uuid) -> Result<History, Failure> {
        let loaded = self.games.present(id).await?;
        let seated = loaded.game.sat_in(&caller.account);
        let auditor = caller.role == Role::Auditor;
        let over = loaded.game.is_over();
        let open = over && (seated || loaded.game.table.visibility == Visibility::Public);
        if !open {
            if !auditor || seated {
                loaded.admit(&caller.account)?;
                return Err(Failure::NotOver);
            }
            let head = self.shown(&loaded).await?;
            self.record_audit_access(caller, id, head.seq).await?;
            return self.begin(&loaded, head).await;
        }
        let head = Head { seq: loaded.version, hash: loaded.hash };
        self.begin(&loaded, head).await
    }

    /// Where the history of a game ends at present: with the game, or with the last round that is over.
    async fn shown(&self, loaded: &LoadedGame) -> Result<Head, Failure> {
        let head = Head { seq: loaded.version, hash: loaded.hash };
        if loaded.game.is_over() || loaded.game.stage == Stage::Lobby {
            return Ok(head);
        }
        let id = loaded.id.to_string();
        let read =
            move |conn: &mut crate::store::Connection| match event_reads::last_with(conn, &id, ROUND_OVER)? {
                Some(head) => Ok(Some(head)),
                None => event_reads::last_with(conn, &id, STARTED),
            };
        let shown = self.database.read(read).await?;
        shown.ok_or_else(|| Failure::Defect(format!("game {} runs and has not started", loaded.id)))
    }

    async fn begin(&self, loaded: &LoadedGame, head: Head) -> Result<History, Failure> {
        let id = loaded.id.to_string();
        let listed = match loaded.game.is_over() {
            true => self.database.read(move |conn| ended_games::find(conn, &id)).await?,
            false => None,
        };
        let (status, standings) = match &loaded.game.stage {
            Stage::Over(Ending::Finished { standings, .. }) => (Status::Finished, Some(standings.clone())),
            Stage::Over(Ending::Abandoned { .. }) => (Status::Abandoned, None),
            _ => (Status::Running, None),
        };
        Ok(History {
            database: self.database.clone(),
            game: loaded.id,
            ruleset: loaded.game.rules().id,
            status,
            standings,
            head,
            signature: listed
                .map(|EndedGame { kid, signature, .. }| SignatureLine { kid, value: Hex(signature) }),
            told: 0,
        })
    }
}

impl History {
    pub fn header(&self) -> Header {
        Header { format: FORMAT.to_owned(), game: self.game, ruleset: self.ruleset, status: self.status }
    }

    /// The next events; none after the last.
    pub async fn next(&mut self) -> Result<Option<Vec<EventLine>>, Failure> {
        if self.told >= self.head.seq {
            return Ok(None);
        }
        let (id, told) = (self.game.to_string(), self.told);
        let mut stored = self.database.read(move |conn| event_reads::after(conn, &id, told, PAGE)).await?;
        stored.retain(|event| event.seq <= self.head.seq);
        let Some(last) = stored.last() else {
            return Err(Failure::Defect(format!("the log of game {} ends early", self.game)));
        };
        self.told = last.seq;
        let lines = stored.into_iter().map(|event| EventLine {
            seq: event.seq,
            hash: Hex(event.hash).to_string(),
            body: event.body,
        });
        Ok(Some(lines.collect()))
    }

    pub fn end(&self) -> End {
        End {
            events: self.head.seq,
            head: Hex(self.head.hash),
            standings: self.standings.clone(),
            signature: self.signature.clone(),
        }
    }
}
