//! Attendance: whose turns ran out, for whom a bot stands in, and who has left for good.
//!
//! A turn that runs out is played by the clock. After two in a row a bot stands in, until the player acts
//! again or resumes. Who stands up during play forfeits: the bot plays on, and when nobody is left of the
//! people the game is abandoned.

use serde::{Deserialize, Serialize};

use super::seat::{LobbySlot, SeatSet};

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

impl Attendance {
    /// Whether a bot stands in for the player of a place, who may come back.
    pub fn is_stood_in(self, place: LobbySlot) -> bool {
        self.stood_in.contains(place.as_seat())
    }

    /// Whether the player of a place has left for good.
    pub fn has_forfeited(self, place: LobbySlot) -> bool {
        self.forfeited.contains(place.as_seat())
    }

    /// Whether the last turn of the player of a place ran out.
    pub(super) fn is_late(self, place: LobbySlot) -> bool {
        self.late.contains(place.as_seat())
    }

    /// Whether any player has left for good.
    pub(super) fn any_forfeited(self) -> bool {
        self.forfeited != SeatSet::EMPTY
    }

    /// The player of a place acted, in person or through a bot.
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
