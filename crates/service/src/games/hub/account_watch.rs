//! What one account stream knows of the account's games.
//!
//! A hint names a game and its version. The stream loads each hinted game and sends what has become true since
//! it last looked at the game. An idle stream loads nothing, however many tables the account has.
//!
//! No change is lost:
//!
//! - The hub registers the watch before the first database read. Later commits arrive as hints; earlier ones
//!   are in the data read.
//! - A stream that cannot load a hinted game ends, and the next one of the account begins with what holds.
//! - Every second the node polls the log, which makes up for lost hints. It polls the account's newest seats
//!   and the heads of [`LOOKED_AT`] of its games, each second of others.
//! - News are not queued: a game is hinted at once, at its newest version. A slow stream skips to the present
//!   state and uses no extra memory.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use tokio::sync::Notify;

use crate::games::loaded_game::LoadedGame;
use estimation_engine::game::GameStatus;
use estimation_engine::player::AccountId;
use estimation_store::GameId;
use estimation_store::account_games::CurrentGame;

/// Games per stream in one poll of the log.
const LOOKED_AT: usize = 32;

pub(crate) struct AccountWatch {
    pub(crate) account: AccountId,
    state: Mutex<State>,
    hinted: Notify,
}

#[derive(Default)]
struct State {
    /// The games that are not over, as the stream last looked at them.
    games: BTreeMap<GameId, KnownGame>,
    /// Games to load, with the newest version known to exist.
    hints: BTreeMap<GameId, u64>,
}

#[derive(Clone, Copy)]
struct KnownGame {
    version: u64,
    status: GameStatus,
    /// Whether the account is seated; otherwise it is invited.
    seated: bool,
    turn: bool,
}

