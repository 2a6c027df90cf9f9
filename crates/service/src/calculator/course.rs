//! How a round went, from the calls and tricks that the players wrote down.

use super::failure::impossible;
use super::{PlayedRound, RoundFault};
use crate::base::field_error::FieldCode;
use estimation_engine::score::{Call, CallKind, Course, ImpossibleRound};
use estimation_engine::seat::{BySeat, Seat, SeatSet};

/// The course of the round; `None` if calls or tricks are missing or invalid.
pub(super) fn course(players: u8, played: &PlayedRound, failures: &mut Vec<RoundFault>) -> Option<Course> {
    let calls = calls_by_seat(players, played, failures);
    if played.folded {
        folded(players, calls, played, failures)
    } else {
        course_of_play(players, calls, played, failures)
    }
}

/// The call of each seat; `None` if a call has a seat that the table lacks, or the seat of an earlier call.
fn calls_by_seat(
    players: u8,
    played: &PlayedRound,
    failures: &mut Vec<RoundFault>,
) -> Option<BySeat<Option<Call>>> {
    let before = failures.len();
    let mut calls = BySeat::splat(players, None);
    for (index, given) in played.calls.iter().enumerate() {
        let field = format!("/calls/{index}/seat");
        let seat = Seat::new(given.seat);
        match calls.get(seat) {
            None => {
                let reason = ImpossibleRound::SeatOutOfRange { last: players - 1 };
                failures.push(RoundFault::Impossible { field, reason });
            }
            Some(Some(_)) => {
                let reason = format!("must be another seat: seat {} has a call already", given.seat);
                failures.push(RoundFault::new(field, FieldCode::Contradiction, reason));
            }
            Some(None) => calls[seat] = Some(Call { kind: given.kind, tricks: given.tricks }),
        }
    }
    (failures.len() == before).then_some(calls)
}

fn course_of_play(
    players: u8,
    calls: Option<BySeat<Option<Call>>>,
    played: &PlayedRound,
    failures: &mut Vec<RoundFault>,
) -> Option<Course> {
    let reason = ImpossibleRound::CallsMissing { players };
    let mut missing = |field: &str| {
        failures.push(RoundFault::Impossible { field: field.to_owned(), reason });
    };
    let calls: Option<Option<Vec<Call>>> = calls.map(|calls| calls.values().copied().collect());
    if calls == Some(None) {
        missing("/calls");
    }
    let tricks = Some(&played.tricks).filter(|tricks| tricks.len() == usize::from(players));
    if tricks.is_none() {
        missing("/tricks");
    }
    let (calls, tricks) = (calls??, tricks?);
    let declarer = calls.iter().position(|call| call.kind == CallKind::Bid).map(|seat| Seat::new(seat as u8));
    Some(Course::Played {
        declarer,
        calls: BySeat::from_fn(players, |seat| calls[seat.index()]),
        tricks: BySeat::from_fn(players, |seat| tricks[seat.index()]),
    })
}

/// A folded round has only dash calls and no tricks.
fn folded(
    players: u8,
    calls: Option<BySeat<Option<Call>>>,
    played: &PlayedRound,
    failures: &mut Vec<RoundFault>,
) -> Option<Course> {
    let before = failures.len();
    if ![0, usize::from(players)].contains(&played.tricks.len()) {
        let reason = ImpossibleRound::CallsMissing { players };
        failures.push(RoundFault::Impossible { field: "/tricks".to_owned(), reason });
    }
    if played.tricks.iter().any(|&tricks| tricks > 0) {
        failures.push(impossible(ImpossibleRound::TricksInFold, played));
    }
    let calls = calls?;
    let is_dash_call = |call: &Call| call.kind == CallKind::DashCall && call.tricks == 0;
    if !calls.values().flatten().all(is_dash_call) {
        failures.push(impossible(ImpossibleRound::CallsInFold, played));
    }
    let dashed: SeatSet = calls.iter().filter(|(_, call)| call.is_some()).map(|(seat, _)| seat).collect();
    (failures.len() == before).then_some(Course::Folded { dashed })
}
