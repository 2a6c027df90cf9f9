//! The entries of games: a start with pseudonyms of its players, an end, and adoptions after the record keys were lost.
//! Those of private games are sealed.

use super::PublicLog;
use super::promise::{self, PromiseView};
use crate::auth::keys::{Bound, RecordKeys};
use crate::base::entropy::draw;
use crate::base::failure::{Failure, milliseconds};
use crate::public_log::failure::LogFailure;
use estimation_engine::event::Visibility;
use estimation_engine::game::Game;
use estimation_engine::hex::Hex;
use estimation_engine::player::AccountId;
use estimation_record::{GameStart, LogEntry, NotCanonical, RecordTime, pseudonym};
use estimation_store::public_log::EntryKind;
use estimation_store::public_log::games::StartedGame;
use estimation_store::{Binding, GameId};
use estimation_tlog::Hash;
use jiff::Timestamp;

/// The start of a game: what is stored, and what players get.
pub(crate) struct PromisedStart {
    pub(crate) stored: StartedGame,
    pub(crate) promise: PromiseView,
}

/// An entry of a game: what is stored.
#[derive(Clone)]
pub(crate) struct LoggedEntry {
    /// The bytes that the log has.
    pub(crate) logged: String,
    /// The entry, not sealed.
    pub(crate) entry: String,
    /// The salt of a sealed entry.
    pub(crate) salt: Option<[u8; 32]>,
}

impl PublicLog {
    /// The entry of a game that starts, and the promise that the log will have it. The time and the hash are those of
    /// `game_started`, and `ruleset` is the hash of the rules in the first event.
    pub(crate) fn start(
        &self,
        id: GameId,
        game: &Game,
        (at, hash): (RecordTime, [u8; 32]),
        ruleset: Hex<32>,
    ) -> Result<PromisedStart, LogFailure> {
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
        let entry = GameStart::new(id.0, (at, hash), table, ruleset).entry(seats);
        let LoggedEntry { logged, entry, salt } = sealed(&entry, self.salt(table.visibility))?;
        let ring = self.keys.ring().record_keys();
        let (promise, view) = promise::signed(&ring, self.name(), &logged, at)?;
        let (now, at) = (at.timestamp(), milliseconds(at.timestamp()));
        let binding = bind_entry(id, EntryKind::Start, at, &logged, &ring, now)?;
        let stored = StartedGame { at, logged, entry, salt, promise, binding, pseudonyms };
        Ok(PromisedStart { stored, promise: view })
    }

    /// A new salt for an entry; none for an entry of a public game.
    pub(crate) fn salt(&self, visibility: Visibility) -> Option<[u8; 32]> {
        (visibility == Visibility::Private).then(|| draw(&*self.entropy))
    }
}

/// Binds an entry that waits for the log to its game and its time.
///
/// # Errors
/// [`Failure::Defect`] if every record key is retired.
pub(crate) fn bind_entry(
    game: GameId,
    kind: EntryKind,
    at: i64,
    logged: &str,
    keys: &RecordKeys,
    now: Timestamp,
) -> Result<Binding, Failure> {
    let bound = keys.bind(Bound::Entry, &statement(game, kind, at, logged), now);
    bound.ok_or_else(|| Failure::Defect("every record key is retired".to_owned()))
}

/// The bytes that the binding of a waiting entry covers. All parts but the last have a fixed length.
pub(super) fn statement(game: GameId, kind: EntryKind, at: i64, logged: &str) -> Vec<u8> {
    let mut bytes = game.0.as_bytes().to_vec();
    bytes.push(kind as u8);
    bytes.extend(at.to_be_bytes());
    bytes.extend(logged.as_bytes());
    bytes
}

/// The entry for the end of a game: at a time that is not before the last event, with the number and the hash of that
/// event.
pub(crate) fn end_entry(
    game: GameId,
    at: RecordTime,
    (events, head): (u64, Hex<32>),
    salt: Option<[u8; 32]>,
) -> Result<LoggedEntry, NotCanonical> {
    sealed(&LogEntry::End { game: game.0, at, events, head }, salt)
}

/// The entry for the adoption of a game's head.
pub(crate) fn adopted_entry(
    game: GameId,
    at: RecordTime,
    (events, head): (u64, Hex<32>),
    salt: Option<[u8; 32]>,
) -> Result<LoggedEntry, NotCanonical> {
    sealed(&LogEntry::Adopted { game: game.0, at, events, head }, salt)
}

/// The leaf hash of an entry, which is sealed if there is a salt.
pub(crate) fn leaf(entry: &str, salt: Option<&[u8; 32]>) -> Result<Hash, NotCanonical> {
    Ok(match salt {
        None => Hash::leaf(entry.as_bytes()),
        Some(salt) => Hash::leaf(LogEntry::sealing(entry, salt).text()?.as_bytes()),
    })
}

/// An entry in the form that the log has.
fn sealed(entry: &LogEntry, salt: Option<[u8; 32]>) -> Result<LoggedEntry, NotCanonical> {
    let entry = entry.text()?;
    let logged = match &salt {
        None => entry.clone(),
        Some(salt) => LogEntry::sealing(&entry, salt).text()?,
    };
    Ok(LoggedEntry { logged, entry, salt })
}
