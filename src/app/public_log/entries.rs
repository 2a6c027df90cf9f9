//! The entries of games: a start with pseudonyms of its players, and an end. Those of private games are sealed.

use super::PublicLog;
use super::promise::{self, PromiseView};
use crate::app::entropy::draw;
use crate::app::failure::Failure;
use crate::engine::event::Visibility;
use crate::engine::game::Game;
use crate::engine::player::AccountId;
use crate::store::GameId;
use crate::store::public_log::games::StartedGame;
use estimation_record::{LogEntry, RecordTime, pseudonym, ruleset_hash};

/// The start of a game: what is stored, and what players get.
pub(in crate::app) struct GameStart {
    pub(in crate::app) stored: StartedGame,
    pub(in crate::app) promise: PromiseView,
}

/// An entry of a game: what is stored.
#[derive(Clone)]
pub(in crate::app) struct LoggedEntry {
    /// The bytes that the log has.
    pub(in crate::app) logged: String,
    /// The entry, not sealed.
    pub(in crate::app) entry: String,
    /// The salt of a sealed entry.
    pub(in crate::app) salt: Option<[u8; 32]>,
}

impl PublicLog {
    /// The entry of a game that starts, and the promise that the log will have it.
    pub(in crate::app) fn start(
        &self,
        id: GameId,
        game: &Game,
        at: RecordTime,
    ) -> Result<GameStart, Failure> {
        let table = &game.table;
        let mut pseudonyms: Vec<(AccountId, [u8; 32])> = Vec::new();
        let mut seats = Vec::new();
        for sitter in table.places.values() {
            let account = sitter.as_ref().and_then(|sitter| sitter.player.account());
            seats.push(account.map(|account| {
                let salt = draw(&*self.entropy);
                pseudonyms.push((account.clone(), salt));
                pseudonym(&salt, account.as_str())
            }));
        }
        let ruleset = ruleset_hash(&table.ruleset)?;
        let entry = LogEntry::Start { game: id.0, at, commitment: table.commitment, ruleset, seats };
        let LoggedEntry { logged, entry, salt } = self.sealed(&entry, table.visibility)?;
        let (promise, view) = self.promise(&logged, at)?;
        Ok(GameStart { stored: StartedGame { logged, entry, salt, promise, pseudonyms }, promise: view })
    }

    /// The entry of a game that is over.
    pub(in crate::app) fn end(
        &self,
        id: GameId,
        visibility: Visibility,
        at: RecordTime,
        (events, head): (u64, [u8; 32]),
    ) -> Result<LoggedEntry, Failure> {
        let head = crate::engine::chance::Hex(head);
        self.sealed(&LogEntry::End { game: id.0, at, events, head }, visibility)
    }

    /// An entry in the form that the log has.
    fn sealed(&self, entry: &LogEntry, visibility: Visibility) -> Result<LoggedEntry, Failure> {
        let entry = entry.text()?;
        match visibility {
            Visibility::Public => Ok(LoggedEntry { logged: entry.clone(), entry, salt: None }),
            Visibility::Private => {
                let salt = draw(&*self.entropy);
                Ok(LoggedEntry { logged: LogEntry::sealing(&entry, &salt).text()?, entry, salt: Some(salt) })
            }
        }
    }

    fn promise(
        &self,
        logged: &str,
        at: RecordTime,
    ) -> Result<(crate::store::public_log::games::Promise, PromiseView), Failure> {
        promise::signed(&self.keys.ring().record_keys(), &self.settings.origin, logged, at)
    }
}
