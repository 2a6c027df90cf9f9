//! What one node knows of a watched game: its newest version, the last events committed here with the state after them, and
//! the last turns written here. Streams of the game share it. While they keep up, one of them reads names and presence that
//! are not in memory.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Mutex as AsyncMutex, OnceCell, watch};

use crate::games::committed_event::CommittedEvent;
use crate::games::loaded_game::LoadedGame;
use crate::games::log_position::{HashTag, LogPosition, tag_of};
use crate::games::turn::{SharedTurn, TurnKey};
use estimation_engine::hex::Hex;
use estimation_engine::player::AccountId;
use estimation_engine::view::RoundView;
use estimation_store::Hash;
use estimation_store::event_reads::Head;
use estimation_store::reactions::ReactionRow;

/// Recent events kept per watched game. With its texts one takes up to 2 KB.
const RECENT: usize = 64;

/// Reactions kept per watched game, for streams that are about to send them.
const REACTIONS: usize = 16;

/// Turns kept per watched game: those of the newest versions in each language, with different parts.
const TURNS: usize = 4;

pub(crate) struct GameWatch {
    log: watch::Sender<KnownLog>,
    recent: Mutex<Recent>,
    /// Held while a turn is written, so that other streams wait for it.
    writing: AsyncMutex<()>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct KnownLog {
    pub(crate) version: u64,
    /// How many times the log was found to have lost known events, after a restore or a failover.
    pub(crate) rewinds: u64,
    /// How many reactions this node knows of since the game is watched.
    pub(crate) reactions: u64,
}

/// A reaction, for all streams of the game.
pub(crate) struct LiveReaction {
    pub(crate) row: ReactionRow,
    /// The accounts that do not hear it. The first stream reads them.
    pub(crate) muters: OnceCell<HashSet<AccountId>>,
}

struct Recent {
    /// The newest events committed by this node, without a gap.
    events: VecDeque<Arc<CommittedEvent>>,
    /// The tag of the event before `events`.
    before: HashTag,
    /// The state after all of `events`, or a later one.
    state: Option<Arc<LoadedGame>>,
    /// The head of the log at the last poll.
    looked_at: Option<Head>,
    /// The last turns that were written here.
    turns: VecDeque<Arc<SharedTurn>>,
    /// The last reactions.
    reactions: VecDeque<Arc<LiveReaction>>,
}

impl GameWatch {
    pub(crate) fn new() -> GameWatch {
        let recent = Recent {
            events: VecDeque::new(),
            before: Hex([0; 8]),
            state: None,
            looked_at: None,
            turns: VecDeque::new(),
            reactions: VecDeque::new(),
        };
        GameWatch {
            log: watch::Sender::new(KnownLog::default()),
            recent: Mutex::new(recent),
            writing: AsyncMutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<KnownLog> {
        self.log.subscribe()
    }

    pub(crate) fn is_watched(&self) -> bool {
        self.log.receiver_count() > 0
    }

    pub(crate) fn version(&self) -> u64 {
        self.log.borrow().version
    }

    /// Records a new version and wakes who waits for it.
    pub(crate) fn moved(&self, version: u64) {
        self.log.send_if_modified(|log| {
            let newer = version > log.version;
            log.version = version.max(log.version);
            newer
        });
    }

    /// Keeps a reaction and wakes the streams.
    pub(crate) fn reacted(&self, reaction: &ReactionRow) {
        let mut recent = self.lock();
        recent.reactions.truncate(REACTIONS - 1);
        recent
            .reactions
            .push_front(Arc::new(LiveReaction { row: reaction.clone(), muters: OnceCell::new() }));
        self.log.send_modify(|log| log.reactions += 1);
    }

    /// The newest reactions, oldest first, at most `number`.
    pub(crate) fn last_reactions(&self, number: u64) -> Vec<Arc<LiveReaction>> {
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        let mut newest: Vec<Arc<LiveReaction>> = self.lock().reactions.iter().take(number).cloned().collect();
        newest.reverse();
        newest
    }

    /// Keeps events that this node committed after the event with hash `previous`, and the state after them.
    pub(crate) fn committed(&self, state: &Arc<LoadedGame>, events: &[Arc<CommittedEvent>], previous: &Hash) {
        let mut recent = self.lock();
        let follow = recent.add(previous, events);
        // After a failover a later state can be of events that the log has lost.
        if !follow || recent.state.as_ref().is_none_or(|known| known.version <= state.version) {
            recent.state = Some(Arc::clone(state));
        }
    }

    /// The events after a position with the state after them, or a later one, if this node still has all of them in
    /// memory.
    pub(crate) fn recent(&self, after: LogPosition) -> Option<(Vec<Arc<CommittedEvent>>, Arc<LoadedGame>)> {
        let recent = self.lock();
        let events = recent.after(after)?;
        Some((events, recent.state.clone()?))
    }

    /// A turn, which `write` makes for the first stream that asks for it.
    pub(crate) async fn turn<E>(
        &self,
        key: &TurnKey,
        write: impl AsyncFnOnce() -> Result<SharedTurn, E>,
    ) -> Result<Arc<SharedTurn>, E> {
        if let Some(turn) = self.written(key) {
            return Ok(turn);
        }
        let _writing = self.writing.lock().await;
        if let Some(turn) = self.written(key) {
            return Ok(turn);
        }
        let turn = Arc::new(write().await?);
        self.keep(&turn);
        Ok(turn)
    }

    /// Keeps a turn, for those that tell what changed after it.
    pub(crate) fn keep(&self, turn: &Arc<SharedTurn>) {
        let turns = &mut self.lock().turns;
        turns.truncate(TURNS - 1);
        turns.push_front(Arc::clone(turn));
    }

    /// The round at a version, if a kept turn has it.
    pub(crate) fn round_at(&self, version: LogPosition) -> Option<Arc<Option<RoundView>>> {
        let recent = self.lock();
        let turn = recent.turns.iter().find(|turn| turn.key.version == version)?;
        Some(Arc::clone(&turn.round))
    }

    fn written(&self, key: &TurnKey) -> Option<Arc<SharedTurn>> {
        self.lock().turns.iter().find(|turn| turn.key == *key).cloned()
    }

    /// Records the head that a poll found; `known` is the version known when it began. If the log has lost events, wakes
    /// who waits and returns true.
    pub(crate) fn looked_at(&self, head: Head, known: u64) -> bool {
        let mut recent = self.lock();
        let lost = recent.has_lost(&head, known);
        recent.looked_at = Some(head);
        if lost {
            recent.events.clear();
            recent.state = None;
            self.log
                .send_modify(|log| *log = KnownLog { version: head.seq, rewinds: log.rewinds + 1, ..*log });
        }
        lost
    }
}

impl Recent {
    /// Keeps events. Returns whether they follow the kept ones; if not, only they are kept.
    fn add(&mut self, previous: &Hash, events: &[Arc<CommittedEvent>]) -> bool {
        let (mut previous, mut follow) = (tag_of(previous), true);
        for event in events {
            let follows =
                |last: &Arc<CommittedEvent>| last.seq() + 1 == event.seq() && last.tag() == previous;
            if !self.events.back().is_some_and(follows) {
                self.events.clear();
                self.before = previous;
                follow = false;
            }
            self.events.push_back(Arc::clone(event));
            previous = event.tag();
        }
        let surplus = self.events.len().saturating_sub(RECENT);
        if let Some(last) = self.events.drain(..surplus).next_back() {
            self.before = last.tag();
        }
        follow
    }

    fn after(&self, after: LogPosition) -> Option<Vec<Arc<CommittedEvent>>> {
        let first = self.events.front()?.seq();
        let skipped = usize::try_from((after.seq + 1).checked_sub(first)?).ok()?;
        let before = match skipped.checked_sub(1) {
            Some(last) => self.events.get(last)?.tag(),
            None => self.before,
        };
        // The reader's last event is not in this log.
        if after.tag.is_some_and(|tag| tag != before) {
            return None;
        }
        let events: Vec<_> = self.events.range(skipped..).cloned().collect();
        (!events.is_empty()).then_some(events)
    }

    /// Whether a poll shows that the log has lost events. It either ends before the version `known` when the
    /// poll began, or has another event at a known number.
    fn has_lost(&self, head: &Head, known: u64) -> bool {
        let differs = |seq: u64, tag: HashTag| seq == head.seq && tag != tag_of(&head.hash);
        head.seq < known
            || self.looked_at.is_some_and(|before| differs(before.seq, tag_of(&before.hash)))
            || self.events.back().is_some_and(|last| differs(last.seq(), last.tag()))
    }
}
