//! What one node knows of an account's games, once for all streams of the account.
//!
//! A hint names a game and the version it is at. Hints are kept until a stream wants to say something; then the
//! games that were hinted at are looked at, each once, by whichever stream comes first. An idle stream looks at
//! nothing, however many tables the account has.
//!
//! Nothing is lost:
//!
//! - The watch is in the hub, and every game it knows is followed there, before the database is read for the
//!   first time. What is committed later comes as a hint; what was committed earlier is in what is read.
//! - A hint stays until the game has been looked at in a version at least as new. A stream that ends meanwhile,
//!   or a database that does not answer, leaves it for the next look.
//! - A hint that never came is made up for by the look at the log that the node takes every second: at the
//!   newest seats of the account, and at the heads of [`LOOKED_AT`] of its games in turn.
//! - News are not queued. Each game has the revision in which it last changed, and a stream asks for what is
//!   newer than it has said: one that is slow skips to what holds now, and none costs memory by being slow.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use uuid::Uuid;

use super::account_news::AccountNews;
use super::known_games::{FoundTable, KnownGames, Revision, Seen};
use crate::app::games::loaded_game::LoadedGame;
use crate::engine::game::Status;
use crate::engine::player::AccountId;

/// At how many games of each account a look at the log looks.
pub(super) const LOOKED_AT: usize = 32;

/// How long a watch outlives its last stream, so that a stream that is taken up again costs nothing.
const KEPT: Duration = Duration::from_secs(60);

