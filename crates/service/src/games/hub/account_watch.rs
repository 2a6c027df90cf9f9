//! What one node knows of an account's games, shared by all streams of the account.
//!
//! A hint names a game and its version. Hints are kept until a stream asks for news. The first stream to ask
//! then loads each hinted game once. An idle stream loads nothing, however many tables the account has.
//!
//! No change is lost:
//!
//! - The hub registers the watch and follows its games before the first database read. Later commits arrive
//!   as hints; earlier ones are in the data read.
//! - A hint stays until the game was loaded at its version or later, even if a stream ends or the database
//!   fails.
//! - Every second the node polls the log, which makes up for lost hints. It polls the account's newest seats
//!   and, in rotation, the heads of [`LOOKED_AT`] of its games.
//! - News are not queued. Each game stores the revision of its last change, and a stream asks for changes
//!   after its own revision. A slow stream skips to the present state and uses no extra memory.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::account_news::AccountNews;
use super::known_games::{KnownGames, Revision, SeenGame};
use crate::games::loaded_game::LoadedGame;
use estimation_engine::game::GameStatus;
use estimation_engine::player::AccountId;
use estimation_store::GameId;
use estimation_store::account_games::CurrentGame;

/// Games per account in one poll of the log.
pub(crate) const LOOKED_AT: usize = 32;

/// How long a watch outlives its last stream, so that a reconnect is cheap.
const KEPT: Duration = Duration::from_secs(60);

