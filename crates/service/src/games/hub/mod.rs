//! The hub of a node: the games and accounts watched here, and how to wake their watchers.

pub(crate) mod account_watch;
pub(crate) mod game_watch;
pub(crate) mod presence;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
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
use estimation_store::{Database, GameId, Hash, NodeMessage, NodeMessages};

/// Open streams per account and node.
const STREAMS_PER_ACCOUNT: usize = 16;

#[derive(Default)]
pub(crate) struct Hub(Mutex<HubState>);

#[derive(Default)]
struct HubState {
    games: HashMap<GameId, Arc<GameWatch>>,
    /// The watches of each account's streams. [`Hub::to_poll`] removes those of closed streams.
    accounts: HashMap<AccountId, Vec<Weak<AccountWatch>>>,
    /// The number of open streams and polls.
    streams: HashMap<AccountId, usize>,
    looked: Option<Instant>,
    /// How many polls have begun.
    polls: usize,
}

/// What a poll of the log reads.
pub(crate) struct Polled {
    pub(crate) games: HashMap<GameId, PolledGame>,
    pub(crate) accounts: Vec<AccountId>,
}

#[derive(Default)]
pub(crate) struct PolledGame {
    /// The newest version known when the poll began; 0 for none.
    known: u64,
    /// The account streams that know the game.
    streams: Vec<Arc<AccountWatch>>,
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

    /// A watch for a new stream of an account, registered until it is dropped.
    pub(crate) fn account(&self, account: &AccountId) -> Arc<AccountWatch> {
        let watch = Arc::new(AccountWatch::new(account.clone()));
        self.lock().accounts.entry(account.clone()).or_default().push(Arc::downgrade(&watch));
        watch
    }

    /// Keeps events that this node committed after the event with hash `previous`, if the game is watched.
    pub(crate) fn committed(&self, state: &Arc<LoadedGame>, events: &[Arc<CommittedEvent>], previous: &Hash) {
        let watch = self.lock().games.get(&state.id).cloned();
        if let Some(watch) = watch {
            watch.committed(state, events, previous);
        }
    }

    /// Records a game's new version. Wakes its watchers and the streams of these accounts.
    pub(crate) fn moved<'a>(
        &self,
        game: GameId,
        version: u64,
        accounts: impl IntoIterator<Item = &'a AccountId>,
    ) {
        let watched = self.lock();
        if let Some(game) = watched.games.get(&game) {
            game.moved(version);
        }
        let streams = accounts.into_iter().filter_map(|account| watched.accounts.get(account)).flatten();
        streams.filter_map(Weak::upgrade).for_each(|stream| stream.hint(game, version));
    }

    /// Gives a reaction to the streams of its game.
    pub(crate) fn reacted(&self, reaction: &ReactionRow) {
        let watch = self.lock().games.get(&reaction.game_id).cloned();
        if let Some(watch) = watch {
            watch.reacted(reaction);
        }
    }

    /// Records the head that a poll found, and wakes who does not know it. Returns whether the log has lost events.
    pub(crate) fn looked_at(&self, game: GameId, head: Head, polled: &PolledGame) -> bool {
        let watch = self.lock().games.get(&game).cloned();
        let in_log = watch.as_ref().is_some_and(|watch| watch.looked_at(head, polled.known));
        let lost = in_log || head.seq < polled.known;
        if !lost && let Some(watch) = watch {
            watch.moved(head.seq);
        }
        for stream in &polled.streams {
            if lost {
                stream.rewind(game);
            }
            stream.hint(game, head.seq);
        }
        lost
    }

    /// The start of the last complete poll.
    pub(crate) fn last_look(&self) -> Option<Instant> {
        self.lock().looked
    }

    /// Records a complete poll.
    pub(crate) fn looked(&self, begun: Instant) {
        self.lock().looked = Some(begun);
    }

    /// What to poll: every watched game, and some games of each account stream. Drops unused watches.
    pub(crate) fn to_poll(&self) -> Polled {
        let mut watched = self.lock();
        watched.games.retain(|_, game| game.is_watched());
        watched.accounts.retain(|_, streams| {
            streams.retain(|stream| stream.strong_count() > 0);
            !streams.is_empty()
        });
        watched.polls = watched.polls.wrapping_add(1);
        let known = |game: &Arc<GameWatch>| PolledGame { known: game.version(), streams: Vec::new() };
        let mut games: HashMap<_, _> = watched.games.iter().map(|(id, game)| (*id, known(game))).collect();
        for stream in watched.accounts.values().flatten().filter_map(Weak::upgrade) {
            for (game, version) in stream.to_poll(watched.polls) {
                let polled: &mut PolledGame = games.entry(game).or_default();
                polled.known = version.max(polled.known);
                polled.streams.push(Arc::clone(&stream));
            }
        }
        Polled { games, accounts: watched.accounts.keys().cloned().collect() }
    }
}

