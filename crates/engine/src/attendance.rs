//! Attendance: whose turns ran out, for whom a bot stands in, and who has left for good.
//!
//! A turn that runs out is played by the clock. After two in a row a bot stands in, until the player acts
//! again or resumes. Who stands up during play forfeits: the bot plays on, and when nobody is left of the
//! people the game is abandoned.

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};

use super::command::{Actor, By, Position};
use super::event::Event;
use super::game::{Game, Status, Table};
use super::player::Player;
use super::seat::{LobbySlot, Seat, SeatSet};

/// Who is absent, by place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attendance {
    /// Whose last turn ran out.
    late: SeatSet,
    /// For whom a bot stands in until they are back.
    stood_in: SeatSet,
    /// Who has left for good.
    forfeited: SeatSet,
}

/// What follows from who acted, rather than from what was done.
pub type Aftermath = ArrayVec<Event, 2>;

impl Attendance {
    /// Whether a bot stands in for the player of a place, who may come back.
    pub fn is_stood_in(self, place: LobbySlot) -> bool {
        self.stood_in.contains(place.as_seat())
    }

    /// Whether the player of a place has left for good.
    pub fn has_forfeited(self, place: LobbySlot) -> bool {
        self.forfeited.contains(place.as_seat())
    }

    /// Somebody at a place acted, in whatever way.
    pub(super) fn acted(&mut self, place: LobbySlot) {
        self.late = self.late.without(place.as_seat());
    }

    pub(super) fn timed_out(&mut self, place: LobbySlot) {
        self.late = self.late.with(place.as_seat());
    }

    pub(super) fn stand_in_began(&mut self, place: LobbySlot) {
        self.late = self.late.without(place.as_seat());
        self.stood_in = self.stood_in.with(place.as_seat());
    }

    pub(super) fn stand_in_ended(&mut self, place: LobbySlot) {
        self.stood_in = self.stood_in.without(place.as_seat());
    }

    pub(super) fn forfeited(&mut self, place: LobbySlot) {
        self.stand_in_ended(place);
        self.acted(place);
        self.forfeited = self.forfeited.with(place.as_seat());
    }
}

impl Table {
    /// The place that a chair belongs to; none if the table has no such chair.
    pub fn place_of(&self, chair: Position) -> Option<LobbySlot> {
        match chair {
            Position::Place(place) => self.places.get(place.as_seat()).map(|_| place),
            Position::Seat(seat) => self.seats.as_ref()?.get(seat).copied(),
        }
    }

    /// The chair with a number, as views list them: a seat once the seats are settled, a place before.
    pub fn chair(&self, number: Seat) -> Position {
        match self.seats {
            Some(_) => Position::Seat(number),
            None => Position::Place(number.as_place()),
        }
    }
}

impl Position {
    /// The number of the chair, as views list them.
    pub const fn number(self) -> Seat {
        match self {
            Position::Place(place) => place.as_seat(),
            Position::Seat(seat) => seat,
        }
    }
}

impl Game {
    /// Whether a bot plays for the person in a chair, who may come back.
    pub fn is_stood_in(&self, chair: Position) -> bool {
        self.table.place_of(chair).is_some_and(|place| self.attendance.is_stood_in(place))
    }

    /// Whether a bot plays in a chair: one that sits there, or one in a person's stead.
    pub fn is_played_by_bot(&self, chair: Position) -> bool {
        let Some(place) = self.table.place_of(chair) else { return false };
        let bot = self.table.at(place).is_some_and(|sitter| matches!(sitter.player, Player::Bot { .. }));
        bot || self.attendance.is_stood_in(place) || self.attendance.has_forfeited(place)
    }

    /// Whether an actor may act as they say: a person in person while they have not left for good, a bot
    /// where a bot plays, the clock for a person where there is one. The server may act as itself.
    pub fn may_act(&self, actor: Actor) -> bool {
        let (Some(chair), Some(place)) =
            (actor.chair(), actor.chair().and_then(|chair| self.table.place_of(chair)))
        else {
            return actor == Actor::Server;
        };
        let person = self.table.at(place).is_some_and(|sitter| sitter.player.account().is_some());
        match actor.by() {
            None => person && !self.attendance.has_forfeited(place),
            Some(By::Bot) => self.is_played_by_bot(chair),
            Some(By::Clock) => self.table.turn_seconds.is_some() && !self.is_played_by_bot(chair),
        }
    }

    /// Whether a game in play has lost all its people.
    pub(super) fn is_deserted(&self) -> bool {
        let left = |place: LobbySlot, player: &Player| match player {
            Player::Human { .. } => self.attendance.has_forfeited(place),
            Player::Bot { .. } => true,
        };
        self.attendance.forfeited != SeatSet::EMPTY
            && self.status() == Status::Playing
            && self.table.places.iter().all(|(seat, sitter)| {
                sitter.as_ref().is_none_or(|sitter| left(seat.as_place(), &sitter.player))
            })
    }
}

/// What follows a leading event because of who acted: the clock's turn is noted, and a second one in a row
/// brings a stand-in; acting in person ends it.
pub fn aftermath(game: &Game, actor: Actor, leading: &Event) -> Aftermath {
    let mut events = Aftermath::new();
    let Some((chair, place)) = actor.chair().and_then(|chair| Some((chair, game.table.place_of(chair)?)))
    else {
        return events;
    };
    let seat = chair.number();
    let leaves_or_resumes = matches!(leading, Event::StandInEnded { .. } | Event::PlayerForfeited { .. });
    match actor.by() {
        Some(By::Clock) => {
            events.push(Event::TurnTimedOut { seat });
            if game.attendance.late.contains(place.as_seat()) {
                events.push(Event::StandInBegan { seat });
            }
        }
        None if !leaves_or_resumes && game.attendance.is_stood_in(place) => {
            events.push(Event::StandInEnded { seat });
        }
        None | Some(By::Bot) => {}
    }
    events
}
