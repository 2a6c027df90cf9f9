//! The hub of a node: the games and accounts watched here, and how to wake their watchers.

pub(crate) mod account_news;
pub(crate) mod account_watch;
pub(crate) mod announcements;
pub(crate) mod game_watch;
mod known_games;
pub(crate) mod presence;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::watch;

use self::account_watch::AccountWatch;
use self::game_watch::{GameWatch, KnownLog};
use crate::base::metrics::{Metrics, Open};
use crate::games::committed_event::CommittedEvent;
use crate::games::loaded_game::LoadedGame;
use estimation_engine::player::AccountId;
use estimation_store::event_reads::Head;
use estimation_store::reactions::ReactionRow;
use estimation_store::{GameId, Hash};

/// Open streams per account and node.
pub(crate) const STREAMS_PER_ACCOUNT: usize = 16;

#[derive(Default)]
pub(crate) struct Hub(Mutex<HubState>);

#[derive(Default)]
struct HubState {
    games: HashMap<GameId, Arc<GameWatch>>,
    accounts: HashMap<AccountId, Arc<AccountWatch>>,
    /// The account watches that follow a game: of its players and invited accounts.
    followers: HashMap<GameId, Vec<Arc<AccountWatch>>>,
    streams: HashMap<AccountId, usize>,
    looked: Option<Instant>,
}

/// What a poll of the log reads.
pub(crate) struct Polled {
    /// The games, with the newest version known when the poll began; 0 for none.
    pub(crate) games: HashMap<GameId, u64>,
    pub(crate) accounts: Vec<AccountId>,
}

/// Counts an open stream for its account until dropped.
pub(crate) struct StreamPass {
    hub: Arc<Hub>,
    account: AccountId,
    _counted: Open,
}

impl Drop for StreamPass {
    fn drop(&mut self) {
        let mut watched = self.hub.lock();
        if let Some(open) = watched.streams.get_mut(&self.account) {
            *open -= 1;
            if *open == 0 {
                watched.streams.remove(&self.account);
            }
        }
    }
}

impl Hub {
    fn lock(&self) -> MutexGuard<'_, HubState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a stream; `None` if the account has the maximum.
    pub(crate) fn admit(self: &Arc<Hub>, account: &AccountId, metrics: &Metrics) -> Option<StreamPass> {
        let mut watched = self.lock();
        let open = watched.streams.entry(account.clone()).or_default();
        if *open >= STREAMS_PER_ACCOUNT {
            return None;
        }
        *open += 1;
        Some(StreamPass { hub: Arc::clone(self), account: account.clone(), _counted: metrics.stream() })
    }

    /// Whether an account has a stream or poll open on this node.
    pub(crate) fn has_stream(&self, account: &AccountId) -> bool {
        self.lock().streams.contains_key(account)
    }

    /// The accounts with a stream or poll open on this node.
    pub(crate) fn streaming(&self) -> Vec<AccountId> {
        self.lock().streams.keys().cloned().collect()
    }

    /// The watch of a game, and a receiver that keeps it registered.
    pub(crate) fn game(&self, game: GameId) -> (Arc<GameWatch>, watch::Receiver<KnownLog>) {
        let mut watched = self.lock();
        let watch = watched.games.entry(game).or_insert_with(|| Arc::new(GameWatch::new()));
        (Arc::clone(watch), watch.subscribe())
    }

    /// The watch of an account, with the number of a new stream.
    pub(crate) fn account(&self, account: &AccountId) -> (Arc<AccountWatch>, u64) {
        let mut watched = self.lock();
        let new = || Arc::new(AccountWatch::new(account.clone()));
        let watch = watched.accounts.entry(account.clone()).or_insert_with(new);
        let number = watch.open_stream();
        (Arc::clone(watch), number)
    }

