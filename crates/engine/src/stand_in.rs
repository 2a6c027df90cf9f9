//! Attendance: timeouts, stand-ins and forfeits.
//!
//! When a player's turn times out, the clock acts for them. After two timeouts in a row a bot stands in,
//! until the player acts again or resumes. A player who leaves during play forfeits: a bot plays on, and when
//! no human player is left the game is abandoned.

use serde::{Deserialize, Serialize};

use super::seat::{Place, SeatSet};

/// The absent players, by place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attendance {
    /// Players whose last turn timed out.
    late: SeatSet,
    /// Players for whom a bot stands in until they return.
    stood_in: SeatSet,
    /// Players who have left for good.
    forfeited: SeatSet,
}

impl Attendance {
    /// Whether a bot stands in for the player of a place, who may return.
    pub fn is_stood_in(self, place: Place) -> bool {
        self.stood_in.contains(place.as_seat())
    }

    /// Whether the player of a place has left for good.
    pub fn has_forfeited(self, place: Place) -> bool {
        self.forfeited.contains(place.as_seat())
    }

    /// Whether the last turn of the player of a place timed out.
    pub(super) fn is_late(self, place: Place) -> bool {
        self.late.contains(place.as_seat())
    }

    /// Whether any player has left for good.
    pub(super) fn any_forfeited(self) -> bool {
        self.forfeited != SeatSet::EMPTY
    }

    /// The player of a place acted, in person or through a bot.
    pub(super) fn acted(&mut self, place: Place) {
        self.late = self.late.without(place.as_seat());
    }

    pub(super) fn timed_out(&mut self, place: Place) {
        self.late = self.late.with(place.as_seat());
    }

    pub(super) fn stand_in_began(&mut self, place: Place) {
        self.late = self.late.without(place.as_seat());
        self.stood_in = self.stood_in.with(place.as_seat());
    }

    pub(super) fn stand_in_ended(&mut self, place: Place) {
        self.stood_in = self.stood_in.without(place.as_seat());
    }

    pub(super) fn forfeited(&mut self, place: Place) {
        self.stand_in_ended(place);
        self.acted(place);
        self.forfeited = self.forfeited.with(place.as_seat());
    }
}
