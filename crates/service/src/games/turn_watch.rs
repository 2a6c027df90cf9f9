//! The candidates for notices, from the commits of this node: turns that go on, and games that started or ended.
//!
//! A commit only records a game and a time here. [`Notifications`](crate::notifications::Notifications) decides at that time
//! who gets a notice.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::LoadedGame;
use super::committed_event::CommittedEvent;
use super::turn::awaited;
use crate::base::failure::milliseconds;
use estimation_engine::event::EventKind;
use estimation_engine::game::GameStatus;
use estimation_engine::player::AccountId;
use estimation_store::GameId;

/// How long a turn lasts before its player is told, in milliseconds.
pub(crate) const LASTS: i64 = 5_000;

/// Something to look at when its time has come.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Look {
    /// Milliseconds since 1970.
    pub(crate) at: i64,
    pub(crate) game: GameId,
    /// The version with the turn.
    pub(crate) version: u64,
    pub(crate) about: About,
}

/// What a look is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum About {
    /// A turn that goes on. These accounts were told of it.
    Turn {
        told: Vec<AccountId>,
    },
    /// A turn that is about to run out.
    TurnEnding,
    Started,
    Finished,
    /// A rematch was opened, to which these accounts are invited.
    Invited {
        accounts: Vec<AccountId>,
    },
}

pub(crate) struct TurnWatch {
    /// Whether anybody can be told.
    is_on: bool,
    kept: Mutex<WatchedTurns>,
}

#[derive(Default)]
struct WatchedTurns {
    /// The games with a turn of a person, by version.
    turns: HashMap<GameId, u64>,
    looks: BinaryHeap<Reverse<Look>>,
}

impl TurnWatch {
    pub(crate) fn new(is_on: bool) -> TurnWatch {
        TurnWatch { is_on, kept: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, WatchedTurns> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a commit of this node.
    pub(super) fn committed(
        &self,
        state: &LoadedGame,
        events: &[Arc<CommittedEvent>],
        invited: &[AccountId],
    ) {
        if !self.is_on {
            return;
        }
        let (game, version) = (state.id, state.version);
        let is_over = state.game.is_over();
        let has_started = events.iter().any(|event| event.kind() == EventKind::GameStarted);
        let is_turn = !is_over && people_awaited(state).next().is_some();
        let now = milliseconds(state.turn_clock.last.timestamp());
        let look = |at, about| Reverse(Look { at, game, version, about });
        let mut kept = self.lock();
        if is_turn {
            kept.turns.insert(game, version);
            let since = milliseconds(state.turn_clock.turn.timestamp());
            kept.looks.push(look(since + LASTS, About::Turn { told: Vec::new() }));
        } else {
            kept.turns.remove(&game);
        }
        if state.game.status() == GameStatus::Finished {
            kept.looks.push(look(now, About::Finished));
        }
        if has_started {
            kept.looks.push(look(now, About::Started));
        }
        if !invited.is_empty() {
            kept.looks.push(look(now, About::Invited { accounts: invited.to_vec() }));
        }
    }

    /// Notes a turn that this node did not begin.
    pub(crate) fn found(&self, state: &LoadedGame) {
        let mut kept = self.lock();
        if kept.turns.get(&state.id).is_none_or(|version| *version < state.version) {
            kept.turns.insert(state.id, state.version);
            let at = milliseconds(state.turn_clock.turn.timestamp()) + LASTS;
            let about = About::Turn { told: Vec::new() };
            kept.looks.push(Reverse(Look { at, game: state.id, version: state.version, about }));
        }
    }

    /// Takes what has to be looked at by a time. Turns that ended on this node are left out.
    pub(crate) fn due(&self, by: i64) -> Vec<Look> {
        let mut kept = self.lock();
        let mut due = Vec::new();
        while kept.looks.peek().is_some_and(|Reverse(look)| look.at <= by) {
            let Some(Reverse(look)) = kept.looks.pop() else { break };
            let is_of_turn = matches!(look.about, About::Turn { .. } | About::TurnEnding);
            if !is_of_turn || kept.turns.get(&look.game) == Some(&look.version) {
                due.push(look);
            }
        }
        due
    }

    /// Looks again at another time.
    pub(crate) fn again(&self, look: Look) {
        self.lock().looks.push(Reverse(look));
    }

    /// Nothing of the turn is left to look at.
    pub(crate) fn done(&self, game: GameId, version: u64) {
        let mut kept = self.lock();
        if kept.turns.get(&game) == Some(&version) {
            kept.turns.remove(&game);
        }
    }
}

/// The accounts of the people for whom the game waits.
pub(crate) fn people_awaited(state: &LoadedGame) -> impl Iterator<Item = &AccountId> {
    let game = &state.game;
    let people = awaited(game).into_iter().filter(|position| !game.is_played_by_bot(*position));
    people.filter_map(|position| game.table.at(game.table.place_of(position)?)?.player.account())
}