/// Announces changed games to this node's watchers and to other nodes.
#[derive(Default)]
pub(crate) struct Announcements {
    pub(crate) hub: Arc<Hub>,
    other_nodes: OnceLock<NodeMessages>,
}

impl Announcements {
    /// Starts to exchange messages with other nodes, on the caller's runtime.
    pub(crate) fn exchange(&self, database: &Database, metrics: &Arc<Metrics>) {
        let (hub, metrics) = (Arc::clone(&self.hub), Arc::clone(metrics));
        let sender = database.exchange_messages(move |message| {
            metrics.notice_heard();
            match message {
                NodeMessage::Moved { game, seq, accounts } => hub.moved(game, seq, &accounts),
                NodeMessage::Reaction(reaction) => hub.reacted(&reaction),
            }
        });
        if let Some(sender) = sender {
            // A second start would only replace the sender with an equal one.
            let _ = self.other_nodes.set(sender);
        }
    }

    pub(crate) fn has_other_nodes(&self) -> bool {
        self.other_nodes.get().is_some()
    }

    /// Announces a game's new version to its watchers and to the streams of the accounts.
    pub(crate) fn announce(&self, game: GameId, version: u64, accounts: Vec<AccountId>) {
        self.hub.moved(game, version, &accounts);
        if let Some(sender) = self.other_nodes.get() {
            sender.post(NodeMessage::Moved { game, seq: version, accounts });
        }
    }

    /// Tells the streams of a game that a player reacted.
    pub(crate) fn react(&self, reaction: ReactionRow) {
        self.hub.reacted(&reaction);
        if let Some(sender) = self.other_nodes.get() {
            sender.post(NodeMessage::Reaction(reaction));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: GameId = GameId(uuid::Uuid::nil());

    #[test]
    fn a_hint_of_an_older_version_wakes_nobody() {
        let hub = Hub::default();
        let (_, mut receiver) = hub.game(GAME);
        hub.moved(GAME, 5, []);
        assert!(receiver.has_changed().unwrap());
        receiver.mark_unchanged();
        hub.moved(GAME, 4, []);
        assert!(!receiver.has_changed().unwrap());
    }

    #[test]
    fn a_log_that_has_lost_events_wakes_who_watches_it() {
        let hub = Hub::default();
        let looked_at = |seq: u64, byte: u8, known: u64| {
            hub.looked_at(GAME, Head { seq, hash: [byte; 32] }, &PolledGame { known, streams: Vec::new() })
        };
        let (_, mut receiver) = hub.game(GAME);
        hub.moved(GAME, 5, []);
        assert!(!looked_at(5, 1, 5));
        assert!(!looked_at(4, 1, 4), "a look that is late proves nothing");
        assert_eq!(*receiver.borrow_and_update(), KnownLog { version: 5, ..KnownLog::default() });
        assert!(looked_at(3, 1, 5));
        assert_eq!(*receiver.borrow_and_update(), KnownLog { version: 3, rewinds: 1, reactions: 0 });
        // Another event with the same number.
        assert!(looked_at(3, 2, 3));
        assert_eq!(*receiver.borrow_and_update(), KnownLog { version: 3, rewinds: 2, reactions: 0 });
    }

    #[test]
    fn what_nobody_watches_is_forgotten() {
        let hub = Hub::default();
        let (game, stream) = (hub.game(GAME), hub.account(&AccountId::new("noor")));
        let polled = || {
            let Polled { games, accounts } = hub.to_poll();
            (games.len(), accounts.len())
        };
        assert_eq!(polled(), (1, 1));
        drop(game);
        assert_eq!(polled(), (0, 1));
        drop(stream);
        assert_eq!(polled(), (0, 0));
    }

    #[test]
    fn all_streams_of_who_is_concerned_are_hinted() {
        let hub = Hub::default();
        let (noor, omar) = (AccountId::new("noor"), AccountId::new("omar"));
        let streams = [hub.account(&noor), hub.account(&noor)];
        hub.moved(GAME, 5, [&omar]);
        assert!(streams.iter().all(|stream| stream.next_hint().is_none()));
        hub.moved(GAME, 6, [&omar, &noor]);
        assert!(streams.iter().all(|stream| stream.next_hint() == Some((GAME, 6))));
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