    /// Keeps events that this node committed after the event with hash `previous`, if the game is watched.
    pub(crate) fn committed(&self, state: &Arc<LoadedGame>, events: &[Arc<CommittedEvent>], previous: &Hash) {
        let watch = self.lock().games.get(&state.id).cloned();
        if let Some(watch) = watch {
            watch.committed(state, events, previous);
        }
    }

    /// Sends hints at the games to the watch.
    pub(crate) fn follow(&self, watch: &Arc<AccountWatch>, games: impl IntoIterator<Item = GameId>) {
        let mut watched = self.lock();
        for game in games {
            let followers = watched.followers.entry(game).or_default();
            if !followers.iter().any(|follower| Arc::ptr_eq(follower, watch)) {
                followers.push(Arc::clone(watch));
            }
        }
    }

    /// Stops sending hints at the games to the watch.
    pub(crate) fn unfollow(&self, watch: &Arc<AccountWatch>, games: impl IntoIterator<Item = GameId>) {
        let mut watched = self.lock();
        games.into_iter().for_each(|game| watched.unfollow(watch, game));
    }

    /// Records a game's new version and wakes its watchers.
    pub(crate) fn moved(&self, game: GameId, version: u64) {
        let watched = self.lock();
        if let Some(game) = watched.games.get(&game) {
            game.moved(version);
        }
        for follower in watched.followers.get(&game).into_iter().flatten() {
            follower.hint(game, version);
        }
    }

    /// Gives a reaction to the streams of its game.
    pub(crate) fn reacted(&self, reaction: &ReactionRow) {
        let watch = self.lock().games.get(&reaction.game_id).cloned();
        if let Some(watch) = watch {
            watch.reacted(reaction);
        }
    }

    /// Records the head that a poll found; `known` is the version known when it began. If the log has lost
    /// events, wakes all watchers and returns true.
    pub(crate) fn looked_at(&self, game: GameId, head: Head, known: u64) -> bool {
        let watched = self.lock();
        let in_log = watched.games.get(&game).is_some_and(|game| game.looked_at(head, known));
        let lost = in_log || head.seq < known;
        if lost {
            for follower in watched.followers.get(&game).into_iter().flatten() {
                follower.rewind(game, head.seq);
            }
        }
        drop(watched);
        if !lost {
            self.moved(game, head.seq);
        }
        lost
    }

    /// Hints at a game to these accounts, whether they follow it or not.
    pub(crate) fn concerns<'a>(
        &self,
        game: GameId,
        version: u64,
        accounts: impl IntoIterator<Item = &'a AccountId>,
    ) {
        let watched = self.lock();
        let concerned = accounts.into_iter().filter_map(|account| watched.accounts.get(account));
        concerned.for_each(|watch| watch.hint(game, version));
    }

    /// The start of the last complete poll.
    pub(crate) fn last_look(&self) -> Option<Instant> {
        self.lock().looked
    }

    /// Records a complete poll.
    pub(crate) fn looked(&self, begun: Instant) {
        self.lock().looked = Some(begun);
    }

    /// What to poll: every watched game, and some games of each watched account in rotation. Drops unused
    /// watches.
    pub(crate) fn to_poll(&self, now: Instant) -> Polled {
        let mut watched = self.lock();
        watched.games.retain(|_, game| game.is_watched());
        let unused: Vec<_> =
            watched.accounts.values().filter(|watch| !watch.is_in_use(now)).map(Arc::clone).collect();
        for watch in unused {
            watched.accounts.remove(&watch.account);
            watch.games().into_iter().for_each(|game| watched.unfollow(&watch, game));
        }
        let mut games: HashMap<GameId, u64> =
            watched.games.iter().map(|(id, game)| (*id, game.version())).collect();
        for (game, version) in watched.accounts.values().flat_map(|watch| watch.next_to_look_at()) {
            let known = games.entry(game).or_default();
            *known = version.max(*known);
        }
        Polled { games, accounts: watched.accounts.keys().cloned().collect() }
    }
}

