//! The hub of a node: which games and accounts are watched here, and how to wake who watches.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use uuid::Uuid;

use crate::application::games::LoadedGame;
use crate::application::games::events::Fact;
use crate::application::metrics::{Metrics, Open};
use crate::engine::player::AccountId;
use crate::store::games::OpenTables;

/// How many streams an account may have open on a node.
pub(super) const STREAMS_PER_ACCOUNT: usize = 16;

/// How many events of a game are kept for those who watch it. Each is some 300 bytes.
const RECENT: usize = 64;

/// The hub of a node.
#[derive(Default)]
pub(in crate::application) struct Hub(Mutex<Watched>);

#[derive(Default)]
struct Watched {
    /// The newest version known of each game that is watched.
    games: HashMap<Uuid, WatchedGame>,
    /// The accounts that are watched.
    accounts: HashMap<AccountId, WatchedAccount>,
    /// Whose games they are: the accounts to wake with a game.
    players: HashMap<Uuid, HashSet<AccountId>>,
    /// How many streams each account has open.
    streams: HashMap<AccountId, usize>,
}

/// A game that is watched.
struct WatchedGame {
    /// The newest version known.
    version: watch::Sender<u64>,
    /// The newest events that this node has committed, without a gap, for those who watch.
    recent: VecDeque<Arc<Fact>>,
}

/// An account that is watched.
struct WatchedAccount {
    /// Raised when something of theirs may have happened.
    count: watch::Sender<u64>,
    /// The tables it sat at when the log was last looked at.
    tables: Option<OpenTables>,
}

/// An open stream, counted for its account until it is dropped.
pub(in crate::application) struct StreamPass {
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
    fn lock(&self) -> MutexGuard<'_, Watched> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a stream; none if the account has as many as it may.
    pub(super) fn admit(self: &Arc<Hub>, account: &AccountId, metrics: &Metrics) -> Option<StreamPass> {
        let mut watched = self.lock();
        let open = watched.streams.entry(account.clone()).or_default();
        if *open >= STREAMS_PER_ACCOUNT {
            return None;
        }
        *open += 1;
        Some(StreamPass { hub: Arc::clone(self), account: account.clone(), _counted: metrics.stream() })
    }

    /// Whether an account has a stream or a poll open here.
    pub(in crate::application) fn has_stream(&self, account: &AccountId) -> bool {
        self.lock().streams.contains_key(account)
    }

    /// The accounts that have a stream or a poll open here.
    pub(in crate::application) fn streaming(&self) -> Vec<AccountId> {
        self.lock().streams.keys().cloned().collect()
    }

    /// Watches a game from a version on.
    pub(super) fn game(&self, game: Uuid) -> watch::Receiver<u64> {
        let new = || WatchedGame { version: watch::Sender::new(0), recent: VecDeque::new() };
        self.lock().games.entry(game).or_insert_with(new).version.subscribe()
    }

    /// Watches whatever happens in an account's games.
    pub(super) fn account(&self, account: &AccountId) -> watch::Receiver<u64> {
        let new = || WatchedAccount { count: watch::Sender::new(0), tables: None };
        self.lock().accounts.entry(account.clone()).or_insert_with(new).count.subscribe()
    }

    /// The log was looked at: wakes an account that sits at other tables than the last time. The first look
    /// wakes it, too: it may have sat down elsewhere since its stream began.
    pub(super) fn seen_at(&self, account: &AccountId, tables: OpenTables) {
        let mut watched = self.lock();
        let Some(entry) = watched.accounts.get_mut(account) else { return };
        if entry.tables.replace(tables.clone()).is_none_or(|before| before != tables) {
            watched.wake(account);
        }
    }

    /// Keeps events that this node has committed for those who watch the game.
    pub(in crate::application) fn committed(&self, state: &LoadedGame, facts: &[Arc<Fact>]) {
        let mut watched = self.lock();
        let Some(game) = watched.games.get_mut(&state.id) else { return };
        for fact in facts {
            if game.recent.back().is_some_and(|last| last.seq() + 1 != fact.seq()) {
                game.recent.clear();
            }
            game.recent.push_back(Arc::clone(fact));
        }
        let surplus = game.recent.len().saturating_sub(RECENT);
        game.recent.drain(..surplus);
    }

    /// The events of a game after a version, where this node has committed all of them lately.
    pub(in crate::application) fn recent(&self, game: &Uuid, after: u64) -> Option<Vec<Arc<Fact>>> {
        let watched = self.lock();
        let recent = &watched.games.get(game)?.recent;
        let first = recent.front()?.seq();
        let skipped = usize::try_from((after + 1).checked_sub(first)?).ok()?;
        let events: Vec<_> = recent.iter().skip(skipped).cloned().collect();
        (!events.is_empty()).then_some(events)
    }

    /// Says which games an account wants to be woken by.
    pub(super) fn follow(&self, account: &AccountId, games: impl IntoIterator<Item = Uuid>) {
        let mut watched = self.lock();
        for game in games {
            watched.players.entry(game).or_default().insert(account.clone());
        }
    }

    /// A game has moved on: wakes who watches it.
    pub(in crate::application) fn moved(&self, game: Uuid, version: u64) {
        let watched = self.lock();
        if let Some(game) = watched.games.get(&game) {
            game.version.send_if_modified(|known| {
                let newer = version > *known;
                *known = version.max(*known);
                newer
            });
        }
        for account in watched.players.get(&game).into_iter().flatten() {
            watched.wake(account);
        }
    }

    /// Something of these accounts may have happened.
    pub(in crate::application) fn wake<'a>(&self, accounts: impl IntoIterator<Item = &'a AccountId>) {
        let watched = self.lock();
        accounts.into_iter().for_each(|account| watched.wake(account));
    }

    /// The games and accounts that are watched here; what nobody watches any more is forgotten.
    pub(super) fn watched(&self) -> (Vec<(Uuid, u64)>, Vec<AccountId>) {
        let mut watched = self.lock();
        let Watched { games, accounts, players, .. } = &mut *watched;
        games.retain(|_, game| game.version.receiver_count() > 0);
        accounts.retain(|_, account| account.count.receiver_count() > 0);
        players.retain(|_, followers| {
            followers.retain(|account| accounts.contains_key(account));
            !followers.is_empty()
        });
        let mut all: HashMap<Uuid, u64> =
            games.iter().map(|(id, game)| (*id, *game.version.borrow())).collect();
        for game in players.keys() {
            all.entry(*game).or_insert(0);
        }
        (all.into_iter().collect(), accounts.keys().cloned().collect())
    }
}

impl Watched {
    fn wake(&self, account: &AccountId) {
        if let Some(account) = self.accounts.get(account) {
            account.count.send_modify(|count| *count += 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_of_an_older_version_wakes_nobody() {
        let hub = Hub::default();
        let mut receiver = hub.game(Uuid::nil());
        hub.moved(Uuid::nil(), 5);
        assert!(receiver.has_changed().unwrap());
        receiver.mark_unchanged();
        hub.moved(Uuid::nil(), 4);
        assert!(!receiver.has_changed().unwrap());
    }

    #[test]
    fn what_nobody_watches_is_forgotten() {
        let hub = Hub::default();
        let account = AccountId::new("noor");
        let receivers = (hub.game(Uuid::nil()), hub.account(&account));
        hub.follow(&account, [Uuid::max()]);
        assert_eq!((hub.watched().0.len(), hub.watched().1.len()), (2, 1));
        drop(receivers);
        assert_eq!(hub.watched(), (vec![], vec![]));
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
