//! The turn clock: when the service must act by itself, for a bot's turn, a timeout or an inactive game.
//!
//! Everything follows from the record, so that a verifier can check it.

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use crate::RecordTime;
use estimation_engine::command::Position;
use estimation_engine::event::Event;
use estimation_engine::game::{Game, GameStatus};

/// How long a table with one waiting player stays open.
const ALONE_LIMIT: SignedDuration = SignedDuration::from_hours(24);

/// How long a table with several players may wait for its start.
const START_LIMIT: SignedDuration = SignedDuration::from_hours(7 * 24);

/// How long a game without a turn clock may be inactive.
const INACTIVITY_LIMIT: SignedDuration = SignedDuration::from_hours(30 * 24);

/// The times of a game that determine its deadlines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnClock {
    /// The time of the last event.
    pub last: RecordTime,
    /// The time when the current turn began.
    pub turn: RecordTime,
}

/// An action that the service performs by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimedAction {
    /// Move for a bot, or as a stand-in.
    Bot(Position),
    /// Move for a player whose turn timed out.
    Clock(Position),
    /// End an opening of client seeds in which one stayed closed.
    Opening,
    /// End an inactive game.
    Expiry,
}

/// A timed action and its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline {
    /// The time from which the action must be performed, not before.
    pub at: RecordTime,
    /// The action.
    pub duty: TimedAction,
}

impl TurnClock {
    /// The clock of a new table.
    pub fn opened(at: RecordTime) -> TurnClock {
        TurnClock { last: at, turn: at }
    }

    /// The clock after an event. Every event begins a turn, except hints and those of attendance: a returning
    /// player begins a turn only if it is theirs.
    #[must_use]
    pub fn after(self, event: &Event, at: RecordTime, game: &Game) -> TurnClock {
        let begins = match event {
            // The time for opening begins with the request for the start.
            Event::PlayerForfeited { .. } | Event::HintTaken { .. } | Event::SeedOpened { .. } => false,
            Event::StandInEnded { seat } => game.to_act() == Some(game.table.position(*seat)),
            _ => true,
        };
        TurnClock { last: at, turn: if begins { at } else { self.turn } }
    }

    /// The next timed action if nothing happens before; none once the game is over.
    pub fn due(self, game: &Game) -> Option<Deadline> {
        if game.is_opening() {
            let at = self.turn.plus(SignedDuration::from_secs(game.table.opening_seconds.into()));
            return Some(Deadline { at, duty: TimedAction::Opening });
        }
        if game.status() == GameStatus::Lobby {
            let people = game.table.places.values().flatten().filter(|it| it.player.account().is_some());
            let patience = if people.count() > 1 { START_LIMIT } else { ALONE_LIMIT };
            return Some(Deadline { at: self.last.plus(patience), duty: TimedAction::Expiry });
        }
        let position = game.to_act()?;
        if game.is_played_by_bot(position) {
            return Some(Deadline { at: self.turn, duty: TimedAction::Bot(position) });
        }
        Some(match game.table.turn_seconds {
            Some(seconds) => {
                let at = self.turn.plus(SignedDuration::from_secs(seconds.into()));
                Deadline { at, duty: TimedAction::Clock(position) }
            }
            None => Deadline { at: self.last.plus(INACTIVITY_LIMIT), duty: TimedAction::Expiry },
        })
    }

    /// Until when the players open their client seeds; none unless the start was requested.
    pub fn opening_until(self, game: &Game) -> Option<RecordTime> {
        self.due(game).filter(|due| due.duty == TimedAction::Opening).map(|due| due.at)
    }

    /// When the current player's turn times out; none without a turn clock, or when a bot moves.
    pub fn deadline(self, game: &Game) -> Option<RecordTime> {
        self.due(game).filter(|due| matches!(due.duty, TimedAction::Clock(_))).map(|due| due.at)
    }
}
