//! What only some seats or places have, as clients see it: lists whose items name their seat or place. Some generated
//! clients cannot read a list with null items. Stored texts keep a null for each seat without a value.

use serde::{Serialize, Serializer};

use super::client_seed::ClientSeed;
use super::event::{GameStarted, RoundScored};
use super::player::Player;
use super::score::{Call, CallKind, Lines};
use super::seat::{BySeat, Place, Seat, SeatSet};

/// A call and its seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SeatCall {
    /// The seat.
    pub seat: Seat,
    /// The kind of the call.
    pub kind: CallKind,
    /// The tricks, 0‥13.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 13))]
    pub tricks: u8,
}

/// A player's call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CallView {
    /// The kind of the call.
    pub kind: CallKind,
    /// The number of tricks.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 13))]
    pub tricks: u8,
    /// Whether it makes its player a With.
    pub with: bool,
    /// Whether its player is the Risk.
    pub risk: bool,
}

/// A call with its roles, and its seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SeatCallView {
    /// The seat.
    pub seat: Seat,
    /// The call.
    #[serde(flatten)]
    pub call: CallView,
}

/// The client seed of a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PlaceSeed {
    /// The place.
    pub place: Place,
    /// The seed.
    pub client_seed: ClientSeed,
}

/// The players, when a game starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = GameStart))]
pub struct VisibleStart<'a> {
    /// The player at each place.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Player>, min_items = 2, max_items = 5))]
    pub players: &'a BySeat<Player>,
    /// The client seeds given.
    #[cfg_attr(feature = "schema", schema(max_items = 5))]
    pub client_seeds: Vec<PlaceSeed>,
}

/// The score of a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = ScoredRound))]
pub struct VisibleScore<'a> {
    /// The round, from 1.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 19))]
    pub round: u8,
    /// The calls, by seat; in a folded round only dash calls.
    #[cfg_attr(feature = "schema", schema(max_items = 5))]
    pub calls: Vec<SeatCall>,
    /// The tricks each seat took.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<u8>, min_items = 2, max_items = 5, minimum = 0, maximum = 13))]
    pub tricks: &'a BySeat<u8>,
    /// The bidder; none in a round without one.
    pub bidder: Option<Seat>,
    /// The players who estimated the bidder's call.
    pub withs: SeatSet,
    /// The player who estimated last, if the ruleset names a Risk.
    pub risk: Option<Seat>,
    /// The multiplier of the round.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 262_144))]
    pub multiplier: u32,
    /// The carry into the next round.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 262_144))]
    pub next_carry: u32,
    /// The points of the round, by seat.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<i32>, min_items = 2, max_items = 5))]
    pub points: &'a BySeat<i32>,
    /// The totals after it, by seat.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<i32>, min_items = 2, max_items = 5))]
    pub totals: &'a BySeat<i32>,
    /// The lines of each seat's points.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Lines>, min_items = 2, max_items = 5))]
    pub lines: &'a BySeat<Lines>,
}

impl<'a> From<&'a GameStarted> for VisibleStart<'a> {
    fn from(started: &'a GameStarted) -> Self {
        let seeds = started.client_seeds.values().map(Option::as_ref);
        VisibleStart { players: &started.players, client_seeds: place_seeds(seeds) }
    }
}

impl<'a> From<&'a RoundScored> for VisibleScore<'a> {
    fn from(scored: &'a RoundScored) -> Self {
        let calls = scored
            .calls
            .iter()
            .filter_map(|(seat, call)| call.map(|Call { kind, tricks }| SeatCall { seat, kind, tricks }));
        VisibleScore {
            round: scored.round,
            calls: calls.collect(),
            tricks: &scored.tricks,
            bidder: scored.bidder,
            withs: scored.withs,
            risk: scored.risk,
            multiplier: scored.multiplier,
            next_carry: scored.next_carry,
            points: &scored.points,
            totals: &scored.totals,
            lines: &scored.lines,
        }
    }
}

/// The seeds given, from the seed of each place in order.
pub(super) fn place_seeds<'a>(seeds: impl Iterator<Item = Option<&'a ClientSeed>>) -> Vec<PlaceSeed> {
    let given = (0..).zip(seeds).filter_map(|(place, seed)| Some((Place::new(place), seed?.clone())));
    given.map(|(place, client_seed)| PlaceSeed { place, client_seed }).collect()
}

/// Serializes the calls made.
pub(super) fn seat_calls<S: Serializer>(
    calls: &BySeat<Option<CallView>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer
        .collect_seq(calls.iter().filter_map(|(seat, call)| call.map(|call| SeatCallView { seat, call })))
}
