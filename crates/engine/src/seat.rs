//! Seats, places, and values held by seat.

use std::fmt;
use std::ops::{Index, IndexMut};

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};

/// The maximum number of players at a table.
pub const MAX_PLAYERS: usize = 5;

/// A seat, 0‥n−1 in order of play: seat i + 1 plays after seat i.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8")]
pub struct Seat(u8);

/// A place in the lobby, 0‥n−1, before the seats are settled. Without a draw, place and seat have the same
/// number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8")]
pub struct Place(u8);

/// The number is not a seat of any table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no seat {0}: a table has at most {MAX_PLAYERS}")]
pub struct NoSuchSeat(u8);

impl TryFrom<u8> for Seat {
    type Error = NoSuchSeat;

    fn try_from(index: u8) -> Result<Seat, NoSuchSeat> {
        if usize::from(index) < MAX_PLAYERS { Ok(Seat(index)) } else { Err(NoSuchSeat(index)) }
    }
}

impl TryFrom<u8> for Place {
    type Error = NoSuchSeat;

    fn try_from(index: u8) -> Result<Place, NoSuchSeat> {
        Seat::try_from(index).map(Seat::as_place)
    }
}

impl Seat {
    /// The seat with a number. The caller must keep it below the number of players.
    pub const fn new(index: u8) -> Seat {
        Seat(index)
    }

    /// The seat's number.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The place with the same number: without a draw, the seat's place.
    pub const fn as_place(self) -> Place {
        Place(self.0)
    }

    /// The seat `steps` after this one, in order of play, at a table of `players`.
    #[must_use]
    pub const fn after(self, steps: u8, players: u8) -> Seat {
        let seat = self.0 + steps;
        // Nearly always less than two laps, and a division is slow.
        match seat.checked_sub(players) {
            None => Seat(seat),
            Some(seat) if seat < players => Seat(seat),
            Some(seat) => Seat(seat % players),
        }
    }

    /// The seat `steps` before this one, in order of play, at a table of `players`.
    #[must_use]
    pub const fn before(self, steps: u8, players: u8) -> Seat {
        Seat((self.0 + players - steps % players) % players)
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Place {
    /// The place with a number. The caller must keep it below the number of players.
    pub const fn new(index: u8) -> Place {
        Place(index)
    }

    /// The place's number.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The seat with the same number: without a draw, the place's seat.
    pub const fn as_seat(self) -> Seat {
        Seat(self.0)
    }
}

/// One value per seat of a table, 2‥5 of them. In JSON a list in order of seats.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BySeat<T>(ArrayVec<T, MAX_PLAYERS>);

impl<T> BySeat<T> {
    /// A value for each of `players` seats.
    pub fn from_fn(players: u8, value: impl FnMut(Seat) -> T) -> BySeat<T> {
        BySeat((0..players).map(Seat).map(value).collect())
    }

    /// The number of seats.
    pub fn players(&self) -> u8 {
        self.0.len() as u8
    }

    /// The seats and their values, in order of play from seat 0.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Seat, &T)> + ExactSizeIterator {
        self.0.iter().enumerate().map(|(index, value)| (Seat(index as u8), value))
    }

    /// The values, in order of seats.
    pub fn values(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }

    /// The value of a seat, if the table has it.
    pub fn get(&self, seat: Seat) -> Option<&T> {
        self.0.get(seat.index())
    }

    /// A new value for each seat, computed from the old one.
    pub fn map<U>(&self, mut value: impl FnMut(Seat, &T) -> U) -> BySeat<U> {
        BySeat(self.iter().map(|(seat, old)| value(seat, old)).collect())
    }
}

impl<T: Clone> BySeat<T> {
    /// The same value for each of `players` seats.
    pub fn splat(players: u8, value: T) -> BySeat<T> {
        BySeat::from_fn(players, |_| value.clone())
    }
}

impl<T> Index<Seat> for BySeat<T> {
    type Output = T;
    fn index(&self, seat: Seat) -> &T {
        &self.0[seat.index()]
    }
}

impl<T> IndexMut<Seat> for BySeat<T> {
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        &mut self.0[seat.index()]
    }
}

/// The list is too long for a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a table has at most {MAX_PLAYERS} seats")]
pub struct TooManySeats;

impl<T> TryFrom<Vec<T>> for BySeat<T> {
    type Error = TooManySeats;

    fn try_from(values: Vec<T>) -> Result<BySeat<T>, TooManySeats> {
        if values.len() > MAX_PLAYERS { Err(TooManySeats) } else { Ok(BySeat(values.into_iter().collect())) }
    }
}

/// A set of seats as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "Vec<Seat>", into = "Vec<Seat>")]
pub struct SeatSet(u8);

impl SeatSet {
    /// The empty set.
    pub const EMPTY: SeatSet = SeatSet(0);

    /// The set with a seat added.
    #[must_use]
    pub const fn with(self, seat: Seat) -> SeatSet {
        SeatSet(self.0 | 1 << seat.0)
    }

    /// The set without a seat.
    #[must_use]
    pub const fn without(self, seat: Seat) -> SeatSet {
        SeatSet(self.0 & !(1 << seat.0))
    }

    /// Whether the set holds a seat.
    pub const fn contains(self, seat: Seat) -> bool {
        self.0 & (1 << seat.0) != 0
    }

    /// The number of seats in the set.
    pub const fn len(self) -> u8 {
        self.0.count_ones() as u8
    }

    /// Whether no seat is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The seats, lowest first.
    pub fn iter(self) -> impl Iterator<Item = Seat> {
        (0..MAX_PLAYERS as u8).map(Seat).filter(move |&seat| self.contains(seat))
    }
}

impl FromIterator<Seat> for SeatSet {
    fn from_iter<I: IntoIterator<Item = Seat>>(seats: I) -> SeatSet {
        seats.into_iter().fold(SeatSet::EMPTY, SeatSet::with)
    }
}

impl From<Vec<Seat>> for SeatSet {
    fn from(seats: Vec<Seat>) -> SeatSet {
        seats.into_iter().filter(|seat| seat.index() < MAX_PLAYERS).collect()
    }
}

impl From<SeatSet> for Vec<Seat> {
    fn from(set: SeatSet) -> Vec<Seat> {
        set.iter().collect()
    }
}
