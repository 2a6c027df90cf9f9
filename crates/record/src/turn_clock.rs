//! When the service has to act by itself: a bot's turn, a turn that ran out, a game that nobody goes on with.
//!
//! Everything here follows from the record alone, so that a verifier can check it.

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use crate::RecordTime;
use estimation_engine::command::Position;
use estimation_engine::event::Event;
use estimation_engine::game::{Game, Status};

/// How long a table is kept open for somebody who waits alone.
const LONELY: SignedDuration = SignedDuration::from_hours(24);

/// How long people who sit at a table may put off its start.
const UNSTARTED: SignedDuration = SignedDuration::from_hours(7 * 24);

/// How long a game without a clock may rest.
const FORSAKEN: SignedDuration = SignedDuration::from_hours(30 * 24);

/// The times of a game that decide when the service has to act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnClock {
    /// When the last event happened.
    pub last: RecordTime,
    /// When the turn began that the game is in.
    pub turn: RecordTime,
}

/// What the service has to do by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimedAction {
    /// Move for a bot, or for somebody a bot stands in for.
    Bot(Position),
    /// Move for somebody whose turn has run out.
    Clock(Position),
    /// End a game that nobody goes on with.
    Expiry,
}

/// A duty and its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline {
    /// When it has to be done, and not before.
    pub at: RecordTime,
    /// What.
    pub duty: TimedAction,
}

impl TurnClock {
    /// The pace of a table that is opened.
    pub fn opened(at: RecordTime) -> TurnClock {
        TurnClock { last: at, turn: at }
    }

    /// The pace after an event. Every event begins a turn, but for those that say who is absent: who comes
    /// back begins a turn only if it is theirs.
    #[must_use]
    pub fn after(self, event: &Event, at: RecordTime, game: &Game) -> TurnClock {
        let begins = match event {
            Event::PlayerForfeited { .. } => false,
            Event::StandInEnded { seat } => game.to_act() == Some(game.table.chair(*seat)),
            _ => true,
        };
        TurnClock { last: at, turn: if begins { at } else { self.turn } }
    }

    /// What the service has to do by itself if nothing happens before; nothing once the game is over.
    pub fn due(self, game: &Game) -> Option<Deadline> {
        if game.status() == Status::Lobby {
            let people = game.table.places.values().flatten().filter(|it| it.player.account().is_some());
            let patience = if people.count() > 1 { UNSTARTED } else { LONELY };
            return Some(Deadline { at: self.last.plus(patience), duty: TimedAction::Expiry });
        }
        let chair = game.to_act()?;
        if game.is_played_by_bot(chair) {
            return Some(Deadline { at: self.turn, duty: TimedAction::Bot(chair) });
        }
        Some(match game.table.turn_seconds {
            Some(seconds) => {
                let at = self.turn.plus(SignedDuration::from_secs(seconds.into()));
                Deadline { at, duty: TimedAction::Clock(chair) }
            }
            None => Deadline { at: self.last.plus(FORSAKEN), duty: TimedAction::Expiry },
        })
    }

    /// When the turn that a person is in runs out; none without a clock, or where a bot moves.
    pub fn deadline(self, game: &Game) -> Option<RecordTime> {
        self.due(game).filter(|due| matches!(due.duty, TimedAction::Clock(_))).map(|due| due.at)
    }
}
