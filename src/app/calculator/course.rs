//! How a round went, from the calls and tricks that the players wrote down.

use super::PlayedRound;
use super::fields::impossible;
use crate::app::failure::Failure;
use crate::engine::score::{Call, CallKind, Course, ImpossibleRound};
use crate::engine::seat::{BySeat, Seat, SeatSet};

/// The course of the round; `None` if calls or tricks are missing or invalid.
pub(super) fn course(players: u8, played: &PlayedRound, failures: &mut Vec<Failure>) -> Option<Course> {
    if played.folded { folded(players, played, failures) } else { course_of_play(players, played, failures) }
}

fn course_of_play(players: u8, played: &PlayedRound, failures: &mut Vec<Failure>) -> Option<Course> {
    let reason = ImpossibleRound::CallsMissing { players };
    let mut missing = |field: &str| {
        failures.push(Failure::ImpossibleRound { field: field.to_owned(), reason });
    };
    let calls: Option<Vec<Call>> = played.calls.iter().copied().collect();
    let calls = calls.filter(|calls| calls.len() == usize::from(players));
    if calls.is_none() {
        missing("calls");
    }
    let tricks = Some(&played.tricks).filter(|tricks| tricks.len() == usize::from(players));
    if tricks.is_none() {
        missing("tricks");
    }
    let (calls, tricks) = (calls?, tricks?);
    let declarer = calls.iter().position(|call| call.kind == CallKind::Bid).map(|seat| Seat::new(seat as u8));
    Some(Course::Played {
        declarer,
        calls: BySeat::from_fn(players, |seat| calls[seat.index()]),
        tricks: BySeat::from_fn(players, |seat| tricks[seat.index()]),
    })
}

/// A folded round has only dash calls and no tricks.
fn folded(players: u8, played: &PlayedRound, failures: &mut Vec<Failure>) -> Option<Course> {
    let before = failures.len();
    let too_many = |count: usize| count != 0 && count != usize::from(players);
    for (field, count) in [("calls", played.calls.len()), ("tricks", played.tricks.len())] {
        if too_many(count) {
            let reason = ImpossibleRound::CallsMissing { players };
            failures.push(Failure::ImpossibleRound { field: field.to_owned(), reason });
        }
    }
    if played.tricks.iter().any(|&tricks| tricks > 0) {
        failures.push(impossible(ImpossibleRound::TricksInFold, played));
    }
    let is_dash_call = |call: &Call| call.kind == CallKind::DashCall && call.tricks == 0;
    if !played.calls.iter().flatten().all(is_dash_call) {
        failures.push(impossible(ImpossibleRound::CallsInFold, played));
    }
    let dashed =
        (0..players).filter(|&seat| played.calls.get(usize::from(seat)).copied().flatten().is_some());
    let dashed: SeatSet = dashed.map(Seat::new).collect();
    (failures.len() == before).then_some(Course::Folded { dashed })
}
