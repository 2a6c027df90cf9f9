//! The score sheet: every finished round with the lines of its points.

use serde::Serialize;

use super::game::Game;
use super::listed::CallView;
use super::score::{Call, CallKind, Course, Lines, RoundResult};
use super::seat::{BySeat, Seat};

/// A finished round on the score sheet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SheetRow {
    /// The round's number.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 19))]
    pub round: u8,
    /// Whether the round folded: no player bid, and it was not played.
    pub folded: bool,
    /// The bidder, if any.
    pub bidder: Option<Seat>,
    /// The multiplier of the round.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 262_144))]
    pub multiplier: u32,
    /// The result of each seat.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<SheetCell>, min_items = 2, max_items = 5))]
    pub seats: BySeat<SheetCell>,
}

/// The result of a seat in a finished round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SheetCell {
    /// The seat's call.
    pub call: Option<CallView>,
    /// The tricks it took.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 13))]
    pub tricks: u8,
    /// The points of the round.
    pub points: i32,
    /// The total after the round, including penalties.
    pub total: i32,
    /// The lines of the points.
    pub lines: Lines,
}

/// The score sheet, round by round.
pub fn sheet(game: &Game) -> Vec<SheetRow> {
    let mut totals = BySeat::splat(game.rules().players, 0);
    let mut rows = Vec::with_capacity(game.sheet.rounds.len());
    for (result, score) in game.scores() {
        for foul in game.sheet.fouls.iter().filter(|foul| foul.deal.round == result.round) {
            totals[foul.seat] += foul.points;
        }
        for (seat, points) in score.points.iter() {
            totals[seat] += points;
        }
        let cell = |seat: Seat| {
            let (call, tricks) = call_and_tricks(result, seat);
            SheetCell {
                call: call.map(|call| CallView {
                    kind: call.kind,
                    tricks: call.tricks,
                    with: score.withs.contains(seat),
                    risk: score.risk == Some(seat),
                }),
                tricks,
                points: score.points[seat],
                total: totals[seat],
                lines: score.lines[seat].clone(),
            }
        };
        rows.push(SheetRow {
            round: result.round,
            folded: matches!(result.course, Course::Folded { .. }),
            bidder: score.bidder,
            multiplier: score.multiplier,
            seats: BySeat::from_fn(game.rules().players, cell),
        });
    }
    rows
}

fn call_and_tricks(result: &RoundResult, seat: Seat) -> (Option<Call>, u8) {
    match &result.course {
        Course::Folded { dashed } => {
            let zero = Call { kind: CallKind::DashCall, tricks: 0 };
            (dashed.contains(seat).then_some(zero), 0)
        }
        Course::Played { calls, tricks, .. } => (Some(calls[seat]), tricks[seat]),
    }
}