/// What a node knows of an account's games.
pub(super) struct AccountWatch {
    pub(super) account: AccountId,
    state: Mutex<State>,
    /// Raised when there is something to look at.
    hints: watch::Sender<u64>,
    /// Held by the stream that looks at games, so that each is looked at once.
    pub(super) looking: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct State {
    /// Whether the games were read that were there from the start.
    begun: bool,
    known: KnownGames,
    /// What is to be looked at.
    hinted: HashMap<Uuid, Hint>,
    /// Up to which revision each open stream has told.
    streams: HashMap<u64, Revision>,
    opened: u64,
    last_left: Option<Instant>,
    /// The last game that a look at the log looked at.
    looked_at: Uuid,
}

/// A hint at a game.
#[derive(Clone, Copy)]
pub(super) struct Hint {
    pub(super) game: Uuid,
    /// The newest version that is known to be there.
    pub(super) version: u64,
    /// How many hints at this game there have been.
    count: u64,
}

impl AccountWatch {
    pub(super) fn new(account: AccountId) -> AccountWatch {
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

    /// A game may be news: it is at this version at least.
    pub(super) fn hint(&self, game: Uuid, version: u64) {
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

    /// The log of a game has lost events: what is known of it is to be looked at again.
    pub(super) fn rewind(&self, game: Uuid, version: u64) {
        let mut state = self.lock();
        state.known.rewind(&game);
        state.hinted.remove(&game);
        drop(state);
        self.hint(game, version);
    }

    /// Tells of hints.
    pub(super) fn hints(&self) -> watch::Receiver<u64> {
        self.hints.subscribe()
    }

    pub(super) fn has_begun(&self) -> bool {
        self.lock().begun
    }

    /// A hint that is to be followed.
    pub(super) fn next_hint(&self) -> Option<Hint> {
        self.lock().hinted.values().next().copied()
    }

    /// A hint has been followed, unless there has been another meanwhile.
    pub(super) fn followed(&self, hint: Hint) {
        let mut state = self.lock();
        if state.hinted.get(&hint.game).is_some_and(|newest| newest.count == hint.count) {
            state.hinted.remove(&hint.game);
        }
    }

    /// Counts a stream, which has told nothing yet.
    pub(super) fn open_stream(&self) -> u64 {
        let mut state = self.lock();
        state.opened += 1;
        let (number, revision) = (state.opened, state.known.revision());
        state.streams.insert(number, revision);
        number
    }

    pub(super) fn close_stream(&self, number: u64) {
        let mut state = self.lock();
        state.streams.remove(&number);
        state.last_left = Some(Instant::now());
    }

    /// Whether anybody streams here, or did lately.
    pub(super) fn is_in_use(&self, now: Instant) -> bool {
        let state = self.lock();
        !state.streams.is_empty() || state.last_left.is_none_or(|left| now.duration_since(left) < KEPT)
    }

    /// The games that are known or hinted at.
    pub(super) fn games(&self) -> Vec<Uuid> {
        let state = self.lock();
        state.known.ids().chain(state.hinted.keys()).copied().collect()
    }

    /// The games at whose heads the next look at the log looks, and the version known of each.
    pub(super) fn next_to_look_at(&self) -> Vec<(Uuid, u64)> {
        let mut state = self.lock();
        let next = state.known.behind(state.looked_at, LOOKED_AT);
        state.looked_at = next.last().map(|(game, _)| *game).unwrap_or_default();
        next
    }
}

/// What there is to tell a stream.
pub(super) struct Told {
    pub(super) news: Vec<AccountNews>,
    /// Games that are over, and of which every stream has told.
    pub(super) done: Vec<Uuid>,
}

impl AccountWatch {
    /// The tables that were there when the watch began. A state is looked at only where a person plays: at a
    /// table in the lobby it is nobody's turn.
    pub(super) fn begin(&self, tables: Vec<FoundTable>) {
        let mut state = self.lock();
        for table in tables {
            state.known.find(&table);
            if table.status == Status::Playing {
                let hint = Hint { game: table.game, version: table.version, count: 0 };
                state.hinted.entry(table.game).or_insert(hint);
            }
        }
        state.begun = true;
    }

    /// Whether a state may be that of a table to which the account is invited.
    pub(super) fn may_be_invited(&self, loaded: &LoadedGame) -> bool {
        let in_lobby = loaded.game.status() == Status::Lobby;
        in_lobby && loaded.position_of(&self.account).is_none() && !self.knows(&loaded.id)
    }

    pub(super) fn knows(&self, game: &Uuid) -> bool {
        self.lock().known.contains(game)
    }

    /// Drops a game that cannot be looked at.
    pub(super) fn forget(&self, game: &Uuid) {
        self.lock().known.forget(game);
    }

    /// Compares a state of a game with what is known of it.
    pub(super) fn look(&self, loaded: &LoadedGame, invited: bool) {
        let chair = loaded.position_of(&self.account);
        let turn = chair.is_some() && loaded.game.to_act() == chair;
        let (version, status) = (loaded.version, loaded.game.status());
        self.lock().known.look(loaded.id, Seen { version, status, seated: chair.is_some(), turn, invited });
    }

    /// What a stream that begins tells: to which tables the account is invited, and where it is its turn.
    pub(super) fn opening_news(&self, stream: u64) -> Vec<AccountNews> {
        let mut state = self.lock();
        let revision = state.known.revision();
        state.streams.insert(stream, revision);
        state.known.opening_news()
    }

    pub(super) fn news(&self, stream: u64) -> Told {
        let mut state = self.lock();
        let revision = state.known.revision();
        let Some(told) = state.streams.insert(stream, revision) else {
            return Told { news: Vec::new(), done: Vec::new() };
        };
        let news = state.known.news_since(told);
        let told = state.streams.values().min().copied().unwrap_or(revision);
        Told { news, done: state.known.drop_over(told) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: Uuid = Uuid::nil();

    fn watch() -> AccountWatch {
        let watch = AccountWatch::new(AccountId::new("noor"));
        watch.begin(Vec::new());
        watch
    }

    fn see(watch: &AccountWatch, game: Uuid, version: u64, status: Status, turn: bool) {
        watch.lock().known.look(game, Seen { version, status, seated: true, turn, invited: false });
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
        see(&watch, GAME, 1, Status::Lobby, false);
        assert_eq!(names(&watch.news(fast).news), ["invited"]);
        see(&watch, GAME, 5, Status::Playing, true);
        assert_eq!(names(&watch.news(fast).news), ["started", "your_turn"]);
        assert_eq!(names(&watch.news(fast).news), Vec::<&str>::new());
        see(&watch, GAME, 6, Status::Playing, false);
        // One that is slow skips what does not hold any more.
        assert_eq!(names(&watch.news(slow).news), ["invited", "started"]);
        see(&watch, GAME, 7, Status::Playing, true);
        see(&watch, GAME, 8, Status::Playing, true);
        assert_eq!(names(&watch.news(fast).news), ["your_turn"]);
        see(&watch, GAME, 9, Status::Finished, false);
        assert_eq!(names(&watch.news(fast).news), ["finished"]);
        assert!(watch.knows(&GAME), "the other stream has not told of its end");
        let told = watch.news(slow);
        assert_eq!((names(&told.news), told.done), (vec!["finished"], vec![GAME]));
        assert!(!watch.knows(&GAME) && watch.lock().known.is_empty());
    }

    #[test]
    fn a_stream_begins_with_what_holds() {
        let watch = watch();
        see(&watch, GAME, 3, Status::Playing, true);
        see(&watch, Uuid::max(), 3, Status::Playing, false);
        let stream = watch.open_stream();
        assert_eq!(names(&watch.opening_news(stream)), ["your_turn"]);
        assert_eq!(names(&watch.news(stream).news), Vec::<&str>::new());
    }

    #[test]
    fn a_table_that_was_left_is_no_news() {
        let watch = watch();
        let stream = watch.open_stream();
        see(&watch, GAME, 1, Status::Lobby, false);
        watch.news(stream);
        let left = Seen { version: 2, status: Status::Lobby, seated: false, turn: false, invited: false };
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
        see(&watch, GAME, 5, Status::Playing, false);
        watch.followed(second);
        watch.hint(GAME, 5);
        assert!(watch.next_hint().is_none());
    }

    #[test]
    fn a_look_at_the_log_takes_all_games_in_turn() {
        let watch = watch();
        let all: Vec<Uuid> = (0..2 * LOOKED_AT as u128 + 5).map(Uuid::from_u128).collect();
        all.iter().for_each(|game| see(&watch, *game, 1, Status::Lobby, false));
        let looks = (0..3).flat_map(|_| watch.next_to_look_at());
        let mut looked_at: Vec<Uuid> = looks.map(|(game, _)| game).collect();
        assert_eq!(looked_at.len(), 3 * LOOKED_AT);
        looked_at.sort();
        looked_at.dedup();
        assert_eq!(looked_at, all);
    }
}