impl HubState {
    fn unfollow(&mut self, watch: &Arc<AccountWatch>, game: GameId) {
        let Some(followers) = self.followers.get_mut(&game) else { return };
        followers.retain(|follower| !Arc::ptr_eq(follower, watch));
        if followers.is_empty() {
            self.followers.remove(&game);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_hint_of_an_older_version_wakes_nobody() {
        let hub = Hub::default();
        let (_, mut receiver) = hub.game(GameId::default());
        hub.moved(GameId::default(), 5);
        assert!(receiver.has_changed().unwrap());
        receiver.mark_unchanged();
        hub.moved(GameId::default(), 4);
        assert!(!receiver.has_changed().unwrap());
    }

    #[test]
    fn a_log_that_has_lost_events_wakes_who_watches_it() {
        let hub = Hub::default();
        let head = |seq: u64, byte: u8| Head { seq, hash: [byte; 32] };
        let (_, mut receiver) = hub.game(GameId::default());
        hub.moved(GameId::default(), 5);
        assert!(!hub.looked_at(GameId::default(), head(5, 1), 5));
        assert!(!hub.looked_at(GameId::default(), head(4, 1), 4), "a look that is late proves nothing");
        assert_eq!(*receiver.borrow_and_update(), KnownLog { version: 5, ..KnownLog::default() });
        assert!(hub.looked_at(GameId::default(), head(3, 1), 5));
        assert_eq!(*receiver.borrow_and_update(), KnownLog { version: 3, rewinds: 1, reactions: 0 });
        // Another event with the same number.
        assert!(hub.looked_at(GameId::default(), head(3, 2), 3));
        assert_eq!(*receiver.borrow_and_update(), KnownLog { version: 3, rewinds: 2, reactions: 0 });
    }

    #[test]
    fn what_nobody_watches_is_forgotten() {
        let hub = Hub::default();
        let account = AccountId::new("noor");
        let (game, now) = (hub.game(GameId::default()), Instant::now());
        let (watch, number) = hub.account(&account);
        watch.begin(vec![]);
        hub.follow(&watch, [GameId(Uuid::max())]);
        let looked_at = |after: u64| {
            let Polled { games, accounts } = hub.to_poll(now + Duration::from_secs(after));
            (games.len(), accounts.len(), hub.lock().followers.len())
        };
        assert_eq!(looked_at(600), (1, 1, 1));
        drop(game);
        watch.close_stream(number);
        // The watch is kept for a while, for a reconnect.
        assert_eq!(looked_at(1), (0, 1, 1));
        hub.unfollow(&watch, [GameId(Uuid::max())]);
        assert_eq!(looked_at(600), (0, 0, 0));
    }

    #[test]
    fn who_is_concerned_is_told_of_a_game_they_do_not_follow() {
        let hub = Hub::default();
        let (noor, omar) = (AccountId::new("noor"), AccountId::new("omar"));
        let (watch, _) = hub.account(&noor);
        hub.moved(GameId::default(), 5);
        hub.concerns(GameId::default(), 5, [&omar]);
        assert!(watch.next_hint().is_none());
        hub.concerns(GameId::default(), 6, [&omar, &noor]);
        assert_eq!(watch.next_hint().map(|hint| hint.version), Some(6));
        let (same, _) = hub.account(&noor);
        assert!(Arc::ptr_eq(&watch, &same), "all streams of an account share what is known");
    }

    #[test]
    fn an_account_has_only_so_many_streams() {
        let (hub, metrics) = (Arc::new(Hub::default()), Metrics::default());
        let account = AccountId::new("noor");
        let passes: Vec<_> =
            (0..STREAMS_PER_ACCOUNT).map(|_| hub.admit(&account, &metrics).unwrap()).collect();
        assert!(hub.admit(&account, &metrics).is_none());
        drop(passes);
        assert!(hub.admit(&account, &metrics).is_some());
    }
}