impl AccountWatch {
    pub(crate) fn new(account: AccountId) -> AccountWatch {
        AccountWatch { account, state: Mutex::default(), hinted: Notify::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that a game has reached at least this version.
    pub(crate) fn hint(&self, game: GameId, version: u64) {
        let mut state = self.lock();
        if state.games.get(&game).is_some_and(|known| known.version >= version) {
            return;
        }
        let hint = state.hints.entry(game).or_default();
        *hint = version.max(*hint);
        drop(state);
        self.hinted.notify_one();
    }

    /// Records that a game's log has lost events, so that any version of it is news.
    pub(crate) fn rewind(&self, game: GameId) {
        if let Some(known) = self.lock().games.get_mut(&game) {
            known.version = 0;
        }
    }

    /// Waits for a hint.
    pub(crate) async fn hinted(&self) {
        self.hinted.notified().await;
    }

    /// Takes the next hint.
    pub(crate) fn next_hint(&self) -> Option<(GameId, u64)> {
        self.lock().hints.pop_first()
    }

    /// The games of a poll, with their known versions: all of them in turn.
    pub(crate) fn to_poll(&self, poll: usize) -> Vec<(GameId, u64)> {
        let games = &self.lock().games;
        let part = poll % games.len().div_ceil(LOOKED_AT).max(1);
        let polled = games.iter().skip(part * LOOKED_AT).take(LOOKED_AT);
        polled.map(|(game, known)| (*game, known.version)).collect()
    }

    /// Records the account's tables, and returns the invitations. States are only loaded of games that may wait
    /// for the account.
    pub(crate) fn begin(&self, tables: &[CurrentGame]) -> Vec<AccountNews> {
        let mut news = Vec::new();
        for table in tables {
            let status = if table.playing { GameStatus::Playing } else { GameStatus::Lobby };
            let version = if table.may_wait() { 0 } else { table.version };
            let known = KnownGame { version, status, seated: table.seated, turn: false };
            self.lock().games.insert(table.id, known);
            self.hint(table.id, table.version);
            if !known.seated {
                news.push(AccountNews::Invited(known.matter(table.id)));
            }
        }
        news
    }

    /// Whether the account may be invited to this table.
    pub(crate) fn may_be_invited(&self, loaded: &LoadedGame) -> bool {
        let in_lobby = loaded.game.status() == GameStatus::Lobby;
        in_lobby && loaded.position_of(&self.account).is_none() && !self.lock().games.contains_key(&loaded.id)
    }

    /// Drops a game that cannot be loaded.
    pub(crate) fn forget(&self, game: &GameId) {
        self.lock().games.remove(game);
    }

    /// Compares a loaded state with what is known of the game, and returns what has become true.
    pub(crate) fn look(&self, loaded: &LoadedGame, invited: bool) -> Vec<AccountNews> {
        let position = loaded.position_of(&self.account);
        let seen = KnownGame {
            version: loaded.version,
            status: loaded.game.status(),
            seated: position.is_some(),
            turn: position.is_some_and(|position| loaded.game.waits_for(position)),
        };
        self.lock().look(loaded.id, seen, invited)
    }
}

impl State {
    fn look(&mut self, game: GameId, seen: KnownGame, invited: bool) -> Vec<AccountNews> {
        let known = self.games.get(&game).copied();
        if known.is_some_and(|known| known.version >= seen.version) {
            return Vec::new();
        }
        let over = matches!(seen.status, GameStatus::Finished | GameStatus::Abandoned);
        let in_lobby = seen.status == GameStatus::Lobby;
        // Left, forfeited, started without the account, or over before it was known: no news.
        let concerns = if over {
            known.is_some_and(|known| known.seated)
        } else {
            seen.seated || (in_lobby && known.map_or(invited, |known| !known.seated))
        };
        if concerns && !over {
            self.games.insert(game, seen);
        } else {
            self.games.remove(&game);
        }
        if !concerns {
            return Vec::new();
        }
        let was_in_lobby = known.is_none_or(|known| known.status == GameStatus::Lobby);
        let matter = seen.matter(game);
        let when = |is_true: bool, news: fn(Matter) -> AccountNews| is_true.then(|| news(matter.clone()));
        let news = [
            when(known.is_none(), AccountNews::Invited),
            when(was_in_lobby && seen.status == GameStatus::Playing, AccountNews::Started),
            when(over, AccountNews::Finished),
            when(seen.turn, AccountNews::YourTurn),
        ];
        news.into_iter().flatten().collect()
    }
}

impl KnownGame {
    fn matter(&self, game: GameId) -> Matter {
        Matter { game, version: self.version, status: self.status }
    }
}

/// News of an account's games, as its streams send them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccountNews {
    YourTurn(Matter),
    /// The account was seated at a table, or a rematch is open to it.
    Invited(Matter),
    Started(Matter),
    Finished(Matter),
    /// Heartbeat: nothing has happened for a while.
    Quiet,
    /// The node is stopping; reconnect to another one.
    Reconnect,
    /// The session has ended, and the stream with it.
    SessionEnded,
}

/// The game that the news are about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Matter {
    pub game: GameId,
    pub version: u64,
    pub status: GameStatus,
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const GAME: GameId = GameId(Uuid::nil());

    fn watch() -> AccountWatch {
        AccountWatch::new(AccountId::new("noor"))
    }

