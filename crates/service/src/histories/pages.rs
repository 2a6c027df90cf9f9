//! Streams a history: a header, pages of events, an end line. It is never held in memory as a whole.

use super::Records;
use crate::auth::caller::Caller;
use crate::auth::tokens::Role;
use crate::base::failure::Failure;
use crate::games::Games;
use crate::games::LoadedGame;
use estimation_engine::event::{Standing, Visibility};
use estimation_engine::game::{Ending, Stage};
use estimation_engine::hex::Hex;
use estimation_engine::ruleset::RulesetId;
use estimation_engine::seat::BySeat;
use estimation_record::verify::{End, EventLine, FORMAT, Header, SignatureLine, Status};
use estimation_store::ended_games::{self, EndedGame};
use estimation_store::event_reads::{self, Head, StoredEvent};
use estimation_store::{Database, GameId};

/// Events read per query.
const PAGE: i64 = 200;

/// Occurs only in a round's last event.
const ROUND_OVER: &str = r#""type":"round!_scored""#;

/// Occurs only in the first event of a round, or of the draw for seats.
const STARTED: &str = r#""type":"game!_started""#;

/// A readable history, from its beginning to its end for this caller.
pub struct History {
    database: Database,
    game: GameId,
    ruleset: RulesetId,
    status: Status,
    standings: Option<BySeat<Standing>>,
    head: Head,
    signature: Option<SignatureLine>,
    sent: u64,
}

/// A history that never changes: that of a game whose end is signed. Equal ones have the same bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SignedHistory {
    pub game: GameId,
    pub head: [u8; 32],
    pub signature: Vec<u8>,
}

/// Why a caller may read the history of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Permission {
    /// The game is over, and was public or the caller's own.
    Open,
    /// Only as an auditor. The access is recorded.
    Auditor,
}

impl Permission {
    /// Whether, and why, a caller may read a history.
    ///
    /// # Errors
    /// [`Failure::GameNotOver`] for a game that the caller may see, and not yet its history;
    /// [`Withheld`](Failure::Withheld) for one that the caller may not see.
    pub(super) async fn of(
        games: &Games,
        caller: &Caller,
        loaded: &LoadedGame,
    ) -> Result<Permission, Failure> {
        let seated = loaded.game.sat_in(&caller.account);
        let is_public = loaded.game.table.visibility == Visibility::Public;
        if loaded.game.is_over() && (seated || is_public) {
            return Ok(Permission::Open);
        }
        let may_audit =
            caller.role == Role::Auditor || (caller.role == Role::Moderator && loaded.game.is_over());
        if may_audit && !seated {
            caller.restrictions.require_second_step()?;
            return Ok(Permission::Auditor);
        }
        games.admit(loaded, &caller.account).await?;
        Err(Failure::GameNotOver)
    }
}

/// The last event of a game.
pub(super) fn end_of(loaded: &LoadedGame) -> Head {
    Head { seq: loaded.version, hash: loaded.hash }
}

impl Records {
    /// The history of a game: complete once it is over, for its players, for anyone if it was public, and for
    /// auditors. Auditors can also read a running game, up to the last finished round.
    ///
    /// An access that only an auditor may have is recorded before this returns.
    pub async fn history(&self, caller: &Caller, id: GameId) -> Result<History, Failure> {
        let loaded = self.games.present(id).await?;
        let head = match Permission::of(&self.games, caller, &loaded).await? {
            Permission::Open => end_of(&loaded),
            Permission::Auditor => {
                let head = self.present_end(&loaded).await?;
                self.record_audit_access(caller, id, head.seq).await?;
                head
            }
        };
        self.begin(&loaded, head).await
    }

    /// The history of a public game that is over, for anyone. `None` for every other id: without an account, a caller
    /// learns nothing about other games.
    pub async fn public_history(&self, id: GameId) -> Result<Option<History>, Failure> {
        let Some(loaded) = self.games.public_and_over(id).await? else { return Ok(None) };
        self.begin(&loaded, end_of(&loaded)).await.map(Some)
    }

    /// The present end of the history: the game's end, or the last finished round.
    async fn present_end(&self, loaded: &LoadedGame) -> Result<Head, Failure> {
        let head = end_of(loaded);
        // Before the first deal, nothing is hidden.
        if loaded.game.is_over() || matches!(loaded.game.stage, Stage::Lobby | Stage::Opening { .. }) {
            return Ok(head);
        }
        let id = loaded.id;
        let read = move |conn: &mut estimation_store::Connection| match event_reads::last_with(
            conn, id, ROUND_OVER,
        )? {
            Some(head) => Ok(Some(head)),
            None => event_reads::last_with(conn, id, STARTED),
        };
        let head = self.database.read(read).await?;
        head.ok_or_else(|| Failure::Defect(format!("game {} runs and has not started", loaded.id)))
    }

    pub(super) async fn begin(&self, loaded: &LoadedGame, head: Head) -> Result<History, Failure> {
        let id = loaded.id;
        let signed = match loaded.game.is_over() {
            true => self.database.read(move |conn| ended_games::find(conn, id)).await?,
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
            signature: signed
                .map(|EndedGame { kid, signature, .. }| SignatureLine { kid, value: Hex(signature) }),
            sent: 0,
        })
    }
}

impl History {
    pub fn header(&self) -> Header {
        Header { format: FORMAT.to_owned(), game: self.game.0, ruleset: self.ruleset, status: self.status }
    }

    /// What identifies the history if it is complete and signed.
    pub fn signed(&self) -> Option<SignedHistory> {
        let SignatureLine { value, .. } = self.signature.as_ref()?;
        Some(SignedHistory { game: self.game, head: self.head.hash, signature: value.0.to_vec() })
    }

    /// The next events; `None` after the last.
    pub async fn next(&mut self) -> Result<Option<Vec<EventLine>>, Failure> {
        if self.sent >= self.head.seq {
            return Ok(None);
        }
        let (id, sent) = (self.game, self.sent);
        let mut stored = self.database.read(move |conn| event_reads::after(conn, id, sent, PAGE)).await?;
        stored.retain(|event| event.seq <= self.head.seq);
        let Some(last) = stored.last() else {
            return Err(Failure::Defect(format!("the log of game {} ends early", self.game)));
        };
        self.sent = last.seq;
        Ok(Some(stored.into_iter().map(StoredEvent::into_line).collect()))
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