pub(crate) struct AccountWatch {
    pub(crate) account: AccountId,
    state: Mutex<State>,
    /// Changes when a game must be loaded.
    hints: watch::Sender<u64>,
    /// Held by the stream that loads games, so that each is loaded once.
    pub(crate) looking: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct State {
    /// Whether the account's tables were read.
    begun: bool,
    known: KnownGames,
    /// Games to load.
    hinted: HashMap<GameId, Hint>,
    /// The revision each open stream has reached.
    streams: HashMap<u64, Revision>,
    opened: u64,
    last_left: Option<Instant>,
    /// The last game that was polled.
    looked_at: GameId,
}

#[derive(Clone, Copy)]
pub(crate) struct Hint {
    pub(crate) game: GameId,
    /// The newest version known to exist.
    pub(crate) version: u64,
    /// The number of hints at this game.
    count: u64,
}

impl AccountWatch {
    pub(crate) fn new(account: AccountId) -> AccountWatch {
        AccountWatch {
            account,
            state: Mutex::default(),
            hints: watch::Sender::new(0),
            looking: tokio::sync::Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that a game has reached at least this version.
    pub(crate) fn hint(&self, game: GameId, version: u64) {
        let mut state = self.lock();
        if state.known.is_known(&game, version) {
            return;
        }
        let hint = state.hinted.entry(game).or_insert(Hint { game, version, count: 0 });
        hint.version = hint.version.max(version);
        hint.count += 1;
        drop(state);
        self.hints.send_modify(|count| *count += 1);
    }

    /// Records that a game's log has lost events, so that the game is loaded again.
    pub(crate) fn rewind(&self, game: GameId, version: u64) {
        let mut state = self.lock();
        state.known.rewind(&game);
        state.hinted.remove(&game);
        drop(state);
        self.hint(game, version);
    }

    pub(crate) fn hints(&self) -> watch::Receiver<u64> {
        self.hints.subscribe()
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.lock().begun
    }

    /// The next hint to follow.
    pub(crate) fn next_hint(&self) -> Option<Hint> {
        self.lock().hinted.values().next().copied()
    }

    /// Removes a followed hint, unless the game was hinted at again.
    pub(crate) fn followed(&self, hint: Hint) {
        let mut state = self.lock();
        if state.hinted.get(&hint.game).is_some_and(|newest| newest.count == hint.count) {
            state.hinted.remove(&hint.game);
        }
    }

    /// Registers a stream that has sent nothing yet.
    pub(crate) fn open_stream(&self) -> u64 {
        let mut state = self.lock();
        state.opened += 1;
        let (number, revision) = (state.opened, state.known.revision());
        state.streams.insert(number, revision);
        number
    }

    pub(crate) fn close_stream(&self, number: u64) {
        let mut state = self.lock();
        state.streams.remove(&number);
        state.last_left = Some(Instant::now());
    }

    /// Whether a stream is open, or was open within [`KEPT`].
    pub(crate) fn is_in_use(&self, now: Instant) -> bool {
        let state = self.lock();
        !state.streams.is_empty() || state.last_left.is_none_or(|left| now.duration_since(left) < KEPT)
    }

    pub(crate) fn games(&self) -> Vec<GameId> {
        let state = self.lock();
        state.known.ids().chain(state.hinted.keys()).copied().collect()
    }

    /// The games to poll next, with their known versions.
    pub(crate) fn next_to_look_at(&self) -> Vec<(GameId, u64)> {
        let mut state = self.lock();
        let next = state.known.behind(state.looked_at, LOOKED_AT);
        state.looked_at = next.last().map(|(game, _)| *game).unwrap_or_default();
        next
    }
}

/// News for a stream.
pub(crate) struct StreamNews {
    pub(crate) news: Vec<AccountNews>,
    /// Ended games whose end every stream has sent.
    pub(crate) done: Vec<GameId>,
}

impl AccountWatch {
    /// Records the account's tables. States are only loaded of games that may wait for the account.
    pub(crate) fn begin(&self, tables: Vec<CurrentGame>) {
        let mut state = self.lock();
        for table in tables {
            state.known.find(&table);
            if table.may_wait() {
                let hint = Hint { game: table.id, version: table.version, count: 0 };
                state.hinted.entry(table.id).or_insert(hint);
            }
        }
        state.begun = true;
    }

    /// Whether the account may be invited to this table.
    pub(crate) fn may_be_invited(&self, loaded: &LoadedGame) -> bool {
        let in_lobby = loaded.game.status() == GameStatus::Lobby;
        in_lobby && loaded.position_of(&self.account).is_none() && !self.knows(&loaded.id)
    }

    pub(crate) fn knows(&self, game: &GameId) -> bool {
        self.lock().known.contains(game)
    }

    /// Drops a game that cannot be loaded.
    pub(crate) fn forget(&self, game: &GameId) {
        self.lock().known.forget(game);
    }

    /// Compares a loaded state with what is known of the game.
    pub(crate) fn look(&self, loaded: &LoadedGame, invited: bool) {
        let position = loaded.position_of(&self.account);
        let seated = position.is_some();
        let turn = position.is_some_and(|position| loaded.game.waits_for(position));
        let (version, status) = (loaded.version, loaded.game.status());
        self.lock().known.look(loaded.id, SeenGame { version, status, seated, turn, invited });
    }

    /// The first news of a stream: invitations, and games awaiting the account's move.
    pub(crate) fn opening_news(&self, stream: u64) -> Vec<AccountNews> {
        let mut state = self.lock();
        let revision = state.known.revision();
        state.streams.insert(stream, revision);
        state.known.opening_news()
    }

    pub(crate) fn news(&self, stream: u64) -> StreamNews {
        let mut state = self.lock();
        let revision = state.known.revision();
        let Some(sent) = state.streams.insert(stream, revision) else {
            return StreamNews { news: Vec::new(), done: Vec::new() };
        };
        let news = state.known.news_since(sent);
        let sent = state.streams.values().min().copied().unwrap_or(revision);
        StreamNews { news, done: state.known.drop_over(sent) }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const GAME: GameId = GameId(Uuid::nil());

    fn watch() -> AccountWatch {
        let watch = AccountWatch::new(AccountId::new("noor"));
        watch.begin(Vec::new());
        watch
    }

    fn see(watch: &AccountWatch, game: GameId, version: u64, status: GameStatus, turn: bool) {
        watch.lock().known.look(game, SeenGame { version, status, seated: true, turn, invited: false });
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
        let watch = watch();
        let (fast, slow) = (watch.open_stream(), watch.open_stream());
        see(&watch, GAME, 1, GameStatus::Lobby, false);
        assert_eq!(names(&watch.news(fast).news), ["invited"]);
        see(&watch, GAME, 5, GameStatus::Playing, true);
        assert_eq!(names(&watch.news(fast).news), ["started", "your_turn"]);
        assert_eq!(names(&watch.news(fast).news), Vec::<&str>::new());
        see(&watch, GAME, 6, GameStatus::Playing, false);
        // A slow stream skips what no longer holds.
        assert_eq!(names(&watch.news(slow).news), ["invited", "started"]);
        see(&watch, GAME, 7, GameStatus::Playing, true);
        see(&watch, GAME, 8, GameStatus::Playing, true);
        assert_eq!(names(&watch.news(fast).news), ["your_turn"]);
        see(&watch, GAME, 9, GameStatus::Finished, false);
        assert_eq!(names(&watch.news(fast).news), ["finished"]);
        assert!(watch.knows(&GAME), "the other stream has not sent its end");
        let sent = watch.news(slow);
        assert_eq!((names(&sent.news), sent.done), (vec!["finished"], vec![GAME]));
        assert!(!watch.knows(&GAME) && watch.lock().known.is_empty());
    }

    #[test]
    fn a_stream_begins_with_what_holds() {
        let watch = watch();
        see(&watch, GAME, 3, GameStatus::Playing, true);
        see(&watch, GameId(Uuid::max()), 3, GameStatus::Playing, false);
        let stream = watch.open_stream();
        assert_eq!(names(&watch.opening_news(stream)), ["your_turn"]);
        assert_eq!(names(&watch.news(stream).news), Vec::<&str>::new());
    }

    #[test]
    fn a_table_that_was_left_is_no_news() {
        let watch = watch();
        let stream = watch.open_stream();
        see(&watch, GAME, 1, GameStatus::Lobby, false);
        watch.news(stream);
        let left =
            SeenGame { version: 2, status: GameStatus::Lobby, seated: false, turn: false, invited: false };
        watch.lock().known.look(GAME, left);
        assert!(watch.news(stream).news.is_empty() && !watch.knows(&GAME));
    }

    #[test]
    fn a_hint_stays_until_it_was_followed_and_an_old_one_is_none() {
        let watch = watch();
        watch.hint(GAME, 4);
        let first = watch.next_hint().unwrap();
        watch.hint(GAME, 5);
        watch.followed(first);
        let second = watch.next_hint().unwrap();
        assert_eq!((second.game, second.version), (GAME, 5));
        see(&watch, GAME, 5, GameStatus::Playing, false);
        watch.followed(second);
        watch.hint(GAME, 5);
        assert!(watch.next_hint().is_none());
    }

    #[test]
    fn a_look_at_the_log_takes_all_games_in_turn() {
        let watch = watch();
        let all: Vec<GameId> = (0..2 * LOOKED_AT as u128 + 5).map(|id| GameId(Uuid::from_u128(id))).collect();
        all.iter().for_each(|game| see(&watch, *game, 1, GameStatus::Lobby, false));
        let looks = (0..3).flat_map(|_| watch.next_to_look_at());
        let mut looked_at: Vec<GameId> = looks.map(|(game, _)| game).collect();
        assert_eq!(looked_at.len(), 3 * LOOKED_AT);
        looked_at.sort();
        looked_at.dedup();
        assert_eq!(looked_at, all);
    }
}