    fn see(
        watch: &AccountWatch,
        game: GameId,
        version: u64,
        status: GameStatus,
        turn: bool,
    ) -> Vec<&'static str> {
        let seen = KnownGame { version, status, seated: true, turn };
        names(&watch.lock().look(game, seen, false))
    }

    fn names(news: &[AccountNews]) -> Vec<&'static str> {
        let name = |news: &AccountNews| match news {
            AccountNews::Invited(_) => "invited",
            AccountNews::Started(_) => "started",
            AccountNews::Finished(_) => "finished",
            AccountNews::YourTurn(_) => "your_turn",
            _ => "",
        };
        news.iter().map(name).collect()
    }

    #[test]
    fn every_stream_is_told_everything_once() {
        let (fast, slow) = (watch(), watch());
        assert_eq!(see(&fast, GAME, 1, GameStatus::Lobby, false), ["invited"]);
        assert_eq!(see(&fast, GAME, 5, GameStatus::Playing, true), ["started", "your_turn"]);
        assert!(see(&fast, GAME, 5, GameStatus::Playing, true).is_empty());
        assert!(see(&fast, GAME, 6, GameStatus::Playing, false).is_empty());
        // A slow stream skips what no longer holds.
        assert_eq!(see(&slow, GAME, 6, GameStatus::Playing, false), ["invited", "started"]);
        assert_eq!(see(&fast, GAME, 8, GameStatus::Playing, true), ["your_turn"]);
        for stream in [&fast, &slow] {
            assert_eq!(see(stream, GAME, 9, GameStatus::Finished, false), ["finished"]);
            assert!(stream.lock().games.is_empty());
            assert!(see(stream, GAME, 9, GameStatus::Finished, false).is_empty());
        }
    }

    #[test]
    fn a_stream_begins_with_what_holds() {
        let stream = watch();
        let table = |id, playing, seated| CurrentGame { id, playing, full: playing, seated, version: 3 };
        let ids = [0, 1, 2].map(|id| GameId(Uuid::from_u128(id)));
        let tables = [(true, true), (false, true), (false, false)];
        let tables = tables.iter().zip(ids).map(|(&(playing, seated), id)| table(id, playing, seated));
        assert_eq!(names(&stream.begin(&tables.collect::<Vec<_>>())), ["invited"]);
        assert_eq!(stream.next_hint(), Some((ids[0], 3)), "only this game may wait");
        assert_eq!(see(&stream, ids[0], 3, GameStatus::Playing, true), ["your_turn"]);
        assert_eq!(stream.next_hint(), None);
    }

    #[test]
    fn a_table_that_was_left_is_no_news() {
        let stream = watch();
        see(&stream, GAME, 1, GameStatus::Lobby, false);
        let left = KnownGame { version: 2, status: GameStatus::Lobby, seated: false, turn: false };
        assert!(stream.lock().look(GAME, left, false).is_empty());
        assert!(stream.lock().games.is_empty());
    }

    #[test]
    fn hints_at_a_game_are_one_and_an_old_one_is_none() {
        let stream = watch();
        stream.hint(GAME, 3);
        stream.hint(GAME, 4);
        assert_eq!(stream.next_hint(), Some((GAME, 4)));
        assert_eq!(stream.next_hint(), None);
        stream.hint(GAME, 5);
        see(&stream, GAME, 4, GameStatus::Playing, false);
        assert_eq!(stream.next_hint(), Some((GAME, 5)));
        see(&stream, GAME, 5, GameStatus::Playing, false);
        stream.hint(GAME, 5);
        assert_eq!(stream.next_hint(), None);
    }

    #[test]
    fn a_game_whose_log_has_lost_events_is_looked_at_again() {
        let stream = watch();
        see(&stream, GAME, 5, GameStatus::Playing, false);
        stream.hint(GAME, 6);
        stream.rewind(GAME);
        stream.hint(GAME, 4);
        assert_eq!(stream.next_hint(), Some((GAME, 6)), "it is looked at, whatever was hinted");
        assert_eq!(see(&stream, GAME, 4, GameStatus::Playing, true), ["your_turn"]);
    }

    #[test]
    fn a_look_at_the_log_takes_all_games_in_turn() {
        let stream = watch();
        let all: Vec<GameId> = (0..2 * LOOKED_AT as u128 + 5).map(|id| GameId(Uuid::from_u128(id))).collect();
        for game in &all {
            see(&stream, *game, 1, GameStatus::Lobby, false);
        }
        let looks: Vec<_> = (7..10).map(|poll| stream.to_poll(poll)).collect();
        assert!(looks.iter().all(|games| games.len() <= LOOKED_AT));
        let mut looked_at: Vec<GameId> = looks.concat().into_iter().map(|(game, _)| game).collect();
        looked_at.sort();
        looked_at.dedup();
        assert_eq!(looked_at, all);
    }
}
